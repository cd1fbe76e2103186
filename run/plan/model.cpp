// SPDX-License-Identifier: Apache-2.0
#include "run/plan/model.hpp"

#include "core/error.hpp"
#include "io/stream/routers.hpp"
#include "partition/partitioner.hpp"
#include "solvers/dic/wavefront_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace tessera::run {
namespace {

/// A node of the machine: places for ranks, each of a line of the file.
struct Node {
  std::vector<int> lines;
};

/// Nodes in the file's order; lines of one host name share its nodes.
std::vector<Node> nodes_of(MachineFile const& machine) {
  std::vector<Node> nodes;
  std::map<std::string, std::size_t> first;
  for (std::size_t n = 0; n < machine.hosts.size(); ++n) {
    auto const& host = machine.hosts[n];
    auto const [at, is_new] = first.emplace(host.host, nodes.size());
    if (is_new) nodes.resize(nodes.size() + static_cast<std::size_t>(host.nodes));
    for (int node = 0; node < host.nodes; ++node)
      nodes[at->second + static_cast<std::size_t>(node)].lines.insert(
          nodes[at->second + static_cast<std::size_t>(node)].lines.end(), static_cast<std::size_t>(host.ranks),
          static_cast<int>(n));
  }
  return nodes;
}

/// Times as long with so many ranks of a line at work on a node; beyond the numbers given in proportion to the ranks, as for
/// a memory that has no more to give.
double contention(MachineLine const& line, int busy) {
  auto const& given = line.contention;
  auto const known = static_cast<int>(given.size());
  if (busy <= known) return given[static_cast<std::size_t>(busy - 1)];
  return known == 1 ? 1 : given.back() * busy / known;
}

}  // namespace

int capacity(MachineFile const& machine) {
  int ranks = 0;
  for (auto const& host : machine.hosts) ranks += host.nodes * host.ranks;
  return ranks;
}

std::vector<int> Placement::nodes_of_ranks() const {
  std::vector<int> all;
  for (auto const& rank : ranks) all.push_back(rank.node);
  return all;
}

Placement place(MachineFile const& machine, int ranks, bool spread) {
  core::expect(ranks >= 1 && ranks <= capacity(machine), "a placement has no more ranks than the machine");
  auto const nodes = nodes_of(machine);
  std::vector<std::size_t> taken(nodes.size(), 0);
  for (int left = ranks; left > 0;)
    for (std::size_t n = 0; n < nodes.size() && left > 0; ++n) {
      auto const free = nodes[n].lines.size() - taken[n];
      auto const more = std::min<std::size_t>({free, static_cast<std::size_t>(left), spread ? 1 : free});
      taken[n] += more;
      left -= static_cast<int>(more);
    }
  Placement placement;
  placement.spread = spread;
  bool all_tell = true;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (taken[n] == 0) continue;
    std::map<int, int> busy;
    for (std::size_t place = 0; place < taken[n]; ++place) ++busy[nodes[n].lines[place]];
    for (std::size_t place = 0; place < taken[n]; ++place) {
      int const line = nodes[n].lines[place];
      placement.ranks.push_back(
          {placement.nodes, line, contention(machine.hosts[static_cast<std::size_t>(line)], busy[line])});
    }
    // a node is paid for as a whole, also where some of its ranks rest
    double watts = 0;
    for (std::set<int> const lines(nodes[n].lines.begin(), nodes[n].lines.end()); int const line : lines) {
      auto const& host = machine.hosts[static_cast<std::size_t>(line)];
      placement.price += host.price;
      double const idle = host.idle_watts > 0 ? host.idle_watts : host.watts;
      watts += idle + (host.watts - idle) * busy[line] / host.ranks;
    }
    placement.watts += watts;
    if (watts == 0) all_tell = false;
    ++placement.nodes;
  }
  if (!all_tell) placement.watts = 0;
  return placement;
}

std::array<int, 3> blocks_of(std::array<double, 3> const& cells, int ranks) {
  std::array<int, 3> best{ranks, 1, 1};
  double least = std::numeric_limits<double>::infinity();
  for (int a = 1; a <= ranks; ++a) {
    if (ranks % a != 0) continue;
    for (int b = 1; b <= ranks / a; ++b) {
      if (ranks / a % b != 0) continue;
      std::array<int, 3> const n{a, b, ranks / a / b};
      if (n[0] > cells[0] || n[1] > cells[1] || n[2] > cells[2]) continue;
      double const cut =
          (n[0] - 1) * cells[1] * cells[2] + (n[1] - 1) * cells[0] * cells[2] + (n[2] - 1) * cells[0] * cells[1];
      if (cut < least) {
        least = cut;
        best = n;
      }
    }
  }
  return best;
}

std::vector<RankPart> block_parts(std::array<double, 3> const& cells, Placement const& placement,
                                  std::vector<double> const& share) {
  auto const ranks = static_cast<int>(placement.ranks.size());
  auto const n = blocks_of(cells, ranks);
  std::array<double, 3> const face{cells[1] / n[1] * cells[2] / n[2], cells[0] / n[0] * cells[2] / n[2],
                                   cells[0] / n[0] * cells[1] / n[1]};
  std::vector<RankPart> parts(placement.ranks.size());
  std::array<int, 3> const stride{1, n[0], n[0] * n[1]};
  for (int rank = 0; rank < ranks; ++rank) {
    auto& part = parts[static_cast<std::size_t>(rank)];
    part.cells = share[static_cast<std::size_t>(rank)];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      int const at = rank / stride[axis] % n[axis];
      for (int const way : {-1, 1}) {
        if (at + way < 0 || at + way >= n[axis]) continue;
        auto const other = static_cast<std::size_t>(rank + way * stride[axis]);
        bool const same = placement.ranks[other].node == placement.ranks[static_cast<std::size_t>(rank)].node;
        (same ? part.cut_within : part.cut_beyond) += face[axis];
        ++(same ? part.within : part.beyond);
      }
    }
  }
  return parts;
}

std::vector<RankPart> tile_parts(core::Grid const& grid, std::vector<int> const& owners, Placement const& placement) {
  auto const graph = partition::tile_graph(grid);
  auto const at = [](int n) { return static_cast<std::size_t>(n); };
  std::vector<RankPart> parts(placement.ranks.size());
  std::vector<std::set<int>> beside(placement.ranks.size());
  for (std::size_t tile = 0; tile < owners.size(); ++tile) {
    int const rank = owners[tile];
    auto& part = parts[at(rank)];
    part.cells += static_cast<double>(grid.tile_box(static_cast<int>(tile)).cells());
    for (int e = graph.first[tile]; e < graph.first[tile + 1]; ++e) {
      int const other = owners[at(graph.neighbour[at(e)])];
      if (other == rank) continue;
      bool const same = placement.ranks[at(other)].node == placement.ranks[at(rank)].node;
      (same ? part.cut_within : part.cut_beyond) += static_cast<double>(graph.cells[at(e)]);
      if (beside[at(rank)].insert(other).second) ++(same ? part.within : part.beyond);
    }
  }
  return parts;
}

double chained_seconds(core::Grid const& grid, std::vector<int> const& owners,
                       std::vector<double> const& seconds_a_cell, std::function<double(int, int)> const& latency) {
  std::vector<int> const one_by_one(seconds_a_cell.size(), 0);
  double sum = 0;
  for (int const ahead : {1, -1})
    sum += solvers::wavefront_seconds(
        grid, owners, ahead, solvers::wavefront_turns(grid, owners, ahead, one_by_one),
        [&](int tile) {
          auto const rank = static_cast<std::size_t>(owners[static_cast<std::size_t>(tile)]);
          return seconds_a_cell[rank] * static_cast<double>(grid.tile_box(tile).cells()) / 2;
        },
        latency);
  return sum;
}

std::vector<partition::SpeedCurve> curves_of(Machine const& machine, Placement const& placement) {
  std::vector<partition::SpeedCurve> curves;
  for (auto const& rank : placement.ranks)
    curves.push_back(machine.curves[static_cast<std::size_t>(rank.line)].times_as_fast(1 / rank.contention));
  return curves;
}

namespace {

/// What is on the critical path of so many ranks. Those of one node hand on through its memory: there all messages count, and
/// what two ranks of this machine were found to wait.
CriticalPath path_of(Work const& work, int ranks, int nodes) {
  CriticalPath path{ranks, 0, 0, 0, 1};
  if (ranks == 1) return path;
  if (work.paths.empty() || nodes == 1) {
    path.latencies = work.chained ? 0 : work.messages;
    return path;
  }
  auto const behind = std::find_if(work.paths.begin() + 1, work.paths.end(),
                                   [&](CriticalPath const& other) { return other.ranks >= ranks; });
  auto const& last = behind == work.paths.end() ? work.paths.back() : *behind;
  auto const& first = work.paths.size() == 1 ? last : behind == work.paths.end() ? *(behind - 2) : *(behind - 1);
  double const part = last.ranks > first.ranks ? std::log2(static_cast<double>(ranks) / first.ranks) /
                                                     std::log2(static_cast<double>(last.ranks) / first.ranks)
                                               : 0;
  for (auto const number : {&CriticalPath::wait_share, &CriticalPath::wait_seconds, &CriticalPath::latencies})
    path.*number = std::max(0.0, first.*number + part * (last.*number - first.*number));
  path.bytes_share = first.bytes_share + std::min(part, 1.0) * (last.bytes_share - first.bytes_share);
  return path;
}

/// `chained`: chained_seconds of a round; 0: tiles are not known, or the round is none of a wavefront.
Prediction predict_parts(Work const& work, Machine const& machine, Placement const& placement,
                         std::vector<RankPart> const& parts, double chained) {
  Prediction p;
  p.ranks = static_cast<int>(placement.ranks.size());
  p.nodes = placement.nodes;
  p.spread = placement.spread;
  auto const curves = curves_of(machine, placement);
  auto const& network = machine.file.network;
  auto const& memory = machine.file.memory;

  // what leaves a node goes through its one link
  std::vector<double> leaving(static_cast<std::size_t>(p.nodes), 0), held(leaving.size(), 0);
  std::vector<int> on_node(leaving.size(), 0);
  double largest = 0;
  int busy = 0;  // where there are fewer tiles than ranks some have none
  bool within = false, beyond = false;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    auto const& part = parts[r];
    auto const node = static_cast<std::size_t>(placement.ranks[r].node);
    double const cut = part.cut_within + part.cut_beyond;
    // what goes with the cells goes to ranks that are no neighbours, as coarse levels that one rank gathers: to another node
    double const of_cells = cut > 0 ? work.bytes_a_cell * part.cells : 0;
    double const leaves = work.bytes_a_cut * part.cut_beyond + (p.nodes > 1 ? of_cells : 0);
    double const stays = work.bytes_a_cut * part.cut_within + (p.nodes > 1 ? 0 : of_cells);
    leaving[node] += leaves;
    p.bytes += leaves + stays;
    p.bytes_beyond += leaves;
    p.messages += work.messages * (part.within + part.beyond);
    within = within || part.within > 0;
    beyond = beyond || part.beyond > 0;
    double const seconds = part.cells > 0 ? curves[r].seconds(part.cells) : 0;
    p.compute = std::max(p.compute, seconds);
    busy += part.cells > 0 ? 1 : 0;
    if (memory.bandwidth > 0) p.halo = std::max(p.halo, stays / memory.bandwidth);
    double const own =
        work.bytes_of_program + work.memory_a_cell * part.cells + (parts.size() > 1 ? work.bytes_beside_others : 0);
    p.memory = std::max(p.memory, own);
    p.memory_all += own;
    held[node] += own;
    ++on_node[node];
    largest = std::max(largest, part.cells);
  }
  if (network.bandwidth > 0)
    p.halo = std::max(p.halo, *std::max_element(leaving.begin(), leaving.end()) / network.bandwidth);
  auto const path = path_of(work, p.ranks, p.nodes);
  double const step = beyond ? network.step() : within ? memory.step() : 0;
  p.halo = path.bytes_share * p.halo + path.latencies * step;
  if (p.ranks > 1) p.wait = std::max(work.wait_share, path.wait_share) * p.compute + path.wait_seconds;
  if (chained > 0) {
    p.wait += std::max(0.0, chained - p.compute);  // not what rounding leaves of one rank
  } else if (work.chained) {
    auto const blocks = blocks_of(work.cells, std::max(busy, 1));
    int const hops = blocks[0] + blocks[1] + blocks[2] - 3;
    p.wait += work.hop_share * p.compute * hops;
    // forwards and backwards
    p.halo += step * std::min(work.messages, 2.0 * hops);
  }
  int const fullest = *std::max_element(on_node.begin(), on_node.end());
  p.reduce = work.reductions * core::reduction_seconds(memory, fullest, network, p.nodes);
  p.round = p.compute + p.wait + p.halo + p.reduce;

  auto const& link = p.nodes > 1 ? network : memory;
  double const load = p.ranks > 1 && link.bandwidth > 0 && work.load_bytes > 0
                          ? io::predict_load(io::RouterTree(placement.nodes_of_ranks()), work.load_bytes,
                                             {link.latency, link.bandwidth})
                          : 0;
  p.load = work.boot_seconds + work.boot_a_cell * largest + load;
  p.run = p.load + work.steps * work.step_share * p.compute + work.rounds * p.round;
  p.messages *= work.rounds;
  p.bytes = p.bytes * work.rounds + (p.ranks > 1 ? work.load_bytes : 0);
  p.bytes_beyond = p.bytes_beyond * work.rounds + work.load_bytes * (p.nodes - 1) / p.nodes;
  p.memory_node = *std::max_element(held.begin(), held.end());
  std::vector<double> room(held.size(), 0);
  for (auto const& rank : placement.ranks)
    room[static_cast<std::size_t>(rank.node)] = std::max(
        room[static_cast<std::size_t>(rank.node)], machine.file.hosts[static_cast<std::size_t>(rank.line)].memory);
  for (std::size_t n = 0; n < held.size(); ++n) p.fits = p.fits && (room[n] == 0 || held[n] <= room[n]);
  p.node_hours = p.nodes * p.run / 3600;
  p.cost = placement.price * p.run / 3600;
  p.joules = placement.watts * p.run;
  return p;
}

}  // namespace

Prediction predict(Work const& work, Machine const& machine, Placement const& placement,
                   std::vector<RankPart> const& parts) {
  return predict_parts(work, machine, placement, parts, 0);
}

Prediction predict(Work const& work, Machine const& machine, Placement const& placement, core::Grid const& grid,
                   std::vector<int> const& owners) {
  auto const parts = tile_parts(grid, owners, placement);
  double chained = 0;
  if (work.chained) {
    auto const curves = curves_of(machine, placement);
    std::vector<double> seconds(parts.size(), 0);
    for (std::size_t r = 0; r < parts.size(); ++r)
      if (parts[r].cells > 0) seconds[r] = curves[r].seconds(parts[r].cells) / parts[r].cells;
    chained = chained_seconds(grid, owners, seconds, [&](int a, int b) {
      auto const node = [&](int rank) { return placement.ranks[static_cast<std::size_t>(rank)].node; };
      return (node(a) == node(b) ? machine.file.memory : machine.file.network).step();
    });
  }
  return predict_parts(work, machine, placement, parts, chained);
}

std::vector<std::size_t> pareto(std::vector<Prediction> const& all) {
  std::vector<std::size_t> order(all.size()), front;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(all[a].run, all[a].node_hours) < std::pair(all[b].run, all[b].node_hours);
  });
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t const n : order)
    if (all[n].fits && all[n].node_hours < least) {
      least = all[n].node_hours;
      front.push_back(n);
    }
  return front;
}

std::size_t fastest(std::vector<Prediction> const& all) {
  std::size_t best = 0;
  for (std::size_t n = 1; n < all.size(); ++n)
    if (std::pair(!all[n].fits, all[n].run) < std::pair(!all[best].fits, all[best].run)) best = n;
  return best;
}

}  // namespace tessera::run
