// SPDX-License-Identifier: Apache-2.0
// What teams of several threads make of a tile, against rows one after the other.
#include "solvers/dic/substitution.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace tessera::tests {

/// Hangs on the cell itself and on those before it on all axes.
struct Chain {
  core::FieldView<double> x;
  int before;  // -1: upwards
  KOKKOS_FUNCTION double rest(int slot, int k, int j, int i) const {
    return x(slot, k, j, i) + 0.25 * x(slot, k, j + before, i) + 0.5 * x(slot, k + before, j, i);
  }
  KOKKOS_FUNCTION double ratio(int slot, int k, int j, int i) const { return 0.25 + 1e-3 * (i + 2 * j + 3 * k + slot); }
};

}  // namespace tessera::tests

using namespace tessera;

TEST(Substitution, OfTeamsOfSeveralThreadsIsThatOfRows) {
  core::Comm const self(MPI_COMM_SELF);
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({40, 19, 14}, {21, 10, 7}));
  core::Layout const layout(grid, std::vector<int>(static_cast<std::size_t>(grid->tiles()), 0), self);
  core::Tiles const& tiles = layout.all();
  solvers::WaveEdges const edges(layout, {true, true, true}, nullptr);
  int const threads = std::min(4, static_cast<int>(Kokkos::DefaultExecutionSpace().concurrency()));
  for (bool const up : {true, false})
    for (int repeat = 0; repeat < 5; ++repeat) {
      core::Field<double> by_rows("x by rows", layout, 1), by_teams("x by teams", layout, 1);
      for (auto* field : {&by_rows, &by_teams}) {
        auto const x = field->host();
        core::for_own_cells(layout,
                            [&](int s, int k, int j, int i) { x(s, k, j, i) = std::sin(i + 5 * j + 7 * k + s); });
      }
      tests::Chain const rows{by_rows.host(), up ? -1 : 1};
      for (int slot = 0; slot < layout.tiles(); ++slot)
        solvers::detail::substitute(rows, up, true, layout.info(slot), slot);
      solvers::detail::SubstituteByTeams<tests::Chain> const kernel{
          {by_teams.view(), up ? -1 : 1}, up, true, true, tiles.info.data(), tiles.slots.data(), edges.seen()};
      {
        core::OpenPages const open(core::OpenPages::For::kernel);
        Kokkos::parallel_for("teams", Kokkos::TeamPolicy<>(tiles.count(), threads), kernel);
        Kokkos::fence();
      }
      auto const expected = std::as_const(by_rows).host(), found = std::as_const(by_teams).host();
      int wrong = 0;
      core::for_own_cells(layout,
                          [&](int s, int k, int j, int i) { wrong += expected(s, k, j, i) != found(s, k, j, i); });
      ASSERT_EQ(wrong, 0) << (up ? "up" : "down") << " by " << threads << " threads";
    }
}
