// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/tile_clusters.hpp"

#include "ca/parts/contacts.hpp"
#include "ca/parts/kernels.hpp"

#include <algorithm>

namespace tessera::ca::clusters {
namespace {

using components::Contacts;
using components::kernels;

/// Joins the runs of row r with those of an earlier row. `fresh`: no run of row r was joined before; then the first
/// contact of each run needs no union. Which one that is, an addition with carry tells: adding the contacts to the runs
/// turns a run's bits off from its first contact onwards.
void join_rows(TileClusters const& tile, int r, int other, Lattice::Row const& link, bool fresh,
               std::vector<Contacts>& contacts, Id* parent) {
  BitTile const& bits = tile.bits;
  Runs const& runs = tile.runs;
  Word const *const row = bits.row(r), *const below = bits.row(other);
  Word const *const starts = runs.starts.data() + runs.word(r, 0), *const t = runs.starts.data() + runs.word(other, 0);
  ContactWords words(link.from, link.to);
  Word carry = 0;
  Word const firsts = fresh ? ~Word{0} : 0;
  for (int w = 0; w < bits.words; ++w) {
    Word const c = row[w], touching = words.next(c, starts[w], below[w], t[w]);
    Word const sum = components::add_with_carry(c, touching & c, carry);
    Word const first = touching & ~sum & firsts;
    contacts[w] = {first, touching & ~first, starts[w], 0, t[w], 0};
  }
  static thread_local std::vector<Id> scratch;
  scratch.resize(components::join_scratch(bits.words));
  kernels().join_row(contacts.data(), bits.words, runs.begin_of_row(r) - 1, runs.begin_of_row(other) - 1, parent,
                     scratch.data());
}

/// Joins all runs of a tile as the lattice says.
void join_runs(TileClusters& tile, int nj, int nk, Lattice const& lattice) {
  static thread_local std::vector<Contacts> contacts;
  contacts.resize(tile.bits.words);
  for (int k = 0; k < nk; ++k)
    for (int j = 0; j < nj; ++j) {
      bool fresh = true;
      for (Lattice::Row const& link : lattice.before) {
        int const oj = j + link.dj, ok = k + link.dk;
        if (oj < 0 || oj >= nj || ok < 0) continue;
        join_rows(tile, k * nj + j, ok * nj + oj, link, fresh, contacts, tile.of.data());
        fresh = false;
      }
    }
}

/// Numbers the parts, which take the place of the runs' parents, with their first cells and sizes.
void number_parts(TileClusters& tile) {
  static thread_local std::vector<std::uint32_t> columns;
  BitTile const& bits = tile.bits;
  Runs const& runs = tile.runs;
  Id const n = runs.count();
  if (columns.size() < n + std::size_t{64}) columns.resize(n + std::size_t{64});
  Id count = 0;
  for (int r = 0; r < bits.nj; ++r) {
    Id const before = count;
    count = kernels().number_row(runs.starts.data() + runs.word(r, 0), bits.words, runs.begin_of_row(r), tile.of.data(),
                                 count, columns.data() + count);
    std::uint32_t const shift = static_cast<std::uint32_t>(r) * static_cast<std::uint32_t>(bits.ni);
    for (Id c = before; c < count; ++c) columns[c] += shift;
  }
  tile.first.assign(columns.begin(), columns.begin() + count);
  tile.border.assign(count, 0);
  tile.flags.assign(count, 0);

  tile.cells.assign(count, 0);
  for (int r = 0; r < bits.nj; ++r)
    kernels().add_cells(bits.row(r), runs.starts.data() + runs.word(r, 0), bits.words,
                        tile.of.data() + runs.begin_of_row(r), tile.cells.data());
}

/// Calls f(part) for all parts at a face of the tile, many times over.
template <class F>
void for_each_at_face(TileClusters const& tile, int nj, int nk, int axis, bool high, F const& f) {
  Runs const& runs = tile.runs;
  if (axis == 0) {
    int const x = high ? tile.bits.ni - 1 : 0;
    for (int r = 0; r < nj * nk; ++r)
      if (tile.bits.test(r, x)) f(tile.of[high ? runs.end_of_row(r) - 1 : runs.begin_of_row(r)]);
    return;
  }
  int const layers = axis == 1 ? nk : 1, rows = axis == 1 ? 1 : nj;
  for (int k = 0; k < layers; ++k)
    for (int j = 0; j < rows; ++j) {
      int const r = (axis == 2 && high ? nk - 1 : k) * nj + (axis == 1 && high ? nj - 1 : j);
      for (Id n = runs.begin_of_row(r); n < runs.end_of_row(r); ++n) f(tile.of[n]);
    }
}

/// Flags the parts with cells in a mask.
void flag_port(TileClusters& tile, core::FieldView<std::uint8_t const> const& mask, int nj, int slot,
               std::uint8_t flag) {
  static thread_local std::vector<Word> outside;
  BitTile const& bits = tile.bits;
  outside.resize(static_cast<std::size_t>(bits.words) + 64);
  for (int r = 0; r < bits.nj; ++r) {
    kernels().pack_row(mask.row(slot, r / nj, r % nj), 0, bits.ni, outside.data());
    Word const* const row = bits.row(r);
    for (int w = 0; w < bits.words; ++w)
      for (Word met = row[w] & ~outside[w]; met != 0;) {
        int const x = std::countr_zero(met);
        tile.flags[tile.of[tile.runs.at(r, 64 * w + x)]] |= flag;
        // one cell is enough: on to the next run
        int const end = x + std::countr_one(row[w] >> x);
        met = end >= 64 ? 0 : met & (~Word{0} << end);
      }
  }
}

void fill_rim(TileClusters& tile, int nj, int nk, Lattice const& lattice) {
  bool const spatial = lattice.spatial();
  Rim& rim = tile.rim;
  BitTile const& bits = tile.bits;
  Runs const& runs = tile.runs;
  rim.words = bits.words;
  rim.bits.clear();
  rim.begin.clear();
  rim.of.clear();
  auto const add_row = [&](int j, int k) {
    int const r = k * nj + j;
    rim.bits.insert(rim.bits.end(), bits.row(r), bits.row(r) + bits.words);
    rim.begin.push_back(static_cast<Id>(rim.of.size()));
    for (Id n = runs.begin_of_row(r); n < runs.end_of_row(r); ++n) rim.of.push_back(tile.border[tile.of[n]]);
  };
  if (spatial)
    for (int j = 0; j < nj; ++j) add_row(j, nk - 1);
  for (int k = 0; k < nk - (spatial ? 1 : 0); ++k) add_row(nj - 1, k);
  if (std::any_of(lattice.before.begin(), lattice.before.end(), [](Lattice::Row const& row) { return row.dj > 0; }))
    for (int k = 0; k < nk - 1; ++k) add_row(0, k);
  rim.begin.push_back(static_cast<Id>(rim.of.size()));

  for (auto& column : rim.column) column.assign(static_cast<std::size_t>(nj) * static_cast<std::size_t>(nk), 0);
  for (int r = 0; r < nj * nk; ++r) {
    auto const at = static_cast<std::size_t>(r);
    if (bits.test(r, 0)) rim.column[0][at] = tile.border[tile.of[runs.begin_of_row(r)]];
    if (bits.test(r, bits.ni - 1)) rim.column[1][at] = tile.border[tile.of[runs.end_of_row(r) - 1]];
  }
}

}  // namespace

std::size_t TileClusters::bytes() const {
  auto const of_vector = [](auto const& v) { return v.capacity() * sizeof(v[0]); };
  return of_vector(bits.bits) + of_vector(runs.starts) + of_vector(runs.before) + of_vector(of) + of_vector(first) +
         of_vector(cells) + of_vector(flags) + of_vector(border) + of_vector(rim.bits) + of_vector(rim.begin) +
         of_vector(rim.of) + of_vector(rim.column[0]) + of_vector(rim.column[1]);
}

std::array<bool, 6> joined_faces(core::Grid const& grid, int tile, bool spatial) {
  std::array<bool, 6> joined{};
  core::Index const position = grid.tile_position(tile);
  std::array<core::Count, 3> const at{position.i, position.j, position.k};
  for (int axis = 0; axis < (spatial ? 3 : 2); ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    bool const round = grid.periodic(axis) && !grid.thin(axis);
    joined[2 * a] = round || at[a] > 0;
    joined[2 * a + 1] = round || at[a] + 1 < grid.tile_lattice()[a];
  }
  return joined;
}

void find_parts(core::FieldView<std::uint8_t const> const& field, std::uint8_t occupied, Ports const& ports,
                core::Grid const& grid, core::TileInfo const& info, int slot, Lattice const& lattice,
                TileClusters& tile) {
  int const nj = info.nj, nk = info.nk;
  tile.bits.shape(info.ni, nj * nk, 0);
  for (int r = 0; r < nj * nk; ++r)
    kernels().pack_row(field.row(slot, r / nj, r % nj), occupied, info.ni, tile.bits.row(r));
  components::find_runs(tile.bits, tile.runs, tile.of);
  join_runs(tile, nj, nk, lattice);
  number_parts(tile);

  auto const cells = grid.cells();
  std::array<core::Count, 3> const low{info.i0, info.j0, info.k0}, n{info.ni, nj, nk};
  bool const spatial = lattice.spatial();
  for (int axis = 0; axis < (spatial ? 3 : 2); ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    for (bool high : {false, true})
      if (high ? low[a] + n[a] == cells[a] : low[a] == 0)
        for_each_at_face(tile, nj, nk, axis, high,
                         [&](Id part) { tile.flags[part] |= static_cast<std::uint8_t>(touches(axis, high)); });
  }
  if (ports.inlet.first != nullptr) flag_port(tile, ports.inlet, nj, slot, Flag::inlet);
  if (ports.outlet.first != nullptr) flag_port(tile, ports.outlet, nj, slot, Flag::outlet);

  tile.borders = 0;
  auto const joined = joined_faces(grid, info.tile, spatial);
  for (int axis = 0; axis < 3; ++axis)
    for (bool high : {false, true})
      if (joined[2 * axis + high])
        for_each_at_face(tile, nj, nk, axis, high, [&](Id part) {
          if (tile.border[part] == 0) tile.border[part] = ++tile.borders;
        });
  if (std::find(joined.begin(), joined.end(), true) != joined.end()) fill_rim(tile, nj, nk, lattice);
}

}  // namespace tessera::ca::clusters
