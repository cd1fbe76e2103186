// SPDX-License-Identifier: Apache-2.0
#include "partition/summary.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace tessera::partition {
namespace {

std::size_t at(int n) { return static_cast<std::size_t>(n); }

/// The ranks beside each rank.
std::vector<std::set<int>> ranks_beside(TileGraph const& graph, std::vector<int> const& owners, int ranks) {
  std::vector<std::set<int>> beside(at(ranks));
  for (std::size_t t = 0; t < owners.size(); ++t)
    for (int e = graph.first[t]; e < graph.first[t + 1]; ++e)
      if (int const other = owners[at(graph.neighbour[at(e)])]; other != owners[t]) beside[at(owners[t])].insert(other);
  return beside;
}

}  // namespace

std::vector<RankShare> summarize(core::Grid const& grid, Load const& load, std::vector<int> const& owners) {
  auto const graph = tile_graph(grid);
  std::vector<RankShare> shares(at(load.ranks()));
  for (std::size_t t = 0; t < owners.size(); ++t) {
    RankShare& mine = shares[at(owners[t])];
    mine.cells += grid.tile_box(static_cast<int>(t)).cells();
    mine.work += load.tile_cost[t];
    ++mine.tiles;
    for (int e = graph.first[t]; e < graph.first[t + 1]; ++e)
      if (owners[at(graph.neighbour[at(e)])] != owners[t]) mine.cut += graph.cells[at(e)];
  }
  auto const beside = ranks_beside(graph, owners, load.ranks());
  double const work = std::accumulate(load.tile_cost.begin(), load.tile_cost.end(), 0.0);
  double const together = work / std::accumulate(load.rank_rate.begin(), load.rank_rate.end(), 0.0);
  for (std::size_t r = 0; r < shares.size(); ++r) {
    shares[r].neighbours = static_cast<int>(beside[r].size());
    shares[r].imbalance = shares[r].work / load.rank_rate[r] / together - 1;
  }
  return shares;
}

core::Count cut_cells(core::Grid const& grid, std::vector<int> const& owners, std::vector<int> const& domain) {
  auto const graph = tile_graph(grid);
  core::Count cells = 0;
  for (std::size_t t = 0; t < owners.size(); ++t)
    for (int e = graph.first[t]; e < graph.first[t + 1]; ++e)
      if (domain[at(owners[at(graph.neighbour[at(e)])])] != domain[at(owners[t])]) cells += graph.cells[at(e)];
  return cells;
}

std::vector<int> map_colours(TileGraph const& graph, std::vector<int> const& owners, int ranks, int colours) {
  std::vector<int> result(at(ranks));
  std::iota(result.begin(), result.end(), 0);
  if (ranks <= colours) return result;
  auto const beside = ranks_beside(graph, owners, ranks);
  std::vector<int> used(at(colours));
  for (int r = 0; r < ranks; ++r) {
    std::vector<bool> taken(at(colours));
    for (int other : beside[at(r)])
      if (other < r) taken[at(result[at(other)])] = true;
    // of the free colours, the one used least so far; where none is free, of all
    bool const none = std::find(taken.begin(), taken.end(), false) == taken.end();
    int best = -1;
    for (int c = 0; c < colours; ++c)
      if ((none || !taken[at(c)]) && (best < 0 || used[at(c)] < used[at(best)])) best = c;
    result[at(r)] = best;
    ++used[at(best)];
  }
  return result;
}

}  // namespace tessera::partition
