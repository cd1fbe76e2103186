// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "partition/partitioner.hpp"

#include <span>

namespace tessera::partition {

/// What a rank gets of a partition.
struct RankShare {
  core::Count cells = 0;
  int tiles = 0;
  core::Count cut = 0;  ///< cells of other ranks that share a face with its own: what it receives of a field, depth 1
  int neighbours = 0;   ///< ranks that own them
  double work = 0;      ///< cost of its tiles, as in Load
  /// Time of a step over the time in which all ranks would end together, less 1: (work / rate) / (all work / all rates) - 1.
  double imbalance = 0;
};

/// One share a rank. Cost: one pass over the faces of the tile graph.
std::vector<RankShare> summarize(core::Grid const& grid, Load const& load, std::vector<int> const& owners);

/// Cells beside those of another rank, of another domain, over faces, from both sides. `domain`: of each rank.
core::Count cut_cells(core::Grid const& grid, std::vector<int> const& owners, std::vector<int> const& domain);

/// Numbers 0 .. colours - 1 for the ranks such that neighbours differ where `colours` allow it (greedy, by rank): a map
/// of many ranks needs few colours. Ranks get their own number where there are no more of them than colours.
std::vector<int> map_colours(TileGraph const& graph, std::vector<int> const& owners, int ranks, int colours);

}  // namespace tessera::partition
