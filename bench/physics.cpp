// SPDX-License-Identifier: Apache-2.0
// Percolation physics: thresholds, probabilities at them, and fractal dimensions, against the literature.
//   build/release/bench/physics [--samples FACTOR] [--largest SIDE] [--only WORD] [--seed N]
// One table: value, standard error, literature, tolerance. Ends with 1 if a value is further from the literature than
// its tolerance. Factor 1 takes about 5 minutes on one core; samples do not depend on one another, so that a study of
// factor 2 contains that of factor 1. One rank.
#include "tests/support/physics.hpp"
#include "core/comm/runtime.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <string>

namespace tessera::bench {

using namespace tests::physics;

class Study {
 public:
  double factor = 1;
  int largest = 1024;
  std::string only;
  std::uint64_t seed = 2026;

  bool wants(std::string const& what) const { return only.empty() || what.find(only) != std::string::npos; }
  int samples(double n) const { return std::max(16, static_cast<int>(std::lround(n * factor))); }
  std::vector<int> sizes(int from, int to) const {
    std::vector<int> result;
    for (int side = from; side <= std::min(to, largest); side *= 2) result.push_back(side);
    return result;
  }
  void note(std::string const& text) const {
    fmt::print("  {}\n", text);
    std::fflush(stdout);
  }
  void check(std::string const& what, Estimate const& found, double literature, double tolerance) {
    bool const good = std::abs(found.value - literature) <= tolerance;
    failed_ += !good;
    fmt::print("{:<58} {:>11.6f} +- {:<9.6f} {:>10.6f} +- {:<8.6f} {}\n", what, found.value, found.error, literature,
               tolerance, good ? "pass" : "FAIL");
    std::fflush(stdout);
  }
  int failed() const { return failed_; }

 private:
  int failed_ = 0;
};

std::string show(Estimate const& e) { return fmt::format("{:.6f} +- {:.6f}", e.value, e.error); }

/// Samples for grids of this side, so that all sizes take like times within these bounds.
double fair(int side, double at_64, double least) { return std::max(least, at_64 * 64.0 * 64.0 / side / side); }

void open_square(Study& study) {
  auto const lattice = ca::make_lattice("square", 4);
  std::vector<double> x;
  std::vector<Estimate> medians, means, at_pc;
  for (int side : study.sizes(64, 1024)) {
    auto const p = spanning_thresholds(lattice, side, study.samples(fair(side, 40000, 1000)), study.seed);
    medians.push_back(quantile(p, 0.5));
    means.push_back(mean(p));
    at_pc.push_back(fraction(p, pc_square));
    x.push_back(std::pow(side, -1.75));
    study.note(fmt::format("square 4, open, L = {}, {} samples: median {}, mean {}, R(pc) {}", side, p.size(),
                           show(medians.back()), show(means.back()), show(at_pc.back())));
    // R(pc) = 1/2 + 0.32 / L (Ziff 1992): four standard errors
    study.check(fmt::format("spanning probability at pc, square 4, L = {}", side), at_pc.back(), 0.5 + 0.32 / side,
                4 * at_pc.back().error);
  }
  // R_L(pc) - 1/2 ~ 1 / L and dR/dp ~ L^(3/4): medians come near as L^(-7/4)
  if (x.size() > 2)
    study.check("pc square 4, medians of spanning + a L^(-7/4)", intercept(x, medians), pc_square, 5e-4);
  study.check(fmt::format("pc square 4, median of spanning at the largest size"), medians.back(), pc_square, 5e-4);
}

void torus(Study& study, char const* name, int connectivity, double pc) {
  auto const lattice = ca::make_lattice(name, connectivity);
  std::string const what = fmt::format("{} {}", name, connectivity);
  std::vector<double> weights, values;
  for (int side : study.sizes(64, 512)) {
    auto const found = wrapping_thresholds(lattice, side, study.samples(fair(side, 20000, 600)), study.seed + 1);
    Estimate const x = quantile(found.axis[0], wrap_axis), y = quantile(found.axis[1], wrap_axis),
                   either = quantile(found.either(), wrap_either), both = quantile(found.both(), wrap_both);
    study.note(fmt::format("{} torus, L = {}, {} samples: pc by x {}, y {}, either {}, both {}", what, side,
                           found.axis[0].size(), show(x), show(y), show(either), show(both)));
    // x and y of a sample are not independent: counted as one
    weights.push_back(2 / (x.error * x.error + y.error * y.error));
    values.push_back(0.5 * (x.value + y.value));
    Estimate const fx = fraction(found.axis[0], pc), fe = fraction(found.either(), pc), fb = fraction(found.both(), pc);
    Estimate const one{fe.value - fx.value,
                       std::sqrt(wrap_one * (1 - wrap_one) / static_cast<double>(found.axis[0].size()))};
    study.check(fmt::format("wraps x at pc, {}, L = {}", what, side), fx, wrap_axis, 4 * fx.error);
    study.check(fmt::format("wraps x or y at pc, {}, L = {}", what, side), fe, wrap_either, 4 * fe.error);
    study.check(fmt::format("wraps x and y at pc, {}, L = {}", what, side), fb, wrap_both, 4 * fb.error);
    study.check(fmt::format("wraps y, not x, at pc, {}, L = {}", what, side), one, wrap_one, 4 * one.error);
  }
  double sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n) sum += weights[n] * values[n];
  double const weight = sum_of(weights);
  // the bias goes as L^(-11/4): none to be seen from 64 on
  study.check(fmt::format("pc {}, wrapping probability {:.4f}", what, wrap_axis), {sum / weight, std::sqrt(1 / weight)},
              pc, 5e-4);
}

void triangular(Study& study) {
  auto const lattice = ca::make_lattice("triangular", 6);
  std::vector<double> values, weights;
  for (int side : study.sizes(64, 512)) {
    auto const p = spanning_thresholds(lattice, side, study.samples(fair(side, 20000, 600)), study.seed + 2);
    Estimate const median = quantile(p, 0.5), r = fraction(p, pc_triangular);
    study.note(fmt::format("triangular rhomb, L = {}, {} samples: median {}", side, p.size(), show(median)));
    // self-matching: exactly 1/2 for every size
    study.check(fmt::format("spanning probability at 1/2, triangular, L = {}", side), r, 0.5, 4 * r.error);
    values.push_back(median.value);
    weights.push_back(1 / (median.error * median.error));
  }
  double sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n) sum += weights[n] * values[n];
  study.check("pc triangular, medians of spanning", {sum / sum_of(weights), std::sqrt(1 / sum_of(weights))},
              pc_triangular, 5e-4);
}

void cubic(Study& study) {
  auto const lattice = ca::make_lattice("cubic", 6);
  std::vector<double> scatters;
  std::vector<Estimate> means;
  for (int side : study.sizes(16, 128)) {
    auto const found =
        wrapping_thresholds(lattice, side, study.samples(std::max(200.0, 8e8 / std::pow(side, 4))), study.seed + 3);
    means.push_back(mean(found.mean_of_axes()));
    scatters.push_back((scatter(found.axis[0]) + scatter(found.axis[1]) + scatter(found.axis[2])) / 3);
    study.note(fmt::format("cubic 6 torus, L = {}, {} samples: mean {}, scatter {:.6f}", side, found.axis[0].size(),
                           show(means.back()), scatters.back()));
  }
  study.check("pc cubic 6, mean of wrapping against its scatter", threshold_at_no_scatter(means, scatters), pc_cubic,
              1e-3);
}

void census_of_clusters(Study& study) {
  auto const lattice = ca::make_lattice("square", 4);
  std::vector<Estimate> largest;
  auto const sizes = study.sizes(64, 1024);
  for (int side : sizes) {
    auto const found = census(lattice, side, study.samples(fair(side, 100000, 1000)), pc_square, study.seed + 4);
    Estimate per_site = mean(found.clusters_per_site);
    largest.push_back(mean(found.largest));
    study.note(fmt::format("square 4 torus at pc, L = {}, {} samples: clusters a site {}, largest {:.1f}", side,
                           found.largest.size(), show(per_site), largest.back().value));
    per_site.value -= 0.8835 / side / side;
    study.check(fmt::format("clusters a site - 0.8835 / L^2, L = {}", side), per_site, 0.0275981,
                4 * per_site.error + 1e-6);
  }
  if (sizes.size() > 1) study.check("D of the largest cluster on the torus", exponent(sizes, largest), 91.0 / 48, 0.02);
}

void dimensions(Study& study) {
  auto const sizes = study.sizes(64, 1024);
  struct Measure {
    char const* what;
    std::vector<double> Spanning::*values;
    double literature, tolerance;
    std::vector<Estimate> means;
  };
  std::vector<Measure> measures{
      {"spanning cluster", &Spanning::mass, 91.0 / 48, 0.02, {}},
      {"backbone between electrodes (D2)", &Spanning::backbone_electrodes, 1.6433332, 0.02, {}},
      {"backbone with arches (D1)", &Spanning::backbone_bars, 1.6433332, 0.02, {}},
      {"red sites", &Spanning::red, 0.75, 0.03, {}},
      {"shortest path", &Spanning::path, 1.13077, 0.01, {}}};
  for (int side : sizes) {
    // scatter matters more than time: as many samples as can be had of the large ones
    double const spanning = std::clamp(2.5e9 / side / side, 2500.0, 20000.0);
    auto const found =
        spanning_clusters(side, study.samples(spanning), study.samples(0.2 * spanning), pc_square, study.seed + 5);
    std::string line = fmt::format("between bars, n = {}, {} of {} span:", side, found.mass.size(), found.samples);
    for (Measure& m : measures) {
      m.means.push_back(mean(found.*m.values));
      line += fmt::format(" {} {:.1f}({:.1f})", m.what, m.means.back().value, m.means.back().error);
    }
    study.note(line);
  }
  if (sizes.size() > 1)
    for (Measure const& m : measures)
      study.check(fmt::format("exponent of the {}", m.what), exponent(sizes, m.means), m.literature, m.tolerance);
  if (sizes.size() > 3)
    for (Measure const& m : measures) {
      Estimate const d = exponent(sizes, m.means, true);
      study.check(fmt::format("the same of the {}, with 1 + b / L", m.what), d, m.literature,
                  std::max(m.tolerance, 3.5 * d.error));
    }
}

int run(Study& study) {
  fmt::print("{:<58} {:>11}    {:<9} {:>10}    {:<8}\n", "quantity", "value", "error", "literature", "tolerance");
  if (study.wants("open")) open_square(study);
  if (study.wants("torus")) torus(study, "square", 4, pc_square);
  if (study.wants("torus8")) torus(study, "square", 8, pc_square_8);
  if (study.wants("triangular")) triangular(study);
  if (study.wants("cubic")) cubic(study);
  if (study.wants("census")) census_of_clusters(study);
  if (study.wants("dimensions")) dimensions(study);
  fmt::print("{} of the values are out of their tolerances\n", study.failed());
  return study.failed() == 0 ? 0 : 1;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  tessera::bench::Study study;
  CLI::App app{"percolation physics against the literature"};
  app.add_option("--samples", study.factor, "factor on the numbers of samples")->check(CLI::PositiveNumber);
  app.add_option("--largest", study.largest, "largest side")->check(CLI::Range(64, 1 << 15));
  app.add_option("--only", study.only, "open, torus, torus8, triangular, cubic, census or dimensions");
  app.add_option("--seed", study.seed, "of the random numbers");
  CLI11_PARSE(app, argc, argv);
  return runtime.run([&] { return tessera::bench::run(study); });
}
