// SPDX-License-Identifier: Apache-2.0
// When a run writes and ends, by a clock that the test turns.
#include "run/control/run_control.hpp"
#include "tests/support/session.hpp"

#include <csignal>

namespace tessera::tests {
namespace {

using run::RunControl;

/// A run of ten steps of 0.5 s, as its controlDict says.
struct Steps {
  explicit Steps(std::string const& entries, double origin = 0)
      : written({{"system/controlDict", "application a; deltaT 0.5; endTime 5; " + entries}}) {
    settings = io::foam::read_control(open.files.open("system/controlDict"), {.time_step = true, .functions = {}});
    control.emplace(open.session, settings, 0.0, origin);
  }
  /// The steps in which it writes, "s" where it stops; `seconds` pass in each.
  std::string told(double seconds = 1, std::function<void(int)> const& before = {}) {
    std::string text;
    for (int step = 1; step <= 10; ++step) {
      if (before) before(step);
      open.clock.work(seconds);
      auto const decision = control->after(step, 0.5 * step, step == 10);
      if (decision.write) text += fmt::format("{} ", step);
      if (decision.checkpoint) text += fmt::format("c{} ", step);
      if (decision.stop) return text + "s";
    }
    return text;
  }
  WrittenCase written;
  OpenCase open{written};
  io::foam::Control settings;
  std::optional<RunControl> control;
};

TEST(RunControl, WritesEveryFewStepsAndAtTheEnd) {
  EXPECT_EQ(Steps("writeControl timeStep; writeInterval 4;").told(), "4 8 10 s");
}

TEST(RunControl, WritesAtTimesCountedFromWhereTheFirstRunBegan) {
  EXPECT_EQ(Steps("writeControl runTime; writeInterval 1.5;").told(), "3 6 9 10 s");
  EXPECT_EQ(Steps("writeControl runTime; writeInterval 1.5;", -0.5).told(), "2 5 8 10 s");
}

TEST(RunControl, WritesNothingWhereTheCaseSaysSo) { EXPECT_EQ(Steps("writeControl none;").told(), "s"); }

TEST(RunControl, WritesByTheClockOfTheFirstRankOneStepLater) {
  // 2.5 s are over after the third step, 5 after the fifth, 7.5 after the eighth; all ranks know it in the step after
  EXPECT_EQ(Steps("writeControl clockTime; writeInterval 2.5;").told(), "4 6 9 10 s");
  EXPECT_EQ(Steps("writeControl cpuTime; writeInterval 2.5;").told(), "4 6 9 10 s");
}

TEST(RunControl, AsksForCheckpointsByTheClock) {
  Steps steps("writeControl none;");
  steps.control->checkpoint_every(3);
  EXPECT_EQ(steps.told(), "c4 c7 c10 s");
}

TEST(RunControl, WritesAndEndsAtASignal) {
  for (int const signal : {SIGTERM, SIGUSR1}) {
    Steps steps("writeControl none;");
    EXPECT_EQ(steps.told(1,
                         [&](int step) {
                           if (step == 3 && core::Comm().root()) std::raise(signal);
                         }),
              "4 s");
    EXPECT_EQ(steps.control->reason(), signal == SIGTERM ? "SIGTERM" : "SIGUSR1");
    EXPECT_TRUE(steps.control->by_signal());
  }
}

TEST(RunControl, EndsWithoutResultsWhereItIsCalledBack) {
  // one rank alone is told
  bool wanted = true;
  bool const told = core::Comm().rank() == core::Comm().size() - 1;
  Steps steps("writeControl timeStep; writeInterval 1;");
  if (told) steps.open.session.called_back = [&] { return !wanted; };
  EXPECT_EQ(steps.told(1, [&](int step) { wanted = step < 3; }), "1 2 3 s");
  EXPECT_EQ(steps.control->reason(), "a call back");
  EXPECT_FALSE(steps.control->by_signal());

  Steps samples("writeControl none;");
  EXPECT_FALSE(samples.control->asked_to_end(true));
  if (told) samples.open.session.called_back = [] { return true; };
  EXPECT_EQ(samples.control->asked_to_end(true), told);
  samples.control->end();
  EXPECT_EQ(samples.control->reason(), "a call back");
}

TEST(RunControl, EndsAsControlDictSaysOnceItIsChanged) {
  for (auto const& [stop_at, told] : {std::pair{"writeNow", "5 s"}, {"noWriteNow", "s"}, {"nextWrite", "6 s"}}) {
    Steps steps(std::string("writeControl ") +
                (std::string(stop_at) == "nextWrite" ? "timeStep; writeInterval 6;" : "none;"));
    EXPECT_EQ(steps.told(2,
                         [&, stop_at = stop_at](int step) {
                           if (step == 4)
                             steps.written.write("system/controlDict",
                                                 std::string("application a; deltaT 0.5; endTime 5; stopAt ") +
                                                     stop_at + ";");
                         }),
              told)
        << stop_at;
    EXPECT_EQ(steps.control->reason(), std::string("stopAt ") + stop_at);
    EXPECT_FALSE(steps.control->by_signal());
  }
}

TEST(RunControl, LooksAtControlDictOnceASecondAndOnlyWhereItMay) {
  auto const change = [](Steps& steps) {
    return [&steps](int step) {
      if (step == 2)
        steps.written.write("system/controlDict", "application a; deltaT 0.5; endTime 5; stopAt noWriteNow;");
    };
  };
  Steps seldom("writeControl timeStep; writeInterval 1;");
  EXPECT_EQ(seldom.told(0.24, change(seldom)), "1 2 3 4 5 s") << "a second is over in the fifth step";
  Steps never("writeControl none; runTimeModifiable no;");
  EXPECT_EQ(never.told(2, change(never)), "s");
  EXPECT_EQ(never.control->reason(), "");
}

TEST(RunControl, GoesOnWhereControlDictIsDamagedWhileItRuns) {
  Steps steps("writeControl none;");
  testing::internal::CaptureStdout();
  std::string const told = steps.told(2, [&](int step) {
    if (step == 2) steps.written.write("system/controlDict", "application a; stopAt { ");
  });
  std::string const said = testing::internal::GetCapturedStdout();
  EXPECT_EQ(told, "s");
  EXPECT_EQ(steps.control->reason(), "");
  EXPECT_EQ(said.find("the run goes on as before") != std::string::npos, core::Comm().root()) << said;
}

TEST(RunControl, EndsAfterTheFirstStepWhereStopAtStandsThereFromTheStart) {
  EXPECT_EQ(Steps("writeControl none; stopAt writeNow;").told(), "1 s");
  EXPECT_EQ(Steps("writeControl timeStep; writeInterval 3; stopAt nextWrite;").told(), "3 s");
}

TEST(RunControl, EndsWorkWithoutStepsForAllRanksWhereOneWasAsked) {
  Steps steps("writeControl none;");
  EXPECT_FALSE(steps.control->asked_to_end(true));
  if (core::Comm().rank() == core::Comm().size() - 1) std::raise(SIGTERM);
  steps.control->asked_to_end(true);
  steps.control->end();
  EXPECT_EQ(steps.control->reason(), "SIGTERM");
}

}  // namespace
}  // namespace tessera::tests
