// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "tools/launch.hpp"

#include <gtest/gtest.h>

namespace tessera::tools {
namespace {

TEST(Launch, ReadsAMachineFile) {
  auto const lines = parse_machine(
      "# two hosts\nnode1 program=/opt/a ranks=3 threads=2\n\nlocalhost program=/opt/b devices=0,1\n", "m");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].host, "node1");
  EXPECT_EQ(lines[0].ranks, 3);
  EXPECT_EQ(lines[0].threads, 2);
  EXPECT_EQ(lines[1].program, "/opt/b");
  EXPECT_EQ(lines[1].ranks, 1);
  EXPECT_EQ(lines[1].devices, "0,1");
}

TEST(Launch, RefusesWhatIsNoMachine) {
  for (char const* text :
       {"", "# nothing\n", "node1 ranks=3\n", "node1 program=/a ranks=0\n", "node1 program=/a cores=2\n"})
    EXPECT_THROW(parse_machine(text, "m"), core::Error) << text;
}

TEST(Launch, GivesEachMachineAContextOfItsOwn) {
  auto const command = launch_command(parse_machine("node1 program=/opt/a ranks=3\nlocalhost program=/opt/b\n", "m"),
                                      "case", {"--quiet"});
  auto const line = shell_line(command);
  EXPECT_NE(line.find("node1"), std::string::npos) << line;
  EXPECT_EQ(line.find("localhost"), std::string::npos) << line;
  EXPECT_NE(line.find(" : "), std::string::npos) << line;
  EXPECT_NE(line.find("/opt/b run case --quiet"), std::string::npos) << line;
}

}  // namespace
}  // namespace tessera::tools
