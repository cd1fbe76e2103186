// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients with DIC on three buried cables (tests/support/heat.hpp), on the ranks it is started on:
//   build/release/bench/pcg_dic [nx 1128] [ny 903] [iterations 200] [rounds 5] [keys of the solver]
// Prints nanoseconds of processor time a cell and iteration, median over the rounds, everything of a solve included (right side, residual,
// norm, copying in and out), and as JSON. Keys: "fused no;" takes the plain passes. bench/pcg_dic.sh runs OpenFOAM beside it.
#include "core/runtime.hpp"
#include "solvers/heat.hpp"
#include "tests/support/heat.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace tessera::bench {

int run(core::Comm const& world, core::Count nx, core::Count ny, int iterations, int rounds, std::string const& keys) {
  tests::Cables cables({nx, ny, 1}, {0, 0, 0}, world);
  solvers::Heat heat(cables.properties(), tests::Cables::day);
  auto how =
      tests::settings(fmt::format("solver PCG; preconditioner DIC; tolerance 0; maxIter {}; {}", iterations, keys));
  auto const solver = solvers::make_solver(heat.matrix(), how);
  std::vector<double> ns;
  for (int round = 0; round <= rounds; ++round) {
    cables.t.fill(tests::Cables::ambient);
    // processor time, as OpenFOAM's ExecutionTime, so that other work on the machine counts little
    std::clock_t const start = std::clock();
    auto const p = heat.advance(*solver, cables.t);
    double const seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (round > 0)  // the first touches memory
      ns.push_back(1e9 * seconds / (static_cast<double>(p.iterations) * static_cast<double>(nx * ny)));
  }
  std::sort(ns.begin(), ns.end());
  if (world.root()) {
    fmt::print("PCG-DIC, {} x {} cells, {} ranks, {} iterations: {:.2f} ns a cell and iteration (best {:.2f})\n", nx,
               ny, world.size(), iterations, ns[ns.size() / 2], ns.front());
    fmt::print(
        "{{\"bench\": \"pcg_dic\", \"cells\": {}, \"ranks\": {}, \"iterations\": {}, \"nanoseconds\": {:.4f}}}\n",
        nx * ny, world.size(), iterations, ns[ns.size() / 2]);
  }
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  auto const number = [&](int n, int fallback) { return argc > n ? std::atoi(argv[n]) : fallback; };
  return runtime.run([&] {
    return tessera::bench::run(runtime.world(), number(1, 1128), number(2, 903), number(3, 200), number(4, 5),
                               argc > 5 ? argv[5] : "");
  });
}
