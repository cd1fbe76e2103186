// SPDX-License-Identifier: Apache-2.0
#include "core/case/unsupported.hpp"

#include <gtest/gtest.h>

namespace tessera::core {

TEST(UnsupportedName, ListsTheSupportedOnesAndTheNearest) {
  EXPECT_EQ(unsupported_name("source type", "conductorLoss", {"conductorLosses", "heater"}),
            "source type 'conductorLoss' is not supported, supported: conductorLosses heater; did you mean "
            "'conductorLosses'?");
  EXPECT_EQ(unsupported_name("rule", "qqqqq", {"life"}), "rule 'qqqqq' is not supported, supported: life");
}

}  // namespace tessera::core
