// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/files.hpp"
#include "tests/support/scratch.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace tessera::tests {
namespace {

namespace fs = std::filesystem;
using core::create_file;
using core::read_file;
using core::require_regular;
using core::write_file;

template <class E, class F>
std::string said_by(F const& f) {
  try {
    f();
  } catch (E const& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Files, WhatIsNoRegularFileIsRefusedInsteadOfWaitedFor) {
  Scratch const scratch;
  std::string const pipe = scratch / "pipe", loop = scratch / "loop", link = scratch / "link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink(loop, loop);
  fs::create_symlink(pipe, link);
  auto const said = [](std::string const& path) { return said_by<core::Error>([&] { read_file(path); }); };
  EXPECT_EQ(said(pipe), pipe + ": is a pipe, expected a file");
  EXPECT_EQ(said(link), link + ": is a pipe, expected a file");
  EXPECT_EQ(said(scratch.path()), scratch.path() + ": is a folder, expected a file");
  EXPECT_EQ(said("/dev/zero"), "/dev/zero: is a device, expected a file");
  EXPECT_EQ(said(loop), loop + ": cannot be read: Too many levels of symbolic links");
  EXPECT_EQ(said(scratch / "none"), scratch / "none: cannot be read: No such file or directory");
  EXPECT_NO_THROW(require_regular("/proc/self/status"));
}

TEST(Files, AFileOfTheKernelWithoutASizeIsEmpty) {
  EXPECT_EQ(read_file("/proc/self/mem"), "");
  EXPECT_EQ(read_file("/proc/self/status"), "");
}

TEST(Files, AFileIsReadAsItIs) {
  Scratch const scratch;
  std::string const text("a\0b\r\n\xff", 6);
  write_bytes(scratch / "f", text);
  EXPECT_EQ(read_file(scratch / "f"), text);
  write_bytes(scratch / "f", "");
  EXPECT_EQ(read_file(scratch / "f"), "");
}

TEST(Files, ALinkIsReplacedAndNeverFollowed) {
  Scratch const scratch;
  std::string const victim = scratch / "victim", file = scratch / "out/report.json";
  write_bytes(victim, "precious");
  fs::create_directory(scratch / "out");
  for (std::string const& name : {file, file + ".part"}) {
    fs::create_symlink(victim, name);
    write_file(file, "new");
    EXPECT_EQ(bytes_of(victim), "precious") << name;
    EXPECT_EQ(bytes_of(file), "new");
    EXPECT_FALSE(fs::is_symlink(file) || fs::exists(fs::symlink_status(file + ".part")));
    fs::remove(file);
    // a second name of the same file
    fs::create_hard_link(victim, name);
    write_file(file, "new");
    EXPECT_EQ(bytes_of(victim), "precious") << name;
    fs::remove(file);
  }
  fs::create_symlink(victim, file);
  EXPECT_NE(said_by<core::RunError>([&] { core::open_to_append(file); }), "nothing");
  EXPECT_EQ(bytes_of(victim), "precious");
  fs::create_symlink(victim, scratch / "made");
  close(create_file(scratch / "made"));
  EXPECT_EQ(bytes_of(victim), "precious");
}

TEST(Files, WhatCannotBeReplacedLeavesNothingBehind) {
  Scratch const scratch;
  std::string const folder = scratch / "report.json";
  fs::create_directories(folder + "/full");
  EXPECT_EQ(said_by<core::RunError>([&] { write_file(folder, "x"); }), folder + ": cannot be written: Is a directory");
  EXPECT_FALSE(fs::exists(folder + ".part"));
}

TEST(Files, AFileThatTheUserNamesIsWrittenInPlaceWhereItIsNoRegularFile) {
  Scratch const scratch;
  std::string const device = scratch / "null", link = scratch / "link", file = scratch / "file";
  write_bytes(file, "something longer");
  fs::create_symlink(file, link);
  core::write_named_file(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(bytes_of(file), "new");
  fs::create_symlink("/dev/null", device);
  core::write_named_file(device, "new");
  EXPECT_TRUE(fs::is_symlink(device));
  if (mknod((scratch / "own").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0) {  // as root
    std::ofstream opens(scratch / "own");                                      // not where file systems have no devices
    if (opens) core::write_named_file(scratch / "own", "new");
    EXPECT_TRUE(fs::is_character_file(scratch / "own"));
  }
  EXPECT_EQ(said_by<core::RunError>([&] { core::write_named_file(scratch.path(), "x"); }),
            scratch.path() + ": cannot be written: it is a folder");
  core::write_named_file(scratch / "a/fresh", "new");
  EXPECT_EQ(bytes_of(scratch / "a/fresh"), "new");
}

TEST(Files, WhetherAFolderCanBeWrittenIsKnownBeforehandAndLeavesNothing) {
  Scratch const scratch;
  write_bytes(scratch / "file", "");
  fs::create_symlink(scratch / "gone", scratch / "link");
  EXPECT_NO_THROW(core::require_writable_folder(scratch / "new/results"));
  EXPECT_NO_THROW(core::require_writable_file(scratch / "new/report.json"));
  EXPECT_NO_THROW(core::require_writable_file("/dev/null"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 2);
  EXPECT_EQ(said_by<core::RunError>([&] { core::require_writable_folder(scratch / "file"); }),
            scratch / "file: cannot be written: " + scratch / "file is a file");
  EXPECT_NE(said_by<core::RunError>([&] { core::require_writable_folder(scratch / "file/results"); }), "nothing");
  EXPECT_NE(said_by<core::RunError>([&] { core::require_writable_folder(scratch / "link"); }), "nothing");
  EXPECT_NE(said_by<core::RunError>([&] { core::require_writable_folder("/proc/results"); }), "nothing");
  EXPECT_NE(said_by<core::RunError>([&] { core::require_writable_file(scratch.path()); }), "nothing");
}

TEST(Files, ANameFromADictionaryIsAWord) {
  for (char const* good : {"probes", "a-b_c.1", "ddt0(T)", "s:x", "..."}) EXPECT_TRUE(core::is_file_name(good)) << good;
  for (char const* bad : {"", ".", "..", "../x", "a/b", "/etc", "a b", "a\tb", "a;", "{", "\"q\"", "a\n"})
    EXPECT_FALSE(core::is_file_name(bad)) << bad;
}

}  // namespace
}  // namespace tessera::tests
