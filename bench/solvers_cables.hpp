// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the programs of bench/solvers.sh share: the cable problem on one slab a rank, its transient with a foreign solver,
// and the line of JSON that each prints.
#include "core/grid/sweep.hpp"
#include "solvers/algebra/residual.hpp"
#include "solvers/heat.hpp"
#include "tests/support/heat.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace tessera::bench {

/// Of the wall clock, or of the processor where BENCH_CLOCK=processor says so: on a machine that others use, too, and
/// one rank.
inline double seconds() {
  static bool const processor = std::getenv("BENCH_CLOCK") && std::string(std::getenv("BENCH_CLOCK")) == "processor";
  if (processor) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Largest memory of this process so far [bytes], of all ranks together.
inline double memory(core::Comm const& comm) {
  double kilobytes = 0;
  if (std::FILE* const f = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, f))
      if (std::strncmp(line, "VmHWM:", 6) == 0) kilobytes = std::atof(line + 6);
    std::fclose(f);
  }
  double sum = 0;
  for (double x : comm.gather(kilobytes)) sum += 1024 * x;
  return sum;
}

struct Result {
  std::string solver;
  core::Count cells;
  double set_up, steps;  ///< seconds
  int number_of_steps, first, iterations;
  double bytes_a_cell;
};

inline void print(core::Comm const& comm, Result const& r) {
  if (!comm.root()) return;
  fmt::print("{{\"bench\": \"solvers\", \"solver\": \"{}\", \"cells\": {}, \"ranks\": {}, \"setup\": {:.4f}, "
             "\"steps\": {:.4f}, "
             "\"total\": {:.4f}, \"first\": {}, \"mean\": {:.2f}, \"bytes\": {:.0f}}}\n",
             r.solver, r.cells, comm.size(), r.set_up, r.steps, r.set_up + r.steps, r.first,
             static_cast<double>(r.iterations) / r.number_of_steps, r.bytes_a_cell);
}

/// Tiles of whole rows, one a rank.
inline core::Grid::Shape one_tile_a_rank(core::Count nx, core::Count ny, int ranks) {
  return {nx, (ny + ranks - 1) / ranks, 1};
}

/// Runs the transient with a foreign solver. `load(b, x)` gives it right side and first guess, `solve(k)` does k
/// iterations, `get(x)` fetches the result. The number of iterations of a step is the least whose residual, OpenFOAM's,
/// is below 1e-6; it is searched without the clock, so that the peer pays for no test of ours.
template <class Load, class Solve, class Get>
void run_peer(Result result, tests::Cables& cables, int steps, Load const& load, Solve const& solve, Get const& get) {
  auto const& comm = cables.layout.comm();
  solvers::Heat heat(cables.properties(), tests::Cables::day);
  core::Field<double> b("b", cables.layout, 1), x("x", cables.layout, 1), r("r", cables.layout, 1);
  auto const residual_after = [&](int k, double norm, double& time) {
    load(b, cables.t);
    comm.barrier();
    double const start = seconds();
    solve(k);
    comm.barrier();
    time = seconds() - start;
    get(x);
    auto const now = solvers::residual(heat.matrix(), b, x, r);
    return now.initial * now.norm / norm;
  };
  int k = 6;
  result.number_of_steps = steps;
  for (int step = 0; step < steps; ++step) {
    heat.right_side(cables.t, b);
    double const norm = solvers::residual(heat.matrix(), b, cables.t, r).norm;
    double time = 0;
    if (residual_after(k, norm, time) < 1e-6)
      while (k > 1 && residual_after(k - 1, norm, time) < 1e-6) --k;
    else
      while (residual_after(++k, norm, time) >= 1e-6 && k < 2000) {
      }
    double best = 1e30;
    for (int round = 0; round < 2; ++round) {
      residual_after(k, norm, time);
      best = std::min(best, time);
    }
    result.steps += best;
    result.iterations += k;
    if (step == 0) result.first = k;
    cables.t.swap_values(x);
  }
  print(comm, result);
}

}  // namespace tessera::bench
