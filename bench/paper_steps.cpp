// SPDX-License-Identifier: Apache-2.0
// Mean number of steps of the published automata against the side of the grid, all cells at once (sync) and in place in
// random order (random), beside the published Table 1 (NetLogo; p and samples not told) and a serial program of 200 grids
// an entry.
//   build/release/bench/paper_steps [samples] [smallest side] [largest side]     (default 200 21 201: half an hour)
// One rank. Means are over all grids, spanning or not; +- is one standard error.
#include "ca/engine/initial.hpp"
#include "ca/stepwise/paper.hpp"
#include "core/comm/runtime.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace tessera::bench {

struct Mean {
  double sum = 0, squares = 0;
  int n = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++n;
  }
  double mean() const { return sum / n; }
  double error() const { return std::sqrt(std::max(0.0, squares / n - mean() * mean()) / (n - 1)); }
  std::string text() const { return fmt::format("{:.1f} +- {:.1f}", mean(), error()); }
};

struct Row {
  int side;
  double published, sync[3], random[4];
};
constexpr Row rows[] = {
    {21, 26.3, {33.3, 43.0, 43.5}, {9.6, 17.5, 24.4, 26.1}},
    {41, 49.61, {60.4, 91.2, 87.5}, {16.5, 29.1, 48.7, 48.5}},
    {61, 58.81, {87.6, 145.0, 127.8}, {22.9, 41.2, 75.8, 68.9}},
    {81, 73.12, {115.7, 196.2, 168.5}, {29.6, 53.4, 101.9, 89.8}},
    {101, 81.59, {142.0, 258.8, 205.1}, {36.0, 64.7, 133.8, 109.2}},
    {121, 85.49, {170.4, 324.4, 238.2}, {42.4, 77.1, 166.8, 125.1}},
    {141, 93.74, {196.7, 379.9, 275.9}, {48.9, 88.6, 193.9, 143.5}},
    {161, 91.38, {223.7, 436.7, 307.6}, {55.3, 100.0, 223.0, 159.4}},
    {181, 95.60, {250.7, 506.5, 347.2}, {62.1, 111.3, 260.1, 179.4}},
    {201, 97.86, {277.2, 558.3, 377.1}, {68.2, 122.8, 283.6, 193.8}},
};
constexpr double densities[] = {0.2, 0.5, 0.592746, 0.65};

Mean steps(int side, double p, ca::Update update, int samples) {
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({side, side, 1}));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), core::Comm());
  core::Field<std::uint8_t> occupied("occupied", layout, 1);
  Mean mean;
  for (int n = 0; n < samples; ++n) {
    core::Random const random{static_cast<std::uint64_t>(side), static_cast<std::uint32_t>(n)};
    ca::fill_random(occupied, p, random);
    ca::frame(occupied, ca::Direction::y);
    mean.add(static_cast<double>(ca::run_paper(occupied, {ca::Direction::y, update, random}).steps.total()));
  }
  return mean;
}

int run(int samples, int smallest, int largest) {
  std::printf("%4s %6s %9s  %-7s %-18s %s\n", "L", "p", "published", "update", "here", "serial program");
  for (Row const& row : rows) {
    if (row.side < smallest || row.side > largest) continue;
    for (int q = 0; q < 4; ++q)
      for (auto update : {ca::Update::synchronous, ca::Update::random}) {
        bool const sync = update == ca::Update::synchronous;
        if (sync && q == 0) continue;  // not in the reference
        std::printf("%4d %6.4f %9.2f  %-7s %-18s %.1f\n", row.side, densities[q], row.published,
                    sync ? "sync" : "random", steps(row.side, densities[q], update, samples).text().c_str(),
                    sync ? row.sync[q - 1] : row.random[q]);
        std::fflush(stdout);
      }
  }
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  auto const number = [&](int n, int usual) { return argc > n ? std::atoi(argv[n]) : usual; };
  return runtime.run([&] { return tessera::bench::run(number(1, 200), number(2, 21), number(3, 201)); });
}
