// SPDX-License-Identifier: Apache-2.0
#include "partition/partitioner.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace tessera::partition {

using core::Count;

Load Load::by_cells(core::Grid const& grid, int ranks) {
  Load load;
  load.rank_rate.assign(ranks, 1.0);
  for (int t = 0; t < grid.tiles(); ++t) load.tile_cost.push_back(static_cast<double>(grid.tile_box(t).cells()));
  return load;
}

TileGraph tile_graph(core::Grid const& grid) { return tile_graph(grid, 0, grid.tiles()); }

TileGraph tile_graph(core::Grid const& grid, int first, int last) {
  TileGraph graph;
  graph.first.push_back(0);
  for (int t = first; t < last; ++t) {
    grid.for_each_beside(t, [&](int neighbour, Count cells) {
      graph.neighbour.push_back(neighbour);
      graph.cells.push_back(cells);
    });
    graph.first.push_back(static_cast<int>(graph.neighbour.size()));
  }
  return graph;
}

TileGraph tile_graph(core::Grid const& grid, std::vector<int> const& tiles) {
  TileGraph graph;
  graph.first.push_back(0);
  for (int t : tiles) {
    grid.for_each_beside(t, [&](int neighbour, Count cells) {
      auto const place = std::lower_bound(tiles.begin(), tiles.end(), neighbour);
      if (place == tiles.end() || *place != neighbour) return;
      graph.neighbour.push_back(static_cast<int>(place - tiles.begin()));
      graph.cells.push_back(cells);
    });
    graph.first.push_back(static_cast<int>(graph.neighbour.size()));
  }
  return graph;
}

std::vector<int> integers(std::vector<double> const& x, double scale) {
  double const most = *std::max_element(x.begin(), x.end());
  std::vector<int> result;
  for (double value : x) result.push_back(static_cast<int>(std::max(1.0, std::round(value / most * scale))));
  return result;
}

std::vector<int> one_tile_each(int tiles, std::vector<double> const& rates) {
  std::vector<int> ranks(rates.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return rates[a] > rates[b]; });
  ranks.resize(tiles);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

void give_every_rank_a_tile(std::vector<int>& owners, int ranks) {
  if (static_cast<int>(owners.size()) < ranks)
    throw core::Error(fmt::format("{} ranks are more than {} tiles; use fewer ranks or smaller tiles (gridDict: tile)",
                                  ranks, owners.size()));
  std::vector<int> tiles(ranks);
  for (int owner : owners) ++tiles[owner];
  for (int rank = 0; rank < ranks; ++rank) {
    if (tiles[rank] > 0) continue;
    int const richest = static_cast<int>(std::max_element(tiles.begin(), tiles.end()) - tiles.begin());
    *std::find(owners.rbegin(), owners.rend(), richest) = rank;
    --tiles[richest];
    ++tiles[rank];
  }
}

std::vector<int> split_by_rate(std::vector<double> const& cost, std::vector<double> const& rates) {
  double const all_cost = std::accumulate(cost.begin(), cost.end(), 0.0);
  double const all_rates = std::accumulate(rates.begin(), rates.end(), 0.0);
  std::vector<int> parts(cost.size());
  std::size_t part = 0;
  double done = 0, goal = all_cost * rates[0] / all_rates;
  for (std::size_t n = 0; n < cost.size(); ++n) {
    // an item belongs to the part that holds its middle
    while (part + 1 < rates.size() && done + 0.5 * cost[n] > goal) goal += all_cost * rates[++part] / all_rates;
    parts[n] = static_cast<int>(part);
    done += cost[n];
  }
  return parts;
}

}  // namespace tessera::partition
