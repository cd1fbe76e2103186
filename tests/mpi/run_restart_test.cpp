// SPDX-License-Identifier: Apache-2.0
// Where a run goes on: from which snapshot, what it refuses, and what it tells.
#include "run/restart/checkpoint.hpp"
#include "run/restart/restart.hpp"
#include "tests/support/foam.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/session.hpp"

#include <set>

namespace tessera::tests {
namespace {

/// A case with snapshots of steps 4, 8 and 12, whose field holds cell numbers plus the step.
struct Kept {
  explicit Kept(std::string const& control = "startFrom latestTime;")
      : written({{"system/controlDict", "application a; deltaT 0.5; endTime 50; " + control}}) {
    for (std::int64_t const step : {4, 8, 12}) {
      fill_by_number(field);
      for_each_cell(field, [&](core::Index, double& v) { v += static_cast<double>(step); });
      std::array<core::FieldBase const*, 1> const fields{&field};
      series.write(step, 0.5 * static_cast<double>(step), fields, {{"system/a", "x 1;\n"}},
                   {{"word", std::to_string(step)}});
    }
    field.fill(0);
  }
  std::string file(int step) const { return written.path(fmt::format("results/{:06d}.h5", step)).string(); }
  void damage(int step) const {
    if (core::Comm().root()) std::filesystem::resize_file(file(step), std::filesystem::file_size(file(step)) / 2);
    core::Comm().barrier();
  }
  std::optional<run::Restart> restart(bool by_step = true) {
    auto const control =
        io::foam::read_control(open.files.open("system/controlDict"), {.time_step = true, .functions = {}});
    run::Checkpoints none(open.session, control, {});
    std::array<core::FieldBase*, 1> const fields{&field}, wanted{&other};
    return run::restart(open.session, control, by_step, none, fields, wanted);
  }
  double first() {  // value of the first cell of the grid, on all ranks
    double value = 0;
    for_each_cell(field, [&](core::Index x, double v) {
      if (field.layout().grid().number(x) == 0) value = v;
    });
    return core::Comm().max(value);
  }

  WrittenCase written;
  OpenCase open{written};
  std::unique_ptr<core::Layout> layout = shuffled_layout({12, 10, 1}, {4, 5, 1});
  core::Field<double> field{"T", *layout}, other{"other", *layout};
  io::SnapshotSeries series{written.path("results").string(), "case"};
};

TEST(Restart, BeginsAnewWhereTheCaseSaysSoOrThereIsNothing) {
  EXPECT_FALSE(Kept("startFrom firstTime;").restart());
  EXPECT_FALSE(Kept("startFrom startTime; startTime 0;").restart());
  Kept none;
  if (core::Comm().root()) std::filesystem::remove_all(none.written.path("results"));
  core::Comm().barrier();
  EXPECT_FALSE(none.restart());
}

TEST(Restart, TakesTheLastSnapshotWithItsFieldsAndState) {
  Kept kept;
  auto const from = kept.restart();
  ASSERT_TRUE(from);
  EXPECT_EQ(from->step, 12);
  EXPECT_EQ(from->time, 6);
  EXPECT_EQ(from->state.at("word"), "12");
  EXPECT_TRUE(from->from_file);
  EXPECT_TRUE(from->found.empty()) << "a wanted field that the snapshot lacks";
  EXPECT_EQ(kept.first(), 12);
}

TEST(Restart, TakesTheSnapshotOfTheStepOrTimeThatIsAskedFor) {
  Kept by_step("startFrom startTime; startTime 8;");
  EXPECT_EQ(by_step.restart(true)->step, 8);
  EXPECT_EQ(by_step.first(), 8);
  Kept by_time("startFrom startTime; startTime 2;");
  EXPECT_EQ(by_time.restart(false)->step, 4);
}

TEST(Restart, PassesOverDamagedSnapshots) {
  Kept kept;
  kept.damage(12);
  kept.damage(8);
  EXPECT_EQ(kept.restart()->step, 4);
  EXPECT_EQ(kept.first(), 4);
}

TEST(Restart, RefusesAStartTimeWithoutASnapshot) {
  Kept kept("startFrom startTime; startTime 7;");
  EXPECT_NE(error_of([&] { kept.restart(); }).find("there is no snapshot of 7"), std::string::npos);
}

TEST(Restart, RefusesSnapshotsOfAnotherGrid) {
  Kept kept;
  auto const more = shuffled_layout({12, 11, 1}, {4, 5, 1});
  core::Field<double> larger("T", *more);
  std::swap(kept.field, larger);
  EXPECT_NE(error_of([&] { kept.restart(); }).find("holds 12 x 10 x 1 cells, but the case has 12 x 11 x 1"),
            std::string::npos);
}

TEST(Restart, TellsInOneLineWhatOfTheCaseIsOtherNow) {
  Kept kept;
  kept.written.write("system/a", "x 2;");
  kept.open.files.open("system/a");
  auto const from = kept.restart();
  testing::internal::CaptureStdout();
  run::tell_changes(kept.open.session, *from, {"another thing"});
  std::string const said = testing::internal::GetCapturedStdout();
  if (!core::Comm().root()) return;
  EXPECT_NE(said.find("The case is another than that of"), std::string::npos);
  EXPECT_NE(said.find("system/a: x 1 -> 2; another thing\n"), std::string::npos) << said;
}

TEST(Restart, RemovesWhatAKilledRunLeftAndNothingElse) {
  Kept kept;
  if (core::Comm().root())
    for (char const* folder : {"postProcessing", "2/uniform", "notes"})
      std::filesystem::create_directories(kept.written.path(folder));
  core::Comm().barrier();
  std::vector<std::string> const ours{
      "results/000016.h5.part", "results/case.xdmf.part", "postProcessing/report.json.part", "2/T.part", "2/T.gz.part",
      "2/uniform/time.part"},
      others{"results/thesis.h5.part", "2/U.part", "notes/T.part", "results/000012.h5"};
  for (auto const& file : ours) kept.written.write(file, "half");
  for (auto const& file : others)
    if (file != others.back()) kept.written.write(file, "whole");
  run::remove_leftovers(kept.open.session, {"T"});
  for (auto const& file : ours) EXPECT_FALSE(std::filesystem::exists(kept.written.path(file))) << file;
  for (auto const& file : others) EXPECT_TRUE(std::filesystem::exists(kept.written.path(file))) << file;
}

/// Files in a folder, by their names. All ranks look before one goes on.
std::set<std::string> names_in(std::filesystem::path const& folder) {
  core::Comm().barrier();
  std::set<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  core::Comm().barrier();
  return names;
}

TEST(Restart, ANewRunTakesThePlaceOfLaterSnapshotsOnceItHasWritten) {
  WrittenCase c({{"system/controlDict", "application cellularAutomaton; writeControl timeStep; writeInterval 4;"},
                 {"constant/automatonProperties",
                  "rule B3/S23; initial { type random; probability 0.3; } stop { generations 12; }"},
                 {"system/gridDict", "cells (30 20 1);"}});
  std::set<std::string> const first{"000004.h5", "000008.h5", "000012.h5", "case.xdmf", "state.png"};
  auto const results = c.path("results");
  c.run();
  EXPECT_EQ(names_in(results), first);
  EXPECT_THROW(c.run({"automatonProperties:rule=B3/S2x"}), core::Error);
  c.run({"automatonProperties:stop.generations=3", "controlDict:writeControl=none"});
  EXPECT_EQ(names_in(results), first) << "nothing was written";

  c.write("results/000090.h5", "some text");
  c.write("results/000091.mc", "[M2] (golly 4.3)\n#R B3/S23\n#G 91\n$$..*$...*$.***$$$$\n4 0 1 0 0\n");
  c.write("results/000092.mc", "[M2] (tessera 0.1.0)\n#R B3/S23\n#G 92\n$$..*$...*$.***$$$$\n4 0 1 0 0\n");
  c.write("results/000093.mc", "[M2] (tessera 0.1.0)\n#G 93\n#C hash 12\n$$..*$...*$.***$$$$\n4 0 1 0 0\n");
  if (core::Comm().root()) {
    std::filesystem::create_symlink("000012.h5", results / "000012.link");
    std::filesystem::copy_file(results / "000012.h5", results / "000013.h5");  // of another step than its name says
  }
  core::Comm().barrier();
  auto options = c.options({"automatonProperties:stop.generations=6", "automatonProperties:rule=B36/S23"});
  options.quiet = false;
  testing::internal::CaptureStdout();
  run::run_case(core::Comm(), options);
  std::string const said = testing::internal::GetCapturedStdout();
  if (core::Comm().root()) {
    EXPECT_NE(said.find("Snapshots of an earlier run, of steps after 0, are moved to "), std::string::npos) << said;
  }
  std::set<std::string> const second{"000004.h5", "000006.h5", "000012.link", "000013.h5", "000090.h5",
                                     "000091.mc", "000092.mc", "case.xdmf",   "earlier",   "state.png"};
  EXPECT_EQ(names_in(results), second);
  EXPECT_EQ(names_in(results / "earlier"), (std::set<std::string>{"000008.h5", "000012.h5", "000093.mc"}));

  if (core::Comm().root())
    for (char const* file : {"000012.link", "000013.h5", "000090.h5", "000091.mc", "000092.mc"})
      std::filesystem::remove(results / file);
  core::Comm().barrier();
  c.run({"controlDict:startFrom=startTime", "controlDict:startTime=4", "automatonProperties:rule=B36/S23",
         "automatonProperties:stop.generations=5"});
  EXPECT_EQ(names_in(results), (std::set<std::string>{"000004.h5", "000005.h5", "case.xdmf", "earlier", "state.png"}));
}

}  // namespace
}  // namespace tessera::tests
