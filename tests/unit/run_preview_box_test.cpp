// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/preview_box.hpp"

#include <gtest/gtest.h>

namespace tessera::run::automaton {
namespace {

core::Box box(core::Count i0, core::Count j0, core::Count i1, core::Count j1) { return {{i0, j0, 0}, {i1, j1, 1}}; }

TEST(PreviewBox, StaysUntilSomethingLeavesItOrHalfOfItWouldDo) {
  PreviewBox shown;
  EXPECT_EQ(shown.of(std::nullopt), box(-8, -8, 9, 9)) << "nothing lives";
  EXPECT_EQ(shown.of(box(5, 5, 9, 9)), box(-8, -8, 9, 9));
  EXPECT_EQ(shown.of(box(6, 6, 10, 10)), box(-3, -3, 19, 19)) << "a cell left it";
  EXPECT_EQ(shown.of(std::nullopt), box(-3, -3, 19, 19)) << "all died";
  EXPECT_EQ(shown.of(box(-100, 0, 100, 10)), box(-158, -58, 158, 68)) << "a quarter of 200 and eight on each side";
  EXPECT_EQ(shown.of(box(-40, 0, 60, 10)), box(-158, -58, 158, 68)) << "half of it would not do: 166 of 316";
  EXPECT_EQ(shown.of(box(-40, 0, 50, 10)), box(-70, -30, 80, 40)) << "150 of 316";
  EXPECT_EQ(shown.last(), box(-70, -30, 80, 40));
}

TEST(PreviewBox, OfFarPlaces) {
  PreviewBox shown;
  core::Count const far = core::Count{1} << 60;
  EXPECT_EQ(shown.of(box(far, -far, far + 3, 3 - far)), box(far - 8, -far - 8, far + 11, 11 - far));
}

}  // namespace
}  // namespace tessera::run::automaton
