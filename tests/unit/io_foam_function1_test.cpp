// SPDX-License-Identifier: Apache-2.0
// Functions of time in the forms that cases have and that OpenFOAM v1912 writes into its time directories.
#include "io/foam/function1.hpp"

#include "tests/support/foam.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tessera::tests {
namespace {

using io::foam::Function1;

Function1 read(std::string const& text) {
  auto const d = dictionary(text);
  auto const f = Function1::read(d, "v", [](std::string const&) -> std::string { return "((0 1) (10 2))"; });
  d.check_all_read();
  return f;
}

double sine(double amplitude, double frequency, double t) {
  return amplitude * std::sin(2 * std::numbers::pi * frequency * t);
}

TEST(Function1, ReadsASineAsOpenFoamWritesIt) {
  // v1912's 200/T after a run with `amplitude 10; frequency 0.001; level 300; scale 1; t0 5;`
  auto const written =
      read("v    sine;\n    vCoeffs\n    {\n        t0              5;\n        amplitude       constant 10;\n        "
           "frequency   "
           "    constant 0.001;\n        scale           constant 1;\n        level           constant 300;\n    }\n");
  for (std::string const settings : {"amplitude 10; frequency 0.001; level 300; scale 1; t0 5;",
                                     "amplitude { type constant; value 10; } frequency 0.001; level 300; t0 5;"})
    for (auto const& f : {read("v sine; vCoeffs { " + settings + " }"), read("v { type sine; " + settings + " }"),
                          read("v sine; " + settings)})
      for (double const t : {0.0, 5.0, 200.0, 1234.5}) EXPECT_EQ(f(t), written(t)) << settings;
  EXPECT_EQ(written(200), sine(10, 0.001, 195) + 300);
  EXPECT_FALSE(written.constant());
}

TEST(Function1, TakesFunctionsWithinAWave) {
  // as v1912 writes `amplitude sine; ... level polynomial ((300 0) (1 1)); scale table ((0 1) (1 2));`, and what it finds
  // at 200 s
  auto const f = read(
      "v sine; vCoeffs { t0 0; amplitude sine; amplitudeCoeffs { t0 0; amplitude constant 3; frequency constant 0.1; "
      "scale constant 1; level constant 1; } frequency constant 0.001; scale table\n\n2\n(\n(0 1)\n(1 2)\n)\n;\n level "
      "polynomial\n\n2\n(\n(300 0)\n(1 1)\n)\n; }");
  EXPECT_NEAR(f(200), 501.90211303259031, 1e-10);
  auto const square =
      read("v square; vCoeffs { t0 0; markSpace 1; amplitude constant 10; frequency constant 0.001; scale "
           "constant 1; level table ((0 300) (1000 310)); }");
  EXPECT_EQ(square(100), 311);
  EXPECT_EQ(square(600), 296);
  EXPECT_EQ(error_of([] { read("v sine; vCoeffs { amplitude sine; frequency 1; }"); }),
            "dict:1: entry 'amplitudeCoeffs' is missing in 'vCoeffs'");  // not the wave itself, without end
}

TEST(Function1, TellsHowFarAStepMayGo) {
  // a pulse of 60 s ramps within a day
  auto const day = read("v { type table; values ((0 200) (43200 200) (43260 1e4) (46800 1e4) (46860 200) (86400 200)); "
                        "outOfBounds repeat; }");
  EXPECT_EQ(day.step_end(0, 86400), 43200);
  EXPECT_EQ(day.step_end(0, 1000), 1000);
  EXPECT_EQ(day.step_end(43200, 86400), 43260);
  EXPECT_EQ(day.step_end(43260, 86400), 46800);
  EXPECT_EQ(day.step_end(46860, 1e6), 86400 + 43200) << "over the end of the table, in one line";
  EXPECT_EQ(day.step_end(3 * 86400.0, 1e9), 3 * 86400.0 + 43200);
  EXPECT_EQ(day.step_end(3 * 86400.0 * (1 - 1e-16), 1e9), 3 * 86400.0 + 43200) << "an ulp before";
  // a wiggle of less than a hundredth of the range is none
  auto const wiggle = read("v table ((0 300) (10 300.5) (20 299.7) (30 300) (40 400));");
  EXPECT_EQ(wiggle.step_end(0, 100), 30);
  EXPECT_EQ(wiggle.step_end(40, 100), 100);
  EXPECT_EQ(read("v 3;").step_end(0, 100), 100);
  EXPECT_EQ(read("v polynomial ((1 2));").step_end(0, 100), 100);
  EXPECT_EQ(read("v table ((0 1) (5 1));").step_end(0, 100), 100);
  auto const sine = read("v { type sine; frequency 0.01; t0 5; }");
  EXPECT_NEAR(sine.step_end(0, 1000), 5, 1e-9);
  EXPECT_NEAR(sine.step_end(5, 1000), 30, 1e-9);
  EXPECT_NEAR(sine.step_end(110, 1000), 130, 1e-9);
  auto const square = read("v { type square; frequency 0.01; markSpace 3; level 1; }");
  double const before = square.step_end(10, 1000);
  EXPECT_LT(before, 75);
  EXPECT_NEAR(before, 75, 1e-9);
  EXPECT_EQ(square(before), square(10));
  EXPECT_NEAR(square.step_end(before, 1000), 100, 1e-9);
}

TEST(Function1, RepeatsATableBeyondItsLastPointAlone) {
  // v1912's values of this table at 6, 7, 11 and 12 s
  auto const f = read("v { type table; values ((1 300) (4 340) (6 310)); outOfBounds repeat; }");
  EXPECT_EQ(f(6), 310);
  EXPECT_NEAR(f(7), 300 + 40.0 / 3, 1e-12);
  EXPECT_EQ(f(11), 300);
  EXPECT_NEAR(f(0), f(5), 1e-12);
}

TEST(Function1, HasTheSameBitsForManyNumbersInARow) {
  std::vector<double> x;
  for (int n = 0; n < 200; ++n) x.push_back(10 * std::sin(1.7 * n * n) + (n % 20 == 0 ? 0 : 1e-9 * n));
  for (double const edge : {-3.0, 0.0, 2.0, 5.0}) x.push_back(edge);
  x.push_back(std::nan(""));
  for (std::string const text :
       {"v 3;", "v table ((-3 1) (0 2) (2 -7) (5 0.1));", "v table ((-3 1) (5 2)); outOfBounds repeat;",
        "v table ((1 4));", "v polynomial ((2 0) (-0.3 1) (1e-3 2) (0.7 1));",
        "v { type sine; amplitude 2; frequency 0.3; level 1; }", "v { type square; frequency 0.3; }"})
    for (double const factor : {1.0, -0.7}) {
      auto const f = read(text).scaled(factor);
      std::vector<double> values(x.size());
      f.evaluate(x, values);
      for (std::size_t n = 0; n < x.size(); ++n)
        EXPECT_EQ(std::bit_cast<std::int64_t>(values[n]), std::bit_cast<std::int64_t>(f(x[n]))) << text << ' ' << x[n];
    }
}

TEST(Function1, ReadsTablesAsOpenFoamWritesThem) {
  for (std::string const text : {"v table ((0 300) (100 320)); outOfBounds repeat; interpolationScheme linear;",
                                 "v    table\n\n2\n(\n(0 300)\n(100 320)\n)\n;\n    outOfBounds     repeat;",
                                 "v table; vCoeffs { v table ((0 300) (100 320)); outOfBounds repeat; }",
                                 "v table; vCoeffs { values ((0 300) (100 320)); outOfBounds repeat; }",
                                 "v table ((0 300) (100 320)); vCoeffs { outOfBounds repeat; }",
                                 "v { type table; values ((0 300) (100 320)); outOfBounds repeat; }"})
    EXPECT_EQ(read(text)(150), 310) << text;
  EXPECT_EQ(read("v table ((0 300) (100 320)); outOfBounds clamp;")(150), 320);
  EXPECT_THROW(read("v table ((0 300) (100 320)); outOfBounds error;")(150), core::Error);
  // an end that sums of steps reach but for rounding
  auto const ends = read("v table ((0 300) (0.3 320)); outOfBounds error;");
  EXPECT_EQ(ends(0.1 + 0.2), 320);
  EXPECT_EQ(ends(-1e-17), 300);
  EXPECT_THROW(ends(0.3 + 1e-9), core::Error);
  EXPECT_EQ(read("v tableFile; vCoeffs { file \"a\"; outOfBounds repeat; }")(15), 1.5);
  EXPECT_EQ(read("v tableFile; file \"a\"; outOfBounds warn;")(15), 2);
}

Function1 read_csv(std::string const& settings, std::string const& file) {
  auto const d = dictionary("v csvFile; vCoeffs { file \"load.csv\"; " + settings + " }");
  auto const f = Function1::read(d, "v", [&](std::string const& name) {
    EXPECT_TRUE(name.ends_with("load.csv")) << name;
    return file;
  });
  d.check_all_read();
  return f;
}

TEST(Function1, ReadsColumnsOfFilesOfNumbers) {
  // the keys that v1912's csvFile wants
  std::string const keys = "nHeaderLine 1; refColumn 0; componentColumns (2); separator \",\"; mergeSeparators no;";
  auto const f = read_csv(keys, "hour, name, amperes\r\n0, a, 100\r\n\n3600,,3.5e2\n7200, c ,400");
  EXPECT_EQ(f(0), 100);
  EXPECT_EQ(f(1800), 225);
  EXPECT_EQ(f(9999), 400);
  EXPECT_EQ(read_csv(keys + " outOfBounds repeat;", "x\n0,0,1\n10,0,3\n")(15), 2);
  // the columns in another order, behind any number of blanks
  auto const turned = "nHeaderLine 0; refColumn 1; componentColumns 1(0); separator \" \"; mergeSeparators yes;";
  EXPECT_EQ(read_csv(turned, "5   0\n7 10\n")(5), 6);
  EXPECT_EQ(error_of([&] { read_csv(keys, "x\n0,0,1\n10,0\n"); }),
            "load.csv:3: column 2 is not there, expected a number");
  EXPECT_EQ(error_of([&] { read_csv(keys, "x\n0,0,1\n10,0,3A\n"); }),
            "load.csv:3: column 2 is '3A', expected a number");
  EXPECT_NE(error_of([&] { read_csv(keys, "x\n0,0,1\n0,0,3\n"); }).find("expected ascending"), std::string::npos);
  EXPECT_NE(error_of([&] { read_csv(keys, "x\n"); }).find("the table is empty"), std::string::npos);
  EXPECT_NE(error_of([] {
              read_csv("nHeaderLine 0; refColumn 0; componentColumns (1 2); separator \",\"; mergeSeparators no;", "");
            }).find("the number of one column"),
            std::string::npos);
  EXPECT_NE(error_of([] { read_csv("refColumn 0;", ""); }).find("'nHeaderLine' is missing"), std::string::npos);
}

TEST(Function1, ReadsConstantsInAnyForm) {
  for (std::string const text : {"v 310;", "v constant 310;", "v uniform 310;", "v { type constant; value 310; }",
                                 "v constant; vCoeffs { value 310; }", "v [0 0 0 1 0 0 0] 310;"})
    EXPECT_EQ(read(text)(7), 310) << text;
}

TEST(Function1, RefusesOthersByName) {
  EXPECT_NE(error_of([] { read("v tabel ((0 1));"); }).find("did you mean 'table'?"), std::string::npos);
  EXPECT_NE(error_of([] { read("v coded;"); }).find("a table or sine gives values in time"), std::string::npos);
  EXPECT_NE(error_of([] { read("v sine; vCoeffs { amplitude tabel; frequency 1; }"); }).find("'tabel'"),
            std::string::npos);
  EXPECT_EQ(error_of([] { read("v sine; vCoeffs { amplitude 1; }"); }),
            "dict:1: entry 'frequency' is missing in 'vCoeffs'");
  EXPECT_EQ(error_of([] { read("v sine; vCoeffs { frequency 1; amplitud 2; }"); }),
            "dict:1: unknown entry 'amplitud'; did you mean 'amplitude'?");
  EXPECT_NE(error_of([] { read("v sine; amplitude 3;"); }).find("'vCoeffs' is missing"), std::string::npos);
}

}  // namespace
}  // namespace tessera::tests
