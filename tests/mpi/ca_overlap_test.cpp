// SPDX-License-Identifier: Apache-2.0
#include "ca/automaton.hpp"
#include "ca/engine/initial.hpp"
#include "tests/support/overlap.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tests;

namespace tessera::tests {

/// Steps of a rule hide their messages behind the tiles that touch no other rank.
void check_overlap(std::string const& rule) {
  core::Comm const world;
  auto const layout = rows_of_tiles(1024, world);
  auto properties = core::Dictionary::parse("diffusivity 0.2; deltaT 1;", "overlap");
  auto const automaton = ca::make_automaton(rule, properties, *layout);
  auto const hidden = hidden_by(world, [&] { automaton->step(); });
  if (world.size() == 1) {
    EXPECT_EQ(hidden.waits, 0);
    return;
  }
  EXPECT_GE(hidden.waits, world.size());
  EXPECT_GE(hidden.share, 0.8);  // the work is 2.5 times the delay
}

}  // namespace tessera::tests

TEST(Overlap, HidesTheMessagesOfBytes) { check_overlap("life"); }
TEST(Overlap, HidesTheMessagesOfDoubles) { check_overlap("heat"); }

TEST(Overlap, LeavesResultsAsTheyAre) {
  core::Comm const world;
  auto const layout = rows_of_tiles(64, world);
  core::Dictionary properties = core::Dictionary::parse("", "overlap");
  auto const run = [&] {
    auto const automaton = ca::make_automaton("life", properties, *layout);
    ca::fill_random(static_cast<core::Field<std::uint8_t>&>(automaton->state()), 0.4, core::Random{3, 0});
    for (int n = 0; n < 3; ++n) automaton->step();
    return core::hash(automaton->state());
  };
  std::string const quick = run();
  Delayed const delayed(1e-3);
  EXPECT_EQ(run(), quick);
}
