// SPDX-License-Identifier: Apache-2.0
#include "core/comm/slowdown.hpp"
#include "core/error.hpp"

#include <gtest/gtest.h>

namespace tessera::core {

TEST(Slowdown, IsReadForOneRank) {
  EXPECT_EQ(read_slowdown(nullptr, 0).factor, 1);
  EXPECT_EQ(read_slowdown("", 0).factor, 1);
  EXPECT_EQ(read_slowdown("1:20", 0).factor, 1);
  EXPECT_EQ(read_slowdown("1:20", 1).factor, 20);
  auto const later = read_slowdown("0:2,3:1.5:10", 3);
  EXPECT_EQ(later.factor, 1.5);
  EXPECT_EQ(later.after, 10);
}

TEST(Slowdown, RefusesWhatIsNone) {
  for (char const* text : {"1:x", "1", "x:2", "1:0.5", "1:2:-1"})
    EXPECT_THROW(read_slowdown(text, 0), Error) << text;
}

}  // namespace tessera::core
