// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "run/case.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tessera;
using run::Case;

namespace tessera::tests {

/// A case directory made by the root, gone at the end of the test.
class CaseFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::current_path() / "tools_case_test";
    if (world_.root()) {
      std::filesystem::create_directories(folder_ / "system");
      std::ofstream(folder_ / "system/controlDict") << "application percolation;\nendTime 5;\nnested { a 1; }\n";
    }
    world_.barrier();
  }
  void TearDown() override {
    world_.barrier();
    if (world_.root()) std::filesystem::remove_all(folder_);
    world_.barrier();
  }
  Case open(std::vector<std::string> const& settings = {}) { return Case(folder_.string(), settings, world_); }

  core::Comm world_;
  std::filesystem::path folder_;
};

}  // namespace tessera::tests

using tessera::tests::CaseFolder;

TEST_F(CaseFolder, GivesEveryRankTheSameEntries) {
  Case files = open();
  EXPECT_EQ(files.open("system/controlDict").get<int>("endTime"), 5);
  EXPECT_EQ(files.name(), "tools_case_test");
  EXPECT_EQ(files.find("system/balanceDict"), nullptr);
  EXPECT_EQ(Case(folder_.string() + "/", {}, world_).name(), "tools_case_test");
}

TEST_F(CaseFolder, LaysSettingsOfTheCommandLineOverTheFile) {
  Case files = open({"controlDict:endTime=7", "system/controlDict:nested.a=2", "system/gridDict:cells=(4 4 1)"});
  auto& control = files.open("system/controlDict");
  EXPECT_EQ(control.get<int>("endTime"), 7);
  EXPECT_EQ(control.sub("nested").get<int>("a"), 2);
  EXPECT_EQ(control.get<std::string>("application"), "percolation");
  EXPECT_EQ((files.open("system/gridDict").get<std::array<int, 3>>("cells")), (std::array<int, 3>{4, 4, 1}));
  EXPECT_NO_THROW(files.check_all_read());
}

TEST_F(CaseFolder, TakesTheLastOfTwoSettingsAndTellsOfTheOther) {
  Case files = open({"controlDict:endTime=7", "controlDict:nested.a=3", "system/controlDict:endTime=8",
                     "system/controlDict:nested.a=3"});
  EXPECT_EQ(files.open("system/controlDict").get<int>("endTime"), 8);
  EXPECT_EQ(
      files.remarks(),
      std::vector<std::string>{"command line: --set controlDict:endTime=7: passed over, since a later --set gives 8"});
}

TEST_F(CaseFolder, FindsEntriesAndSettingsThatNobodyReads) {
  Case unread = open();
  unread.open("system/controlDict").get<int>("endTime");
  EXPECT_THROW(unread.check_all_read(), core::Error);
  Case unused = open({"fvSolution:solvers.T.tolerance=1"});
  unused.open("system/controlDict").mark_read();
  EXPECT_THROW(unused.check_all_read(), core::Error);
}

TEST_F(CaseFolder, NamesAMissingCaseFileAndAMalformedSettingOnAllRanks) {
  EXPECT_THROW(Case("nowhere", {}, world_), core::Error);
  EXPECT_THROW(open({"endTime=7"}), core::Error);
  EXPECT_THROW(open({":endTime=7"}), core::Error);
  Case files = open();
  try {
    files.open("system/gridDict");
    FAIL() << "a missing file was opened";
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what()).find("system/gridDict: no such file"), std::string::npos) << error.what();
  }
}
