// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/activity.hpp"
#include "ca/engine/four_rows.hpp"
#include "ca/engine/row_ends.hpp"
#include "core/grid/boxes.hpp"
#include "core/grid/field.hpp"

namespace tessera::ca::bits {

/// What is the same for all tiles: where the grid ends, and what lies beyond.
struct Surroundings {
  core::TileInfo const* cells;  ///< of the tiles, in cells
  RowEnds ends;
  core::Count rows;       ///< of the grid
  bool around;            ///< along y
  bool copies[2];         ///< beyond the bottom, top rows are as the outermost one
  Word const* beyond[2];  ///< otherwise, where the axis is not periodic: a row of equal words for each bit plane,
  core::Count stride;     ///< so far from each other

  /// The row `j` of a tile as it reads for the next generation, where that of the grid is `row(p, j)` in plane p.
  template <int planes, class Rows>
  KOKKOS_FUNCTION Planes<Word const*, planes> read(core::TileInfo const& tile, int j, Rows const& row) const {
    bool const inside = around || (tile.j0 + j >= 0 && tile.j0 + j < rows);
    int const high = tile.j0 + j >= rows, at = inside ? j : high ? j - 1 : j + 1;
    Planes<Word const*, planes> result;
    for (int p = 0; p < planes; ++p) result.of[p] = inside || copies[high] ? row(p, at) : beyond[high] + p * stride;
    return result;
  }
};

/// Views of the fields of words, one a bit plane.
template <int planes>
struct Fields {
  core::FieldView<std::int64_t> plane[planes];
};

/// Rows of a tile in fields of words.
template <int planes>
struct FieldRows {
  Fields<planes> fields;
  int slot, least, most;  ///< rows there are, with the halo
  KOKKOS_FUNCTION Word* operator()(int p, int j) const {
    return words(fields.plane[p].row(slot, 0, j < least ? least : j > most ? most : j));
  }
};

/// Sets what lies beyond the ends of the rows of tiles and their halos (RowEnds::open), in a bit plane.
struct OpenRows {
  core::FieldView<std::int64_t> field;
  int plane;
  Surroundings around;
  KOKKOS_FUNCTION void operator()(core::BoxCopy const& b, int, int j, int, core::Count) const {
    around.ends.open(words(field.row(b.to_slot, 0, b.to[1] + j)), plane,
                     around.ends.span(around.cells[b.to_slot], true));
  }
};

/// One generation of a tile, from one field into another, and how many cells change.
template <class Rule>
struct StepTile {
  static constexpr int planes = Rule::planes;
  Fields<planes> from, to;
  Surroundings around;
  Rule rule;
  int halo;
  std::int64_t* changed;  ///< by slot

  KOKKOS_FUNCTION void operator()(int slot) const {
    std::int64_t n = 0;
    for (int j = 0; j < around.cells[slot].nj; ++j) n += row(slot, j, 0, (around.cells[slot].ni + 63) / 64);
    changed[slot] = n;
  }

  /// Words first <= i < last of a row.
  KOKKOS_FUNCTION std::int64_t row(int slot, int j, int first, int last) const {
    core::TileInfo const tile = around.cells[slot];
    Rule const here = rule;
    FieldRows<planes> const rows{from, slot, -halo, tile.nj - 1 + halo};
    auto const below = around.read<planes>(tile, j - 1, rows), own = around.read<planes>(tile, j, rows),
               above = around.read<planes>(tile, j + 1, rows);
    Planes<Word*, planes> fresh;
    for (int p = 0; p < planes; ++p) fresh.of[p] = words(to.plane[p].row(slot, 0, j));
    std::int64_t n = 0;
    TESSERA_INDEPENDENT
    for (int i = first; i < last; ++i) {
      auto const cells = here.cells(own, i);
      auto const next = here.template next<Word>(here.row(below, i), here.row(own, i), here.row(above, i), cells);
      Word different = 0;
      for (int p = 0; p < planes; ++p) {
        different |= next.of[p] ^ cells.of[p];
        fresh.of[p][i] = next.of[p];
      }
      n += ones(different);
    }
    // what is beyond the end of the grid counts not
    int const used = tile.ni - 64 * (last - 1);
    if (used >= 64) return n;
    Word different = 0;
    for (int p = 0; p < planes; ++p) different |= fresh.of[p][last - 1] ^ own.of[p][last - 1];
    return n - ones(different & ~first_bits(used));
  }
};

/// The same word by word, for devices: how many of its cells change.
template <class Rule>
struct StepWord {
  StepTile<Rule> tile;
  KOKKOS_FUNCTION std::int64_t operator()(int slot, int, int j, int i) const {
    // a row of less than the two words that it has
    return 64 * i < tile.around.cells[slot].ni ? tile.row(slot, j, i, i + 1) : 0;
  }
};

/// Several generations of tiles on a device, from one field into another. A team takes a block of a tile with as many rows around it as
/// there are generations, and a word on either side, into memory of its own, where each generation is right for one row less than the
/// one before, and one cell less at the ends of rows. What lies outside the grid stays as it is.
template <class Rule>
struct StepsOfBlocks {
  static constexpr int planes = Rule::planes;
  static constexpr int most_steps = planes == 1 ? 32 : 8;
  static constexpr int most_words = 14, most_rows = 160 / planes;  ///< of a block; of it with the rows around it

  Fields<planes> from, to;
  Surroundings around;
  Rule rule;
  int const* slots;
  int steps, halo;
  int across = 1, up = 1;               ///< blocks of a tile
  int block_words = 0, block_rows = 0;  ///< of a block

  /// For tiles of so many words and rows.
  void share_out(int words_of_tile, int rows_of_tile) {
    auto const parts = [](int n, int most) { return (n + most - 1) / most; };
    across = parts(words_of_tile, most_words);
    block_words = parts(words_of_tile, across);
    up = parts(rows_of_tile, most_rows - 2 * steps);
    block_rows = parts(rows_of_tile, up);
  }
  core::Count teams(core::Tiles const& tiles) const { return core::Count{tiles.count()} * across * up; }

  struct Block {
    Word* memory;
    int wide, high;  ///< words with one on either side, rows with those around
    /// Word x of row y of a plane, of the generations with even or odd numbers. One word more on either side may be read.
    KOKKOS_FUNCTION Word* row(int q, int p, int y) const {
      return memory + ((core::Count{q % 2} * planes + p) * high + y) * (wide + 2) + 1;
    }
    KOKKOS_FUNCTION Planes<Word const*, planes> rows(int q, int y) const {
      Planes<Word const*, planes> result;
      for (int p = 0; p < planes; ++p) result.of[p] = row(q, p, y);
      return result;
    }
  };
  KOKKOS_FUNCTION int words_of_block() const { return 2 * planes * (block_rows + 2 * steps) * (block_words + 4); }
  std::size_t scratch() const { return core::team_bytes<Word>(words_of_block()); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const blocks = across * up, n = team.league_rank(), slot = slots[n / blocks], b = n % blocks;
    core::TileInfo const tile = around.cells[slot];
    int const i0 = b % across * block_words, j0 = b / across * block_rows, words_of_tile = (tile.ni + 63) / 64;
    int const ni = words_of_tile - i0 < block_words ? words_of_tile - i0 : block_words;
    int const nj = tile.nj - j0 < block_rows ? tile.nj - j0 : block_rows;
    if (ni <= 0 || nj <= 0) return;  // a tile at the grid's end, with fewer
    Block const block{core::of_team<Word>(team, words_of_block()), ni + 2, nj + 2 * steps};

    FieldRows<planes> const rows{from, slot, -halo, tile.nj - 1 + halo};
    core::over_team(team, block.high * (block.wide + 2), [&](int c) {
      int const y = c / (block.wide + 2), x = c % (block.wide + 2) - 1;
      auto const row = around.template read<planes>(tile, j0 - steps + y, rows);
      for (int p = 0; p < planes; ++p) {
        Word const word = x >= 0 && x < block.wide ? row.of[p][i0 - 1 + x] : 0;
        block.row(0, p, y)[x] = word;
        block.row(1, p, y)[x] = word;
      }
    });
    team.team_barrier();
    for (int q = 1; q <= steps; ++q) {
      advance(team, block, tile, i0, j0, q);
      team.team_barrier();
    }
    core::over_team(team, ni * nj, [&](int c) {
      int const y = c / ni, x = c % ni;
      for (int p = 0; p < planes; ++p)
        words(to.plane[p].row(slot, 0, j0 + y))[i0 + x] = block.row(steps, p, steps + y)[1 + x];
    });
  }

 private:
  /// Generation q: threads share out the columns of words and some rows that follow each other.
  template <class Member>
  KOKKOS_FUNCTION void advance(Member const& team, Block const& block, core::TileInfo const& tile, int i0, int j0,
                               int q) const {
    constexpr int at_once = 8;
    int const high = block.high - 2 * q, parts = (high + at_once - 1) / at_once;
    core::over_team(team, block.wide * parts, [&](int c) {
      int const x = c % block.wide, first = q + c / block.wide * at_once;
      int const last = first + at_once < block.high - q ? first + at_once : block.high - q;
      Word const inside = cells_of_grid(tile, i0 - 1 + x);
      auto const before = [&](int y) { return block.rows(q - 1, y); };
      auto below = rule.row(before(first - 1), x), here = rule.row(before(first), x);
      for (int y = first; y < last; ++y) {
        auto const above = rule.row(before(y + 1), x);
        if (core::Count const j = tile.j0 + j0 - steps + y; around.around || (j >= 0 && j < around.rows)) {
          auto const own = rule.cells(before(y), x);
          auto const next = rule.template next<Word>(below, here, above, own);
          for (int p = 0; p < planes; ++p) block.row(q, p, y)[x] = select(inside, next.of[p], own.of[p]);
        }
        below = here;
        here = above;
      }
    });
  }
  /// The bits of a tile's word that are cells of the grid; round it, all are.
  KOKKOS_FUNCTION Word cells_of_grid(core::TileInfo const& tile, int word) const {
    if (around.ends.around) return ~Word{0};
    core::Count const first = tile.i0 + core::Count{64} * word, left = around.ends.cells - first;
    if (first < 0 || left <= 0) return 0;
    return left >= 64 ? ~Word{0} : first_bits(static_cast<int>(left));
  }
};

/// Several generations of an area of a tile in place. Generation q follows that before it a block of four rows behind. Each is kept in a
/// ring of three blocks, and the last one is copied into the fields a block later, where the first one needs no row any more. What lies
/// round the area must be, after these generations, as it is. For hosts.
template <class Rule>
struct StepsInPlace {
  static constexpr int planes = Rule::planes;
  Fields<planes> fields;
  Surroundings around;
  Rule rule;
  int steps;  ///< 1 .. 64; the halo is as deep

  static constexpr int block = 4, kept = 3 * block;
  /// Words of the memory that a tile so wide needs, with what may be read beside its rows.
  static core::Count ring_words(int steps, core::Count width) { return steps * kept * planes * ring_stride(width); }
  static core::Count ring_stride(core::Count width) { return (width + 7) / 8 * 8 + 16; }

  /// A tile, and an area of it. `span`: the words that are computed, one more than the area's on either side, where a cell is wrong for
  /// each generation.
  struct Tile {
    core::TileInfo info;
    RowEnds::Span span;
    Activity::Area area;
    bool at_ends;  ///< of the grid's rows, or beside them
    FieldRows<planes> rows;
    Word* ring;
    core::Count stride;
  };
  /// Rows of generation q of a tile: those of the fields for 0, then those of the ring.
  struct Generation {
    Tile const* tile;
    int q;
    KOKKOS_FUNCTION Word* operator()(int p, int j) const {
      if (q == 0) return tile->rows(p, j);
      int const place = (j % kept + kept) % kept;
      return tile->ring + ((core::Count{q - 1} * kept + place) * planes + p) * tile->stride + 8;
    }
  };

  /// changed(j, words) is called for rows in which cells are other than before, from the first of these words to the last.
  template <class F>
  void operator()(int slot, Activity::Area const& area, Word* ring, core::Count width, F const& changed) const {
    core::TileInfo const& info = around.cells[slot];
    RowEnds::Span span = around.ends.span(info, true);
    // whole registers, as far as the tile goes
    constexpr int some = words_at_once;
    int const low = (area.words.first - 1) / some * some, high = (area.words.end + some) / some * some;
    bool const at_ends = (span.low && area.words.first <= 1) || (span.high && area.words.end >= span.end);
    if (area.words.first > 0 && span.first < low) span.first = low;
    if (span.last > high) span.last = high;
    Tile const tile{info, span, area, at_ends, {fields, slot, -steps, info.nj - 1 + steps}, ring, ring_stride(width)};
    int const waves = blocks(tile, 1).last + steps;
    for (int wave = blocks(tile, 1).first; wave < waves; ++wave) {
      for (int q = 1; q <= steps; ++q) {
        int const b = wave - (q - 1);
        if (Range const all = blocks(tile, q); b >= all.first && b < all.last) advance(tile, b, q);
      }
      keep(tile, wave - steps, changed);
    }
  }

 private:
  struct Range {
    int first, last;
  };
  /// Blocks of rows that generation q computes: the area's own and what later generations need, as far as the grid goes.
  Range blocks(Tile const& tile, int q) const {
    int const more = steps - q;
    core::Count low = tile.area.first - more, high = tile.area.end + more;
    if (!around.around) {
      if (low < -tile.info.j0) low = -tile.info.j0;
      if (high > around.rows - tile.info.j0) high = around.rows - tile.info.j0;
    }
    return {static_cast<int>((low - (low < 0 ? block - 1 : 0)) / block), static_cast<int>((high + block - 1) / block)};
  }

  void advance(Tile const& tile, int b, int q) const {
    Generation const before{&tile, q - 1}, fresh{&tile, q};
    FourRows<planes> rows;
    for (int n = 0; n < 6; ++n) rows.in[n] = around.read<planes>(tile.info, block * b + n - 1, before);
    for (int n = 0; n < 4; ++n)
      for (int p = 0; p < planes; ++p) rows.out[n].of[p] = fresh(p, block * b + n);
    bits::advance(rule, rows, tile.span.first, tile.span.last);
    if (!tile.at_ends) return;
    for (auto const& row : rows.out)
      for (int p = 0; p < planes; ++p) around.ends.close(row.of[p], p, tile.span);
  }

  /// A block of the last generation goes into the fields.
  template <class F>
  void keep(Tile const& tile, int b, F const& changed) const {
    int const low = block * b > tile.area.first ? block * b : tile.area.first;
    int const high = block * (b + 1) < tile.area.end ? block * (b + 1) : tile.area.end;
    for (int j = low; j < high; ++j) {
      Activity::Words all;
      for (int p = 0; p < planes; ++p) all.add(keep(tile.rows(p, j), Generation{&tile, steps}(p, j), tile));
      if (!all.empty()) changed(j, all);
    }
  }
  /// A row of a plane becomes as another one. Returns the words that change.
  Activity::Words keep(Word* row, Word const* from, Tile const& tile) const {
    constexpr int at_once = 8;
    int const own = (tile.info.ni + 63) / 64, used = tile.info.ni % 64;
    Activity::Words words = tile.area.words;
    auto const differs = [&](int i) {
      return ((row[i] ^ from[i]) & (i + 1 < own || used == 0 ? ~Word{0} : first_bits(used))) != 0;
    };
    auto const eight_differ = [&](int first) {
      Word different = 0;
      for (int i = 0; i < at_once; ++i) different |= row[first + i] ^ from[first + i];
      return different != 0;
    };
    while (words.first + at_once < words.end && !eight_differ(words.first)) words.first += at_once;
    while (words.first + at_once < words.end && !eight_differ(words.end - at_once)) words.end -= at_once;
    while (!words.empty() && !differs(words.first)) ++words.first;
    while (!words.empty() && !differs(words.end - 1)) --words.end;
    TESSERA_INDEPENDENT
    for (int i = words.first; i < words.end; ++i) row[i] = from[i];
    return words;
  }
};

}  // namespace tessera::ca::bits
