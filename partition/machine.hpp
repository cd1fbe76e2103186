// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "partition/partitioner.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tessera::partition {

/// Maps tiles with these costs onto parts 0, 1, ... with these rates.
using FlatMap = std::function<std::vector<int>(TileGraph const&, std::vector<double> const& costs,
                                               std::vector<double> const& rates)>;

/// The levels of a machine that a partition follows: tiles are shared over the nodes first, then those of each node over
/// its sockets, those of a socket over its ranks. So what has to leave a node is cut least.
///
/// `domains (2 4);` in a method's coefficients, as in OpenFOAM's `multiLevel`: the ranks are those of 2 nodes with 4 ranks
/// each, in order. Without it the levels are those that Load tells.
class Machine {
 public:
  /// The domain of each rank, by any number.
  using Level = std::vector<int>;

  /// `coeffs`: the sub-dictionary of the method, or nullptr. Throws core::Error for numbers below 1.
  explicit Machine(core::Dictionary* coeffs);

  /// Coarsest first; none where all ranks are alike. Throws core::Error if the case has domains for another number of
  /// ranks.
  std::vector<Level> levels(Load const& load) const;
  /// The owner of each tile, found level by level.
  std::vector<int> owners(core::Grid const& grid, Load const& load, FlatMap const& map) const;

 private:
  std::vector<int> given_;
  std::string where_;
};

/// Ranks by domain, in the order of their first ones.
std::vector<std::vector<int>> split(std::vector<int> const& ranks, Machine::Level const& domain);

/// Tiles of a grid shared over ranks that lie in domains of several levels.
class LevelMap {
 public:
  LevelMap(core::Grid const& grid, Load const& load, std::vector<Machine::Level> levels, FlatMap map)
      : grid_(grid),
        load_(load),
        levels_(std::move(levels)),
        map_(std::move(map)) {}

  /// Shares these tiles over these ranks, from this level on, and writes their owners. A level on which a domain would
  /// get fewer tiles than it has ranks is left out.
  void share(std::vector<int> const& tiles, std::vector<int> const& ranks, std::size_t level,
             std::vector<int>& owners) const;

 private:
  core::Grid const& grid_;
  Load const& load_;
  std::vector<Machine::Level> levels_;
  FlatMap map_;
};

/// The tiles of each group of ranks, from the group of each tile; empty where a group gets fewer tiles than it has ranks.
std::vector<std::vector<int>> tiles_of_groups(std::vector<int> const& group_of_tile,
                                              std::vector<std::vector<int>> const& groups);
/// The sum of the rates of each group's ranks.
std::vector<double> rates_of_groups(std::vector<std::vector<int>> const& groups, Load const& load);

}  // namespace tessera::partition
