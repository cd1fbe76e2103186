// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "tools/launch.hpp"

#include <array>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tessera::tools {
namespace {

using run::parse_machine;

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
       {"", "# nothing\n", "node1 ranks=3\n", "node1 program=/a ranks=0\n", "node1 program=/a cores=auto\n",
        "node1 program=/a sockets=2\n", "node1 program=/a cores=8 ranks=2 threads=4\n"})
    EXPECT_THROW(parse_machine(text, "m"), core::Error) << text;
}

TEST(Launch, SharesTheCoresOfAHostAsItsProgramCanUseThem) {
  auto const shared = [](std::string const& entries, std::string const& backend) {
    auto line = parse_machine("node1 program=/a " + entries + "\n", "m").front();
    share_cores(line, backend);
    return std::array{line.ranks, line.threads};
  };
  EXPECT_EQ(shared("cores=16 sockets=2", "Serial"), (std::array{16, 1}));
  EXPECT_EQ(shared("cores=16 sockets=2", "OpenMP"), (std::array{2, 8}));
  EXPECT_EQ(shared("cores=16", "OpenMP"), (std::array{1, 16}));
  EXPECT_EQ(shared("cores=16 threads=4", "OpenMP"), (std::array{4, 4}));
  EXPECT_EQ(shared("cores=16 ranks=3", "OpenMP"), (std::array{3, 5}));
  EXPECT_EQ(shared("cores=16 ranks=3", "Serial"), (std::array{3, 1}));
  EXPECT_EQ(shared("cores=16 devices=0,1", "Cuda"), (std::array{2, 8}));
  EXPECT_EQ(shared("ranks=3", "OpenMP"), (std::array{3, 1}));
  EXPECT_THROW(shared("cores=4 ranks=5", "Serial"), core::Error);
  EXPECT_THROW(shared("cores=4 threads=5", "OpenMP"), core::Error);
}

TEST(Launch, BindsNoRankOfSeveralThreadsToOneCore) {
  auto const line = shell_line(launch_command(parse_machine("node1 program=/opt/a threads=3\n", "m"), "case", {}));
  EXPECT_NE(line.find("mpirun --bind-to none --host"), std::string::npos) << line;
}

TEST(Launch, GivesEachMachineAContextOfItsOwn) {
  auto const command = launch_command(parse_machine("node1 program=/opt/a ranks=3\nlocalhost program=/opt/b\n", "m"),
                                      "case", {"--quiet"});
  auto const line = shell_line(command);
  EXPECT_NE(line.find("node1"), std::string::npos) << line;
  EXPECT_NE(line.find("--host localhost:1 -np 1 "), std::string::npos) << line;
  EXPECT_NE(line.find(" : "), std::string::npos) << line;
  EXPECT_NE(line.find("/opt/b run case --quiet"), std::string::npos) << line;
}

TEST(Launch, GivesAHostTheSlotsOfAllItsLines) {
  auto const line = [](std::string const& file) {
    return shell_line(launch_command(parse_machine(file, "m"), "case", {}));
  };
  // a processor and a device of one host
  auto const both = line("node1 program=/a ranks=3\nnode2 program=/a ranks=4\nnode1 program=/b ranks=2 devices=0,1\n");
  EXPECT_NE(both.find("--host node1:5 -np 3 "), std::string::npos) << both;
  EXPECT_NE(both.find("--host node2:4 -np 4 "), std::string::npos) << both;
  EXPECT_NE(both.find("--host node1:5 -np 2 "), std::string::npos) << both;
  // beside other hosts, whose slots its ranks would take, this one has a name, too; it has several
  char own[256] = {};
  ASSERT_EQ(gethostname(own, sizeof own - 1), 0);
  auto const mixed = line("node1 program=/a\nlocalhost program=/a ranks=2\n" + std::string(own) + " program=/a\n");
  EXPECT_NE(mixed.find("--host node1:1 -np 1 "), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("--host localhost:3 -np 2 "), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("--host " + std::string(own) + ":3 -np 1 "), std::string::npos) << mixed;
  EXPECT_EQ(line("localhost program=/a ranks=2\n").find("--host"), std::string::npos);
}

}  // namespace
}  // namespace tessera::tools
