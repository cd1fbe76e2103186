// SPDX-License-Identifier: Apache-2.0
// Percolation physics in short: published thresholds, probabilities and dimensions. The seeds are fixed, so that a
// tolerance of two to four standard errors does not fail by chance; bench/physics does the same with more samples.
#include "tests/support/physics.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::tests::physics {

// R_L(pc) = 1/2 + 0.32 / L (Ziff 1992), and dR/dp ~ L^(3/4), so that the mean threshold of samples lies c L^(-7/4) below
// pc. The five sizes give the intercept to 0.0002.
TEST(Physics, ThresholdOfTheSquareLatticeFollowsFromSpanning) {
  std::vector<double> x;
  std::vector<Estimate> means;
  struct Size {
    int side, samples;
  };
  for (Size const size : {Size{64, 5000}, {128, 2000}, {256, 800}, {512, 200}, {1024, 60}}) {
    auto const p = spanning_thresholds(ca::make_lattice("square", 4), size.side, size.samples, 1);
    Estimate const r = fraction(p, pc_square);
    EXPECT_NEAR(r.value, 0.5 + 0.32 / size.side, 3.5 * r.error) << "probability of spanning at pc, L = " << size.side;
    x.push_back(std::pow(size.side, -1.75));
    means.push_back(mean(p));
  }
  Estimate const pc = intercept(x, means);
  EXPECT_LT(pc.error, 0.0002);
  EXPECT_NEAR(pc.value, pc_square, 0.0005) << "+- " << pc.error;
  RecordProperty("pc", std::to_string(pc.value));
}

/// Wrapping at pc has its limit already at these sizes (bias ~ L^(-2)).
void check_torus(int connectivity, double pc) {
  double sum = 0, weights = 0;
  struct Size {
    int side, samples;
  };
  for (Size const size : {Size{64, 4000}, {128, 1500}, {256, 400}}) {
    auto const found = wrapping_thresholds(ca::make_lattice("square", connectivity), size.side, size.samples, 2);
    auto const check = [&](char const* what, std::vector<double> const& p, double literature) {
      Estimate const r = fraction(p, pc);
      EXPECT_NEAR(r.value, literature, 3.5 * r.error) << what << ", L = " << size.side;
    };
    check("wraps x", found.axis[0], wrap_axis);
    check("wraps y", found.axis[1], wrap_axis);
    check("wraps x or y", found.either(), wrap_either);
    check("wraps x and y", found.both(), wrap_both);
    for (int axis : {0, 1}) {
      Estimate const p = quantile(found.axis[axis], wrap_axis);
      sum += p.value / (p.error * p.error);
      weights += 1 / (p.error * p.error);
    }
  }
  // one standard error is 0.00015 to 0.0002, as the two axes of a sample hang together
  EXPECT_NEAR(sum / weights, pc, 0.0005);
}
TEST(Physics, WrappingOfTheTorusHasPinsonsProbabilities) { check_torus(4, pc_square); }
TEST(Physics, WrappingWithEightNeighboursHasThemAtTheMatchingThreshold) { check_torus(8, pc_square_8); }

// The triangular lattice matches itself: a rhomb is spanned at 1/2 with probability 1/2, whatever its size.
TEST(Physics, TriangularRhombsSpanWithOneHalfAtOneHalf) {
  double sum = 0, weights = 0;
  struct Size {
    int side, samples;
  };
  for (Size const size : {Size{16, 10000}, {64, 4000}, {128, 1500}, {256, 500}}) {
    auto const p = spanning_thresholds(ca::make_lattice("triangular", 6), size.side, size.samples, 3);
    Estimate const r = fraction(p, pc_triangular), median = quantile(p, 0.5);
    EXPECT_NEAR(r.value, 0.5, 3.5 * r.error) << "L = " << size.side;
    sum += median.value / (median.error * median.error);
    weights += 1 / (median.error * median.error);
  }
  EXPECT_NEAR(sum / weights, pc_triangular, 3 / std::sqrt(weights));
  EXPECT_LT(1 / std::sqrt(weights), 0.00025);
}

// Sizes 16 to 64 extrapolate to 0.0004; the limit of 0.001 leaves room for corrections to scaling of the smallest.
TEST(Physics, ThresholdOfTheCubicLatticeFollowsFromWrapping) {
  std::vector<Estimate> means;
  std::vector<double> scatters;
  struct Size {
    int side, samples;
  };
  for (Size const size : {Size{16, 3000}, {32, 800}, {64, 200}}) {
    auto const found = wrapping_thresholds(ca::make_lattice("cubic", 6), size.side, size.samples, 4);
    means.push_back(mean(found.mean_of_axes()));
    scatters.push_back((scatter(found.axis[0]) + scatter(found.axis[1]) + scatter(found.axis[2])) / 3);
  }
  Estimate const pc = threshold_at_no_scatter(means, scatters);
  EXPECT_NEAR(pc.value, pc_cubic, 0.001) << "+- " << pc.error;
  RecordProperty("pc", std::to_string(pc.value));
}

// 0.0275981(3) clusters a site at pc, + 0.8835 / L^2 on a torus (Ziff, Finch & Adamchik 1997); one sample of L = 256
// scatters by 0.0009, so that 3000 give 0.000017.
TEST(Physics, TorusHasThePublishedNumberOfClusters) {
  auto const found = census(ca::make_lattice("square", 4), 256, 3000, pc_square, 5);
  Estimate const n = mean(found.clusters_per_site);
  EXPECT_NEAR(n.value - 0.8835 / 256 / 256, 0.0275981, 5e-5) << "+- " << n.error;
}

// Means between bars over the samples that span, sizes 64 to 512. Standard errors: mass 0.003, backbones 0.004, red sites
// 0.012, path 0.003. Corrections to scaling of these sizes: about 0.01, downwards for the mass, upwards for D1.
TEST(Physics, SpanningClustersHaveThePublishedDimensions) {
  std::vector<int> const sizes{64, 128, 256, 512};
  std::vector<Estimate> mass, d1, d2, red, path;
  for (int side : sizes) {
    int const samples = std::min(8000, 120000000 / side / side);
    auto const found = spanning_clusters(side, samples, samples / 2, pc_square, 6);
    mass.push_back(mean(found.mass));
    d2.push_back(mean(found.backbone_electrodes));
    d1.push_back(mean(found.backbone_bars));
    red.push_back(mean(found.red));
    path.push_back(mean(found.path));
  }
  EXPECT_NEAR(exponent(sizes, mass).value, 91.0 / 48, 0.02);
  EXPECT_NEAR(exponent(sizes, d2).value, 1.6433332, 0.02);
  EXPECT_NEAR(exponent(sizes, d1).value, 1.6433332, 0.02);
  EXPECT_NEAR(exponent(sizes, red).value, 0.75, 0.03);
  EXPECT_NEAR(exponent(sizes, path).value, 1.13077, 0.01);
}

}  // namespace tessera::tests::physics
