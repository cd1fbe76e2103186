// SPDX-License-Identifier: Apache-2.0
// GB/s of a copy of doubles in the memory that this program's kernels compute in, read and written bytes together, over all
// ranks at once: the yardstick of backends.sh.
//   copy [MiB of all ranks together 2048] [rounds 9]      best of the rounds
#include "core/comm/runtime.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>

namespace tessera::bench {

int run(core::Comm const& world, std::size_t bytes, int rounds) {
  std::size_t const n = bytes / 16 / static_cast<std::size_t>(world.size());
  Kokkos::View<double*> const from("from", n), to("to", n);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    world.barrier();
    Kokkos::Timer const timer;
    Kokkos::deep_copy(to, from);
    Kokkos::fence();
    best = std::min(best, world.max(timer.seconds()));
  }
  if (world.root()) fmt::print("{:.2f}\n", 16e-9 * static_cast<double>(n) * world.size() / best);
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  return runtime.run([&] {
    auto const mebibytes = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 2048);
    return tessera::bench::run(runtime.world(), mebibytes << 20, argc > 2 ? std::atoi(argv[2]) : 9);
  });
}
