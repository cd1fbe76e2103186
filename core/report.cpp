// SPDX-License-Identifier: Apache-2.0
#include "core/report.hpp"

#include "core/comm/device_addresses.hpp"
#include "core/comm/emulation.hpp"
#include "core/comm/node.hpp"
#include "core/error.hpp"
#include "core/grid/computed.hpp"
#include "core/grid/field.hpp"
#include "core/grid/sweep.hpp"
#include "core/times.hpp"
#include "core/version.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <sys/resource.h>

namespace tessera::core {

std::string backend_name() {
  std::string const name = Kokkos::DefaultExecutionSpace::name();
  return fenced ? "fenced " + name : name;
}

Report::Report(std::string case_name, std::string application) {
  json_["tessera"] = {
      {"version", version},
      {"commit", commit},
      {"kokkos", fmt::format("{}.{}.{}", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100)},
      {"backend", backend_name()},
      {"threads", Kokkos::DefaultHostExecutionSpace().concurrency()}};
  if constexpr (!on_host)
    json_["tessera"]["messages"] = mpi_takes_device_addresses() ? "from the device" : "by pinned memory of the host";
  if (auto const& cluster = emulation()) json_["tessera"]["emulated"] = text_of(cluster->cluster());
  json_["case"] = std::move(case_name);
  json_["application"] = std::move(application);
}

void Report::describe(Layout const& layout, std::string const& method, std::vector<double> const& weights) {
  Grid const& grid = layout.grid();
  Comm const& comm = layout.comm();
  json_["grid"] = {{"cells", grid.cells()}, {"tile", grid.tile()}, {"tiles", grid.tiles()}};
  json_["ranks"] = comm.size();
  std::vector<Count> cells(comm.size());
  Count cut = 0, node_cut = 0;
  auto const nodes = memory_nodes(comm);
  for (int t = 0; t < grid.tiles(); ++t) {
    int const owner = layout.owner(t);
    cells[owner] += grid.tile_box(t).cells();
    grid.for_each_beside(t, [&](int tile, Count face) {
      if (tile < t) return;  // each pair once
      int const other = layout.owner(tile);
      if (owner != other) cut += face;
      if (nodes[owner] != nodes[other]) node_cut += face;
    });
  }
  // expected times: how far the slowest rank is above the time in which all would finish together
  double most = 0, rates = 0;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    double const rate = r < weights.size() ? weights[r] : 1.0;
    most = std::max(most, static_cast<double>(cells[r]) / rate);
    rates += rate;
  }
  double const mean = static_cast<double>(grid.total()) / rates;
  json_["partition"] = {{"method", method}, {"weights", weights},  {"cells", cells},
                        {"edgeCut", cut},   {"nodeCut", node_cut}, {"imbalance", most / mean - 1}};
}

void Report::finish(Comm const& comm, std::int64_t steps, double cell_updates) {
  auto seconds = times().seconds();
  seconds[static_cast<std::size_t>(Part::compute)] += seconds[static_cast<std::size_t>(Part::foreign)];
  double const wall = times().wall();
  json_["ranks"] = comm.size();
  json_["steps"] = steps;
  Json time;
  auto const mean_of = [](std::vector<double> const& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  };
  double const mean_wall = mean_of(comm.gather(wall));
  time["wall"] = mean_wall;
  Json of_ranks;
  for (std::size_t p = 0; p < part_count; ++p) {
    if (p == static_cast<std::size_t>(Part::foreign)) continue;
    auto const all = comm.gather(seconds[p]);
    time[part_names[p]] = mean_of(all);
    of_ranks[part_names[p]] = all;
  }
  auto const busy = of_ranks["compute"].get<std::vector<double>>();
  double const most = *std::max_element(busy.begin(), busy.end()), least = *std::min_element(busy.begin(), busy.end());
  time["imbalance"] = mean_of(busy) > 0 ? most / mean_of(busy) - 1 : 0.0;
  // the four parts of the APC+ paper: they sum to the wall time
  double const boot = time["boot"].get<double>();
  time["PROC"] = least;
  time["L-IMB"] = most - least;
  time["BOOT"] = boot;
  time["OVER"] = mean_wall - most - boot;
  time["ofRanks"] = std::move(of_ranks);
  double const compute =
      comm.max(wall - seconds[static_cast<std::size_t>(Part::boot)] - seconds[static_cast<std::size_t>(Part::io)]);
  json_["time"] = std::move(time);
  json_["rate"] = {{"cellUpdatesPerSecond", compute > 0 ? cell_updates / compute : 0.0}};
  std::string const host = Kokkos::DefaultHostExecutionSpace::name();
  int const threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  for (auto const& [part, by] : computed()) {
    auto& told = json_["computed"][part];
    told["backend"] = by == By::sweeps ? backend_name() : host;
    if (by != By::sweeps || on_host || fenced) told["threads"] = by == By::one_thread ? 1 : threads;
  }
  json_["memory"] = {{"peakBytesPerRankMax", comm.max(peak_memory())}};
  for (auto const& [field, bytes] : copies())
    json_["memory"]["copies"][field] = {{"toDevice", bytes.to_device}, {"toHost", bytes.to_host}};
}

std::string Report::text() const { return json_.dump(2) + '\n'; }

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace tessera::core
