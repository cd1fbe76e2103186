// SPDX-License-Identifier: Apache-2.0
// The command routers.
#include "io/stream/routers.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "run/log.hpp"
#include "tools/commands.hpp"

#include <set>

namespace tessera::tools {

using run::engineering;
using run::Log;

namespace {

/// A number of ranks on nodes of so many each.
std::vector<int> on_nodes(int ranks, int ranks_per_node) {
  std::vector<int> nodes(ranks);
  for (std::size_t r = 0; r < nodes.size(); ++r) nodes[r] = static_cast<int>(r) / ranks_per_node;
  return nodes;
}

void explain_cells(Log& log, RouterOptions const& options) {
  auto const& n = options.cells;
  double cells = 1;
  std::string shape;
  for (auto const size : n) {
    cells *= static_cast<double>(size);
    shape += fmt::format("{}{}", shape.empty() ? "" : " x ", size);
  }
  auto const routers = io::cell_routers(cells, options.neighbours, options.radix, options.levels);
  log.line("Grid     {} = {:.0f} cells of {} neighbours", shape, cells, routers.neighbours);
  log.line("Routers  radix {}, {} level{}", routers.radix, routers.levels, routers.levels == 1 ? "" : "s");
  log.line("Reach    {} x {}^{} = {:.0f} cells {} {:.0f}", routers.neighbours, routers.radix, routers.levels + 1,
           routers.reach(), routers.reaches(cells) ? ">=" : "<", cells);
  if (routers.reaches(cells))
    log.line("Hops     {}: every cell", routers.hops());
  else
    log.line("Hops     {}, but not every cell is reached; expected more levels or a radix of at least {}",
             routers.hops(), io::cell_routers(cells, options.neighbours, 0, routers.levels).radix);
}

/// Load times of the trees worth comparing, the one in question marked.
void explain_load(Log& log, RouterOptions const& options, int ranks, core::Link const& link, double bytes) {
  auto const nodes = on_nodes(ranks, options.ranks_per_node > 0 ? options.ranks_per_node : ranks);
  io::RouterTree const chosen(nodes, {.radix = options.radix, .levels = options.radix > 0 ? -1 : options.levels});
  std::set<int> radices{chosen.radix(), ranks - 1};
  for (int radix = 2; radix < ranks; radix *= 2) radices.insert(radix);
  log.line("Loading {}B on {} ranks, {} a node: latency {:.3g} us, bandwidth {}B/s{}", engineering(bytes), ranks,
           std::min(ranks, options.ranks_per_node > 0 ? options.ranks_per_node : ranks), 1e6 * link.latency,
           engineering(link.bandwidth),
           options.cores > 0 ? fmt::format(", {} core{}", options.cores, options.cores == 1 ? "" : "s") : "");
  log.line("  {:>8} {:>8} {:>8} {:>12}", "radix", "levels", "hops", "seconds");
  for (int const radix : radices) {
    io::RouterTree const tree(nodes, {.radix = radix});
    log.line("{} {:>8} {:>8} {:>8} {:>12.4g}", radix == chosen.radix() ? '*' : ' ', tree.radix(), tree.levels(),
             tree.hops(), io::predict_load(tree, bytes, link, options.file_rate, options.cores));
  }
}

}  // namespace

int explain_routers(core::Comm const& comm, RouterOptions const& options) {
  Log log(comm.root());
  explain_cells(log, options);
  int const ranks = options.ranks > 0 ? options.ranks : comm.size();
  if (ranks == 1) return core::Exit::done;
  core::Link link{options.latency, options.bandwidth};
  if (comm.size() > 1 && !(link.latency > 0 && link.bandwidth > 0)) {
    auto const measured = io::measure_link(comm);
    if (!(link.latency > 0)) link.latency = measured.latency;
    if (!(link.bandwidth > 0)) link.bandwidth = measured.bandwidth;
  }
  if (!(link.bandwidth > 0) || !(link.latency > 0))
    throw core::Error("no link to predict load times from, expected --latency and --bandwidth, or a start under mpirun "
                      "to measure them");
  double bytes = options.bytes;
  if (!(bytes > 0)) {
    bytes = 1;
    for (auto const size : options.cells) bytes *= static_cast<double>(size);
  }
  explain_load(log, options, ranks, link, bytes);
  return core::Exit::done;
}

}  // namespace tessera::tools
