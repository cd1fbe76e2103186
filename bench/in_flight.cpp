// SPDX-License-Identifier: Apache-2.0
// What dealing tasks costs: tasks that do nothing, a second. Then tasks of 5 ms that come late: how many a rank asks for ahead, and
// how long it waits for them once it has found out.
//   mpirun -n 2 bench/in_flight [tasks a rank, default 400]
#include "core/comm/delay.hpp"
#include "core/comm/runtime.hpp"
#include "run/ensemble.hpp"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>

int main(int argc, char** argv) {
  using namespace tessera;
  core::Runtime runtime(argc, argv);
  core::Comm const& world = runtime.world();
  std::int64_t const n = world.size() * (argc > 1 ? std::atoll(argv[1]) : 400);
  {
    std::int64_t const empty = 200'000;
    double const begin = core::Delay::now();
    run::deal(world, empty,
              {.task = [](std::int64_t t) { return run::pack({static_cast<double>(t)}); },
               .finished = [](auto...) {},
               .stop = {}});
    if (world.root())
      fmt::print("tasks that do nothing: {:.0f} a second on {} rank{}\n",
                 static_cast<double>(empty) / (core::Delay::now() - begin), world.size(), world.size() == 1 ? "" : "s");
  }
  for (double const latency : {0.0, 1e-3, 10e-3, 100e-3}) {
    core::delay().seconds = latency;
    double worked = 0, waited = 0, free = core::Delay::now();
    std::int64_t mine = 0;
    auto const task = [&](std::int64_t t) {
      double const begin = core::Delay::now();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      double const end = core::Delay::now();
      if (++mine > n / world.size() / 2) worked += end - begin, waited += begin - free;
      free = end;
      return run::pack({static_cast<double>(t)});
    };
    auto const dealt = run::deal(world, n, {.task = task, .finished = [](auto...) {}, .stop = {}});
    auto const shares = world.gather(waited / (waited + worked));
    auto const numbers = world.gather(dealt.in_flight);
    for (int r = 0; world.root() && r < world.size(); ++r)
      fmt::print("latency {:3.0f} ms, rank {}: {:2} in flight, {:.2f} % of the second half idle\n", latency * 1e3, r,
                 numbers[r], 100 * shares[r]);
  }
  core::delay().seconds = 0;
}
