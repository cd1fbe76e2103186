// SPDX-License-Identifier: Apache-2.0
// What the halo exchange costs of a step: explicit heat, 2048 x 2048 double, on the ranks it is started on.
//   mpirun -np 4 build/release/bench/halo [steps]
// Prints medians over the rounds, as JSON too. "halo" is packing, copying between tiles, posting and unpacking; "waiting" is the time
// blocked until messages are there, which on more ranks than free cores is mostly the other ranks' turn on the core.
#include "ca/automaton.hpp"
#include "ca/initial.hpp"
#include "core/runtime.hpp"
#include "core/sweep.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace tessera::bench {

struct Bump {
  core::FieldView<double> state;
  core::TileInfo const* info;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    core::Index const x = info[s].global(k, j, i);
    state(s, k, j, i) = x.i > 512 && x.i < 1536 && x.j > 512 && x.j < 1536 ? 1.0 : 0.0;
  }
};

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

int run(core::Comm const& world, int steps) {
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({2048, 2048, 1}));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), world.size()), world);
  auto properties = core::Dictionary::parse("diffusivity 0.2; deltaT 1;", "bench");
  auto const heat = ca::make_automaton("heat", properties, layout);
  auto& state = static_cast<core::Field<double>&>(heat->state());
  core::for_each("bump", layout.all(), Bump{state.view(), layout.all().info.data()});

  std::vector<double> halo, waiting, reduce, step;
  for (int round = 0; round < 7; ++round) {
    core::times().restart();
    core::times().switch_to(core::Part::compute);
    for (int n = 0; n < steps; ++n) heat->step();
    auto const seconds = core::times().seconds();
    auto const mean = [&](double x) {
      double sum = 0;
      for (double y : world.gather(x)) sum += y;
      return sum / world.size() / steps;
    };
    auto const part = [&](core::Part p) { return mean(seconds[static_cast<std::size_t>(p)]); };
    double const wall = mean(core::times().wall());
    if (round == 0) continue;  // the first touches memory
    step.push_back(wall);
    halo.push_back(part(core::Part::halo) / wall);
    waiting.push_back(part(core::Part::idle) / wall);
    reduce.push_back(part(core::Part::reduce) / wall);
  }
  if (world.root()) {
    fmt::print("explicit heat, 2048 x 2048 double, {} ranks, {} tiles: {:.3f} ms a step, {:.0f} Mcells/s\n",
               world.size(), grid->tiles(), 1e3 * median(step), 4.194304 / median(step));
    fmt::print("  halo exchange {:.1f} % of the step, waiting for messages {:.1f} %, for sums {:.1f} %\n",
               100 * median(halo), 100 * median(waiting), 100 * median(reduce));
    fmt::print("{{\"bench\":\"halo\",\"ranks\":{},\"secondsPerStep\":{:.6g},\"halo\":{:.4f},\"waiting\":{:.4f},"
               "\"reduce\":{:.4f}}}\n",
               world.size(), median(step), median(halo), median(waiting), median(reduce));
  }
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  int const steps = argc > 1 ? std::max(1, std::atoi(argv[1])) : 50;
  return runtime.run([&] { return tessera::bench::run(runtime.world(), steps); });
}
