// SPDX-License-Identifier: Apache-2.0
// What a run takes on a cluster that is described: pure arithmetic, no runs.
#pragma once
#include "core/grid/grid.hpp"
#include "partition/speed.hpp"
#include "run/plan/machine_file.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tessera::run {

/// What lies in a round one after the other, beside what the model knows by itself (predict): of ranks of one speed, each on
/// a node of its own.
struct CriticalPath {
  int ranks = 1;
  double wait_share = 0, wait_seconds = 0;  ///< waiting for ranks that compute: this share of computing, and so long
  double latencies = 0;                     ///< messages that wait for one another, those of reductions left out
  double bytes_share = 1;                   ///< of the bytes that a rank sends
};

/// A case as the model sees it. A round is what repeats: an iteration of the solver, or a step where there is none.
struct Work {
  std::array<double, 3> cells{1, 1, 1};  ///< along the axes
  double steps = 1, rounds = 1;          ///< of the run: steps, and rounds of all steps together
  double step_share = 0;                 ///< a step's work outside of its rounds, in rounds
  double boot_seconds = 0;               ///< start of the program
  double boot_a_cell = 0;                ///< reading and set-up [s a cell of a rank]
  double load_bytes = 0;                 ///< that routers hand on at the start, all cells together
  // messages of a round, as two ranks on different nodes exchange them
  double messages = 0;                       ///< from a rank to a neighbour
  double bytes_a_cut = 0, bytes_a_cell = 0;  ///< that a rank sends: for each cell at its cut, and for each of its cells
  double reductions = 0;                     ///< of all ranks
  /// Of ranks on several nodes, by rising numbers; for those between and beyond on a straight line over the logarithm. None, and on one
  /// node: all messages to a neighbour go one after the other, but those of a wavefront, which are on their way while ranks work.
  std::vector<CriticalPath> paths;
  double wait_share = 0;  ///< waiting of real ranks of a node for each other, as a share of computing
  /// A round goes through the tiles as a wavefront, forwards and backwards: ranks begin one after the other. Where the tiles are
  /// not known, each rank along the grid's diagonal waits for the one before for this share of its computing.
  bool chained = false;
  double hop_share = 0;
  double bytes_of_program = 0, memory_a_cell = 0;  ///< memory of a rank
  double bytes_beside_others = 0;                  ///< what a rank that is not alone has more: MPI's buffers
  double cell_count() const { return cells[0] * cells[1] * cells[2]; }
};

/// A rank of a placement.
struct PlacedRank {
  int node = 0;
  int line = 0;           ///< of the machine file
  double contention = 1;  ///< times as long as alone on its node
};

/// Ranks on the nodes of a machine.
struct Placement {
  std::vector<PlacedRank> ranks;
  int nodes = 0;
  bool spread = false;
  double price = 0;  ///< of an hour
  double watts = 0;  ///< with its ranks at work; 0 where a line does not say
  std::vector<int> nodes_of_ranks() const;
};

/// Nodes by lines of the file; packed: node by node, spread: a rank a node until all have one, then the next. The ranks must
/// not be more than `capacity`.
Placement place(MachineFile const& machine, int ranks, bool spread);
int capacity(MachineFile const& machine);

/// What a rank has of a partition.
struct RankPart {
  double cells = 0;
  double cut_within = 0, cut_beyond = 0;  ///< cells at the border to ranks of its node, of other nodes
  int within = 0, beyond = 0;             ///< these ranks
};

/// Parts as equal blocks have them, as square as can be; cells are shared by the ranks' speeds. For numbers of ranks at which a
/// graph of tiles would be too large.
std::vector<RankPart> block_parts(std::array<double, 3> const& cells, Placement const& placement,
                                  std::vector<double> const& share);
/// Blocks along each axis.
std::array<int, 3> blocks_of(std::array<double, 3> const& cells, int ranks);
/// Parts by owners of tiles.
std::vector<RankPart> tile_parts(core::Grid const& grid, std::vector<int> const& owners, Placement const& placement);

/// Seconds of a round of a wavefront, half of its computing forwards and half backwards through the tiles, in the order in which
/// their ranks take them (solvers/dic/wavefront_order.hpp). A cell takes seconds_a_cell[rank] a round; latency(a, b): of what
/// rank a hands on to rank b.
double chained_seconds(core::Grid const& grid, std::vector<int> const& owners,
                       std::vector<double> const& seconds_a_cell, std::function<double(int, int)> const& latency);

struct Prediction {
  int ranks = 0, nodes = 0;
  bool spread = false;
  // of a round, on the rank that takes longest [s]
  double compute = 0, wait = 0, halo = 0, reduce = 0;
  double round = 0;
  double load = 0, run = 0;                          ///< [s] before the first step; all of it
  double memory = 0, memory_all = 0;                 ///< [bytes] of the largest rank; of all
  double memory_node = 0;                            ///< of the fullest node
  bool fits = true;                                  ///< the memory of its node
  double messages = 0, bytes = 0, bytes_beyond = 0;  ///< of the run, all ranks; between nodes
  double node_hours = 0, cost = 0, joules = 0;
  double speed_up = 0, efficiency = 0;  ///< against one rank of the same plan; speeds of ranks counted
};

/// What the model knows of the machine for one kernel: a curve for each line of the file.
struct Machine {
  MachineFile const& file;
  std::vector<partition::SpeedCurve> curves;  ///< time of a round against cells, a rank alone on its node
};

/// A rank's curve, where it shares its node.
std::vector<partition::SpeedCurve> curves_of(Machine const& machine, Placement const& placement);

///   round = max over ranks (c + w) + halo + reductions,
///   c = curve(cells) * contention, w = max(wait_share, path.wait_share) * c + path.wait_seconds,
///   halo = path.latencies * step + path.bytes_share * bytes / bandwidth, of the rank and link that take longest; ranks of a
///          node share its bandwidth to others; step = latency + overhead of the link,
///   a wavefront (`chained`): w has what chained_seconds are more than the largest c; where tiles are not known (no owners),
///          hops * (hop_share * c + 2 step),
///   reductions = each ceil(log2(ranks of a node)) steps within nodes and ceil(log2(nodes)) between them,
///   run = boot + load (router tree) + steps * step_share * c + rounds * round.
Prediction predict(Work const& work, Machine const& machine, Placement const& placement,
                   std::vector<RankPart> const& parts);
/// The same by the owners of tiles.
Prediction predict(Work const& work, Machine const& machine, Placement const& placement, core::Grid const& grid,
                   std::vector<int> const& owners);

/// Places of those that no other beats in time and node-hours at once, by rising time.
std::vector<std::size_t> pareto(std::vector<Prediction> const& all);
/// The place of the least time: beyond its ranks the run takes longer.
std::size_t fastest(std::vector<Prediction> const& all);

}  // namespace tessera::run
