// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/contacts.hpp"
#include "ca/parts/joins.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tessera::ca::clusters {

/// A step from a tile to one beside it: -1, 0 or 1 along each axis.
using Step = std::array<int, 3>;

/// The steps that lead from a tile to the tiles where neighbours before its cells lie.
inline std::vector<Step> steps_before(Lattice const& lattice) {
  std::vector<Step> steps{{-1, 0, 0}};
  for (Lattice::Row const& row : lattice.before)
    for (int dx = row.from; dx <= row.to; ++dx)
      for (int dy : {0, row.dj})
        for (int dz : {0, row.dk})
          if (dx != 0 || dy != 0 || dz != 0) steps.push_back({dx, dy, dz});
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

/// A tile beside another, and the periods that the step to it goes round the grid.
struct Beside {
  int tile;
  Periods periods;
};
inline std::optional<Beside> beside(core::Grid const& grid, int tile, Step const& step) {
  core::Index const here = grid.tile_position(tile);
  std::array<core::Count, 3> at{here.i + step[0], here.j + step[1], here.k + step[2]};
  Beside result{};
  for (std::size_t a = 0; a < 3; ++a) {
    core::Count const n = grid.tile_lattice()[a];
    if (at[a] >= 0 && at[a] < n) continue;
    int const axis = static_cast<int>(a);
    if (!grid.periodic(axis) || grid.thin(axis)) return std::nullopt;
    result.periods.n[a] = step[a];
    at[a] -= step[a] * n;
  }
  result.tile = grid.tile_number({at[0], at[1], at[2]});
  return result;
}

namespace detail {

/// Calls f(a, b) for the border parts of a row of a tile and of a row of a rim that touch; neither is counted from 1.
template <class F>
void for_each_row_link(TileClusters const& tile, int r, Lattice::Row const& link, Rim const& rim, int rim_row,
                       F const& f) {
  Word const *const row = tile.bits.row(r), *const starts = tile.runs.starts.data() + tile.runs.word(r, 0);
  auto const at = static_cast<std::size_t>(rim_row);
  Word const* const other = rim.bits.data() + at * static_cast<std::size_t>(rim.words);
  Id const* of = tile.of.data() + tile.runs.begin_of_row(r);
  Id const* other_of = rim.of.data() + rim.begin[at];
  ContactWords contacts(link.from, link.to);
  Word last = 0;
  for (int w = 0; w < rim.words; ++w) {
    Word const s = starts[w], t = other[w] & ~(other[w] << 1 | last);
    last = other[w] >> 63;
    for (Word touching = contacts.next(row[w], s, other[w], t); touching != 0; touching &= touching - 1) {
      Word const m = components::through_lowest(touching);
      f(tile.border[of[std::popcount(s & m) - 1]] - 1, other_of[std::popcount(t & m) - 1] - 1);
    }
    of += std::popcount(s);
    other_of += std::popcount(t);
  }
}

}  // namespace detail

/// Calls f(a, b) for border parts a of a tile and b of the tile at `step` from it, given by its rim, wherever the
/// lattice joins a cell of the one to a cell before it in the other. Pairs may come many times.
template <class F>
void for_each_link(core::TileInfo const& info, TileClusters const& tile, Step const& step, core::Index const& other,
                   Rim const& rim, Lattice const& lattice, F const& f) {
  auto const along = [&](Lattice::Row const& link) {
    int const nj = static_cast<int>(other.j), nk = static_cast<int>(other.k);
    for (int k = 0; k < info.nk; ++k)
      for (int j = 0; j < info.nj; ++j) {
        int const oj = j + link.dj, ok = k + link.dk;
        if ((oj < 0 ? -1 : oj >= info.nj ? 1 : 0) != step[1] || (ok < 0 ? -1 : 0) != step[2]) continue;
        int const y = oj - step[1] * (step[1] > 0 ? info.nj : nj), z = ok < 0 ? nk - 1 : ok;
        if (step[0] == 0) {
          detail::for_each_row_link(tile, k * info.nj + j, link, rim, Rim::row(y, z, nj, nk, lattice.spatial()), f);
          continue;
        }
        // only the cell at the face has neighbours beyond it
        bool const right = step[0] > 0;
        Id const a = tile.rim.column[right ? 1 : 0][k * info.nj + j];
        Id const b = rim.column[right ? 0 : 1][z * nj + y];
        if (a != 0 && b != 0) f(a - 1, b - 1);
      }
  };
  for (Lattice::Row const& link : lattice.before)
    if (link.from <= step[0] && step[0] <= link.to && (step[0] != 0 || step[1] != 0 || step[2] != 0)) along(link);
  if (step == Step{-1, 0, 0}) along({0, 0, -1, -1});
}

}  // namespace tessera::ca::clusters
