// SPDX-License-Identifier: Apache-2.0
// What a sweep asks for, from made-up results: rounds, costs, tables.
#include "core/error.hpp"
#include "core/random.hpp"
#include "run/sweep/costs.hpp"
#include "run/sweep/expression.hpp"
#include "run/sweep/shard.hpp"
#include "run/sweep/tables.hpp"
#include "tests/support/made_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

namespace tessera::run {
namespace {

std::string const for_threshold = "axes { L (10 20); p (0 1); seed { samples 5; } } settings (\"f:e={L}{p}{seed}\");"
                                  "threshold { axis p; of y; tolerance 1e-6; }";

/// The threshold of a sample, any number between 0 and 1.
double made_up(double L, double seed) {
  core::Random const random{static_cast<std::uint32_t>(L), 0};
  return 0.1 + 0.8 * random.uniform(static_cast<std::uint64_t>(seed));
}

TEST(Rounds, NarrowEachSamplesThresholdToItsTolerance) {
  Made made(for_threshold);
  made.run([](auto const& at) { return core::Report::Json{{"y", at.at("p") >= made_up(at.at("L"), at.at("seed"))}}; });
  auto const brackets = made.rounds.brackets(made.results);
  ASSERT_EQ(brackets.size(), 10u);
  for (Bracket const& bracket : brackets) {
    double const expected = made_up(number_in(bracket.low[0]), number_in(bracket.low[2]));
    EXPECT_LE(bracket.width, 1e-6);
    EXPECT_LT(number_in(bracket.low[1]), expected);
    EXPECT_GE(number_in(bracket.high[1]), expected);
  }
  // both ends, and 20 halvings from 1 to below 1e-6
  EXPECT_EQ(made.tasks, 10 * (2 + 20));
  auto const groups = made.rounds.groups(made.results);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].thresholds.size(), 5u);
  EXPECT_EQ(groups[1].point[0], "20");
}

TEST(Rounds, TellWhereThresholdsAreSeveral) {
  Made made("axes { p (0 1 2 3); } settings (\"f:e={p}\"); threshold { axis p; of y; tolerance 1e-2; }");
  made.run([](auto const& at) { return core::Report::Json{{"y", std::fmod(at.at("p") + 0.5, 2.0) >= 1}}; });
  auto const brackets = made.rounds.brackets(made.results);
  ASSERT_EQ(brackets.size(), 1u);
  EXPECT_NEAR(brackets[0].at, 0.5, 1e-2);
  EXPECT_EQ(brackets[0].passes, 3);
}

TEST(Rounds, LeaveOutWhatDoesNotPassTheLevelAndEndWhereATaskFails) {
  Made made(for_threshold);
  made.run([](auto const& at) {
    if (at.at("seed") == 2) return core::Report::Json{{"y", 0}};               // never passes
    if (at.at("seed") == 3 && at.at("p") == 0.5) return core::Report::Json();  // fails
    return core::Report::Json{{"y", at.at("p") >= 0.3 ? 1 : 0}};
  });
  auto const groups = made.rounds.groups(made.results);
  EXPECT_EQ(groups[0].samples, 5);
  ASSERT_EQ(groups[0].thresholds.size(), 4u);
  EXPECT_NEAR(groups[0].thresholds[0], 0.3, 1e-6);
  EXPECT_EQ(groups[0].thresholds[1], 0.5);  // of sample 3, whose middle failed: as wide as it was
}

TEST(Rounds, TakeMoreSamplesWhereTheErrorIsLargerAndReachTheErrorSought) {
  auto const value = [](double a, double seed) {
    core::Random const random{static_cast<std::uint32_t>(1000 * a), 3};
    return a * std::sqrt(12.0) * (random.uniform(static_cast<std::uint64_t>(seed)) - 0.5);
  };
  // standard deviations along the axis up to 1, of which variances differ by 100 and by 10
  for (char const* const least : {"0.1", "0.316"}) {
    Made made(std::string("axes { a { from ") + least +
              "; to 1; steps 10; } seed { samples 16; until { of y; error 0.02; most 100000; } } }"
              "settings (\"f:e={a}{seed}\");");
    made.run([&](auto const& at) { return core::Report::Json{{"y", value(at.at("a"), at.at("seed"))}}; });
    std::int64_t most = 0;
    for (Group const& group : made.rounds.groups(made.results)) {
      std::vector<double> values;
      for (Row const* row : group.rows) values.push_back(number_of(*row, "y"));
      EXPECT_LE(mean_of(values).error, 0.02);
      // what the deviation asks for, within a third
      double const a = number_in(group.point[0]), wanted = std::max(16.0, a * a / 4e-4);
      EXPECT_LT(static_cast<double>(group.samples), 1.34 * wanted + 16) << a;
      most = std::max(most, group.samples);
    }
    // the even spread needs as many samples everywhere as the worst place does
    EXPECT_LT(static_cast<double>(made.tasks), 0.6 * static_cast<double>(10 * most));
  }
}

TEST(Rounds, SampleThresholdsUntilTheirMeanIsKnown) {
  Made made("axes { p (0 1); seed { samples 8; until { of threshold; error 0.02; most 1000; } } }"
            "settings (\"f:e={p}{seed}\"); threshold { axis p; of y; tolerance 1e-4; }");
  made.run([](auto const& at) { return core::Report::Json{{"y", at.at("p") >= made_up(1, at.at("seed"))}}; });
  auto const groups = made.rounds.groups(made.results);
  ASSERT_EQ(groups.size(), 1u);
  Mean const mean = mean_of(groups[0].thresholds);
  EXPECT_LE(mean.error, 0.02);
  EXPECT_GT(mean.samples, 100);  // 0.8 / sqrt(12) / 0.02, squared: 133
  EXPECT_LT(mean.samples, 200);
}

TEST(Rounds, RefuseANameThatNoTaskFound) {
  auto const says = [](std::string const& text, std::string const& what) {
    Made made(text);
    try {
      made.run([](auto const&) { return core::Report::Json{{"maxT", 3.5}, {"word", "x"}}; });
      FAIL() << text;
    } catch (core::Error const& error) {
      EXPECT_EQ(std::string(error.what()), what);
    }
    EXPECT_LE(made.tasks, 4);
  };
  std::string const set = "settings (\"f:e={a}\");\n";
  says("axes { a (1 2); }" + set + "threshold { axis a; of maxx; level 3; tolerance 1e-3; }",
       "sweepDict:2: unknown number 'maxx'; did you mean 'maxT'? valid: maxT");
  says("axes { a (1 2); }" + set + "threshold { axis a; of word; level 3; tolerance 1e-3; }",
       "sweepDict:2: unknown number 'word'; valid: maxT");
  for (std::string const of : {"maxx", "threshold"})
    EXPECT_THROW(
        {
          Made made("axes { a { samples 4; until { of " + of + "; error 0.1; most 100; } } }" + set);
          made.run([](auto const&) { return core::Report::Json{{"maxT", 3.5}}; });
        },
        core::Error);
}

TEST(Costs, PutTheLongestFirstAndTellHowFarTheyAreOff) {
  Made made("axes { L (10 20 30 40); kind (a b); } settings (\"f:e={L}{kind}\");");
  auto const points = made.axes.points();
  EXPECT_TRUE(std::isnan(Costs(made.axes, measured_in(made.results)).predict(points[0])));
  std::vector<Point> const many(40, points[0]);
  std::vector<std::int64_t> tasks(40);
  std::iota(tasks.begin(), tasks.end(), 0);
  Costs(made.axes, measured_in(made.results)).longest_first(tasks, many);
  EXPECT_EQ(std::vector(tasks.begin(), tasks.begin() + 3), (std::vector<std::int64_t>{39, 36, 33}));
  EXPECT_EQ(std::vector(tasks.end() - 2, tasks.end()), (std::vector<std::int64_t>{37, 38}));
  for (Point const& point : points) {
    made.results.ask(point);
    Row row;
    row.seconds = number_in(point[0]) * (point[1] == "a" ? 1 : 10);
    made.results.add(point, row);
  }
  Costs const costs(made.axes, measured_in(made.results));
  std::vector<std::int64_t> open{0, 1, 2, 5, 6, 7};
  costs.longest_first(open, points);
  EXPECT_EQ(points[open.front()], (Point{"40", "b"}));
  EXPECT_EQ(points[open.back()], (Point{"10", "a"}));
  EXPECT_NEAR(costs.predict({"35", "b"}), 350, 1e-9);  // between 30 and 40
  EXPECT_GT(costs.error(), 0);
  EXPECT_LT(costs.error(), 0.5);
}

TEST(Costs, OfSamplesAreTheMeanOfAllAtOnePlace) {
  Made made("axes { L (10 20); seed { samples 4; } } settings (\"f:e={L}{seed}\");");
  std::vector<MeasuredTask> measured;
  for (double const seconds : {1, 2, 6}) measured.push_back({{"10", std::to_string(measured.size() + 1)}, seconds});
  measured.push_back({{"20", "1"}, 50});
  Costs const costs(made.axes, measured);
  EXPECT_NEAR(costs.predict({"10", "4"}), 3, 1e-12);
  EXPECT_NEAR(costs.predict({"20", "2"}), 50, 1e-12);
}

TEST(Costs, FindTheRatesOfTeams) {
  Made made("axes { a { from 1; to 60; steps 60; } } settings (\"f:e={a}\");");
  // the third team is four times slower than the others and has each fifth task, the second one has the work of an earlier run
  std::vector<MeasuredTask> measured;
  for (int n = 1; n <= 60; ++n) {
    int const team = n % 5 == 0 ? 2 : n % 7 == 0 ? -1 : 0;
    measured.push_back({{std::to_string(n)}, (10.0 + n) * (team == 2 ? 4 : 1), team});
  }
  Costs const costs(made.axes, measured);
  EXPECT_NEAR(costs.rate(0) / costs.rate(2), 4, 0.1);
  EXPECT_NEAR(costs.rate(0) / costs.rate(-1), 1, 0.03);
  EXPECT_EQ(costs.rate(7), 1);
  // whoever it is that takes it, the task of n = 30.5 takes 40.5 s on the first team
  EXPECT_NEAR(costs.predict({"30.5"}) / costs.rate(0), 40.5, 1);
  EXPECT_LT(costs.error(), 0.05);
  // one team alone has no other to be compared with
  for (MeasuredTask& task : measured) task.team = 3;
  EXPECT_EQ(Costs(made.axes, measured).rate(3), 1);
}

TEST(Tables, HaveARowATaskAndMeansOverSamples) {
  Made made("axes { a (1 2); seed { samples 3; } } settings (\"f:e={a}{seed}\");");
  made.run([](auto const& at) {
    return core::Report::Json{{"y", at.at("a") * at.at("seed")}, {"word", "x, \"y\""}, {"hash.f", "00ff"}};
  });
  Tables const tables(made.axes, made.rounds, made.results, {}, made.dictionary);
  EXPECT_EQ(tables.tasks().csv().substr(0, 41), "a,seed,y,word,error\n1,1,1,\"x, \"\"y\"\"\",\n1,2");
  EXPECT_EQ(tables.statistics().csv(), "a,samples,y,yError,yDeviation\n1,3,2,0.5773502691896257,0.9999999999999999\n"
                                       "2,3,4,1.1547005383792515,1.9999999999999998\n");
  EXPECT_EQ(Tables(made.axes, made.rounds, made.results, {"hash.f"}, made.dictionary).tasks().csv().substr(0, 28),
            "a,seed,hash.f,error\n1,1,00ff");
  EXPECT_THROW(Tables(made.axes, made.rounds, made.results, {"z"}, made.dictionary), core::Error);
}

TEST(Tables, HaveNoColumnTwice) {
  auto const says = [](std::string const& axes, std::vector<std::string> const& results, std::string const& what) {
    Made const made("axes { " + axes + " }\nsettings (\"f:e={a}{max}{error}{samples}{pLow}\");\nresults (x);");
    try {
      Tables const tables(made.axes, made.rounds, made.results, results, made.dictionary);
      FAIL() << axes;
    } catch (core::Error const& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find("sweepDict:"), 0u) << error.what();
    }
  };
  says("max (1 2);", {"max"}, "'max' is called as a result is");
  says("error (1 2);", {}, "a column 'error' of their own");
  says("samples (1 2); a { samples 2; }", {}, "a column 'samples' of their own");
  says("a (1 2);", {"max", "max"}, "'max' is there twice");
  says("a (1 2);", {"error"}, "a column 'error' of their own");
  Made made("axes { max (1 2); } settings (\"f:e={max}\");");
  made.run([](auto const&) { return core::Report::Json{{"max", 3}}; });
  EXPECT_THROW(Tables(made.axes, made.rounds, made.results, {}, made.dictionary), core::Error);
}

TEST(Tables, CountSamplesInBinsThatAllGroupsShare) {
  Made made("axes { a (1 2); seed { samples 4; } } settings (\"f:e={a}{seed}\");");
  // 0.25 to 1 and 0.5 to 2: bins of width 0.4375
  made.run([](auto const& at) {
    return core::Report::Json{{"y", at.at("a") * at.at("seed") / 4}, {"same", 3}, {"word", "x"}};
  });
  Tables const tables(made.axes, made.rounds, made.results, {}, made.dictionary);
  EXPECT_EQ(tables.histograms({{"y"}, 4}, made.dictionary).csv(), "quantity,a,low,high,count\n"
                                                                  "y,1,0.25,0.6875,2\ny,1,0.6875,1.125,2\n"
                                                                  "y,1,1.125,1.5625,0\ny,1,1.5625,2,0\n"
                                                                  "y,2,0.25,0.6875,1\ny,2,0.6875,1.125,1\n"
                                                                  "y,2,1.125,1.5625,1\ny,2,1.5625,2,1\n");
  EXPECT_EQ(tables.histograms({{"same"}, 4}, made.dictionary).csv(),
            "quantity,a,low,high,count\nsame,1,3,3,4\nsame,2,3,3,4\n");
  EXPECT_THROW(tables.histograms({{"word"}, 4}, made.dictionary), core::Error);
}

TEST(SweepShard, HasEachTaskInOneShardAlone) {
  std::vector<Point> all;
  for (int n = 0; n < 23; ++n) all.push_back({std::to_string(n)});
  for (int const shards : {2, 3, 7, 23, 40}) {
    std::vector<Point> found;
    for (int n = 0; n < shards; ++n)
      for (auto const& point : Shard::read(std::to_string(n) + "/" + std::to_string(shards)).points(all))
        found.push_back(point);
    std::sort(found.begin(), found.end());
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(found, sorted) << shards;
  }
  EXPECT_EQ(Shard::read("").points(all), all);
}

TEST(SweepShard, ReadsNoRecordThatAnotherMayBeWriting) {
  auto const shard = Shard::read("3/8");
  EXPECT_TRUE(shard.reads("3of8.0"));
  EXPECT_TRUE(shard.reads("12"));
  EXPECT_FALSE(shard.reads("13of8.0"));
  EXPECT_FALSE(shard.reads("2of8.0"));
  EXPECT_TRUE(Shard::read("").reads("2of8.0"));
}

TEST(SweepShard, IsRefusedWhereItIsNone) {
  for (char const* text : {"8/8", "-1/8", "3", "3/", "/8", "3/8x", "3 / 8", "a/b", "0/0"})
    EXPECT_THROW(Shard::read(text), core::Error) << text;
}

}  // namespace
}  // namespace tessera::run
