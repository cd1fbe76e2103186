// SPDX-License-Identifier: Apache-2.0
#include "core/grid/halo.hpp"
#include "tests/support/heat.hpp"
#include "tests/support/overlap.hpp"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tests;

TEST(Overlap, HidesTheMessagesOfProducts) {
  core::Comm const world;
  auto const layout = rows_of_tiles(1024, world);
  core::Field<double> lambda("lambda", *layout, 1, 1.0), x("x", *layout, 1, 1.0), y("y", *layout, 1);
  solvers::Heat const heat({lambda, 1.0, 0.0, around(fixed(0))}, 1.0);
  auto const hidden = hidden_by(world, [&] { heat.matrix().apply(x, y); });
  if (world.size() > 1) {
    EXPECT_GE(hidden.waits, world.size());
    EXPECT_GE(hidden.share, 0.8);  // the work is 2.5 times the delay
  }
}

TEST(Overlap, IsNotSeenWhereThereIsNoWork) {
  core::Comm const world;
  auto const layout = rows_of_tiles(64, world);
  core::Field<double> x("x", *layout, 1, 1.0);
  core::Halo halo(*layout);
  if (halo.neighbours() == 0) return;
  Delayed const delayed(0.02);
  double least = 1;
  for (int n = 0; n < 5; ++n) {
    core::delay().clear_account();
    halo.exchange(x);
    least = std::min(least, core::delay().hidden_share());
  }
  EXPECT_LT(least, 0.2);  // 4 ms of copying would have to come between posting and waiting, in each of five exchanges
}
