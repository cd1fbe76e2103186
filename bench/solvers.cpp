// SPDX-License-Identifier: Apache-2.0
// PCG with multigrid on the cables of bench/solvers.sh.
//   solvers NX NY STEPS [keys of multigrid]
#include "bench/solvers_cables.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"

#include <cstdlib>

namespace tessera::bench {

int run(core::Comm const& world, core::Count nx, core::Count ny, int steps, std::string const& keys) {
  tests::Cables cables({nx, ny, 1}, {0, 0, 0}, world);
  solvers::Heat heat(cables.properties(), tests::Cables::day);
  auto how = tests::settings("solver PCG; tolerance 1e-6; preconditioner { preconditioner multigrid; " + keys + " }");
  auto const solver = solvers::make_solver(heat.matrix(), how);
  core::Field<double> b("b", cables.layout, 1);
  Result result{"tessera multigrid-PCG", nx * ny, 0, 0, steps, 0, 0, 0};
  for (int step = 0; step < steps; ++step) {
    heat.right_side(cables.t, b);
    world.barrier();
    double const before = seconds();
    auto const p = solver->solve(b, cables.t);
    world.barrier();
    result.steps += step == 0 ? 0 : seconds() - before;
    result.iterations += p.iterations;
    if (step == 0) {
      result.first = p.iterations;
      result.set_up = seconds() - before;  // and the first step, taken apart below
    }
    if (!p.converged) throw core::RunError("multigrid-PCG did not converge");
  }
  // the first step again, now that everything is set up
  cables.t.fill(tests::Cables::ambient);
  heat.right_side(cables.t, b);
  world.barrier();
  double const before = seconds();
  solver->solve(b, cables.t);
  world.barrier();
  double const first = seconds() - before;
  result.set_up = std::max(0.0, result.set_up - first);
  result.steps += first;
  result.bytes_a_cell = memory(world) / static_cast<double>(nx * ny);
  print(world, result);
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  core::Runtime runtime(argc, argv);
  return runtime.run([&] {
    if (argc < 4) throw core::Error("usage: solvers NX NY STEPS [keys of multigrid]");
    return bench::run(runtime.world(), std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]),
                      argc > 4 ? argv[4] : "");
  });
}
