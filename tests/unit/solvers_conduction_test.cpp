// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "tests/support/conduction.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using tests::conduct_mask;
using tests::Mask;
using tests::mask_of;

// solvers::agreement bounds the difference of the currents; the conductance itself has its square
constexpr double relative = 1e-8;

TEST(Conduction, OfTheFullLatticeIsWidthOverLength) {
  EXPECT_NEAR(conduct_mask(Mask(7, 5, 1), 1).conductance, 7.0 / 6, 7.0 / 6 * relative);
  EXPECT_NEAR(conduct_mask(Mask(7, 5, 1), 2).conductance, 7.0 / 5, 7.0 / 5 * relative);
}

TEST(Conduction, OfOneColumnIsThatOfItsBondsInSeries) {
  EXPECT_NEAR(conduct_mask(Mask(1, 9, 1), 1).conductance, 1.0 / 10, relative);
  EXPECT_NEAR(conduct_mask(Mask(1, 9, 1), 2).conductance, 1.0 / 9, relative);
  EXPECT_NEAR(conduct_mask(mask_of({"..#..", "..#..", "..#.."}), 1).conductance, 1.0 / 4, relative);
}

TEST(Conduction, OfALadderDoesNotFeelItsRungs) {
  EXPECT_NEAR(conduct_mask(mask_of({"#.#", "###", "#.#", "###", "#.#"}), 1).conductance, 2.0 / 6, relative);
}

TEST(Conduction, AddsResistancesInSeriesAndConductancesInParallel) {
  // 1 + 1 to the fork, two ways of 4 bonds each, 1 + 1 to the end
  EXPECT_NEAR(conduct_mask(mask_of({".#.", "###", "#.#", "###", ".#."}), 1).conductance, 1.0 / 6, relative);
}

TEST(Conduction, IsNothingWhereNothingConducts) {
  auto const result = conduct_mask(Mask(6, 4), 1);
  EXPECT_EQ(result.conductance, 0);
  EXPECT_EQ(result.in, 0);
}

TEST(Conduction, EqualsKirchhoffsEquationsOnRandomMedia) {
  int conducting = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Mask m(13, 11);
    core::Random const random{seed, 0};
    for (std::size_t n = 0; n < m.cells.size(); ++n) m.cells[n] = random.uniform(n) < 0.68;
    m = tests::joined_to_both_ends(m);
    double const bond = seed % 2 == 0 ? 1 : 2, expected = tests::conductance(m, bond);
    conducting += expected > 0;
    EXPECT_NEAR(conduct_mask(m, bond, {5, 4, 1}).conductance, expected, relative) << m.text();
  }
  EXPECT_GT(conducting, 30);
}

TEST(Conduction, OfAFullCubeIsAreaOverLength) {
  auto const layout = tests::shuffled_layout({4, 5, 6}, {3, 3, 3});
  core::Field<std::uint8_t> const all("all", *layout, 0, 1);
  EXPECT_NEAR(solvers::conduct(all, tests::ends_of(layout->grid(), 1), solvers::conduction_solver(0)).conductance,
              20.0 / 7, 20.0 / 7 * relative);
}

TEST(Conduction, TakesMasksAsElectrodes) {
  auto const layout = tests::shuffled_layout({6, 3, 1}, {4, 2, 1});
  auto const conducting = tests::field_of(mask_of({"......", "######", "......"}), *layout);
  auto const inlet = tests::field_of(mask_of({"......", ".#....", "......"}), *layout);
  auto const outlet = tests::field_of(mask_of({"......", "....#.", "......"}), *layout);
  auto const result = solvers::conduct(conducting, {.inlet_mask = &inlet, .outlet_mask = &outlet, .bond = 1},
                                       solvers::conduction_solver(0));
  EXPECT_NEAR(result.conductance, 1.0 / 5, relative);  // three bonds between the two cells and one at each
}

TEST(Conduction, SaysThatDicTookOverWhereAnotherPreconditionerFailed) {
  auto const layout = tests::shuffled_layout({40, 40, 1}, {0, 0, 0});
  core::Field<std::uint8_t> const all("all", *layout, 0, 1);
  auto const weak = core::Dictionary::parse("solver PCG; preconditioner none; maxIter 2;", "case");
  auto const result = solvers::conduct(all, tests::ends_of(layout->grid(), 1), weak);
  EXPECT_NEAR(result.conductance, 40.0 / 41, relative);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(result.notes[0], "preconditioner none: did not converge in 2 iterations; DIC instead");
}

TEST(Conduction, DoesNotDependOnThePreconditioner) {
  Mask m(90, 70);
  core::Random const random{11, 0};
  for (std::size_t n = 0; n < m.cells.size(); ++n) m.cells[n] = random.uniform(n) < 0.63;
  m = tests::joined_to_both_ends(m);
  auto const layout = tests::shuffled_layout({90, 70, 1}, {32, 32, 1});
  auto const field = tests::field_of(m, *layout);
  auto const electrodes = tests::ends_of(layout->grid(), 1);
  double const dic = solvers::conduct(field, electrodes, solvers::conduction_solver(1)).conductance;
  auto const large = solvers::conduct(field, electrodes, solvers::conduction_solver(1 << 20));
  EXPECT_GT(dic, 0);
  EXPECT_EQ(large.solves.back().preconditioner, "multigrid");
  EXPECT_TRUE(large.notes.empty());
  EXPECT_NEAR(large.conductance, dic, dic * relative);
}

TEST(Conduction, IsNeverAWrongNumber) {
  auto const layout = tests::shuffled_layout({40, 40, 1}, {0, 0, 0});
  core::Field<std::uint8_t> const all("all", *layout, 0, 1);
  auto const weak = core::Dictionary::parse("solver PCG; preconditioner DIC; maxIter 2;", "case");
  EXPECT_THROW(solvers::conduct(all, tests::ends_of(layout->grid(), 1), weak), core::RunError);
}

TEST(Conduction, OfTheNetworkOfSitesIsThatOfTheStencil) {
  int eliminated = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    for (double const p : {0.6, 0.66, 0.74}) {
      Mask m(90, 70);
      core::Random const random{seed, 0};
      for (std::size_t n = 0; n < m.cells.size(); ++n) m.cells[n] = random.uniform(n) < p;
      m = tests::joined_to_both_ends(m);
      auto const layout = tests::shuffled_layout({90, 70, 1}, {32, 16, 1});
      auto const field = tests::field_of(m, *layout);
      auto const electrodes = tests::ends_of(layout->grid(), seed % 2 == 0 ? 1 : 2);
      auto const stencil = solvers::conduct(field, electrodes, solvers::conduction_solver(1));
      auto const network = solvers::conduct(field, electrodes);
      EXPECT_NEAR(network.conductance, stencil.conductance, 1e-9 * stencil.conductance) << seed << " " << p;
      EXPECT_NEAR(network.in, network.out, 1e-9 * network.in);
      if (network.solves.empty()) continue;
      eliminated += network.solves.back().solver == "elimination";
    }
  EXPECT_GT(eliminated, 10);
}

TEST(Conduction, OfDenseMediaStaysWithTheStencil) {
  auto const layout = tests::shuffled_layout({40, 30, 1}, {16, 16, 1});
  core::Field<std::uint8_t> const all("all", *layout, 0, 1);
  auto const result = solvers::conduct(all, tests::ends_of(layout->grid(), 1));
  EXPECT_NEAR(result.conductance, 40.0 / 31, 40.0 / 31 * relative);
  EXPECT_EQ(result.solves.back().preconditioner, "DIC");
}

TEST(Conduction, CountsBothBondsBetweenTwoCellsAcrossAPeriodicSide) {
  // rungs of a ladder carry nothing, but one that is cut carries what the other side cannot
  auto const layout = tests::shuffled_layout({2, 3, 1}, {1, 3, 1}, {true, false, false});
  auto const field = tests::field_of(mask_of({".#", "##", "#."}), *layout);
  EXPECT_NEAR(solvers::conduct(field, tests::ends_of(layout->grid(), 1)).conductance, 1 / 4.5, 1e-12);
  EXPECT_NEAR(solvers::conduct(field, tests::ends_of(layout->grid(), 1), solvers::conduction_solver(1)).conductance,
              1 / 4.5, 1e-9);
}

TEST(Conduction, OfMediaInSpaceIsThatOfTheStencil) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    auto const layout = tests::shuffled_layout({24, 20, 22}, {8, 20, 8});
    core::Field<std::uint8_t> mask("mask", *layout, 0);
    auto const v = mask.host();
    core::Random const random{seed, 0};
    // walls with holes: each layer is joined to the next one by columns, and touches both ends through them
    core::for_own_cells(*layout, [&](int s, int k, int j, int i) {
      auto const at = layout->info(s).global(k, j, i);
      bool const column = at.i % 3 == 0 && at.j % 2 == 0;
      v(s, k, j, i) = column || (at.i % 3 != 0 && at.j % 2 == 0 && random.uniform(layout->grid().number(at)) < 0.4 &&
                                 at.i % 3 == 1);
    });
    auto const electrodes = tests::ends_of(layout->grid(), 2);
    auto const stencil = solvers::conduct(mask, electrodes, solvers::conduction_solver(1));
    auto const network = solvers::conduct(mask, electrodes);
    EXPECT_NEAR(network.conductance, stencil.conductance, 1e-9 * stencil.conductance);
    EXPECT_NE(network.solves.back().preconditioner, "DIC");
  }
}

TEST(Conduction, SaysThatItsToleranceKeepsCurrentsApart) {
  auto const layout = tests::shuffled_layout({16, 14, 12}, {8, 7, 12});
  core::Field<double> lambda("lambda", *layout, 0);
  core::for_own_cells(*layout, [&](int s, int k, int j, int i) {
    double const u = core::Random{1, 0}.uniform(layout->grid().number(layout->info(s).global(k, j, i)));
    lambda.host()(s, k, j, i) = u < 0.3 ? 1 : u < 0.6 ? 10 : 0.05;
  });
  auto const settings = core::Dictionary::parse("solver PCG; preconditioner DIC; tolerance 1e-3;", "case");
  auto const result = solvers::conduct(lambda, tests::ends_of(layout->grid(), 2), settings);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("alone, as the last solve's tolerance was 1e-07; their dissipation"),
            std::string::npos)
      << result.notes[0];
}
