// SPDX-License-Identifier: Apache-2.0
#include "solvers/methods/skewed_tiles.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::solvers::methods {

namespace {

constexpr int chunk_length = 32;
// vectors before and behind all strips, and numbers around a row of `south`, that a step next to the border may read
constexpr std::size_t guard = 2 * lanes;

std::size_t strip_vectors(core::TileInfo const& t) { return static_cast<std::size_t>(t.ni + SkewedTiles::margin); }

}  // namespace

SkewedTiles::SkewedTiles(StencilMatrix const& matrix, core::Field<double> const& reciprocal)
    : layout_(matrix.layout()) {
  std::size_t vectors = guard, souths = guard;
  for (int slot = 0; slot < layout_.tiles(); ++slot) {
    auto const& t = layout_.info(slot);
    Tile& tile = tiles_.emplace_back(Tile{vectors, souths, {}});
    vectors += 4 * strip_vectors(t) * static_cast<std::size_t>(strips(slot));
    souths += (static_cast<std::size_t>(t.ni) + guard) * static_cast<std::size_t>(strips(slot));
    for (int n = 0; n < strips(slot); ++n) {
      tile.chunks.push_back(chunks_.size());
      add_chunks(matrix, reciprocal, slot, n);
    }
    tile.chunks.push_back(chunks_.size());
  }
  pool_.shrink_to_fit();
  pivots_.shrink_to_fit();
  vectors_.assign(vectors + guard, Lanes{splat(0)});
  south_.assign(souths + guard, 0.0);
  auto const south = matrix.face(1).host();
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (int n = 0; n < strips(slot); ++n) {
      double const* const row = south.row(slot, 0, n * lanes);
      std::copy(row, row + layout_.info(slot).ni, const_cast<double*>(strip(slot, n).south));
    }
}

SkewedTiles::Strip SkewedTiles::strip(int slot, int n) {
  auto const& t = layout_.info(slot);
  Tile const& tile = tiles_[static_cast<std::size_t>(slot)];
  std::size_t const length = strip_vectors(t), number = static_cast<std::size_t>(n);
  Lanes* const first = vectors_.data() + tile.first_vector + 4 * length * number;
  double const* const south = south_.data() + tile.first_south + (static_cast<std::size_t>(t.ni) + guard) * number;
  return {first,
          first + length,
          first + 2 * length,
          first + 3 * length,
          chunks_.data() + tile.chunks[number],
          chunks_.data() + tile.chunks[number + 1],
          south,
          std::min(lanes, t.nj - n * lanes)};
}

void SkewedTiles::add_chunks(StencilMatrix const& matrix, core::Field<double> const& reciprocal, int slot, int strip) {
  auto const& t = layout_.info(slot);
  auto const diagonal = matrix.diagonal().host(), west = matrix.face(0).host(), south = matrix.face(1).host(),
             rd = reciprocal.host();
  auto const at = [&](int s) {
    SkewedCoefficients c{{splat(0)}, {splat(0)}, {splat(0)}};
    Lanes pivot{splat(0)};
    for (int l = 0; l < lanes; ++l) {
      int const i = s - 1 - l, j = strip * lanes + l;
      if (j >= t.nj || i < -1 || i >= t.ni) continue;
      c.east.v[l] = west(slot, 0, j, i + 1);
      if (i < 0) continue;
      c.north.v[l] = south(slot, 0, j + 1, i);
      c.mass.v[l] = diagonal(slot, 0, j, i) -
                    (west(slot, 0, j, i) + west(slot, 0, j, i + 1) + south(slot, 0, j, i) + south(slot, 0, j + 1, i));
      pivot.v[l] = rd(slot, 0, j, i);
    }
    return std::pair(c, pivot);
  };
  int const end = t.ni + margin;
  int const head =
      t.ni < lanes + 1 ? end : lanes + 1;  // vectors 0 .. 8 hold the tile's first column and what is west of it
  for (int first = 0, last = 0; first < end; first = last) {
    bool const tail = first > t.ni;
    bool const masked = first == 0 || tail || (strip + 1) * lanes > t.nj;
    last = first == 0 ? head : tail ? end : std::min(first + chunk_length, t.ni + 1);
    std::size_t const place = pool_.size(), pivot_place = pivots_.size();
    bool same = true, same_pivots = true;
    for (int s = first; s < last; ++s) {
      auto const [coefficients, pivot] = at(s);
      pool_.push_back(coefficients);
      pivots_.push_back(pivot);
      same = same && std::memcmp(&pool_[place], &coefficients, sizeof coefficients) == 0;
      same_pivots = same_pivots && std::memcmp(&pivots_[pivot_place], &pivot, sizeof pivot) == 0;
    }
    if (same) pool_.resize(place + 1);
    if (same_pivots) pivots_.resize(pivot_place + 1);
    chunks_.push_back({first, last, masked, place, pivot_place, same ? 0 : 1, same_pivots ? 0 : 1});
  }
}

double SkewedTiles::uniform_share() const {
  double all = 0, uniform = 0;
  for (Chunk const& c : chunks_) {
    all += c.last - c.first;
    uniform += c.step == 0 ? c.last - c.first : 0;
  }
  return all > 0 ? uniform / all : 0;
}

void SkewedTiles::load_row(Lanes* to, double const* from, int lane, int ni) {
  double* const first = reinterpret_cast<double*>(to + 1 + lane) + lane;
  for (int i = 0; i < ni; ++i) first[lanes * i] = from[i];
}

void SkewedTiles::load(core::Field<double> const& x, core::Field<double> const& r) {
  std::fill(vectors_.begin(), vectors_.end(), Lanes{splat(0)});
  auto const xv = x.host(), rv = r.host();
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (int n = 0; n < strips(slot); ++n) {
      Strip const s = strip(slot, n);
      for (int l = 0; l < s.rows; ++l) {
        load_row(s.x, xv.row(slot, 0, n * lanes + l), l, layout_.info(slot).ni);
        load_row(s.r, rv.row(slot, 0, n * lanes + l), l, layout_.info(slot).ni);
      }
    }
}

void SkewedTiles::store(core::Field<double>& x) {
  auto const xv = x.host();
  for (int slot = 0; slot < layout_.tiles(); ++slot)
    for (int n = 0; n < strips(slot); ++n) {
      Strip const s = strip(slot, n);
      for (int l = 0; l < s.rows; ++l) {
        double* const row = xv.row(slot, 0, n * lanes + l);
        double const* const from = reinterpret_cast<double const*>(s.x + 1 + l) + l;
        for (int i = 0; i < layout_.info(slot).ni; ++i) row[i] = from[lanes * i];
      }
    }
}

}  // namespace tessera::solvers::methods
