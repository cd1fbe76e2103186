// SPDX-License-Identifier: Apache-2.0
// Linear solvers on three buried cables (tests/support/heat.hpp), on the ranks it is started on:
//   build/release/bench/pcg_dic [nx 1128] [ny 903] [iterations 200] [rounds 5] [keys of the solver] [steps 0]
// Steps 0: one solve cut after `iterations`, in rounds. Prints nanoseconds of processor time a cell and iteration,
// median over the rounds, everything of a solve included (right side, residual, norm, copying in and out), and as JSON.
// Steps > 0: so many steps of a day with tolerance 1e-6. Prints iterations, and wall and processor seconds of the steps
// and wall seconds of the set-up. Keys: "preconditioner MDIC;", "fused no;" (the plain passes), "solver GAMG; ..." ...
// bench/pcg_dic.sh runs OpenFOAM beside it.
#include "core/comm/runtime.hpp"
#include "solvers/heat.hpp"
#include "tests/support/heat.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace tessera::bench {

struct Options {
  core::Count nx, ny;
  int iterations, rounds, steps;
  std::string keys;
};

void rounds_of_iterations(core::Comm const& world, Options const& o, solvers::Heat& heat, core::Field<double>& t) {
  auto how =
      tests::settings(fmt::format("solver PCG; preconditioner DIC; tolerance 0; maxIter {}; {}", o.iterations, o.keys));
  auto const solver = solvers::make_solver(heat.matrix(), how);
  std::vector<double> ns;
  std::string name;
  for (int round = 0; round <= o.rounds; ++round) {
    t.fill(tests::Cables::ambient);
    // processor time, as OpenFOAM's ExecutionTime, so that other work on the machine counts little
    std::clock_t const start = std::clock();
    auto const p = heat.advance(*solver, t);
    double const seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    name = p.preconditioner + p.solver;
    if (round > 0)  // the first touches memory
      ns.push_back(1e9 * seconds / (static_cast<double>(p.iterations) * static_cast<double>(o.nx * o.ny)));
  }
  std::sort(ns.begin(), ns.end());
  if (!world.root()) return;
  fmt::print("{}, {} x {} cells, {} ranks, {} iterations: {:.2f} ns a cell and iteration (best {:.2f})\n", name, o.nx,
             o.ny, world.size(), o.iterations, ns[ns.size() / 2], ns.front());
  fmt::print("{{\"bench\": \"pcg_dic\", \"solver\": \"{}\", \"cells\": {}, \"ranks\": {}, \"iterations\": {}, "
             "\"nanoseconds\": {:.4f}}}\n",
             name, o.nx * o.ny, world.size(), o.iterations, ns[ns.size() / 2]);
}

void steps_to_tolerance(core::Comm const& world, Options const& o, solvers::Heat& heat, core::Field<double>& t) {
  using Clock = std::chrono::steady_clock;
  auto const since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  auto how = tests::settings("solver PCG; preconditioner DIC; tolerance 1e-6; maxIter 100000; " + o.keys);
  auto begin = Clock::now();
  auto const solver = solvers::make_solver(heat.matrix(), how);
  double const setup = since(begin);
  begin = Clock::now();
  std::clock_t const processor = std::clock();
  std::string name, iterations;
  int total = 0;
  bool converged = true;
  for (int step = 0; step < o.steps; ++step) {
    auto const p = heat.advance(*solver, t);
    name = p.preconditioner + p.solver;
    total += p.iterations;
    converged = converged && p.converged;
    iterations += fmt::format(" {}", p.iterations);
  }
  double const seconds = since(begin);
  double const busy = world.max(static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC);
  double const each = static_cast<double>(total) / o.steps;
  if (!world.root()) return;
  fmt::print("{}, {} x {} cells, {} ranks, {} steps: {:.1f} iterations a step ({} ), set-up {:.3f} s, steps {:.3f} s "
             "({:.3f} s of a processor){}\n",
             name, o.nx, o.ny, world.size(), o.steps, each, iterations, setup, seconds, busy,
             converged ? "" : ", NOT CONVERGED");
  fmt::print(
      "{{\"bench\": \"pcg_dic\", \"solver\": \"{}\", \"cells\": {}, \"ranks\": {}, \"iterationsPerStep\": {:.2f}, "
      "\"setupSeconds\": {:.4f}, \"seconds\": {:.4f}, \"processorSeconds\": {:.4f}}}\n",
      name, o.nx * o.ny, world.size(), each, setup, seconds, busy);
}

int run(core::Comm const& world, Options const& o) {
  tests::Cables cables({o.nx, o.ny, 1}, {0, 0, 0}, world);
  solvers::Heat heat(cables.properties(), tests::Cables::day);
  if (o.steps > 0)
    steps_to_tolerance(world, o, heat, cables.t);
  else
    rounds_of_iterations(world, o, heat, cables.t);
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  auto const number = [&](int n, int fallback) { return argc > n ? std::atoi(argv[n]) : fallback; };
  return runtime.run([&] {
    return tessera::bench::run(runtime.world(), {number(1, 1128), number(2, 903), number(3, 200), number(4, 5),
                                                 number(6, 0), argc > 5 ? argv[5] : ""});
  });
}
