// SPDX-License-Identifier: Apache-2.0
#include "core/random.hpp"
#include "solvers/network/aggregation.hpp"
#include "solvers/network/potentials.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace tessera::solvers::network;
namespace core = tessera::core;

namespace {

/// A resistor between two vertices.
struct Bond {
  std::int32_t one, other;
  double conductance;
};

Network make_network(std::vector<Bond> const& bonds, std::vector<double> source, std::vector<double> sink) {
  return tessera::solvers::network::make_network(
      [&](auto const& add) {
        for (Bond const& b : bonds) add(b.one, b.other, b.conductance);
      },
      std::move(source), std::move(sink));
}

/// Gauss' elimination with pivots on the dense matrix.
std::vector<double> dense_solution(Network const& a) {
  auto const n = static_cast<std::size_t>(a.size);
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 1, 0));
  for (std::int32_t i = 0; i < a.size; ++i) {
    m[i][i] = a.diagonal(i);
    m[i][n] = a.source[i];
    for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k)
      m[i][a.column[k]] -= a.conductance.empty() ? 1 : a.conductance[k];
  }
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
    std::swap(m[c], m[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c || m[r][c] == 0) continue;
      double const f = m[r][c] / m[c][c];
      for (std::size_t k = c; k <= n; ++k) m[r][k] -= f * m[c][k];
    }
  }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = m[i][n] / m[i][i];
  return x;
}

double conductance(Network const& a) {
  auto const solution = potentials(a, 1e-10, 200);
  EXPECT_TRUE(solution.converged);
  auto const c = currents(a, solution.x);
  EXPECT_LT(c.gap(), 1e-9);
  return c.dissipation;
}

/// A random connected network: a chain through all vertices with `extra` bonds a vertex across.
Network random_network(std::int32_t n, double extra, std::uint64_t seed) {
  core::Random const random{seed, 0};
  std::uint64_t draws = 0;
  auto const uniform = [&] { return random.uniform(draws++); };
  std::vector<Bond> bonds;
  for (std::int32_t i = 1; i < n; ++i) bonds.push_back({i, i - 1, 0.1 + uniform()});
  for (int e = 0; e < extra * n; ++e) {
    auto const i = static_cast<std::int32_t>(uniform() * n), j = static_cast<std::int32_t>(uniform() * n);
    if (i != j) bonds.push_back({i, j, 0.1 + uniform()});
  }
  std::vector<double> source(n, 0), sink(n, 0);
  source[0] = 1;
  sink[n - 1] = 2;
  source[n / 2] = 0.5;
  return make_network(bonds, source, sink);
}

/// A full lattice of nx x ny sites between bars at both ends of y.
Network lattice(std::int32_t nx, std::int32_t ny, double missing = 0) {
  std::vector<Bond> bonds;
  core::Random const random{5, 0};
  std::uint64_t draws = 0;
  std::vector<double> source(nx * ny, 0), sink(nx * ny, 0);
  for (std::int32_t j = 0; j < ny; ++j)
    for (std::int32_t i = 0; i < nx; ++i) {
      std::int32_t const n = j * nx + i;
      if (i > 0 && random.uniform(draws++) >= missing) bonds.push_back({n, n - 1, 1});
      if (j > 0) bonds.push_back({n, n - nx, 1});
      if (j == 0) source[n] = 1;
      if (j == ny - 1) sink[n] = 1;
    }
  return make_network(bonds, source, sink);
}

}  // namespace

TEST(Network, AddsResistancesInSeries) {
  std::vector<Bond> const bonds{{0, 1, 2}, {1, 2, 4}};
  EXPECT_NEAR(conductance(make_network(bonds, {1, 0, 0}, {0, 0, 4})), 1 / (1 + 0.5 + 0.25 + 0.25), 1e-14);
}

TEST(Network, AddsConductancesInParallel) {
  std::vector<Bond> const bonds{{0, 1, 2}, {1, 0, 3}, {0, 1, 1}};
  auto const a = make_network(bonds, {6, 0}, {0, 6});
  EXPECT_EQ(a.entries(), 2);
  EXPECT_NEAR(conductance(a), 2, 1e-14);
}

TEST(Network, OfUnitResistorsKeepsNoConductances) {
  std::vector<Bond> const chain{{0, 1, 1}, {1, 2, 1}};
  auto const a = make_network(chain, {1, 0, 0}, {0, 0, 1});
  EXPECT_TRUE(a.conductance.empty());
  EXPECT_EQ(a.diagonal(1), 2);
  EXPECT_NEAR(conductance(a), 0.25, 1e-14);
  // two in parallel are not of 1
  std::vector<Bond> const doubled{{2, 1, 1}, {0, 1, 1}, {1, 2, 1}};
  auto const b = make_network(doubled, {1, 0, 0}, {0, 0, 1});
  EXPECT_EQ(b.entries(), 4);
  EXPECT_EQ(b.diagonal(1), 3);
  EXPECT_EQ(b.diagonal(0), 2);
  EXPECT_NEAR(conductance(b), 1 / 3.5, 1e-14);
}

TEST(Network, HasNeighboursOfLowerNumberFirst) {
  for (double const extra : {0.0, 2.0}) {
    auto const a = extra > 0 ? random_network(90, extra, 4) : lattice(9, 10, 0.2);
    EXPECT_EQ(a.conductance.empty(), extra == 0);
    for (std::int32_t i = 0; i < a.size; ++i)
      EXPECT_TRUE(std::is_partitioned(a.column.begin() + a.begin[i], a.column.begin() + a.begin[i + 1],
                                      [i](std::int32_t j) { return j < i; }));
  }
}

TEST(Network, SolvesWheatstonesBridge) {
  // balanced, nothing flows through the bridge of 7; and not balanced, 1, 2, 3, 4 with a bridge of 5
  auto const bridge = [](double a, double b, double c, double d, double across) {
    std::vector<Bond> const bonds{{0, 1, across}};
    return conductance(make_network(bonds, {a, b}, {c, d}));
  };
  EXPECT_NEAR(bridge(1, 2, 2, 4, 7), 2.0 / 3 + 4.0 / 3, 1e-14);
  // (1 + 3 + 5) x - 5 y = 1,  -5 x + (2 + 4 + 5) y = 2
  double const x = (1 * 11 + 5 * 2) / 74.0, y = (9 * 2 + 5 * 1) / 74.0;
  EXPECT_NEAR(bridge(1, 2, 3, 4, 5), 3 * x + 4 * y, 1e-14);
}

TEST(Network, DoesNotFeelTheRungsOfALadder) {
  for (std::int32_t const length : {1, 2, 40, 1000})
    EXPECT_NEAR(conductance(lattice(2, length)), 2.0 / (length + 1), 1e-12) << length;
}

TEST(Network, HasThePotentialsOfADenseSolver) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    auto const a = random_network(20 + static_cast<std::int32_t>(seed), 0.05 * static_cast<double>(seed), seed);
    auto const solution = potentials(a, 1e-11, 200);
    auto const expected = dense_solution(a);
    for (std::int32_t i = 0; i < a.size; ++i) EXPECT_NEAR(solution.x[i], expected[i], 1e-9) << seed;
  }
}

// A tolerance that numbers cannot hold is not iterated for to the end.
TEST(Network, ComesAsNearAsRoundingLets) {
  auto const a = lattice(60, 61, 0.0);
  auto const solution = potentials(a, 1e-18, 1000);
  EXPECT_TRUE(solution.converged);
  EXPECT_LT(solution.iterations, 200);
  EXPECT_LT(currents(a, solution.x).gap(), 1e-12);
}

TEST(Elimination, KeepsPotentialsWhateverItsExtent) {
  auto const a = random_network(120, 0.8, 3);
  auto const expected = dense_solution(a);
  for (int const most : {0, 1, 2, 3, 5, 120}) {
    Elimination const reduced(a, {.cheap = most, .most = most});
    auto const x = reduced.expand(dense_solution(reduced.left()));
    ASSERT_EQ(x.size(), expected.size());
    for (std::int32_t i = 0; i < a.size; ++i) EXPECT_NEAR(x[i], expected[i], 1e-12) << most;
    if (most == 120) {
      EXPECT_EQ(reduced.left().size, 0);
    }
  }
}

TEST(Elimination, OfATreeLeavesTheConductanceOfTheWaySourceToSink) {
  std::vector<Bond> const bonds{{0, 1, 1}, {1, 2, 1}, {1, 3, 1}, {3, 4, 1}};
  Elimination const reduced(make_network(bonds, {1, 0, 0, 0, 0}, {0, 0, 1, 0, 0}), {});
  EXPECT_EQ(reduced.eliminated(), 5);
  EXPECT_NEAR(reduced.left().direct, 0.25, 1e-15);
}

TEST(Elimination, GivesAVertexThatHangsOnNothingNoPotential) {
  auto const x = Elimination(make_network({}, {0, 1}, {0, 1}), {}).expand({});
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(x[1], 0.5);
}

TEST(Aggregation, TakesAsManyIterationsOnLargeLatticesAsOnSmallOnes) {
  for (std::int32_t const n : {20, 60, 180}) {
    auto const a = lattice(n, n + 1, 0.0);
    Aggregation m(a);
    std::vector<double> x(a.size, 0), r(a.size);
    residual(a, x, r);
    auto const norm = [](std::vector<double> const& v) {
      double sum = 0;
      for (double value : v) sum += value * value;
      return std::sqrt(sum);
    };
    double const first = norm(r);
    auto const solution = potentials(lattice(n, n + 1, 0.0), 1e-9, 200);
    EXPECT_TRUE(solution.converged);
    EXPECT_LE(solution.iterations, 40) << n;
    double const largest = *std::max_element(r.begin(), r.end());
    auto const z = m.apply(r, largest);
    std::transform(z.begin(), z.end(), x.begin(), [largest](float v) { return v * largest; });
    std::vector<double> rest(a.size);
    residual(a, x, rest);
    EXPECT_LT(norm(rest), first);
  }
}

// Good conductors in clusters that do not cross, and that do, some of them at the electrodes: what a part ties together may not be
// two of them, or one and an electrode.
TEST(Aggregation, TakesFewIterationsHoweverFarConductancesLieApart) {
  constexpr std::int32_t n = 20;
  auto const vertex = [](int i, int j, int k) { return (k * n + j) * n + i; };
  for (double const share : {0.2, 0.4, 0.8})
    for (double const least : {1e-2, 1e-6, 1e-10}) {
      core::Random const random{5, 0};
      std::vector<double> c(n * n * n), source(c.size(), 0), sink(c.size(), 0);
      for (std::size_t v = 0; v < c.size(); ++v) c[v] = random.uniform(v) < share ? 1 : least;
      std::vector<Bond> bonds;
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i) {
            auto const here = vertex(i, j, k);
            auto const tie = [&](bool inside, std::int32_t other) {
              if (inside) bonds.push_back({here, other, 2 / (1 / c[here] + 1 / c[other])});
            };
            tie(i > 0, here - 1), tie(j > 0, here - n), tie(k > 0, here - n * n);
            if (i == 0) source[here] = 2 * c[here];
            if (i == n - 1) sink[here] = 2 * c[here];
          }
      auto const a = make_network(bonds, source, sink);
      auto const solution = potentials(a, 1e-9, 300);
      EXPECT_LE(solution.iterations, 90) << share << " " << least;
      EXPECT_LT(solution.excess, 1e-12) << share << " " << least;
      EXPECT_LT(currents(a, solution.x).gap(), 1e-6) << share << " " << least;
    }
}

TEST(Aggregation, FindsWhatEliminationFinds) {
  auto const a = lattice(50, 40, 0.4);
  auto const expected = Elimination(a, {.cheap = 2000, .most = 2000}).expand({});
  Aggregation m(a);
  EXPECT_GT(m.levels(), 1);
  auto const solution = potentials(a, 1e-11, 300);
  for (std::int32_t i = 0; i < a.size; ++i) EXPECT_NEAR(solution.x[i], expected[i], 1e-9);
}
