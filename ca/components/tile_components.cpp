// SPDX-License-Identifier: Apache-2.0
#include "ca/components/tile_components.hpp"

#include <algorithm>

namespace tessera::ca::components {
namespace {

/// Component of each run in raster order: a root opens a new component, any other run has its parent's.
struct Numbering {
  Id const* parent;
  Id* of;
  Id count = 0;
  void next(Id run) {
    Id const p = parent[run];
    bool const root = p == run;
    of[run] = root ? count : of[p];
    count += root;
  }
};

}  // namespace

void find_components(BitTile const& bits, bool eight, Measure measure, core::TileInfo const& info,
                     core::Grid const& grid, TileComponents& result) {
  static thread_local std::vector<Id> parent;
  static thread_local std::vector<int> scratch;
  if (parent.size() < most_runs(bits)) parent.resize(most_runs(bits));
  if (eight)
    join_runs<true>(bits, result.runs, parent.data());
  else
    join_runs<false>(bits, result.runs, parent.data());

  Id const n = result.runs.count();
  result.of.resize(n);
  static thread_local std::vector<std::int64_t>
      first;  // of each component, written for every run: no branch asks for roots
  if (first.size() <= n) first.resize(n + 1);
  Numbering numbering{parent.data(), result.of.data()};
  if (measure == Measure::none) {
    for (Id run = 0; run < n; ++run) numbering.next(run);
  } else {
    for (int r = 0; r < bits.rows(); ++r) {
      std::int64_t const number = grid.number(info.global(0, r - 1, -1)) + 1;
      for_each_run_start(bits, result.runs, r, scratch, [&](Id run, int begin) {
        first[numbering.count] = number + begin;
        numbering.next(run);
      });
    }
  }
  result.record.assign(numbering.count, Record{});
  result.border.assign(numbering.count, 0);
  if (measure == Measure::none) return;
  for (Id c = 0; c < numbering.count; ++c) result.record[c].first = first[c];
  if (measure == Measure::first) return;
  for (int r = 1; r <= bits.nj; ++r)
    for_each_run(bits, result.runs, r, scratch, [&](Id run, int begin, int end) {
      result.record[result.of[run]].cells += std::min(end, bits.ni) - std::max(begin, 1) + 1;
    });
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
