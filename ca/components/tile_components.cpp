// SPDX-License-Identifier: Apache-2.0
#include "ca/components/tile_components.hpp"

#include "ca/components/kernels.hpp"

#include <algorithm>

namespace tessera::ca::components {

namespace {

/// Finds the runs of a tile; each is its own parent. `parent` has room for `most_runs`.
void find_runs(BitTile const& tile, Runs& runs, Id* parent) {
  runs.rows = tile.rows();
  runs.words = tile.words;
  runs.starts.resize(tile.bits.size());
  runs.before.resize(tile.bits.size() + 1);
  Id n = 0;
  for (int r = 0; r < runs.rows; ++r) {
    Word const* const row = tile.row(r);
    std::size_t const at = runs.word(r, 0);
    Word last = 0;
    for (int w = 0; w < runs.words; ++w) {
      Word const c = row[w], s = c & ~(c << 1 | last);
      last = c >> 63;
      runs.starts[at + static_cast<std::size_t>(w)] = s;
      runs.before[at + static_cast<std::size_t>(w)] = n;
      n += static_cast<Id>(std::popcount(s));
    }
  }
  runs.before.back() = n;
  for (Id q = 0; q < n; ++q) parent[q] = q;
}

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

void find_components(BitTile const& bits, bool eight, Measure measure, core::TileInfo const& info,
                     core::Grid const& grid, TileComponents& result) {
  static thread_local std::vector<Id> parent;
  static thread_local std::vector<std::uint32_t> columns;
  static thread_local std::vector<Contacts> contacts;
  static thread_local std::vector<Id> up_to_row;
  if (parent.size() < most_runs(bits)) parent.resize(most_runs(bits));
  find_runs(bits, result.runs, parent.data());
  contacts.resize(static_cast<std::size_t>(bits.words));
  for (int r = 1; r < bits.rows(); ++r) {
    find_contacts(bits, result.runs, r, eight, contacts.data());
    kernels().join_row(contacts.data(), bits.words, result.runs.begin_of_row(r) - 1,
                       result.runs.begin_of_row(r - 1) - 1, parent.data());
  }

  // columns of the first cells of all components, and the number of components up to each row
  Id const n = result.runs.count();
  result.of.resize(n + 64);
  if (columns.size() < n + 64) columns.resize(n + 64);
  up_to_row.resize(static_cast<std::size_t>(bits.rows()));
  Id count = 0;
  for (int r = 0; r < bits.rows(); ++r)
    up_to_row[static_cast<std::size_t>(r)] = count = kernels().number_row(
        result.runs.starts.data() + result.runs.word(r, 0), bits.words, result.runs.begin_of_row(r), parent.data(),
        result.of.data(), count, columns.data() + count);
  result.record.assign(count, Record{});
  if (measure != Measure::none)
    for (Id r = 0, c = 0; r < up_to_row.size(); ++r) {
      std::int64_t const number = grid.number(info.global(0, static_cast<int>(r) - 1, -1)) + 1;
      for (; c < up_to_row[r]; ++c) result.record[c].first = number + columns[c];
    }
  result.of.resize(n);
  result.border.assign(count, 0);
  if (measure != Measure::first_and_cells) return;
  static thread_local std::vector<std::int64_t> cells;
  cells.assign(count, 0);
  for (int r = 1; r <= bits.nj; ++r)
    kernels().add_cells(bits.row(r), result.runs.starts.data() + result.runs.word(r, 0), bits.ni,
                        result.of.data() + result.runs.begin_of_row(r), cells.data());
  for (Id c = 0; c < count; ++c) result.record[c].cells = cells[c];
}

void list_borders(BitTile const& bits, TileComponents& tile, SeamTile& seam) {
  Runs const& runs = tile.runs;
  int const ni = bits.ni, nj = bits.nj;
  seam.border.clear();
  auto const border_of = [&](Id run) {
    Id const c = tile.of[run];
    if (tile.border[c] == 0) {
      seam.border.push_back(tile.record[c]);
      tile.border[c] = static_cast<Id>(seam.border.size());
    }
    return tile.border[c];
  };
  static thread_local std::vector<int> scratch;
  auto const along_row = [&](int r, int x0, int n, std::vector<Id>& strip) {
    strip.assign(static_cast<std::size_t>(n), 0);
    for_each_run(bits, runs, r, scratch, [&](Id run, int begin, int end) {
      int const from = std::max(begin, x0), to = std::min(end, x0 + n - 1);
      if (from <= to) std::fill(strip.begin() + (from - x0), strip.begin() + (to - x0) + 1, border_of(run));
    });
  };
  // a cell in the first or last two columns is in the row's first or last run
  auto const along_column = [&](int x, std::vector<Id>& strip) {
    strip.assign(static_cast<std::size_t>(nj), 0);
    for (int r = 1; r <= nj; ++r)
      if (bits.test(r, x))
        strip[static_cast<std::size_t>(r - 1)] = border_of(x <= 1 ? runs.begin_of_row(r) : runs.end_of_row(r) - 1);
  };
  along_column(0, seam.halo[0]);
  along_column(1, seam.own[0]);
  along_column(ni + 1, seam.halo[1]);
  along_column(ni, seam.own[1]);
  along_row(0, 0, ni + 2, seam.halo[2]);
  along_row(1, 1, ni, seam.own[2]);
  along_row(nj + 1, 0, ni + 2, seam.halo[3]);
  along_row(nj, 1, ni, seam.own[3]);
  tile.borders = static_cast<Id>(seam.border.size());
}

std::vector<Id> codes(TileComponents const& tile, Seams const& seams, int slot) {
  std::vector<Id> result(tile.count());
  for (Id c = 0; c < tile.count(); ++c)
    result[c] = tile.border[c] == 0 ? c : tile.count() + seams.root(slot, tile.border[c] - 1);
  return result;
}

std::int64_t count_components(std::vector<TileComponents> const& tiles, Seams const& seams, core::Comm const& comm) {
  std::int64_t inner = 0;
  for (auto const& tile : tiles) inner += tile.count() - tile.borders;
  return seams.components() + comm.sum(inner);
}

std::int64_t largest_component(std::vector<TileComponents> const& tiles, Seams const& seams, core::Comm const& comm) {
  std::int64_t largest = seams.largest();
  for (auto const& tile : tiles)
    for (Id c = 0; c < tile.count(); ++c)
      if (tile.border[c] == 0) largest = std::max(largest, tile.record[c].cells);
  return comm.max(largest);
}

}  // namespace tessera::ca::components
