// SPDX-License-Identifier: Apache-2.0
// How long sweeps take on ranks of which the last is four times slower, over the least time: the work over the sum of the rates, or the
// longest task. Tasks sleep, so the machine may be busy. Twice each: with every task begun once, and with late ones begun twice.
//   mpirun -n 2 bench/late_tasks
#include "core/comm/delay.hpp"
#include "core/comm/runtime.hpp"
#include "run/ensemble.hpp"
#include "run/sweep/stragglers.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <thread>

namespace {
using namespace tessera;

struct Tasks {
  char const* what;
  std::string axes;
  std::function<double(run::Point const&)> seconds;
};

/// Steps of a millisecond until the end, or until another attempt has ended.
void sleep(double seconds, run::Attempt const& attempt) {
  double const end = core::Delay::now() + seconds;
  for (double left = seconds; left > 0 && !attempt.called_back(); left = end - core::Delay::now())
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, 1e-3)));
}

void measure(core::Comm const& world, Tasks const& kind, bool duplicates) {
  auto dictionary = core::Dictionary::parse("axes { " + kind.axes + " }", "bench");
  std::vector<std::string> names;
  for (auto const& name : dictionary.sub("axes").keys()) names.push_back(name);
  run::Axes const axes(dictionary, ".", names);
  auto const tasks = axes.points();
  run::Results results;
  for (auto const& task : tasks) results.ask(task);
  double const rate = world.rank() > 0 && world.rank() == world.size() - 1 ? 0.25 : 1;
  run::Dealing dealing;
  dealing.task = [&](run::Attempt const& attempt) {
    double const begin = core::Delay::now();
    double const seconds = kind.seconds(tasks[attempt]) / rate;
    duplicates ? sleep(seconds, attempt) : std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    return run::pack({core::Delay::now() - begin, static_cast<double>(world.rank())});
  };
  dealing.finished = [&](std::int64_t t, core::Bytes const& bytes) {
    auto const found = run::unpack(bytes);
    results.add(tasks[t], {core::Report::Json::object(), "", found[0], static_cast<int>(found[1])});
  };
  dealing.order = [&](std::span<std::int64_t> open) {
    run::Costs(axes, run::measured_in(results)).longest_first(open, tasks);
  };
  if (duplicates) dealing.late = run::Stragglers(axes, tasks, {}, world.rank());
  world.barrier();
  double const begin = core::Delay::now();
  auto const dealt = run::deal(world, std::ssize(tasks), dealing);
  double const seconds = world.max(core::Delay::now() - begin);
  auto const copies = world.sum(dealt.copies), won = world.sum(dealt.won);
  double work = 0, longest = 0;
  for (auto const& task : tasks) work += kind.seconds(task), longest = std::max(longest, kind.seconds(task));
  double const least = std::max(work / (world.sum(rate == 1 ? 4 : 1) / 4.0), longest);
  if (world.root())
    fmt::print("{}, {} duplicates: {:.3f} of the least time, {} copies begun, {} won\n", kind.what,
               duplicates ? "with" : "no", seconds / least, copies, won);
}

}  // namespace

int main(int argc, char** argv) {
  core::Runtime runtime(argc, argv);
  Tasks const kinds[] = {
      {"200 tasks, costs spread over 100", "n { from 0; to 199; steps 200; }",
       [](auto const& point) { return 4e-3 * std::pow(100, std::stod(point[0]) / 199); }},
      {"20 equal tasks", "seed { samples 20; }", [](auto const&) { return 0.5; }},
      {"two long tasks, two short", "length (0.1 2); k (1 2);", [](auto const& point) { return std::stod(point[0]); }},
      {"40 short tasks, a long one that nobody expects", "n { from 0; to 40; steps 41; }",
       [](auto const& point) { return point[0] == "1" ? 2.0 : 0.1; }}};
  for (Tasks const& kind : kinds)
    for (bool const duplicates : {false, true}) measure(runtime.world(), kind, duplicates);
}
