// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"

#include <span>

namespace tessera::core {

/// The size of `parts` parts of an axis: nearly equal, so that the last one is not mostly empty, in steps of `whole` cells.
Count even_size(Count cells, Count parts, Count whole);

/// What a tile shape means for work that does not depend on tiles, such as automata, on workers (ranks, or their threads)
/// of these speeds.
struct TileFit {
  double shape;      ///< time for a cell, over that without halos and ends of rows
  double evenness;   ///< time of the slowest worker, over that in which all would end together; 1 or more
  double imbalance;  ///< time of the slowest worker over their mean, less 1
  double time() const { return shape * evenness; }
};

/// Whole tiles are dealt out such that the slowest worker is as fast as can be, one at least to each. Up to 16
/// generations are computed from one exchange, with halos as deep; fewer where tiles are low. Cost: about 100 times the
/// number of workers.
///
/// The constants are measured (bench/tiles, bench/halo; explicit heat on 2048 x 2048 cells, two cores): passes over
/// memory cost 1.5 over the generations of a pass, the ends of a row 64 cells, as many again where the grid goes on there,
/// and 8 rows a tile beside the halo's.
TileFit judge_tile(Grid::Shape const& cells, Grid::Shape const& tile, std::span<double const> rates);

/// The shape that such work takes least time in, of those with two tiles a worker and more, and where there are such,
/// with an imbalance of at most 4 %. Large ones for workers that are alike, smaller ones where a slow one needs some, too.
/// Small grids get tiles of as little as four cells along an axis, until each worker can have one.
Grid::Shape choose_tile(Grid::Shape const& cells, std::span<double const> rates);
/// For so many workers that are alike.
Grid::Shape choose_tile(Grid::Shape const& cells, int workers);

}  // namespace tessera::core
