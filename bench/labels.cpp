// SPDX-License-Identifier: Apache-2.0
// Cluster labels of a random grid, black with 4 and white with 8 neighbours, against OpenCV's connectedComponents on
// one thread.
//   build/release/bench/labels [L] [p]           (default 4096 0.592746)
// Prints medians of rounds as JSON, too. The peer is the program labels_opencv beside this one: it is started between
// two halves of our rounds, on a grid of the same size and density, and is missing where OpenCV was not found when the
// benchmarks were built. Both count the time of their own process on the processor, so that other programs on the
// machine disturb the ratio little; one rank only.
#include "ca/labels.hpp"
#include "ca/initial.hpp"
#include "core/runtime.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <string>

namespace tessera::bench {

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Million cells a second, black and white, of the program beside this one; zeros if it is not there or fails.
std::array<double, 2> peer(std::string const& program, int side, double p) {
  std::array<double, 2> rates{};
  auto const beside = std::filesystem::path(program).replace_filename("labels_opencv");
  if (!std::filesystem::exists(beside)) return rates;
  FILE* const pipe = popen(fmt::format("'{}' {} {:.6f}", beside.string(), side, p).c_str(), "r");
  if (pipe == nullptr) return rates;
  if (std::fscanf(pipe, "%lf %lf", &rates[0], &rates[1]) != 2) rates = {};
  return pclose(pipe) == 0 ? rates : std::array<double, 2>{};
}

int run(core::Comm const& world, std::string const& program, int side, double p) {
  if (world.size() > 1) throw core::Error("the benchmark compares one rank with one thread, expected no mpirun");
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({side, side, 1}));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), world);
  core::Field<std::uint8_t> mask("mask", layout);
  core::Field<std::int32_t> labels("label", layout, 0);
  ca::fill_random(mask, p, {7, 0});
  ca::Labeller labeller(layout);

  std::array<std::vector<double>, 2> seconds;
  auto const rounds = [&](int n) {
    for (int round = 0; round < n; ++round)
      for (std::uint8_t wanted : {1, 0}) {
        double const start = processor_seconds();
        labeller.run(mask, wanted, wanted == 1 ? 4 : 8, labels);
        seconds[wanted == 1 ? 0 : 1].push_back(processor_seconds() - start);
      }
  };
  rounds(1);  // touches memory
  for (auto& s : seconds) s.clear();
  rounds(4);
  auto const theirs = peer(program, side, p);
  rounds(3);

  for (std::size_t n = 0; n < 2; ++n) {
    char const* const what = n == 0 ? "black, 4 neighbours" : "white, 8 neighbours";
    double const ours = 1e-6 * static_cast<double>(grid->total()) / median(seconds[n]);
    fmt::print("labels, {} x {}, p = {}, {}: {:.0f} Mcells/s", side, side, p, what, ours);
    if (theirs[n] > 0)
      fmt::print(", OpenCV {:.0f}, ratio {:.2f}\n", theirs[n], ours / theirs[n]);
    else
      fmt::print("; the peer is missing: install libopencv-dev and reconfigure\n");
    fmt::print("{{\"bench\":\"labels\",\"side\":{},\"p\":{},\"what\":\"{}\",\"megacellsPerSecond\":{:.1f}", side, p,
               what, ours);
    if (theirs[n] > 0) fmt::print(",\"opencv\":{:.1f},\"ratio\":{:.3f}", theirs[n], ours / theirs[n]);
    fmt::print("}}\n");
  }
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  std::string const program = argv[0];
  tessera::core::Runtime runtime(argc, argv);
  int const side = argc > 1 ? std::max(3, std::atoi(argv[1])) : 4096;
  double const p = argc > 2 ? std::atof(argv[2]) : 0.592746;
  return runtime.run([&] { return tessera::bench::run(runtime.world(), program, side, p); });
}
