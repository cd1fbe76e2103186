// SPDX-License-Identifier: Apache-2.0
#include "core/comm/child.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "tests/support/scratch.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tessera::tests {
namespace {

TEST(Child, GivesItsExitCodeAndItsOutput) {
  Scratch const folder;
  auto const log = folder / "a/log";
  EXPECT_EQ(core::run_child({"sh", "-c", "read none || echo out; echo err >&2; exit 7"}, log), 7);
  EXPECT_EQ(core::read_file(log), "out\nerr\n");
  EXPECT_EQ(core::run_child({"sh", "-c", "kill -9 $$"}, log), 128 + 9);
}

TEST(Child, ThatCannotBeStartedIsTold) {
  Scratch const folder;
  try {
    core::run_child({"no-such-program"}, folder / "log");
    FAIL() << "no error";
  } catch (core::RunError const& error) {
    EXPECT_STREQ(error.what(), "cannot start no-such-program: No such file or directory");
  }
}

TEST(Child, EndsWithAParentThatIsKilled) {
  Scratch const folder;
  auto const name = folder / "number", late = folder / "late";
  pid_t const parent = fork();
  if (parent == 0) {
    core::run_child(
        {"sh", "-c", "echo $$ > " + name + ".part; mv " + name + ".part " + name + "; sleep 20; echo > " + late},
        folder / "log");
    _exit(0);
  }
  auto const wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); };
  while (access(name.c_str(), R_OK) != 0) wait();
  auto const child = std::stoi(core::read_file(name));
  // runs, and is no more than the rest of an ended one that nobody has asked for
  auto const lives = [&] {
    std::ifstream file("/proc/" + std::to_string(child) + "/stat");
    std::string number, word, state;
    return file >> number >> word >> state && state != "Z" && state != "X";
  };
  ASSERT_TRUE(lives());
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  while (lives()) wait();
  EXPECT_NE(access(late.c_str(), R_OK), 0) << "it came to its end";
}

}  // namespace
}  // namespace tessera::tests
