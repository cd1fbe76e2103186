// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/contacts.hpp"
#include "ca/parts/joins.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace tessera::ca::parts {

/// A step from a tile to one beside it: -1, 0 or 1 along each axis.
using Step = std::array<int, 3>;

/// The steps that lead from a tile to the tiles where neighbours before its cells lie.
inline std::vector<Step> steps_before(Lattice const& lattice) {
  std::vector<Step> steps{{-1, 0, 0}};
  for (Lattice::Row const& row : lattice.before)
    for (int dx = std::min(row.from, 0); dx <= row.to || dx == 0; ++dx)
      for (int dy : {0, row.dj})
        for (int dz : {0, row.dk})
          if (dx != 0 || dy != 0 || dz != 0) steps.push_back({dx, dy, dz});
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

/// Calls f(tile, periods, step) for the tiles at these steps from a tile, as far as there are any; the step to one that
/// lies `round` a periodic axis goes so many periods round the grid.
template <class F>
void for_each_beside(core::Grid const& grid, int tile, std::span<Step const> steps, bool round, F const& f) {
  core::Index const here = grid.tile_position(tile);
  for (Step const& step : steps) {
    std::array<core::Count, 3> at{here.i + step[0], here.j + step[1], here.k + step[2]};
    Periods periods;
    bool there = true;
    for (int axis = 0; axis < 3; ++axis) {
      core::Count const n = grid.tile_lattice()[axis];
      if (at[axis] >= 0 && at[axis] < n) continue;
      there = there && round && grid.periodic(axis) && !grid.thin(axis);
      periods.n[axis] = step[axis];
      at[axis] -= step[axis] * n;
    }
    if (there) f(grid.tile_number({at[0], at[1], at[2]}), periods, step);
  }
}

namespace detail {

/// Calls f(a, b) for the border parts of a row of a tile and of a row of a rim that touch; neither is counted from 1.
template <class F>
void for_each_row_link(TileParts const& tile, int r, Lattice::Row const& link, Rim const& rim, int rim_row,
                       F const& f) {
  Word const *const row = tile.bits.row(r), *const starts = tile.runs.starts.data() + tile.runs.word(r, 0);
  Word const* const other = rim.bits.data() + static_cast<std::size_t>(rim_row) * static_cast<std::size_t>(rim.words);
  Id const* of = tile.of.data() + tile.runs.begin_of_row(r);
  Id const* other_of = rim.of.data() + rim.begin[rim_row];
  ContactWords contacts(link.from, link.to);
  BitsBefore before;
  for (int w = 0; w < rim.words; ++w) {
    Word const s = starts[w];
    Word there = other[w], t = there & ~before(there);
    contacts.align(there, t);
    for (Word touching = contacts.next(row[w], s, there, t); touching != 0; touching &= touching - 1) {
      Word const m = through_lowest(touching);
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
void for_each_link(core::TileInfo const& info, TileParts const& tile, Step const& step, core::Index const& other,
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
    if (step[0] == 0 ? step[1] != 0 || step[2] != 0 : link.from <= step[0] && step[0] <= link.to) along(link);
  if (step == Step{-1, 0, 0}) along({0, 0, -1, -1});
}

/// What is known of a measured tile's border parts, in their order.
inline void set_records(TileParts const& tile, core::Grid const& grid, core::TileInfo const& info, Record* records) {
  for (Id part : tile.borders)
    *records++ = {grid_number(grid, info, tile.first[part]) + 1, tile.cells[part], tile.flags[part]};
}

/// What Joins asks of tiles without rings: who looks at whom, what a tile shows of its border, and where parts meet.
class LatticeLinks {
 public:
  using Shown = Rim;
  LatticeLinks(core::Layout const& layout, std::vector<TileParts> const& tiles, Lattice const& lattice)
      : layout_(layout),
        tiles_(tiles),
        lattice_(lattice),
        steps_(steps_before(lattice)),
        back_(steps_) {
    for (Step& step : back_) step = {-step[0], -step[1], -step[2]};
  }
  std::size_t borders(int slot) const { return tiles_[slot].borders.size(); }
  void set_records(int slot, Record* records) const {
    parts::set_records(tiles_[slot], layout_.grid(), layout_.info(slot), records);
  }
  template <class F>
  void for_each_looked_at(int slot, F const& f) const {
    for_each_beside(layout_.grid(), layout_.info(slot).tile, steps_, true, f);
  }
  template <class F>
  void for_each_looking(int slot, F const& f) const {
    for_each_beside(layout_.grid(), layout_.info(slot).tile, back_, true, f);
  }
  Rim const& shown(int slot) const { return tiles_[slot].rim; }
  /// Calls f(a, b) for border parts a of a tile and b of tile `there`, which shows its rim; pairs may come many times.
  template <class F>
  void for_each_link(int slot, Step const& step, int there, Rim const& rim, F const& f) const {
    parts::for_each_link(layout_.info(slot), tiles_[slot], step, layout_.grid().tile_box(there).shape(), rim, lattice_,
                         f);
  }
  static void write(Rim const& rim, core::Bytes& bytes) {
    core::append(bytes, rim.words);
    core::append(bytes, static_cast<std::int64_t>(rim.begin.size()));
    core::append(bytes, std::span<Id const>(rim.begin));
    core::append(bytes, std::span<Word const>(rim.bits));
    core::append(bytes, std::span<Id const>(rim.of));
    for (auto const& column : rim.column) core::append(bytes, std::span<Id const>(column));
  }
  static void read(core::ByteReader& in, core::Index const& n, Rim& rim) {
    rim.words = in.take<int>();
    rim.begin.resize(in.take<std::int64_t>());
    in.take(std::span<Id>(rim.begin));
    rim.bits.resize((rim.begin.size() - 1) * static_cast<std::size_t>(rim.words));
    in.take(std::span<Word>(rim.bits));
    rim.of.resize(rim.begin.back());
    in.take(std::span<Id>(rim.of));
    for (auto& column : rim.column) {
      column.resize(n.j * n.k);
      in.take(std::span<Id>(column));
    }
  }

 private:
  core::Layout const& layout_;
  std::vector<TileParts> const& tiles_;
  Lattice const& lattice_;
  std::vector<Step> steps_, back_;
};

/// The same of tiles with rings in a grid of one layer: a tile looks with its ring at the edges of all tiles round it.
class RingLinks {
 public:
  using Shown = std::array<std::vector<Id>, 4>;
  RingLinks(core::Layout const& layout, std::vector<Strips> const& tiles) : layout_(layout), tiles_(tiles) {}
  std::size_t borders(int slot) const { return tiles_[slot].flags.size(); }
  void set_records(int slot, Record* records) const {
    for (std::uint8_t flags : tiles_[slot].flags) (records++)->flags = flags;
  }
  template <class F>
  void for_each_looked_at(int slot, F const& f) const {
    for_each_beside(layout_.grid(), layout_.info(slot).tile, around, false, f);
  }
  template <class F>
  void for_each_looking(int slot, F const& f) const {
    for_each_looked_at(slot, f);
  }
  Shown const& shown(int slot) const { return tiles_[slot].own; }
  template <class F>
  void for_each_link(int slot, Step const& step, int, Shown const& other, F const& f) const {
    // the side of the tile that looks, and where along it the other tile lies
    bool const across = step[1] != 0;
    std::size_t const side = across ? (step[1] < 0 ? 2 : 3) : (step[0] < 0 ? 0 : 1);
    std::span<Id const> mine = tiles_[slot].halo[side], theirs = other[side ^ 1];
    if (across && step[0] == 0) mine = mine.subspan(1, theirs.size());
    if (across && step[0] < 0) mine = mine.first(1), theirs = theirs.last(1);
    if (across && step[0] > 0) mine = mine.last(1), theirs = theirs.first(1);
    for (std::size_t n = 0; n < mine.size(); ++n)
      if (mine[n] != 0 && theirs[n] != 0) f(mine[n] - 1, theirs[n] - 1);
  }
  static void write(Shown const& own, core::Bytes& bytes) {
    for (auto const& strip : own) core::append(bytes, std::span<Id const>(strip));
  }
  static void read(core::ByteReader& in, core::Index const& n, Shown& own) {
    for (std::size_t side = 0; side < 4; ++side) {
      own[side].resize(side < 2 ? n.j : n.i);
      in.take(std::span<Id>(own[side]));
    }
  }

 private:
  static constexpr std::array<Step, 8> around{
      {{-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0}}};
  core::Layout const& layout_;
  std::vector<Strips> const& tiles_;
};

}  // namespace tessera::ca::parts
