// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/activity.hpp"

#include "core/error.hpp"

namespace tessera::ca {
namespace {

using core::Count;

constexpr Count band_rows = 16;
// a band's words as a number: where they begin and end, and whether they touch the words that cells of the tiles beside see
constexpr int bits_of_place = 24;
constexpr std::int64_t at_left = std::int64_t{1} << (2 * bits_of_place), at_right = at_left << 1;

Count rows_of_tile(core::Grid const& grid) { return std::min(grid.tile()[1], grid.cells()[1]); }
Count bands_of_tile(core::Grid const& grid) { return std::max<Count>(1, rows_of_tile(grid) / band_rows); }
/// Rows or cells of the last tile along an axis.
Count last_tile(core::Grid const& grid, std::size_t axis) { return (grid.cells()[axis] - 1) % grid.tile()[axis] + 1; }
/// The band of a row of a tile; band n begins at row n rows / bands.
Count band_at(Count row, Count rows, Count bands) { return ((row + 1) * bands - 1) / rows; }

std::shared_ptr<core::Grid const> grid_of_bands(core::Grid const& grid) {
  auto const tiles = grid.tile_lattice();
  Count const rows = rows_of_tile(grid), bands = bands_of_tile(grid);
  Count const all = (tiles[1] - 1) * bands + band_at(last_tile(grid, 1) - 1, rows, bands) + 1;
  return std::make_shared<core::Grid const>(
      core::Grid::unit({tiles[0], all, 1}, {1, bands, 1}, {grid.periodic(0), grid.periodic(1), false}));
}

/// Pieces within `reach` of one, of which most have so many cells and one may have fewer.
int seen(Count reach, Count cells, Count fewest) {
  return static_cast<int>(1 + (std::max<Count>(reach - fewest, 0) + cells - 1) / cells);
}
/// Tiles along x, and bands along y, that one sees on either side.
int tiles_seen(core::Grid const& grid, Count reach) {
  return grid.tile_lattice()[0] > 1 ? seen(reach, grid.tile()[0], last_tile(grid, 0)) : 0;
}
int bands_seen(core::Grid const& grid, Count reach) {
  if (grid_of_bands(grid)->thin(1)) return 0;
  Count const rows = rows_of_tile(grid), bands = bands_of_tile(grid), least = rows / bands, last = last_tile(grid, 1);
  return seen(reach, least, std::min(least, last - band_at(last - 1, rows, bands) * rows / bands));
}

}  // namespace

Activity::Activity(core::Layout const& cells, int reach)
    : cells_(&cells),
      rows_of_tile_(rows_of_tile(cells.grid())),
      bands_of_tile_(bands_of_tile(cells.grid())),
      reach_(reach),
      beside_(tiles_seen(cells.grid(), reach)),
      above_(bands_seen(cells.grid(), reach)),
      round_(cells.grid().periodic(0) && cells.grid().tile_lattice()[0] == 1),
      layout_(grid_of_bands(cells.grid()), cells.owners(), cells.comm()),
      moved_("words that moved", layout_, std::max({1, beside_, above_})),
      halo_(layout_, moved_.halo()) {
  core::expect(reach <= 64 && (cells.grid().tile()[0] + 63) / 64 < Count{1} << bits_of_place,
               "cells that rest see one word far, of rows below 2^30 cells");
}

void Activity::wake() { generations_ = 0; }

std::int64_t Activity::packed(Words const& words, int all) {
  return words.first | std::int64_t{words.end} << bits_of_place | (words.first == 0 ? at_left : 0) |
         (words.end + 1 >= all ? at_right : 0);
}
Activity::Words Activity::unpacked(std::int64_t value) {
  constexpr std::int64_t mask = (std::int64_t{1} << bits_of_place) - 1;
  return {static_cast<int>(value & mask), static_cast<int>(value >> bits_of_place & mask)};
}

int Activity::words(int slot) const { return (cells_->info(slot).ni + 63) / 64; }
int Activity::band(int row) const { return static_cast<int>(band_at(row, rows_of_tile_, bands_of_tile_)); }
int Activity::first_row(int band) const { return static_cast<int>(band * rows_of_tile_ / bands_of_tile_); }

void Activity::begin(int generations) {
  if (generations_ == 0 || generations % generations_ != 0) {
    auto const moved = moved_.host();
    for (int slot = 0; slot < layout_.tiles(); ++slot) {
      int const all = words(slot);
      for (int b = 0; b < layout_.info(slot).nj; ++b) moved(slot, 0, b, 0) = packed({0, all}, all);
    }
  }
  generations_ = generations;
  halo_.exchange(moved_);
}

Activity::Words Activity::needed(core::FieldView<std::int64_t const> const& moved, int slot, int band) const {
  int const all = words(slot);
  Words found;
  for (int j = band - above_; j <= band + above_; ++j)
    for (int i = -beside_; i <= beside_; ++i) {
      std::int64_t const value = moved(slot, 0, j, i);
      if (value == 0) continue;
      if (i != 0) {
        // the cells at the end of a row, which may lie in two words, see those of the tile there, or of one behind it
        if (i < -1 || (i == -1 && (value & at_right) != 0)) found.add({0, 1});
        if (i > 1 || (i == 1 && (value & at_left) != 0)) found.add({std::max(0, all - 2), all});
        continue;
      }
      Words const words = unpacked(value);
      // round the grid: a word beside these and one more, which is whole, must lie within a row
      if (round_ && (words.first < 2 || words.end > all - 3)) return {0, all};
      found.add({std::max(0, words.first - 1), std::min(all, words.end + 1)});
    }
  return found;
}

void Activity::find_areas(int slot, std::vector<Area>& areas) const {
  areas.clear();
  int const rows = cells_->info(slot).nj;
  if (!moved_before(slot, -1, rows + 1)) return;
  auto const moved = moved_.host();
  for (int b = 0; b < layout_.info(slot).nj; ++b) {
    Words const words = needed(moved, slot, b);
    if (words.empty()) continue;
    int const first = first_row(b), end = std::min(rows, first_row(b + 1));
    if (areas.empty() || first - areas.back().end >= reach_) areas.push_back({first, end, {}});
    areas.back().end = end;
    areas.back().words.add(words);
  }
}

void Activity::compute(int slot, std::vector<Area> const& areas) {
  auto const moved = moved_.host();
  for (Area const& area : areas)
    for (int b = band(area.first); b <= band(area.end - 1); ++b) moved(slot, 0, b, 0) = 0;
}

void Activity::moved(int slot, int row, Words const& words) {
  std::int64_t& value = moved_.host()(slot, 0, band(row), 0);
  Words const before = unpacked(value);
  Words all = before;
  all.add(words);
  if (all != before) value = packed(all, this->words(slot));
}

bool Activity::moved_before(int slot, int first, int end) const {
  auto const moved = moved_.host();
  int const rows = cells_->info(slot).nj, bands = layout_.info(slot).nj;
  int const low = first < 0 ? -above_ : std::min(band(first), bands - 1),
            high = end > rows ? bands + above_ : std::max(band(end - 1), 0) + 1;
  for (int j = low; j < high; ++j)
    for (int i = -beside_; i <= beside_; ++i)
      if (moved(slot, 0, j, i) != 0) return true;
  return false;
}

}  // namespace tessera::ca
