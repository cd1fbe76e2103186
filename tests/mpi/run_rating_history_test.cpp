// SPDX-License-Identifier: Apache-2.0
// Soil that dries out, wherever the isotherm lies; soil that stays dry where earlier currents have dried it, on any ranks.
#include "core/error.hpp"
#include "tests/support/tb880.hpp"
#include "tests/support/written_case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace tessera::tests::rating_history {
namespace {

constexpr double pi = std::numbers::pi;
/// A cable alone, r and R, h deep in soil of 1 K m/W, dry 2.5; its resistance does not rise with the temperature.
constexpr double r = 0.015, outer = 0.03, h = 1.2, v = 2.5, above = 25, ohms = 2.83e-5;

std::string cables(std::string const& current, std::string const& history = "", std::string const& more = "") {
  return fmt::format(R"(
ambient 10; soil {{ resistivity 1; dryResistivity 2.5; }} dryAbove 35; {}
materials {{ flat {{ resistivity 0.002604166; rho20 1.7241e-8; }} }}
types {{ C {{ conductor {{ diameter 0.03; material flat; R20 2.83e-5; }}
              layers ( {{ name insulation; thickness 0.015; material PE; }} ); limit 80; }} }}
circuits {{ a {{ type C; positions ((0 -1.2)); frequency 0; current {}; }} {} }}
mesh {{ cells 60000; far 300; }})",
                     history, current, more);
}

WrittenCase made(std::string const& text) {
  return WrittenCase(
      {{"system/controlDict", "application cableRating; writeControl none;"}, {"constant/cables", text}});
}

core::Report::Json results(std::string const& text) { return made(text).run()["results"]; }

/// Where W0 has dried the soil, the isotherm is a circle of Apollonius, on which eta = acosh(h / R) of the image formula is
/// 2 pi dTx / W0. Such circles are isotherms of any heat, so that less heat W has T4 = (v (eta - eta0) + eta0) / 2 pi.
struct Past {
  double eta = std::acosh(h / outer), eta0;
  explicit Past(double current) : eta0(2 * pi * above / (current * current * ohms)) {}
  double resistance() const { return (3.5 * std::log(outer / r) + v * (eta - eta0) + eta0) / (2 * pi); }
  double area() const {
    double const a = std::sqrt(h * h - outer * outer), radius = a / std::sinh(eta0);
    return pi * (radius * radius - outer * outer);
  }
};

TEST(CableRatingHistory, SoilStaysDryUnderLessCurrent) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  Past const past(1500);
  double const current = 1000, rise = current * current * ohms * past.resistance();
  auto const found = results(cables("1000", "history ( { a 800; } { a 1500; } { } );"));
  EXPECT_NEAR(found["cables"]["a"]["conductor"].get<double>() - 10, rise, 1.5e-3 * rise);
  EXPECT_NEAR(found["dryArea"].get<double>(), past.area(), 0.02 * past.area());
  EXPECT_NEAR(found["balance"]["error"].get<double>(), 0, 1e-4 * current * current * ohms);
}

TEST(CableRatingHistory, LeavesLessCurrentWhereItHasDriedMore) {
  if (core::Comm().size() > 1) GTEST_SKIP() << "a rank alone tells it";
  Past const past(1500);
  auto const now = [](core::Report::Json const& found) { return found["circuits"]["a"]["current"].get<double>(); };
  double const expected = std::sqrt(70 / past.resistance() / ohms), without = now(results(cables("rated")));
  auto const dried = results(cables("rated", "history ( { a 1500; } );"));
  EXPECT_LT(expected, 0.99 * without);
  EXPECT_NEAR(now(dried), expected, 1e-3 * expected);
  // less than what is carried now has dried nothing more
  EXPECT_NEAR(now(results(cables("rated", "history ( { a 700; } );"))), without, 2e-4 * without);
}

/// A neighbour that is no longer in use has dried soil that others lie in; with the same bits on any ranks.
TEST(CableRatingHistory, RemembersCircuitsThatRest) {
  std::string const other =
      "rest { type C; positions ((0.08 -1.2)); frequency 0; current 0; } load { type C; positions "
      "((2 -1)); frequency 0; current 600; load (1 0.5); } ";
  auto c = made(cables("rated", "history ( { rest 1400; } );", other));
  auto const report = c.run();
  double const here = report["results"]["circuits"]["a"]["current"];
  EXPECT_GT(report["results"]["dryArea"].get<double>(), 0.01);
  EXPECT_EQ(report["results"]["daily"]["rest"]["factor"], 1);
  EXPECT_LT(here, 0.99 * results(cables("rated", "", other))["circuits"]["a"]["current"].get<double>());
  auto const one = c.run_alone();
  EXPECT_EQ(one["hash"], report["hash"]);
  EXPECT_EQ(one["results"]["daily"], report["results"]["daily"]);
}

TEST(CableRatingHistory, RefusesWhatHasNotBeen) {
  auto const said = [](std::string text, std::string const& without = "") -> std::string {
    if (auto const at = text.find(without); !without.empty()) text.erase(at, without.size());
    try {
      made(text).run();
    } catch (std::exception const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(said(cables("rated", "history ( { b 700; } );")).find("unknown circuit 'b'"), std::string::npos);
  EXPECT_NE(said(cables("rated", "history ( 700 );")).find("a list of { CIRCUIT current; ... }"), std::string::npos);
  EXPECT_NE(said(cables("rated", "history ( { a -1; } );")).find("entry 'a'"), std::string::npos);
  EXPECT_NE(said(cables("rated", "history ( { a 700; } );"), "dryResistivity 2.5; ").find("dryResistivity"),
            std::string::npos);
  std::string text = cables("rated", "history ( { a 700; } );");
  text.erase(text.find("dryAbove 35;"), 12);
  text.erase(text.find("dryResistivity 2.5; "), 20);
  EXPECT_NE(said(text).find("dryAbove beside it"), std::string::npos) << said(text);
}

std::string const control = "application cableRating; writeControl none;";
std::string const tb880 = "ambient 20; soil { resistivity 1; } types {" + tb880_cable + "}";

/// Limits at which the isotherm lies close to the cables, or leaves one of three in wet soil: by the formula of two zones, from
/// the surface on, for a cable alone; by the limit at the currents that were found, for three.
TEST(CableRatingDrying, RatesWhateverTheSoilDriesAt) {
  if (core::Comm().size() > 1) GTEST_SKIP() << "a rank alone tells it";
  double const t4 = std::acosh(1 / 0.03775) / (2 * pi);
  struct Try {
    char const *circuit, *above;
    double v;
  };
  char const *one = "positions ((0 -1));", *flat = "positions ((-0.2 -1) (0 -1) (0.2 -1)); bonding oneEnd;",
             *trefoil = "positions ((-0.03775 -1.021795) (0.03775 -1.021795) (0 -0.956410));";
  for (auto const& [circuit, above, v] :
       {Try{one, "45", 2.5}, {one, "50", 2.5}, {one, "50", 2}, {one, "48", 3}, {trefoil, "60", 2}, {flat, "50", 2.5}}) {
    std::string text = tb880;
    text.replace(text.find("soil { resistivity 1; }"), 23,
                 "soil { resistivity 1; dryResistivity " + std::to_string(v) + "; } dryAbove " + above + ";");
    WrittenCase c({{"system/controlDict", control},
                   {"constant/cables", text + "circuits { a { type C; current rated; " + circuit + " } }"}});
    auto const report = c.run();
    auto const& results = report["results"];
    EXPECT_LT(report["steps"].get<int>(), 35) << circuit << above;
    if (circuit == one) {
      auto const& cable = results["cables"]["a"];
      double const expected = v * cable["losses"].get<double>() * t4 - (v - 1) * (std::stod(above) - 20);
      EXPECT_NEAR(cable["surface"].get<double>() - 20, expected, 2e-3 * expected) << above << " " << v;
      EXPECT_NEAR(cable["conductor"].get<double>(), 90, 1e-6);
    }
    auto const back = c.run({"constant/cables:circuits.a.current=" +
                             results["circuits"]["a"]["current"].dump()})["results"]["circuits"]["a"];
    EXPECT_NEAR(back["temperature"].get<double>(), 90, 1e-3) << circuit << above;
  }
}

/// Conductors above their limit without a current of their own are what the section says, not what led to it.
TEST(CableRatingDrying, TellsHowHotOthersMakeACircuitInDrySoil) {
  if (core::Comm().size() > 1) GTEST_SKIP() << "a rank alone tells it";
  std::string text = tb880;
  text.replace(text.find("soil { resistivity 1; }"), 23, "soil { resistivity 1; dryResistivity 3; } dryAbove 45;");
  auto const circuits = [](std::string const& current) {
    return "circuits { a { type C; positions ((0 -1)); current 1250; } b { type C; positions ((0.1 -1)); current " +
           current + "; limit 60; } }";
  };
  WrittenCase alone({{"system/controlDict", control}, {"constant/cables", text + circuits("0")}});
  double const heated = alone.run()["results"]["cables"]["b"]["conductor"];
  EXPECT_GT(heated, 60);
  WrittenCase c({{"system/controlDict", control}, {"constant/cables", text + circuits("rated")}});
  try {
    c.run();
    FAIL() << "b has no current";
  } catch (core::Error const& error) {
    std::string const said = error.what(), words = "circuit b has conductors at ";
    ASSERT_NE(said.find(words), std::string::npos) << said;
    EXPECT_NEAR(std::stod(said.substr(said.find(words) + words.size())), heated, 1);  // on the coarsest mesh
  }
}

}  // namespace
}  // namespace tessera::tests::rating_history
