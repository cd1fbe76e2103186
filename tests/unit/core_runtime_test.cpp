// SPDX-License-Identifier: Apache-2.0
// One process alone starts nothing beside itself, and what makes that so is not handed on to programs that it starts.
#include "core/comm/runtime.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace tessera::core {

TEST(Runtime, StartsNoProcessBesideItself) {
  std::string children;
  for (auto const& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    ASSERT_TRUE(list) << task.path();
    for (std::string child; list >> child;) children += child + " ";
  }
  EXPECT_EQ(children, "");
}

TEST(Runtime, LeavesNoSettingOfItsStartBehind) {
  for (char const* name : {"OMPI_MCA_ess_singleton_isolated", "OMPI_MCA_pmix", "OMPI_COMMAND"})
    EXPECT_EQ(std::getenv(name), nullptr) << name;
}

}  // namespace tessera::core
