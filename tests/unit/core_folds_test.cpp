// SPDX-License-Identifier: Apache-2.0
// What a device computes by a team a tile has the bits of what a host computes: here by teams of the host.
#include "core/grid/pinned.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/workspace.hpp"
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
  auto const teams =
      by_teams<Values<2>>(detail::TeamSums<2, UnlikeTwice>{tiles.info.data(), tiles.slots.data(), {view()}, nullptr});
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
      detail::TeamFold<Extremes, decltype(find)>{tiles.info.data(), tiles.slots.data(), find, nullptr});
  auto const host = detail::fold_tiles<Extremes>("test", tiles, find);
  for (std::size_t n = 0; n < host.size(); ++n) {
    EXPECT_EQ(teams[n].min, host[n].min);
    EXPECT_EQ(teams[n].max, host[n].max);
  }
}

/// Whether a cell's value is above zero.
struct AboveZero {
  FieldView<double const> x;
  KOKKOS_FUNCTION bool operator()(int t, int k, int j, int i) const { return x(t, k, j, i) > 0; }
};

TEST_P(Folds, CellsAreCountedTileByTile) {
  Kokkos::View<std::int64_t*> const totals("totals", static_cast<std::size_t>(layout->tiles()));
  Kokkos::deep_copy(totals, 7);
  count_by_tiles("test", tiles, AboveZero{view()}, totals.data());
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), totals);
  auto const values = std::as_const(x).host();
  for (int slot = 0; slot < layout->tiles(); ++slot) {
    std::int64_t expected = 7;
    for_cells(layout->info(slot), [&](int k, int j, int i) { expected += values(slot, k, j, i) > 0; });
    EXPECT_EQ(found(static_cast<std::size_t>(slot)), expected);
  }
}

/// Each team turns round the numbers of its part of an array, by memory that it shares.
struct TurnRound {
  int* numbers;
  static constexpr int part = 300;
  std::size_t scratch() const { return team_bytes<int>(part); }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int* const mine = numbers + team.league_rank() * part;
    int* const shared = of_team<int>(team, part);
    over_team(team, part, [&](int n) { shared[n] = mine[n]; });
    team.team_barrier();
    over_team(team, part, [&](int n) { mine[n] = shared[part - 1 - n]; });
  }
};

TEST(Teams, ShareMemory) {
  constexpr int part = TurnRound::part, teams = 3;
  Kokkos::View<int*> const numbers("numbers", teams * part);
  auto const host = Kokkos::create_mirror_view(numbers);
  for (int n = 0; n < teams * part; ++n) host(n) = n;
  Kokkos::deep_copy(numbers, host);
  for_each_team("test", teams, TurnRound{numbers.data()});
  Kokkos::deep_copy(host, numbers);
  for (int n = 0; n < teams * part; ++n) ASSERT_EQ(host(n), n / part * part + part - 1 - n % part);
}

TEST_P(Folds, NotANumberInATileIsFoundByATeam) {
  x.host()(0, 0, 1, 1) = std::numeric_limits<double>::quiet_NaN();
  detail::FindExtremes<Unlike> const find{{view()}};
  auto const teams = by_teams<Extremes>(
      detail::TeamFold<Extremes, decltype(find)>{tiles.info.data(), tiles.slots.data(), find, nullptr});
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
  std::byte* const messages = message_workspace(100);
  EXPECT_EQ(message_workspace(50), messages);
  message_workspace(10'000'000)[9'999'999] = std::byte{1};
}

TEST(PinnedMirror, HoldsAsMuchAndCarriesIt) {
  Kokkos::View<int*> const device("device", 1000);
  PinnedView<int> const host = pinned_mirror(device);
  ASSERT_EQ(host.extent(0), 1000u);
  EXPECT_EQ(static_cast<void*>(host.data()) == static_cast<void*>(device.data()), on_host);
  for (int n = 0; n < 1000; ++n) host(n) = n;
  Kokkos::deep_copy(device, host);
  for (int n = 0; n < 1000; ++n) host(n) = 0;
  Kokkos::deep_copy(host, device);
  for (int n = 0; n < 1000; ++n) ASSERT_EQ(host(n), on_host ? 0 : n);
}

}  // namespace tessera::core
