// SPDX-License-Identifier: Apache-2.0
// What a sweep asks for, from made-up results: axes, expressions, rounds, costs, tables.
#include "core/error.hpp"
#include "core/random.hpp"
#include "run/sweep/costs.hpp"
#include "run/sweep/expression.hpp"
#include "run/sweep/shard.hpp"
#include "run/sweep/tables.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

namespace tessera::run {
namespace {

core::Dictionary parsed(std::string const& text) { return core::Dictionary::parse(text, "sweepDict"); }

/// A sweep whose tasks are a function of the point.
struct Made {
  core::Dictionary dictionary;
  Axes axes;
  Rounds rounds;
  Results results;
  std::int64_t tasks = 0;

  explicit Made(std::string const& text) : dictionary(parsed(text)), axes(dictionary, "."), rounds(dictionary, axes) {}
  void run(std::function<core::Report::Json(std::map<std::string, double> const&)> const& f) {
    for (auto points = rounds.next(results); !points.empty(); points = rounds.next(results))
      for (Point const& point : points) {
        results.ask(point);
        std::map<std::string, double> values;
        for (std::size_t n = 0; n < point.size(); ++n) values[axes.at(n).name] = number_in(point[n]);
        Row row;
        row.found = f(values);
        row.seconds = 1;
        results.add(point, row);
        ++tasks;
      }
  }
};

std::string refused(std::string const& text) {
  try {
    Made const made(text);
  } catch (core::Error const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Axes, AreCrossedInOrderOrTakenTogether) {
  Made crossed("axes { a (1 2); b (x y z); } settings (\"f:e={a}{b}\");");
  auto const points = crossed.axes.points();
  ASSERT_EQ(points.size(), 6u);
  EXPECT_EQ(points[1], (Point{"1", "y"}));
  EXPECT_EQ(points[3], (Point{"2", "x"}));
  EXPECT_EQ(crossed.axes.settings(points[5]), (std::vector<std::string>{"f:e=2z"}));

  Made zipped("axes { a (1 2); b (x y); c (7 8); } together ((a c)); settings (\"f:e={a}{b}{c}\");");
  EXPECT_EQ(zipped.axes.points(),
            (std::vector<Point>{{"1", "x", "7"}, {"1", "y", "7"}, {"2", "x", "8"}, {"2", "y", "8"}}));
}

TEST(Axes, HaveEvenlySpacedNumbersWithFewDigits) {
  Made const made("axes { a { from 0.5; to 0.6; steps 3; } b { from 1; to 2; step 0.25; } c { samples 3; first 7; } }"
                  "settings (\"f:e={a + b + c}\");");
  EXPECT_EQ(made.axes.at(0).values, (std::vector<std::string>{"0.5", "0.55", "0.6"}));
  EXPECT_EQ(made.axes.at(1).values, (std::vector<std::string>{"1", "1.25", "1.5", "1.75", "2"}));
  EXPECT_EQ(made.axes.at(2).values, (std::vector<std::string>{"7", "8", "9"}));
  EXPECT_EQ(made.axes.samples(), 2);
}

TEST(Axes, TellWordsAndLargeNumbersApart) {
  Made const made("axes { a (9007199254740993 9007199254740992 inf nan x); b { from 0; to 1; step 0.1; } c { from 2; "
                  "to 2; step 1; } }"
                  "settings (\"f:e={a}{b}{c}\");");
  EXPECT_EQ(made.axes.at(0).values.size(), 5u);
  EXPECT_EQ(made.axes.at(1).values.size(), 11u);
  EXPECT_EQ(made.axes.at(2).values, (std::vector<std::string>{"2"}));
}

TEST(Axes, OfFilesAreInTheOrderOfTheirNames) {
  namespace fs = std::filesystem;
  fs::remove_all("volumes");
  fs::create_directories("volumes/b.raw.d");
  for (char const* name : {"b.raw", "a.raw", "c.txt", ".a.raw"}) std::ofstream(std::string("volumes/") + name) << name;
  Made const made("axes { file { files \"volumes/*.raw\"; } } settings (\"f:e={file}\");");
  EXPECT_EQ(made.axes.at(0).values, (std::vector<std::string>{"volumes/a.raw", "volumes/b.raw"}));
  EXPECT_TRUE(made.axes.varies("volumes/c.txt"));
  EXPECT_FALSE(made.axes.varies("system/controlDict"));
  // another file under the same name is another task
  auto const key = made.axes.key({"volumes/a.raw"});
  std::ofstream("volumes/a.raw") << "longer than before";
  EXPECT_NE(made.axes.key({"volumes/a.raw"}), key);
  EXPECT_NE(refused("axes { file { files \"volumes/*.tif\"; } } settings (\"f:e={file}\");").find("no file fits"),
            std::string::npos);
}

TEST(Axes, ThatCannotBeMeantAreRefusedWithTheirPlace) {
  auto const says = [](std::string const& text, std::string const& what) {
    std::string const error = refused(text);
    EXPECT_NE(error.find(what), std::string::npos) << text << ": " << error;
    EXPECT_EQ(error.find("sweepDict:"), 0u) << error;
  };
  std::string const set = " settings (\"f:e={a}\");";
  says("axes { a (1 1); }" + set, "has a value twice");
  says("axes { a (1e4 3 10000); }" + set, "has a value twice: 1e4 and 10000");
  says("axes { a { from 0; to 1e4; step 3e3; } }" + set, "leads from 0 to 10000: 9000 is the last before it");
  says("axes { a (1 2); } settings (\"f:e={a}\" \"f:e=3\");", "'f:e' is set twice");
  says("axes { a (); }" + set, "has no values");
  says("axes { a { from 0; to 1; } }" + set, "steps");
  says("axes { a { from 0; to 1; step -0.1; } }" + set, "leads from 0 to 1");
  says("axes { a { from 0; to 1; steps 3; samples 4; } }" + set, "expected one of");
  says("axes { a { samples 3; } b { samples 3; } } settings (\"f:e={a}{b}\");", "two axes of samples");
  says("axes { a (1 2); b (1 2 3); } together ((a b)); settings (\"f:e={a}{b}\");", "expected 2 as 'a'");
  says("axes { a (1 2); } together ((a c));" + set, "no axis is called 'c'");
  says("axes { a (1 2); b (1 2); }" + set, "in none of the settings");
  says("axes { a (1 2); } settings (\"e={a}\");", "expected FILE:entry.path=value");
  says("axes { a (1 2); }" + set + "threshold { axis b; of x; tolerance 1; }", "no axis is called 'b'");
  says("axes { a (x y); }" + set + "threshold { axis a; of x; tolerance 1; }", "cannot be divided");
  says("axes { a { samples 4; until { of x; error 0.1; most 3; } } }" + set, "most");
}

TEST(Expression, FillsTextsAndNumbersIn) {
  std::vector<std::pair<std::string, std::string>> const values{{"L", "64"}, {"p", "0.59"}, {"file", "a b.raw"}};
  EXPECT_EQ(fill_in("({L} { L } 1)", values, "here"), "(64 64 1)");
  EXPECT_EQ(fill_in("{2*L+1} {p/2} {1/3}", values, "here"), "129 0.295 0.3333333333333333");
  EXPECT_EQ(fill_in("\"{file}\"", values, "here"), "\"a b.raw\"");
  EXPECT_EQ(fill_in("{L > 32 ? 1e-8 : 0.1}", values, "here"), "1e-08");
  for (char const* wrong : {"{L + }", "{L * q}", "{file + 1}", "{1 / 0}", "{L", "{sqrt(-1)}"})
    EXPECT_THROW(fill_in(wrong, values, "here"), core::Error) << wrong;
}

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
