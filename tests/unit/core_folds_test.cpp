// SPDX-License-Identifier: Apache-2.0
// What a device computes by a team a tile has the bits of what a host computes: here by teams of the host.
#include "core/grid/sweep.hpp"
#include "core/random.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

namespace tessera::core {

/// Numbers of unlike sizes, whose sum depends on the order.
struct Unlike {
  FieldView<double const> x;
  KOKKOS_FUNCTION double operator()(int t, int k, int j, int i) const { return x(t, k, j, i); }
};
struct UnlikeTwice {
  FieldView<double const> x;
  KOKKOS_FUNCTION Values<2> operator()(int t, int k, int j, int i) const {
    return {{x(t, k, j, i), 1 / (1 + x(t, k, j, i) * x(t, k, j, i))}};
  }
};

struct Folds : testing::TestWithParam<Grid::Shape> {
  std::unique_ptr<Layout> layout = tests::shuffled_layout(GetParam(), {45, 7, 3});
  Field<double> x{"x", *layout};
  Tiles const& tiles = layout->all();
  Folds() {
    tests::for_each_cell(x, [&](Index cell, double& v) {
      double const n = static_cast<double>(layout->grid().number(cell));
      v = std::sin(n) * std::exp(9 * std::cos(3 * n));
    });
  }
  FieldView<double const> view() { return std::as_const(x).view(); }
  template <class T, class Kernel>
  std::vector<T> by_teams(Kernel const& kernel) {
    auto const results = detail::results_on_host<T>(tiles.count(), [&](T* to) {
      Kernel k = kernel;
      k.results = to;
      detail::over_teams("test", tiles.count(), k);
    });
    return {results.begin(), results.end()};
  }
};

TEST_P(Folds, SumOfATileByATeamHasTheBitsOfTheHost) {
  detail::AddValues<2, UnlikeTwice> const add{{view()}};
  auto const teams = by_teams<Values<2>>(
      detail::TeamFold<Values<2>, decltype(add), 8>{tiles.info.data(), tiles.slots.data(), add, nullptr});
  auto const host = detail::sum_tiles<2>("test", tiles, UnlikeTwice{view()});
  ASSERT_EQ(teams.size(), host.size());
  for (std::size_t n = 0; n < host.size(); ++n) {
    EXPECT_EQ(teams[n].v[0], host[n].v[0]);
    EXPECT_EQ(teams[n].v[1], host[n].v[1]);
  }
}

TEST_P(Folds, ExtremesOfATileByATeamAreThoseOfTheHost) {
  detail::FindExtremes<Unlike> const find{{view()}};
  auto const teams = by_teams<Extremes>(
      detail::TeamFold<Extremes, decltype(find), 32>{tiles.info.data(), tiles.slots.data(), find, nullptr});
  auto const host = detail::fold_tiles<Extremes>("test", tiles, find);
  for (std::size_t n = 0; n < host.size(); ++n) {
    EXPECT_EQ(teams[n].min, host[n].min);
    EXPECT_EQ(teams[n].max, host[n].max);
  }
}

TEST_P(Folds, NotANumberInATileIsFoundByATeam) {
  x.host()(0, 0, 1, 1) = std::numeric_limits<double>::quiet_NaN();
  detail::FindExtremes<Unlike> const find{{view()}};
  auto const teams = by_teams<Extremes>(
      detail::TeamFold<Extremes, decltype(find), 32>{tiles.info.data(), tiles.slots.data(), find, nullptr});
  EXPECT_TRUE(teams[0].min != teams[0].min && teams[0].max != teams[0].max);
  EXPECT_EQ(teams.size() > 1, teams.back().min == teams.back().min);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Folds,
                         testing::Values(Grid::Shape{100, 20, 5}, Grid::Shape{3, 2, 1}, Grid::Shape{45, 7, 3}));

TEST(Workspace, KeepsItsMemoryAndGrowsWhereMoreIsAskedFor) {
  std::byte* const first = device_workspace(100);
  EXPECT_EQ(device_workspace(50), first);
  std::byte* const large = device_workspace(10'000'000);
  EXPECT_EQ(device_workspace(9'000'000), large);
}

}  // namespace tessera::core
