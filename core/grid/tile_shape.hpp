// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"

#include <span>

namespace tessera::core {

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
TileFit judge_tile(Grid::Shape const& cells, Grid::Shape const& tile, std::span<double const> rates);

/// What a grid is cut into tiles for. The numbers behind each are in tile_shape.cpp.
enum class TileUse {
  /// Solvers: the bits of their sums depend on the tiles, so the shape is of the grid alone, never of the workers. Rows of
  /// half the grid where they can be, low tiles, 16 of them and more, nearly equal along an axis.
  sums,
  /// Automata, whose results do not know tiles: the shape that takes least time (judge_tile), of those with two tiles a
  /// worker and more, and where there are such, with an imbalance of at most 4 %. Large ones for workers that are alike,
  /// smaller ones where a slow one needs some, too. Small grids get tiles of as little as four cells along an axis, until
  /// each worker can have one.
  automata,
  /// Labels and percolation in the plane, whose results do not know tiles: as large as the caches like, less where several
  /// workers would have fewer than four each.
  clusters,
  /// Labels and backbones in space, whose results do not know tiles: near to cubes of 64 cells across, rows as long as the
  /// grid up to 512, since rows are padded to 64; less where several workers would have fewer than six each.
  volumes
};

/// The shape of tiles for workers of these speeds.
Grid::Shape choose_tile(TileUse use, Grid::Shape const& cells, std::span<double const> rates);
/// For so many workers that are alike.
Grid::Shape choose_tile(TileUse use, Grid::Shape const& cells, int workers = 1);

}  // namespace tessera::core
