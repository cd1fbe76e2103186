// SPDX-License-Identifier: Apache-2.0
// Cables whose load changes, against formulas, on any ranks; and those whose load is given.
#include "tests/support/written_case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>

namespace tessera::tests::rating_in_time {
namespace {

constexpr double pi = std::numbers::pi;
std::string const control = "application cableRating; writeControl none;";

core::Report::Json results(std::string const& cables, std::string const& mesh = "mesh { cells 40000; far 300; }") {
  WrittenCase c({{"system/controlDict", control}, {"constant/cables", cables + mesh}});
  return c.run()["results"];
}

/// Rise of a line source in ground of resistivity 1 after a time, at a small radius, from 1 W/m L deep, and without end: exponential
/// integrals of the cable and its image (IEC 60853-1's attainment factor, times the steady rise).
double line_source(double radius, double depth, double diffusivity, double time) {
  auto const e1 = [](double x) { return -std::expint(-x); };
  return (e1(radius * radius / (4 * diffusivity * time)) - e1(depth * depth / (diffusivity * time))) / (4 * pi);
}

/// A disc of the ground's own material that is heated evenly: a line source outside, half of 1 / 4 pi more in the mean.
TEST(CableRatingInTime, HeatsTheGroundAsALineSource) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  double const r = 0.01, depth = 1, resistance = 1e-4, capacity = 2e6;
  for (double hours : {2.0, 20.0, 200.0, 2000.0}) {
    double const seconds = 3600 * hours;
    double const rise = line_source(r, depth, 1 / capacity, seconds) + 1 / (8 * pi);
    auto const found = results(fmt::format(R"(
ambient 10; soil {{ resistivity 1; capacity {}; }} materials {{ ground {{ resistivity 1; capacity {}; rho20 1e-8; }} }}
types {{ C {{ conductor {{ diameter {}; material ground; R20 {}; }} layers (); }} }}
circuits {{ a {{ type C; positions ((0 {})); frequency 0; current 0; }} }}
emergency {{ circuit a; duration {}; limit 60; }})",
                                           capacity, capacity, 2 * r, resistance, -depth, seconds));
    double const expected = std::sqrt(50 / rise / resistance);
    EXPECT_NEAR(found["emergency"]["current"].get<double>(), expected, 1.5e-3 * expected) << hours;
  }
}

/// IEC 60853-1, 5: cables whose own heat capacity may be neglected, to 3 %. Y of the hours before the highest temperature.
double factor_of_iec60853(std::vector<double> const& load, double diameter, double depth, double diffusivity,
                          double k) {
  std::vector<double> const squares = [&] {
    std::vector<double> result;
    for (double share : load) result.push_back(share * share);
    return result;
  }();
  double mu = 0;
  for (double y : squares) mu += y / static_cast<double>(squares.size());
  double const whole = std::log(4 * depth / diameter) / (2 * pi);
  auto const attained = [&](int hours) {  // share of the steady rise of the conductor
    return hours == 0 ? 0 : 1 - k + k * line_source(diameter / 2, depth, diffusivity, 3600.0 * hours) / whole;
  };
  double worst = 0;  // of all hours at whose end the highest temperature may be
  for (std::size_t end = 0; end < squares.size(); ++end) {
    double sum = mu * (1 - attained(6));
    for (int i = 0; i < 6; ++i)
      sum += squares[(end + squares.size() - static_cast<std::size_t>(i)) % squares.size()] *
             (attained(i + 1) - attained(i));
    worst = std::max(worst, sum);
  }
  return 1 / std::sqrt(worst);
}

TEST(CableRatingInTime, CarriesADailyLoadAsIEC60853Says) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  std::vector<double> const load{0.4, 0.4,  0.35, 0.35, 0.4,  0.5,  0.6, 0.8, 0.9,  0.9, 0.85, 0.85,
                                 0.9, 0.85, 0.8,  0.8,  0.85, 0.95, 1,   1,   0.95, 0.8, 0.6,  0.5};
  double const r = 0.012, outer = 0.018, depth = 0.9, capacity = 2e6;
  auto const found = results(fmt::format(R"(
ambient 15; soil {{ resistivity 1; capacity {}; }}
materials {{ metal {{ resistivity 0.0026; capacity 1e3; rho20 1.7241e-8; }} light {{ resistivity 3.5; capacity 1e3; }} }}
types {{ C {{ conductor {{ diameter {}; material metal; R20 5e-5; }} layers ( {{ name insulation; thickness {}; material light; }} ); }} }}
circuits {{ a {{ type C; positions ((0 {})); frequency 0; current rated; limit 90; load ({}); }} }})",
                                         capacity, 2 * r, outer - r, -depth, fmt::join(load, " ")));
  double const inside = 3.5 * std::log(outer / r) / (2 * pi), outside = std::log(2 * depth / outer) / (2 * pi);
  double const expected = factor_of_iec60853(load, 2 * outer, depth, 1 / capacity, outside / (inside + outside));
  auto const& daily = found["daily"]["a"];
  EXPECT_NEAR(daily["highest"].get<double>(), 90, 1e-3);
  EXPECT_NEAR(daily["factor"].get<double>(), expected, 0.01 * expected);
}

std::string const two_circuits = R"(
ambient 15; soil { resistivity 1; capacity 2e6; }
types { C { conductor { diameter 0.02; material aluminium; area 240e-6; }
            layers ( { name insulation; thickness 0.006; material XLPE; } { name screen; thickness 0.002; material lead; }
                     { name jacket; thickness 0.003; material PVC; } ); limit 80; voltage 60e3; } }
circuits { flat { type C; positions ((-0.1 -1) (0 -1) (0.1 -1)); current rated; %s }
           other { type C; positions ((0.3 -0.8)); frequency 0; current 300; } }
)";
std::string const coarse = "mesh { finest 0.0025; growth 0.15; far 30; }";

std::string with(std::string const& words) {
  auto text = two_circuits;
  return text.replace(text.find("%s"), 2, words);
}

TEST(CableRatingInTime, ALoadThatNeverChangesIsASteadyOne) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto const found = results(with("load (1 1);"), coarse);
  EXPECT_NEAR(found["daily"]["flat"]["factor"].get<double>(), 1, 1e-5);
  EXPECT_NEAR(found["daily"]["other"]["highest"].get<double>(), found["circuits"]["other"]["temperature"].get<double>(),
              1e-3);
}

/// Each current holds from the begin of its step to the end.
TEST(CableRatingInTime, ShowsTheCurrentsOfADayAsSteps) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  WrittenCase c({{"system/controlDict", "application cableRating; writeControl timeStep;"},
                 {"constant/cables", with("load (0.5 1);") + "dailyStep 21600;" + coarse}});
  c.run();
  auto const page = c.read("results/rating.html");
  auto const chart = page.find("<title>Current</title>");
  ASSERT_NE(chart, std::string::npos);
  auto const begin = page.find("<path d=\"", chart) + 9;
  std::istringstream path(page.substr(begin, page.find('"', begin) - begin));
  std::vector<std::pair<double, double>> points;
  char letter = 0;
  for (double x = 0, y = 0; path >> letter >> x >> y;) points.emplace_back(x, y);
  ASSERT_EQ(points.size(), 8U);  // four steps
  double const quarter = points[1].first - points[0].first;
  for (std::size_t n = 0; n < 8; ++n) {
    EXPECT_NEAR(points[n].first, points[0].first + static_cast<double>((n + 1) / 2) * quarter, 0.2) << n;
    EXPECT_EQ(points[n].second, points[n < 4 ? 0 : 4].second) << n;
  }
  EXPECT_LT(points[4].second, points[0].second);  // upwards
}

/// Half of the day nothing, half of it all: between the steady current and that of the same mean losses.
TEST(CableRatingInTime, ALoadOfHalfADayLiesBetweenItsBounds) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto const found = results(with("load (0 1);"), coarse);
  EXPECT_GT(found["daily"]["flat"]["factor"].get<double>(), 1.05);
  EXPECT_LT(found["daily"]["flat"]["factor"].get<double>(), std::sqrt(2.0));
  EXPECT_LT(found["daily"]["other"]["highest"].get<double>(),
            found["circuits"]["other"]["temperature"].get<double>());  // its neighbours' losses are less in the mean
}

TEST(CableRatingInTime, TheCurrentForADurationFlowsSoLong) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto const current = results(with("") + "emergency { circuit flat; duration 7200; limit 100; }", coarse)["emergency"];
  EXPECT_NEAR(current["temperature"].get<double>(), 100, 1e-5);
  auto const time = results(with("") + fmt::format("emergency {{ circuit flat; current {:.17g}; limit 100; }}",
                                                   current["current"].get<double>()),
                            coarse)["emergency"];
  EXPECT_TRUE(time["reached"].get<bool>());
  EXPECT_NEAR(time["seconds"].get<double>(), 7200, 10);
  auto const never = results(with("") + "emergency { circuit other; current 301; limit 80; }", coarse)["emergency"];
  EXPECT_FALSE(never["reached"].get<bool>());
  EXPECT_LT(never["temperature"].get<double>(), 80);
}

TEST(CableRatingInTime, AnEmergencyEndsAtTheLimitOfTheCircuitUnlessItHasItsOwn) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  auto const emergency = [](std::string const& limit) {
    return results(with("") + "emergency { circuit other; current 1500; " + limit + "}", coarse)["emergency"];
  };
  auto const own = emergency(""), given = emergency("limit 80;");
  EXPECT_NEAR(own["temperature"].get<double>(), 80, 1e-9);
  EXPECT_EQ(own["seconds"], given["seconds"]);
  EXPECT_GT(emergency("limit 105;")["seconds"], own["seconds"]);
}

TEST(CableRatingInTime, HasTheSameBitsOnAnyRanks) {
  WrittenCase c({{"system/controlDict", control},
                 {"constant/cables",
                  with("load (0.3 0.5 1 0.8);") + "emergency { circuit flat; current 700; limit 105; }" + coarse}});
  auto const report = c.run();
  auto const one = c.run_alone();
  EXPECT_EQ(one["results"]["daily"], report["results"]["daily"]);
  EXPECT_EQ(one["results"]["emergency"], report["results"]["emergency"]);
}

TEST(CableRatingInTime, RefusesWhatCannotBe) {
  auto const said = [](std::string const& cables) -> std::string {
    try {
      results(cables, coarse);
    } catch (std::exception const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(said(with("load (0.5 0.8);")).find("load"), std::string::npos);
  EXPECT_NE(said(with("") + "emergency { circuit flatt; current 900; }").find("did you mean 'flat'"),
            std::string::npos);
  EXPECT_NE(said(with("") + "emergency { circuit flat; }").find("expected one of current [A]"), std::string::npos);
  for (char const* limit : {"", "limit 70;", "limit 80;"}) {
    auto const text = said(with("") + "\nemergency { circuit flat; current 900; " + limit + " }");
    EXPECT_NE(text.find("constant/cables:9: "), std::string::npos) << text;
    EXPECT_NE(text.find("80 C, which the conductors of circuit flat have before the emergency"), std::string::npos)
        << text;
  }
  auto const hot = said(with("") + "\nemergency { circuit other; current 900; limit 30; }");
  EXPECT_NE(hot.find("constant/cables:9: circuit other has conductors at "), std::string::npos) << hot;
}

/// Who gives a current asks how warm its cables become: the log and the page tell where that is too much.
TEST(CableRating, TellsGivenCurrentsThatAreAboveTheirLimit) {
  WrittenCase c({{"system/controlDict", control}, {"constant/cables", R"(
ambient 15; soil { resistivity 1; } surface { type convective; h 12; }
types { C { conductor { diameter 0.02; material aluminium; area 240e-6; }
            layers ( { name insulation; thickness 0.006; material XLPE; } { name jacket; thickness 0.003; material PVC; } );
            limit 80; } }
circuits { much { type C; positions ((0 -1)); frequency 0; current 900; }
           little { type C; positions ((3 -1)); frequency 0; current 200; } }
emergency { circuit little; current 900; }
mesh { finest 0.0025; growth 0.15; far 30; })"}});
  auto loud = c.options({"system/controlDict:writeControl=timeStep"});
  loud.quiet = false;
  testing::internal::CaptureStdout();
  run::run_case(core::Comm(), loud);
  auto const log = testing::internal::GetCapturedStdout();
  if (!core::Comm().root()) return;
  auto const line = [&](std::string const& circuit) {
    auto const at = log.find("\nCircuit " + circuit + ": ", log.find("conductor C"));
    return at == std::string::npos ? log : log.substr(at + 1, log.find('\n', at + 1) - at - 1);
  };
  EXPECT_NE(line("much").find(" C at 900 A, ABOVE its limit of 80 C; "), std::string::npos) << line("much");
  EXPECT_EQ(line("little").find("ABOVE"), std::string::npos) << line("little");
  EXPECT_NE(log.find("Emergency of circuit little: until its conductors have 80 C, its limit: none is given"),
            std::string::npos)
      << log;
  auto const page = c.read("results/rating.html");
  auto const first = page.find(" above its limit");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(page.find(" above its limit", first + 1), std::string::npos) << "both circuits";
}

}  // namespace
}  // namespace tessera::tests::rating_in_time
