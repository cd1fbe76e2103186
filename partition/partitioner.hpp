// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/comm/comm.hpp"
#include "core/grid/grid.hpp"
#include "core/registry.hpp"

#include <optional>
#include <vector>

namespace tessera::partition {

/// What there is to share out: the cost of each tile and the speed of each rank, both in any unit (only ratios count).
struct Load {
  std::vector<double> tile_cost;  ///< one a tile, > 0
  std::vector<double> rank_rate;  ///< one a rank, > 0
  /// What the machine consists of, coarsest first (nodes, sockets): for each level a number for each rank, equal for those
  /// that lie together. May be empty.
  std::vector<std::vector<int>> domains;

  /// Cost by cells, equal ranks.
  static Load by_cells(core::Grid const& grid, int ranks);
  int ranks() const { return static_cast<int>(rank_rate.size()); }
};

/// Maps the tiles of a grid onto ranks. The answer depends on the arguments alone, so every rank may compute it alike.
class Partitioner {
 public:
  static constexpr std::string_view kind = "partitioner";
  virtual ~Partitioner() = default;
  /// Owner of each tile, 0 .. ranks - 1; with no fewer tiles than ranks, every rank gets at least one tile.
  virtual std::vector<int> owners(core::Grid const& grid, Load const& load) const = 0;
  /// The same by methods that share the work out over ranks; nothing of others. Depends on the number of these ranks, too.
  /// Collective.
  virtual std::optional<std::vector<int>> owners_by_all(core::Grid const&, Load const&, core::Comm const&) const {
    return std::nullopt;
  }
  /// Whether the settings go by the numbers of cells, x fastest.
  virtual bool numbers_cells(core::Grid const&) const { return false; }
  /// How settings were taken that can be meant in two ways, for the log; mostly empty. Where owners() gave some.
  virtual std::string note(core::Grid const&) const { return {}; }
};

/// Partitioners by name; the dictionary is the case's system/decomposeParDict.
using Partitioners = core::Registry<Partitioner, core::Dictionary&>;

/// Tiles that exchange halos: neighbours over faces, and the cells of the face. Both directions are listed.
struct TileGraph {
  std::vector<int> first;      ///< offsets into `neighbour`, tiles + 1; the first one is 0
  std::vector<int> neighbour;  ///< tile numbers
  std::vector<core::Count> cells;
};
TileGraph tile_graph(core::Grid const& grid);
/// The part of it from tile `first` to `last` - 1; neighbours keep their numbers.
TileGraph tile_graph(core::Grid const& grid, int first, int last);
/// Of these tiles alone, in rising order, which are numbered 0, 1, ...
TileGraph tile_graph(core::Grid const& grid, std::vector<int> const& tiles);

/// Proportional integers of at least 1, the largest about `scale`: what graph libraries take for weights.
std::vector<int> integers(std::vector<double> const& x, double scale);

/// Owners where there are no more tiles than ranks: a tile each to the fastest ranks, the lower ones where they are alike.
std::vector<int> one_tile_each(int tiles, std::vector<double> const& rates);

/// Gives ranks without a tile one from the rank with most tiles, so that no rank idles. Throws core::Error if there are
/// more ranks than tiles.
void give_every_rank_a_tile(std::vector<int>& owners, int ranks);

/// Shares n items in order into contiguous parts with costs in the ratio of `rates`; returns the part of each item.
std::vector<int> split_by_rate(std::vector<double> const& cost, std::vector<double> const& rates);

}  // namespace tessera::partition
