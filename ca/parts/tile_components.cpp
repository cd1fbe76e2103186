// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/tile_components.hpp"

#include "ca/parts/kernels.hpp"
#include "core/error.hpp"

#include <algorithm>

namespace tessera::ca::components {

namespace {

/// Contacts of the runs of row r with those of row r - 1, with 4 or 8 neighbours.
///
/// A contact is one bit for each touching pair of an upper and a lower run, at the later of the two starts; with 8
/// neighbours each run is thought one cell longer to the right. Which contacts come first, one addition with carry
/// tells: adding the contacts to the runs turns a run's bits off from its first contact onwards.
void find_contacts(BitTile const& tile, Runs const& runs, int r, bool eight, Contacts* contacts) {
  Word const *const row = tile.row(r), *const below = tile.row(r - 1);
  Word const* const starts = runs.starts.data() + runs.word(r, 0);
  Word over = 0, over_below = 0, carry = 0;
  for (int w = 0; w < tile.words; ++w) {
    Word const c = row[w], u = below[w], s = starts[w], t = starts[w - tile.words];
    Word const longer = eight ? c | c << 1 | over : c, longer_below = eight ? u | u << 1 | over_below : u;
    over = c >> 63;
    over_below = u >> 63;
    Word const touching = longer & longer_below & (s | t);
    Word const sum = add_with_carry(c, touching & c, carry);
    contacts[w] = {touching & ~sum, touching & sum, s, 0, t, 0};
  }
}

}  // namespace

void find_components(BitTile const& bits, bool eight, Measure measure, TileComponents& result) {
  static thread_local std::vector<Contacts> contacts;
  static thread_local std::vector<Id> scratch;
  core::expect(static_cast<std::int64_t>(bits.columns()) * bits.rows() < std::numeric_limits<std::int32_t>::max(),
               "a tile has 2^31 cells or more");
  Runs& runs = result.runs;
  find_runs(bits, runs, result.of);
  Id const n = runs.count();
  Id* const parent = result.of.data();
  contacts.resize(bits.words);
  scratch.resize(join_scratch(bits.words));
  Contacts* const row_contacts = contacts.data();
  Id* const pairs = scratch.data();
  for (int r = 1; r < bits.rows(); ++r) {
    find_contacts(bits, runs, r, eight, row_contacts);
    kernels().join_row(row_contacts, bits.words, runs.begin_of_row(r) - 1, runs.begin_of_row(r - 1) - 1, parent, pairs);
  }

  // what an earlier call has measured is not of these components
  result.up_to_row.clear();
  result.column.clear();
  result.cells.clear();
  Id count = 0;
  if (measure == Measure::none) {
    count = kernels().number(parent, n);
  } else {
    static thread_local std::vector<std::uint32_t> columns;
    if (columns.size() < n + 64) columns.resize(n + 64);
    result.up_to_row.resize(bits.rows());
    for (int r = 0; r < bits.rows(); ++r)
      result.up_to_row[r] = count = kernels().number_row(runs.starts.data() + runs.word(r, 0), bits.words,
                                                         runs.begin_of_row(r), parent, count, columns.data() + count);
    result.column.assign(columns.data(), columns.data() + count);
  }
  result.flags.assign(count, 0);
  result.border.assign(count, 0);
  result.borders = 0;
  if (measure != Measure::first_and_cells) return;
  core::expect(bits.ring == 0, "cells are counted on tiles without a ring");
  result.cells.assign(count, 0);
  for (int r = 0; r < bits.rows(); ++r)
    kernels().add_cells(bits.row(r), runs.starts.data() + runs.word(r, 0), bits.words, parent + runs.begin_of_row(r),
                        result.cells.data());
}

namespace {

/// Calls f(component, 1 + number in the grid of its first cell) for all components in their order.
template <class F>
void for_each_first(TileComponents const& tile, core::TileInfo const& info, core::Grid const& grid, F const& f) {
  Id c = 0;
  for (std::size_t r = 0; r < tile.up_to_row.size(); ++r) {
    std::int64_t const number = grid.number(info.global(0, static_cast<int>(r), 0)) + 1;
    for (; c < tile.up_to_row[r]; ++c) f(c, number + tile.column[c]);
  }
}

/// What is known of a component before the seams are joined.
Record record_of(TileComponents const& tile, Id c, core::TileInfo const& info, core::Grid const& grid) {
  Record record;
  record.flags = tile.flags[c];
  if (!tile.cells.empty()) record.cells = tile.cells[c];
  if (!tile.column.empty()) {
    auto const row = std::upper_bound(tile.up_to_row.begin(), tile.up_to_row.end(), c) - tile.up_to_row.begin();
    record.first = grid.number(info.global(0, static_cast<int>(row), 0)) + 1 + tile.column[c];
  }
  return record;
}

}  // namespace

void list_borders(BitTile const& bits, core::TileInfo const& info, core::Grid const& grid, TileComponents& tile,
                  SeamTile& seam) {
  Runs const& runs = tile.runs;
  int const ni = bits.ni, nj = bits.nj, ring = bits.ring;
  seam.border.clear();
  auto const border_of = [&](Id run) {
    Id const c = tile.of[run];
    if (tile.border[c] == 0) {
      seam.border.push_back(record_of(tile, c, info, grid));
      tile.border[c] = static_cast<Id>(seam.border.size());
    }
    return tile.border[c];
  };
  static thread_local std::vector<int> scratch;
  auto const along_row = [&](int r, int x0, int n, std::vector<Id>& strip) {
    strip.assign(n, 0);
    for_each_run(bits, runs, r, scratch, [&](Id run, int begin, int end) {
      int const from = std::max(begin, x0), to = std::min(end, x0 + n - 1);
      if (from <= to) std::fill(strip.begin() + (from - x0), strip.begin() + (to - x0) + 1, border_of(run));
    });
  };
  // a cell in the first or last two columns is in the row's first or last run
  auto const along_column = [&](int x, bool first, std::vector<Id>& strip) {
    strip.assign(nj, 0);
    for (int r = ring; r < nj + ring; ++r)
      if (bits.test(r, x)) strip[r - ring] = border_of(first ? runs.begin_of_row(r) : runs.end_of_row(r) - 1);
  };
  along_column(ring, true, seam.own[0]);
  along_column(ni + ring - 1, false, seam.own[1]);
  along_row(ring, ring, ni, seam.own[2]);
  along_row(nj + ring - 1, ring, ni, seam.own[3]);
  if (ring == 1) {
    along_column(0, true, seam.halo[0]);
    along_column(ni + 1, false, seam.halo[1]);
    along_row(0, 0, ni + 2, seam.halo[2]);
    along_row(nj + 1, 0, ni + 2, seam.halo[3]);
  }
  tile.borders = static_cast<Id>(seam.border.size());
}

template <class Label>
void first_cells(TileComponents const& tile, core::TileInfo const& info, core::Grid const& grid, Seams const& seams,
                 int slot, std::vector<Label>& first) {
  first.resize(tile.count());
  for_each_first(tile, info, grid, [&](Id c, std::int64_t number) { first[c] = static_cast<Label>(number); });
  if (tile.borders == 0) return;
  for (Id c = 0; c < tile.count(); ++c)
    if (tile.border[c] != 0) first[c] = static_cast<Label>(seams.record(seams.root(slot, tile.border[c] - 1)).first);
}

template void first_cells(TileComponents const&, core::TileInfo const&, core::Grid const&, Seams const&, int,
                          std::vector<std::int32_t>&);
template void first_cells(TileComponents const&, core::TileInfo const&, core::Grid const&, Seams const&, int,
                          std::vector<std::int64_t>&);

void codes(TileComponents const& tile, Seams const& seams, int slot, std::vector<Id>& code) {
  code.resize(tile.count());
  for (Id c = 0; c < tile.count(); ++c)
    code[c] = tile.border[c] == 0 ? c : tile.count() + seams.root(slot, tile.border[c] - 1);
}

void whole_flags(TileComponents const& tile, Seams const& seams, int slot, std::vector<std::uint8_t>& flags) {
  flags = tile.flags;
  for (Id c = 0; c < tile.count(); ++c)
    if (tile.border[c] != 0)
      flags[c] = static_cast<std::uint8_t>(seams.record(seams.root(slot, tile.border[c] - 1)).flags);
}

std::int64_t count_components(std::vector<TileComponents> const& tiles, Seams const& seams, core::Comm const& comm) {
  std::int64_t own = seams.components_here();
  for (auto const& tile : tiles) own += tile.count() - tile.borders;
  return comm.sum(own);
}

}  // namespace tessera::ca::components
