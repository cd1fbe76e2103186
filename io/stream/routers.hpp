// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/comm/link.hpp"
#include "core/grid/grid.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::io {

/// How ranks hand on what is read and written: `system/routerDict`.
struct RouterSettings {
  int radix = 0;                             ///< nodes, and ranks of its own node, that a router hands to; 0: chosen
  int levels = -1;                           ///< levels of routers between the root and the last rank; -1: chosen
  std::size_t chunk = std::size_t{1} << 19;  ///< most bytes that travel as one piece: it stays in a cache
  int node = 0;                              ///< ranks counted as one node (a socket, say); 0: those that share memory
  int readers = 0;                           ///< ranks that read a file whose format lets them; 0: chosen
  friend bool operator==(RouterSettings const&, RouterSettings const&) = default;
};

/// The tree over the ranks through which tiles stream down from a rank that reads (0, the root; or another, each from its
/// own tree) and up to it.
///
/// The lowest rank of each node is its leader, on the root's node the root. The leaders form a tree in which each has up
/// to `radix` leaders below it, filled level by level; the other ranks of a node form such a tree below their leader. So
/// every byte enters a node once, and nobody talks to more than 2 radix ranks below it. Pure: no MPI. Memory: a few
/// numbers a rank.
class RouterTree {
 public:
  /// Radix where nobody asks for one: up to 33 ranks a node, and 33 nodes, are reached in one hop.
  static constexpr int usual_radix = 32;

  /// `nodes`: for each rank a number that the ranks of its node share. Where only `levels` are given, the smallest radix
  /// that manages with them is taken. Throws core::Error if radix and levels are both given and do not reach all ranks.
  explicit RouterTree(std::vector<int> const& nodes, RouterSettings const& settings = {}, int root = 0);
  /// The tree over the same nodes with the same radix that has another root.
  RouterTree rooted_at(int rank) const { return RouterTree(nodes_, {.radix = radix_}, rank); }
  std::vector<int> const& nodes() const { return nodes_; }

  int ranks() const { return static_cast<int>(parent_.size()); }
  int radix() const { return radix_; }
  /// Levels of routers between the root and the farthest rank: its hops - 1, and 0 for a single rank.
  int levels() const { return hops() > 0 ? hops() - 1 : 0; }
  int hops() const { return most_hops_; }  ///< of the farthest rank
  int hops(int rank) const { return hops_[rank]; }
  int parent(int rank) const { return parent_[rank]; }  ///< -1 for the root
  std::vector<int> const& children(int rank) const { return children_[rank]; }
  /// Number of ranks at and below `rank`.
  int reach(int rank) const { return reach_[rank]; }
  /// For each rank where `from` hands what is for it: -1 not below `from`, 0 to itself, c + 1 to its child number c.
  std::vector<int> ways(int from) const;

 private:
  int radix_ = 0, most_hops_ = 0;
  std::vector<int> nodes_, parent_, hops_, reach_;
  std::vector<std::vector<int>> children_;
};

/// Settings from now on, given alike by all ranks.
void set_routers(RouterSettings const& settings);
RouterSettings const& router_settings();

/// For each rank the lowest rank of its node: of those that share memory, unless the settings say otherwise. Collective.
std::vector<int> nodes_of(core::Comm const& comm);

/// The tree over the ranks of `comm` from rank 0; nodes are the groups that share memory, unless the settings say
/// otherwise. Made at the first call (collective) and kept with the communicator.
RouterTree const& routers_of(core::Comm const& comm);

/// What this rank did as a router since the program began.
struct RouterCounts {
  std::int64_t streams = 0;       ///< fields loaded or gathered
  std::int64_t readers = 0;       ///< most ranks that read one of them
  std::int64_t chunks = 0;        ///< pieces these were cut into
  std::int64_t bytes = 0;         ///< sent by this rank
  std::int64_t largest_hold = 0;  ///< most bytes of chunks held at once, buffers of the root's file included
  double waited = 0;              ///< seconds until messages had come or gone
};
RouterCounts& router_counts();

/// Measures the link between rank 0 and the last rank, packing and unpacking included: messages of one byte, and of a chunk with a copy at both ends.
/// Takes some tens of milliseconds. Collective; the result is the root's, on all ranks. {0, 0} on a single rank.
core::Link measure_link(core::Comm const& comm);

/// Seconds in which `bytes`, shared equally by the ranks, reach them all in chunks.
///
/// A chunk keeps the root busy for chunk / source_rate (0: no time) and every message (latency + bytes / bandwidth) both
/// its ends for half of its time. Chunks follow each other down the tree, so the busiest rank sets the pace:
///   t = (chunks - 1) max over ranks of busy + sum of the messages on the longest way of one chunk,
/// but at least all ranks' work together over `cores` (0: a core for each rank).
double predict_load(RouterTree const& tree, double bytes, core::Link const& link, double source_rate = 0,
                    int cores = 0);

/// Routers over the cells of a grid, as published for hierarchical cellular machines: with radix r and p levels of routers
/// the root reaches r^(p+1) cells, each of which hands on to its d neighbours,
///   reach = d r^(p+1) cells in p + 2 hops.
/// Example: d = 8, r = 36, p = 1 reach 10368 cells, so every cell of 100 x 100 in 3 hops.
struct CellRouters {
  int neighbours = 8, radix = 0, levels = 1;
  double reach() const;
  int hops() const { return levels + 2; }
  bool reaches(double cells) const { return reach() >= cells; }
};
/// What is 0 (radix) or -1 (levels) is chosen: the fewest levels for a radix, the smallest radix for a number of levels,
/// and with neither the smallest radix for one level. Throws core::Error for numbers below 1 (radix: below 2 where
/// levels are to be chosen).
CellRouters cell_routers(double cells, int neighbours, int radix, int levels);

}  // namespace tessera::io
