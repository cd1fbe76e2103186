// SPDX-License-Identifier: Apache-2.0
#include "core/case/dictionary.hpp"
#include "core/error.hpp"
#include "io/pictures/plots.hpp"
#include "run/study/page.hpp"

#include <cmath>
#include <gtest/gtest.h>

using namespace tessera;
using run::Design;
using run::Measured;

namespace {

Design design_of(std::string const& text) {
  core::Dictionary dictionary = core::Dictionary::parse(text, "studyDict");
  return {dictionary, "."};
}

Measured run_of(double seconds, std::string const& hash) {
  Measured run;
  run.seconds = seconds;
  run.iterations = run.seconds_per_iteration = run.memory = std::nan("");
  run.answer["hash.state"] = hash;
  run.of_ranks["compute"] = {seconds, seconds / 2};
  return run;
}

TEST(Study, MediansAreTheMiddleAndLeaveOutWhatIsNoNumber) {
  EXPECT_EQ(run::median_of({3, 1, 2}), 2);
  EXPECT_EQ(run::median_of({4, 1, std::nan(""), 3, 2}), 2.5);
  EXPECT_TRUE(std::isnan(run::median_of({})));
}

TEST(Study, SpeedUpsAreAgainstTheFirstNumberOfRanksOfTheSameKind) {
  auto const design = design_of("axes { size (1 2); ranks (1 2 4); } settings (\"a:b={size}\");");
  EXPECT_EQ(design.along, "ranks");
  EXPECT_FALSE(design.grows);
  auto const points = design.axes.points();
  std::vector<std::vector<Measured>> const runs{{run_of(8, "a"), run_of(9, "a"), run_of(20, "a")},
                                                {run_of(5, "a")},
                                                {run_of(3, "a")},
                                                {run_of(40, "b")},
                                                {run_of(20, "b")},
                                                {run_of(16, "b")}};
  auto const found = run::summarize(design, points, runs);
  EXPECT_EQ(found[0].seconds, 9);
  EXPECT_EQ(found[0].least, 8);
  EXPECT_EQ(found[0].most, 20);
  EXPECT_EQ(found[0].parts.at("compute"), 9 * 0.75);
  EXPECT_DOUBLE_EQ(found[1].speed_up, 9.0 / 5);
  EXPECT_DOUBLE_EQ(found[2].efficiency, 9.0 / 3 / 4);
  EXPECT_DOUBLE_EQ(found[3].speed_up, 1);
  EXPECT_DOUBLE_EQ(found[5].speed_up, 2.5);
}

TEST(Study, WhereTheWorkGrowsEqualTimesAreTheIdeal) {
  for (char const* text : {"axes { ranks (1 2); rows (8 16); } together ((ranks rows)); settings (\"a:b={rows}\");",
                           "axes { ranks (1 2); } settings (\"a:b={8 * ranks}\");"}) {
    auto const design = design_of(text);
    EXPECT_TRUE(design.grows);
    auto const found = run::summarize(design, design.axes.points(), {{run_of(4, "a")}, {run_of(5, "b")}});
    EXPECT_EQ(found[1].counted, 1);
    EXPECT_DOUBLE_EQ(found[1].efficiency, 0.8);
    EXPECT_DOUBLE_EQ(found[1].speed_up, 1.6);
  }
}

TEST(Study, AnAxisThatIsSetIsNoWeakScaling) {
  auto const design =
      design_of("axes { tolerance (1e-2 1e-4 1e-6); } settings (\"a:b={tolerance}\"); along tolerance; repeats 1;");
  EXPECT_FALSE(design.grows);
  auto const points = design.axes.points();
  run::StudyResult result{
      "x", "host", "program", 4, run::summarize(design, points, {{run_of(1, "a")}, {run_of(2, "b")}, {run_of(4, "c")}}),
      {}};
  auto const told = run::remarks(design, result);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0], "Seconds are from the start of computing to the end of the run, each of one run.");
  EXPECT_EQ(told[1], "Speed-up is against the first value of tolerance.");
  EXPECT_NE(run::page(design, result).find(">1e-06</text>"), std::string::npos);
}

TEST(Study, ARunWithAnotherAnswerDoesNotCount) {
  auto const design =
      design_of("axes { ranks (1 2); tile (8 16); } settings (\"a:b={tile}\"); same { axes (ranks tile); }");
  Measured failed;
  failed.error = "exit code 1: no";
  auto const found = run::summarize(design, design.axes.points(),
                                    {{run_of(4, "a"), run_of(2, "c")}, {failed, run_of(5, "a")}, {run_of(1, "b")}, {}});
  EXPECT_EQ(found[0].counted, 1);
  EXPECT_EQ(found[0].seconds, 4);
  EXPECT_EQ(found[1].counted, 1);
  EXPECT_EQ(found[1].why, "exit code 1: no");
  EXPECT_EQ(found[2].counted, 0);
  EXPECT_EQ(found[2].why, "hash.state is \"b\", \"a\" with ranks=1 tile=8");
  EXPECT_TRUE(std::isnan(found[2].speed_up));
  EXPECT_EQ(found[3].runs, 0);
}

TEST(Study, ARunIsReadFromItsReportAndFromItsRecord) {
  auto const design = design_of("axes { ranks (1); }");
  auto const report = core::Report::Json::parse(R"({"time": {"wall": 3.5, "boot": 0.5, "ofRanks": {"compute": [3, 2]}},
    "solvers": {"T": {"averageIterations": 7.5, "secondsPerIteration": 0.1}}, "memory": {"peakBytesPerRankMax": 1e6},
    "hash": {"T": "abc"}, "results": {"max": 1}})");
  auto const [key, run] = run::run_in(run::text_of("k", run::measured_in(report, design)));
  EXPECT_EQ(key, "k");
  EXPECT_EQ(run.seconds, 3);
  EXPECT_EQ(run.iterations, 7.5);
  EXPECT_EQ(run.memory, 1e6);
  EXPECT_EQ(run.answer.dump(), R"({"hash.T":"abc"})");
  EXPECT_EQ(run.of_ranks["compute"][1], 2);
  EXPECT_EQ(run::run_in("{\"key\": \"k\"").first, "");
  auto const other = design_of("axes { ranks (1); } measure time.wall; same { of (results.max); }");
  EXPECT_EQ(run::measured_in(report, other).seconds, 3.5);
  EXPECT_EQ(run::measured_in(report, other).answer.size(), 1U);
  auto const said = [&](std::string const& text) -> std::string {
    try {
      run::measured_in(report, design_of(text));
    } catch (core::Error const& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(said("axes { ranks (1); }\nmeasure time.wal;"),
            "studyDict:2: the report of a run has no number 'time.wal'; did you mean 'time.wall'?");
  EXPECT_EQ(said("axes { ranks (1); }\nsame\n{\nof (hash.T hash.U);\n}"),
            "studyDict:4: the report of a run has no entry 'hash.U'; did you mean 'hash.T'?");
  EXPECT_EQ(said("axes { ranks (1); } measure banana;"),
            "studyDict:1: the report of a run has no number 'banana', expected a name of "
            "postProcessing/report.json, such as time.compute");
}

TEST(Study, PagesAndTablesKeepTheirFormWhateverTextsHold) {
  auto const design = design_of("axes { kind (a|b <c>); } settings (\"a:b={kind}\"); repeats 1;");
  run::StudyResult result{
      "a & b", "host", "program", 2, run::summarize(design, design.axes.points(), {{run_of(1, "a")}, {run_of(2, "a")}}),
      {}};
  auto const text = run::markdown(design, result), html = run::page(design, result);
  EXPECT_NE(text.find("| a\\|b |"), text.npos);
  EXPECT_NE(html.find("&lt;c&gt;"), html.npos);
  EXPECT_EQ(html.find("<c>"), html.npos);
  EXPECT_NE(html.find("Study of a &amp; b"), html.npos);
}

TEST(Plots, BarsAreAsLongAsTheirValues) {
  io::BarChart const chart{
      .title = "t", .unit = "s", .parts = {{"a", io::colours::blue, {1, 2}}, {"b", io::colours::grey, {3, 0}}}};
  auto const svg = io::bar_plot(chart, {"x", "y"});
  std::vector<double> widths;
  for (auto at = svg.find("\" width=\""); at != svg.npos; at = svg.find("\" width=\"", at + 1))
    if (double const w = std::stod(svg.substr(at + 9)); w != 12) widths.push_back(w);
  ASSERT_EQ(widths.size(), 3U);  // no bar for nothing
  EXPECT_NEAR(widths[1] / widths[0], 3, 0.01);
  EXPECT_NEAR(widths[2] / widths[0], 2, 0.01);
}

TEST(Plots, NumbersOverDecadesLieOnALogarithmicAxisWhereTheyMay) {
  io::LinePlot plot{"Time", "tolerance", "seconds", {{"one", {{1e-6, 1}, {1e-5, 1}, {1e-4, 1}}}}, true};
  auto const places = [&] {
    std::vector<double> found;
    std::string const svg = io::line_plot(plot), circle = "<circle cx=\"";
    for (auto at = svg.find(circle); at != svg.npos; at = svg.find(circle, at + 1))
      found.push_back(std::stod(svg.substr(at + circle.size())));
    return found;
  };
  auto logarithmic = places();
  ASSERT_EQ(logarithmic.size(), 3u);
  EXPECT_NEAR(logarithmic[1] - logarithmic[0], logarithmic[2] - logarithmic[1], 0.2);
  plot.may_be_logarithmic = false;
  EXPECT_LT(places()[1] - places()[0], 50);
  plot.may_be_logarithmic = true;
  plot.curves[0].points[0].first = 0;  // no logarithm
  EXPECT_LT(places()[1] - places()[0], 50);
}

}  // namespace
