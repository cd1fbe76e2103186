// SPDX-License-Identifier: Apache-2.0
#include "io/insitu/channels.hpp"

#include "core/grid/halo.hpp"
#include "io/stream/sum_up.hpp"

#include <cstdint>

namespace tessera::io::insitu {
namespace {

int type_of(core::Element element) {
  switch (element) {
  case core::Element::uint8:
    return insitu_uint8;
  case core::Element::int32:
    return insitu_int32;
  case core::Element::int64:
    return insitu_int64;
  case core::Element::float32:
    return insitu_float32;
  case core::Element::float64:
    break;
  }
  return insitu_float64;
}

std::array<core::Count, 3> first_of(core::TileInfo const& t) { return {t.i0, t.j0, t.k0}; }
std::array<core::Count, 3> cells_of(core::TileInfo const& t) { return {t.ni, t.nj, t.nk}; }

/// The stored block of a field, relative to the tile's first own cell: rows begin at a line of 64 bytes.
struct Stored {
  std::array<core::Count, 3> lo, n;
};

template <class T>
Stored stored(core::Field<T> const& field, core::FieldView<T const> const& v) {
  core::Grid const& grid = field.layout().grid();
  constexpr core::Count line = 64 / static_cast<core::Count>(sizeof(T));
  Stored s;
  for (int a = 0; a < 3; ++a) {
    core::Count const halo = grid.thin(a) ? 0 : field.halo();
    auto const at = static_cast<std::size_t>(a);
    s.lo[at] = a == 0 ? -((halo + line - 1) / line * line) : -halo;
    s.n[at] = a == 0 ? v.row_stride : grid.tile()[at] + 2 * halo;
  }
  return s;
}

}  // namespace

void Channel::describe(std::span<Shown const> shown, int bit, std::array<std::vector<double>, 3> faces) {
  faces_ = std::move(faces);
  fields_.clear();
  arrays_.clear();
  tiles_.clear();
  channel_.bit = bit;
  channel_.uniform = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    core::Axis const axis{faces_[a]};
    channel_.cells[a] = axis.cells();
    channel_.faces[a] = faces_[a].data();
    if (!axis.uniform()) channel_.uniform = 0;
  }
  for (Shown const& s : shown)
    fields_.push_back({s.field->name().c_str(), s.field->info().units.c_str(),
                       bit == insitu_preview ? static_cast<int>(insitu_float64) : type_of(s.field->element())});
}

void Channel::finish() {
  for (std::size_t t = 0; t < tiles_.size(); ++t) tiles_[t].arrays = arrays_.data() + t * fields_.size();
  channel_.fields = fields_.data();
  channel_.fields_count = static_cast<std::int32_t>(fields_.size());
  channel_.tiles = tiles_.data();
  channel_.tiles_count = static_cast<std::int32_t>(tiles_.size());
}

unsigned char const* GridChannel::ghosts(Pattern const& p) {
  auto [place, fresh] = ghosts_.try_emplace(p);
  if (!fresh) return place->second.data();
  auto& kinds = place->second;
  kinds.reserve(p[3] * p[4] * p[5]);
  // 0: own, 1: beside the tile and inside the grid, 2: neither
  auto const kind = [&](std::size_t a, core::Count x) {
    if (x >= 0 && x < p[a]) return 0;
    bool const beside = p[15] != 0 && (x == -1 ? p[9 + 2 * a] == 0 : x == p[a] && p[10 + 2 * a] == 0);
    return beside ? 1 : 2;
  };
  for (core::Count k = 0; k < p[5]; ++k)
    for (core::Count j = 0; j < p[4]; ++j) {
      int const outer = std::max(kind(2, p[8] + k), kind(1, p[7] + j));
      for (core::Count i = 0; i < p[3]; ++i) {
        int const worst = std::max(outer, kind(0, p[6] + i));
        kinds.push_back(worst == 0 ? insitu_owned : worst == 1 ? insitu_duplicate : insitu_hidden);
      }
    }
  return kinds.data();
}

void GridChannel::fill(std::span<Shown const> shown) {
  core::Layout const& layout = shown.front().field->layout();
  core::Grid const& grid = layout.grid();
  std::array<std::vector<double>, 3> faces;
  for (int a = 0; a < 3; ++a) faces[a] = grid.axis(a).faces();
  describe(shown, insitu_grid, std::move(faces));

  // a duplicate must be right for every field, since a module may take one field's ghosts for all
  bool duplicates = true;
  for (Shown const& s : shown) duplicates &= s.writable != nullptr && s.field->halo() > 0;
  if (duplicates) {
    core::Halo halo(layout, 1);
    for (Shown const& s : shown) core::visit(*s.writable, [&](auto& field) { halo.exchange(field); });
  }

  arrays_.resize(static_cast<std::size_t>(layout.tiles()) * shown.size());
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    core::TileInfo const& t = layout.info(slot);
    auto const first = first_of(t), cells = cells_of(t);
    auto& tile = tiles_.emplace_back();
    tile.id = t.tile;
    for (std::size_t a = 0; a < 3; ++a) {
      tile.lo[a] = first[a];
      tile.hi[a] = first[a] + cells[a];
    }
    for (std::size_t f = 0; f < shown.size(); ++f)
      core::visit(*shown[f].field, [&](auto const& field) {
        auto const v = field.host();
        Stored const s = stored(field, v);
        auto& array = arrays_[static_cast<std::size_t>(slot) * shown.size() + f];
        array.data = v.row(slot, static_cast<int>(s.lo[2]), static_cast<int>(s.lo[1])) + s.lo[0];
        Pattern pattern{};
        for (std::size_t a = 0; a < 3; ++a) {
          array.lo[a] = first[a] + s.lo[a];
          array.n[a] = s.n[a];
          pattern[a] = cells[a];
          pattern[3 + a] = s.n[a];
          pattern[6 + a] = s.lo[a];
          pattern[9 + 2 * a] = first[a] == 0;
          pattern[10 + 2 * a] = first[a] + cells[a] == grid.cells()[a];
        }
        pattern[15] = duplicates;
        array.ghost = ghosts(pattern);
      });
  }
  channel_.tiles_global = grid.tiles();
  finish();
}

std::size_t Channel::bytes() const {
  std::size_t sum = arrays_.size() * sizeof(insitu_array) + tiles_.size() * sizeof(insitu_tile);
  for (auto const& x : faces_) sum += x.size() * sizeof(double);
  return sum;
}

core::Count PreviewChannel::block(core::Grid::Shape const& cells) {
  auto const blocks = [&](core::Count b) {
    core::Count product = 1;
    for (core::Count n : cells) product *= (n + b - 1) / b;
    return product;
  };
  core::Count b = 1;
  while (blocks(b) > most) ++b;
  return b;
}

void PreviewChannel::fill(std::span<Shown const> shown) {
  core::Layout const& layout = shown.front().field->layout();
  core::Grid const& grid = layout.grid();
  core::Count const b = block(grid.cells());
  std::array<std::vector<double>, 3> faces, widths;
  std::array<std::size_t, 3> n{};
  for (std::size_t a = 0; a < 3; ++a) {
    core::Axis const& axis = grid.axis(static_cast<int>(a));
    for (core::Count i = 0; i < axis.cells(); ++i) {
      widths[a].push_back(axis.width(i));
      if (i % b == 0) faces[a].push_back(axis.face(i));
    }
    faces[a].push_back(axis.high());
    n[a] = faces[a].size() - 1;
  }

  values_.resize(shown.size());
  for (std::size_t f = 0; f < shown.size(); ++f) {
    auto& sums = values_[f];
    sums.assign(n[0] * n[1] * n[2], 0);
    core::visit(*shown[f].field, [&](auto const& field) {
      auto const v = field.host();
      core::for_own_rows(layout, [&](int slot, int k, int j) {
        core::TileInfo const& t = layout.info(slot);
        double const area = widths[1][t.j0 + j] * widths[2][t.k0 + k];
        double* const row =
            sums.data() +
            (static_cast<std::size_t>((t.k0 + k) / b) * n[1] + static_cast<std::size_t>((t.j0 + j) / b)) * n[0];
        auto const* const x = v.row(slot, k, j);
        for (int i = 0; i < t.ni; ++i) row[(t.i0 + i) / b] += area * widths[0][t.i0 + i] * static_cast<double>(x[i]);
      });
    });
    detail::sum_up(layout.comm(), std::span(sums));
    // integral over the block / its volume
    for (std::size_t k = 0; k < n[2]; ++k)
      for (std::size_t j = 0; j < n[1]; ++j)
        for (std::size_t i = 0; i < n[0]; ++i)
          sums[(k * n[1] + j) * n[0] + i] /=
              (faces[0][i + 1] - faces[0][i]) * (faces[1][j + 1] - faces[1][j]) * (faces[2][k + 1] - faces[2][k]);
  }

  describe(shown, insitu_preview, std::move(faces));
  channel_.tiles_global = 1;
  if (layout.comm().root()) {
    auto& tile = tiles_.emplace_back();
    for (std::size_t a = 0; a < 3; ++a) tile.hi[a] = channel_.cells[a];
    for (auto const& values : values_) {
      auto& array = arrays_.emplace_back();
      array.data = values.data();
      for (std::size_t a = 0; a < 3; ++a) array.n[a] = channel_.cells[a];
    }
  }
  finish();
}

}  // namespace tessera::io::insitu
