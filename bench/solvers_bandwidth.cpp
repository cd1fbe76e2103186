// SPDX-License-Identifier: Apache-2.0
// Memory bandwidth of the ranks it is started on, all at once, as the yardstick of bench/solvers.sh:
//   solvers_bandwidth [MiB of all ranks together 1536] [rounds 7]
// Triad a = b + s c and sum of b c over three arrays of doubles that are cut evenly, in huge pages as multigrid's own;
// best of the rounds, GB/s of what the program asks for (24 and 16 B an entry: a cache that fetches a line before it
// writes it moves 32 for the triad).
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "solvers/multigrid/slab.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>

namespace tessera::bench {

struct Triad {
  explicit Triad(std::size_t entries)
      : memory{solvers::multigrid::ZeroedMemory(8 * entries), solvers::multigrid::ZeroedMemory(8 * entries),
               solvers::multigrid::ZeroedMemory(8 * entries)},
        n(entries) {
    std::fill_n(array(0), n, 1.0);
    std::fill_n(array(1), n, 2.0);
    std::fill_n(array(2), n, 3.0);
  }
  double* array(int which) { return static_cast<double*>(memory[which].data()); }
  void triad() {
    double *const a = array(0), *const b = array(1), *const c = array(2);
    TESSERA_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 0.5 * c[i];
  }
  double dot() {
    double const *const b = array(1), *const c = array(2);
    constexpr std::size_t lanes = 32;
    double sum[lanes] = {}, all = 0;
    for (std::size_t i = 0; i + lanes <= n; i += lanes)
      for (std::size_t l = 0; l < lanes; ++l) sum[l] += b[i + l] * c[i + l];
    for (double s : sum) all += s;
    return all;
  }
  solvers::multigrid::ZeroedMemory memory[3];
  std::size_t n;
};

int run(core::Comm const& world, std::size_t bytes, int rounds) {
  Triad work(bytes / 24 / static_cast<std::size_t>(world.size()));
  double const total = static_cast<double>(work.n) * world.size();
  double best[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}, dots = 0;
  for (int round = 0; round < rounds; ++round)
    for (double& seconds : best) {
      world.barrier();
      auto const start = std::chrono::steady_clock::now();
      if (&seconds == best)
        work.triad();
      else
        dots += work.dot();
      double const here = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      seconds = std::min(seconds, world.max(here));
    }
  if (!(dots > 0)) throw core::RunError("the sums of the bandwidth are wrong");
  if (world.root())
    fmt::print("{{\"bench\": \"solvers_bandwidth\", \"ranks\": {}, \"triad\": {:.2f}, \"read\": {:.2f}}}\n",
               world.size(), 24e-9 * total / best[0], 16e-9 * total / best[1]);
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  return runtime.run([&] {
    auto const mebibytes = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 1536);
    return tessera::bench::run(runtime.world(), mebibytes << 20, argc > 2 ? std::atoi(argv[2]) : 7);
  });
}
