// SPDX-License-Identifier: Apache-2.0
// What the halo exchange costs of a step: explicit heat or life, on the ranks it is started on.
//   mpirun -np 4 build/release/bench/halo [steps 50] [cells a side 2048] [rule heat] [depth 1] [rounds 6]
// Depth: generations from one exchange, 0 for as many as the program would take.
// Rounds by messages and through memory that the ranks of a node share take turns: medians of each, and the ratio of steps
// that follow each other. As JSON too. "halo" is packing, copying between tiles, posting and unpacking; "waiting" is the
// time blocked until messages are there, which on more ranks than free cores is mostly the other ranks' turn on the core.
#include "ca/automaton.hpp"
#include "ca/engine/initial.hpp"
#include "core/comm/node.hpp"
#include "core/comm/runtime.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/tile_shape.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string>

namespace tessera::bench {

struct Bump {
  core::FieldView<double> state;
  core::TileInfo const* info;
  core::Count n;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    core::Index const x = info[s].global(k, j, i);
    state(s, k, j, i) = 4 * x.i > n && 4 * x.i < 3 * n && 4 * x.j > n && 4 * x.j < 3 * n ? 1.0 : 0.0;
  }
};

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

/// One value a round; times of parts as shares of the step.
struct Measured {
  std::vector<double> step, halo, waiting, reduce;
};

struct Options {
  int steps;
  core::Count cells;
  std::string rule;
  int depth, rounds;
};

int run(core::Comm const& world, Options const& o) {
  core::Grid::Shape const cells{o.cells, o.cells, 1};
  auto const grid = std::make_shared<core::Grid const>(
      core::Grid::unit(cells, core::choose_tile(core::TileUse::automata, cells, core::workers(world))));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), world.size()), world);
  auto properties = core::Dictionary::parse("diffusivity 0.2; deltaT 1;", "bench");
  auto const automaton = ca::make_automaton(o.rule, properties, layout);
  int const depth = o.depth == 1 ? 1 : automaton->work_ahead(o.depth);
  if (o.rule == "heat") {
    auto& state = static_cast<core::Field<double>&>(automaton->state());
    core::for_each("bump", layout.all(), Bump{state.view(), layout.all().info.data(), o.cells});
  } else {
    ca::fill_random(static_cast<core::Field<std::uint8_t>&>(automaton->state()), 0.35, core::Random{7, 0});
  }

  constexpr core::Transport transports[] = {core::Transport::messages, core::Transport::shared_memory};
  Measured measured[2];
  std::vector<double> ratio;
  for (int round = 0; round < 2 * (o.rounds + 1); ++round) {
    core::transport() = transports[round % 2];
    auto& [step, halo, waiting, reduce] = measured[round % 2];
    core::times().restart();
    core::times().switch_to(core::Part::compute);
    for (int n = 0; n < o.steps; ++n) automaton->step();
    automaton->state();
    auto const seconds = core::times().seconds();
    auto const mean = [&](double x) {
      double sum = 0;
      for (double y : world.gather(x)) sum += y;
      return sum / world.size() / o.steps;
    };
    auto const part = [&](core::Part p) { return mean(seconds[static_cast<std::size_t>(p)]); };
    double const wall = mean(core::times().wall());
    if (round < 2) continue;  // the first touch memory
    step.push_back(wall);
    halo.push_back(part(core::Part::halo) / wall);
    waiting.push_back(part(core::Part::idle) / wall);
    reduce.push_back(part(core::Part::reduce) / wall);
    if (round % 2 == 1) ratio.push_back(measured[0].step.back() / step.back());
  }
  if (!world.root()) return 0;
  fmt::print("{}, {} x {} cells, {} ranks, {} tiles, depth {}\n", o.rule, o.cells, o.cells, world.size(), grid->tiles(),
             depth);
  for (int by = 0; by < 2; ++by) {
    auto const& [step, halo, waiting, reduce] = measured[by];
    char const* const name = by == 0 ? "messages" : "sharedMemory";
    fmt::print(
        "  {:12} {:.4f} ms a step, {:.0f} Mcells/s; halo exchange {:.1f} %, waiting for it {:.1f} %, sums {:.1f} %\n",
        name, 1e3 * median(step), 1e-6 * static_cast<double>(grid->total()) / median(step), 100 * median(halo),
        100 * median(waiting), 100 * median(reduce));
    fmt::print("{{\"bench\":\"halo\",\"transport\":\"{}\",\"rule\":\"{}\",\"cells\":{},\"depth\":{},\"ranks\":{},"
               "\"secondsPerStep\":{:.6g},\"halo\":{:.4f},\"waiting\":{:.4f},\"reduce\":{:.4f}}}\n",
               name, o.rule, grid->total(), depth, world.size(), median(step), median(halo), median(waiting),
               median(reduce));
  }
  fmt::print("  messages take {:.3f} times as long as shared memory\n", median(ratio));
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  auto const number = [&](int n, int fallback) { return argc > n ? std::atoi(argv[n]) : fallback; };
  tessera::bench::Options const o{std::max(1, number(1, 50)), number(2, 2048), argc > 3 ? argv[3] : "heat",
                                  number(4, 1), std::max(1, number(5, 6))};
  return runtime.run([&] { return tessera::bench::run(runtime.world(), o); });
}
