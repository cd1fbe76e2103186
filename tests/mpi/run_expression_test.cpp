// SPDX-License-Identifier: Apache-2.0
// Whole runs of rules that stand in the case.
#include "tests/support/error_of.hpp"
#include "tests/support/written_case.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {
namespace {

WrittenCase case_of(std::string const& rule, std::string const& entries) {
  return WrittenCase(
      {{"system/controlDict", "application cellularAutomaton; writeControl timeStep; writeInterval 10;"},
       {"constant/automatonProperties", "rule { " + rule + " } " + entries + " stop { generations 20; }"},
       {"system/gridDict", "cells (70 40 1); tile (32 16 1);"}});
}
std::string complaint_of(WrittenCase& c, std::vector<std::string> const& settings) {
  return tests::error_of([&] { c.run(settings); });
}
void remove_last(WrittenCase const& c) {
  if (core::Comm().root()) std::filesystem::remove(c.path("results/000020.h5"));
  core::Comm().barrier();
}

std::string const spread =
    "fields { u double; n int32; } parameters { rate 0.2; } let { mean4 \"mean(u)\"; } neighbours vonNeumann; "
    "expressions { u \"u + rate * (mean4 - u)\"; n \"n + (uniform() < u)\"; } quantities { mass \"u\"; marks \"n\"; }";
std::string const starts = "seed 3; initial { u { type random; low 0; high 1; } } series { every 5; }";

TEST(RuleOfTheCase, GoesOnFromASnapshotWithTheSameBits) {
  auto c = case_of(spread, starts);
  auto const expected = c.run();
  EXPECT_EQ(expected["seed"], 3);
  EXPECT_GT(expected["results"]["marks"], 0);
  EXPECT_NEAR(expected["results"]["mass"].get<double>(), 70 * 40 / 2.0, 120.0);
  remove_last(c);
  auto const told = c.run({"controlDict:startFrom=latestTime"});
  EXPECT_EQ(told["hash"], expected["hash"]);
  EXPECT_EQ(told["results"], expected["results"]) << "the series too";
}

TEST(RuleOfTheCase, GoesOnUnderOtherParametersButNoOtherFormulas) {
  auto c = case_of(spread, starts);
  auto const first = c.run();
  remove_last(c);
  auto const other = c.run({"controlDict:startFrom=latestTime", "automatonProperties:rule.parameters.rate=0.9"});
  EXPECT_NE(other["hash"], first["hash"]);
  remove_last(c);
  auto const text = complaint_of(
      c, {"controlDict:startFrom=latestTime", "automatonProperties:rule.expressions.n=\"n + (uniform(1) < u)\""});
  for (char const* part : {"rule", "is not that of", "000010.h5", "the same formulas"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_NE(complaint_of(c, {"controlDict:startFrom=latestTime", "automatonProperties:rule=B3/S23"}), "");
}

TEST(RuleOfTheCase, GoesOnWhereBlanksAndQuantitiesAreOthers) {
  auto c = case_of(spread, "seed 3; initial { u { type random; low 0; high 1; } }");
  auto const first = c.run();
  remove_last(c);
  auto const other =
      c.run({"controlDict:startFrom=latestTime", "automatonProperties:rule.expressions.n=\"n+(uniform()<u)\"",
             "automatonProperties:rule.quantities={ more \"u + n\"; }"});
  EXPECT_EQ(other["hash"], first["hash"]);
  if (core::Comm().root()) {
    EXPECT_TRUE(other["results"].contains("more"));
  }
}

TEST(RuleOfTheCase, OfCountsIsTheRulestringAndGoesOn) {
  auto c = case_of("states 2; expression \"count(state == 1) == 3 || (state == 1 && count(state == 1) == 2)\";",
                   "initial { type random; probability 0.4; }");
  auto const told = c.run();
  EXPECT_EQ(c.run({"automatonProperties:rule=B3/S23"})["hash"], told["hash"]);
  remove_last(c);
  EXPECT_NE(complaint_of(c, {"controlDict:startFrom=latestTime"}), "") << "that is of B3/S23, told by its name";
  c.run();
  remove_last(c);
  EXPECT_EQ(c.run({"controlDict:startFrom=latestTime"})["hash"], told["hash"]);
}

TEST(RuleOfTheCase, KeepsTheNameOfItsOneField) {
  std::string const
      conway = "fields { alive uint8; } states 2; expression \"count(alive) == 3 || alive && count(alive) == 2\";",
      third = "fields { alive uint8; } states 3; expression \"(alive + count(alive == 1)) % 3\";";
  for (auto const& rule : {conway, third}) {
    auto c = case_of(rule, "initial { alive { type random; } } series { every 1; }");
    auto const hash = c.run()["hash"];
    EXPECT_EQ(hash.size(), 1u) << hash.dump();
    ASSERT_TRUE(hash.contains("alive")) << hash.dump();
    EXPECT_EQ(c.run({"automatonProperties:haloDepth=1"})["hash"], hash);
    auto copy =
        case_of(rule, fmt::format("initial {{ type snapshot; file \"{}\"; }}", c.path("results/000010.h5").string()));
    c.run();
    EXPECT_EQ(copy.run({"automatonProperties:stop.generations=10"})["hash"], hash);
  }
}

TEST(Tasks, TellWhatComputedThemAlone) {
  WrittenCase medium(
      {{"system/controlDict", "application percolation;"},
       {"constant/percolationProperties", "input { type random; probability 0.7; } conductivity yes; thickness yes;"},
       {"system/gridDict", "cells (20 20 1);"}});
  auto automaton = case_of("expression \"state\";", "initial { type uniform; value 0; }");
  core::Comm const world;
  auto const parts_of = [&](WrittenCase const& c) {
    run::TaskOptions task;
    task.directory = c.path().string();
    task.output = c.path("task").string();
    return run::run_task(world, task).report["computed"];
  };
  auto const first = parts_of(medium), second = parts_of(automaton);
  if (!world.root()) return;
  for (char const* part : {"clusters and backbone", "currents of a network", "thickness"})
    EXPECT_TRUE(first.contains(part)) << part;
  EXPECT_EQ(first["currents of a network"]["threads"], 1);
  EXPECT_TRUE(second.contains("rule"));
  EXPECT_FALSE(second.contains("clusters and backbone")) << "of the task before";
}

TEST(RuleOfTheCase, HasNoNamesOfTheReport) {
  auto const said = [](std::string const& rule) { return case_of(rule, "series { every 5; }").complaint(); };
  std::string const one = "states 3; expression \"state\"; quantities { ";
  for (char const* name :
       {"generation", "population", "period", "series", "min", "max", "mean", "state_2", "v_before"}) {
    auto const text = said(one + name + " \"1\"; }");
    EXPECT_NE(text.find(fmt::format("entry '{}' has a name that is", name)), std::string::npos) << text;
    EXPECT_NE(text.find("automatonProperties:1"), std::string::npos) << text;
  }
  for (char const* name : {"u", "u_mean", "n_population", "n_max"}) {
    auto const text =
        said("fields { u double; n int32; } expressions { u \"u\"; } quantities { " + std::string(name) + " \"1\"; }");
    EXPECT_NE(text.find(fmt::format("entry '{}' has a name that is that of a", name)), std::string::npos) << text;
  }
  EXPECT_NE(said("fields { type double; n int32; } expressions { n \"n\"; }").find("that of an entry of `initial`"),
            std::string::npos);
  for (char const* name : {"generation", "period", "series"}) {
    auto const text = said(fmt::format("fields {{ {} double; n int32; }} expressions {{ n \"n\"; }}", name));
    EXPECT_NE(text.find(fmt::format("entry '{}' has a name that is the report's own", name)), std::string::npos)
        << text;
  }
  auto free = case_of("states 2; expression \"state\"; quantities { state \"state\"; u_mean \"1\"; states \"1\"; }",
                      "initial { type uniform; value 1; }");
  auto const results = free.run()["results"];
  EXPECT_EQ(results["generation"], 20);
  EXPECT_EQ(results["state"], 70 * 40);
}

TEST(RuleOfTheCase, EndsWhereItsConditionCanNeverHold) {
  auto c =
      WrittenCase({{"system/controlDict", "application cellularAutomaton; writeControl none;"},
                   {"constant/automatonProperties",
                    "rule { fields { u double; } expression \"step < 3 ? u : sqrt(-1)\"; quantities { q \"u\"; } } "
                    "initial { type uniform; value 1; } series { every 1; } stop { when \"q < 0\"; }"},
                   {"system/gridDict", "cells (8 8 1);"}});
  std::string said;
  try {
    c.run();
  } catch (core::RunError const& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("generation 4: "), std::string::npos) << said;
  EXPECT_NE(said.find("is no number, and 'when' of `stop` can never hold"), std::string::npos) << said;
}

TEST(RuleOfTheCase, IsCheckedLikeAllOfTheCase) {
  auto c = case_of("expression \"count(staet)\";", "sede 1;");
  auto const said = c.complaint();
  EXPECT_NE(said.find("column 7: unknown name 'staet'; did you mean 'state'?"), std::string::npos) << said;
  EXPECT_NE(case_of("fields { a int64; } expression \"a\";", "")
                .complaint()
                .find("entry 'a' is 'int64', expected a type: uint8, int32"),
            std::string::npos);
  auto const when = WrittenCase({{"system/controlDict", "application cellularAutomaton;"},
                                 {"constant/automatonProperties",
                                  "rule life; initial { type random; } series { every 1; } stop { when \"pop < 3\"; }"},
                                 {"system/gridDict", "cells (20 20 1);"}})
                        .complaint();
  for (char const* part : {"automatonProperties:1", "entry 'when'", "pop", "Names of a row: generation, population"})
    EXPECT_NE(when.find(part), std::string::npos) << when;
  auto const stable =
      WrittenCase({{"system/controlDict", "application cellularAutomaton;"},
                   {"constant/automatonProperties", "rule life; initial { type random; } stop { stable no; }"},
                   {"system/gridDict", "cells (20 20 1);"}})
          .complaint();
  EXPECT_NE(stable.find("entry 'stable' is 'no', expected no value: `stable;`"), std::string::npos) << stable;
  auto const word = WrittenCase({{"system/controlDict", "application cellularAutomaton;"},
                                 {"constant/automatonProperties",
                                  "rule expression; initial { type uniform; value 0; } stop { generations 1; }"},
                                 {"system/gridDict", "cells (20 20 1);"}})
                        .complaint();
  EXPECT_NE(word.find("expected the rule itself: rule { expression"), std::string::npos) << word;
}

}  // namespace
}  // namespace tessera::tests
