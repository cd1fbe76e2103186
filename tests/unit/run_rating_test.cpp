// SPDX-License-Identifier: Apache-2.0
// Losses of cables against IEC 60287-1-1's formulas and the numbers that CIGRE TB 880 prints; meshes.
#include "core/error.hpp"
#include "core/files.hpp"
#include "run/model.hpp"
#include "run/models/rating/losses.hpp"
#include "run/models/rating/mesh.hpp"
#include "run/models/rating/site.hpp"
#include "tests/support/foam.hpp"
#include "tests/support/tb880.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <sstream>

namespace tessera::tests {
namespace {

using namespace run::rating;
constexpr double pi = std::numbers::pi;

std::string const types = "types {" + tb880_cable + "}";

Site site_of(std::string const& circuits, std::string const& more = "") {
  auto in = core::Dictionary::parse(
      "ambient 20; soil { resistivity 1; } " + more + types + "circuits {" + circuits + "}", "cables");
  Site site(in);
  in.check_all_read();
  return site;
}
std::string complaint(std::string const& circuits, std::string const& more = "") {
  try {
    site_of(circuits, more);
  } catch (core::Error const& error) {
    return error.what();
  }
  return "";
}
std::string const trefoil =
    "line { type C; positions ((-0.03775 -1.021795) (0.03775 -1.021795) (0 -0.956410)); current rated; }";

TEST(CableLosses, AreThoseThatTB880Prints) {
  auto const site = site_of(trefoil);
  auto const& c = site.types[0];
  auto const& f = site.circuits[0].formation;
  EXPECT_EQ(f.kind, Formation::Kind::trefoil);
  EXPECT_NEAR(f.spacing, 0.0755, 1e-6);
  EXPECT_NEAR(c.outer(), 0.03775, 1e-12);
  EXPECT_NEAR(ac_resistance(c, f, 50, 90), 3.952152638e-5, 3e-11);  // positions are rounded to a micrometre
  EXPECT_NEAR(dielectric_loss(c, 50), 0.3851382172, 1e-9);
  EXPECT_NEAR(resistance(c.layers[*c.sheath], 80), 2.072723957e-4, 1e-12);
}

TEST(CableLosses, CirculatingCurrentsAreTheirsInTrefoil) {
  double const rs = 2.072723957e-4, r = 3.952152638e-5, s = 0.0755, current = 700;
  std::vector<Sheath> sheaths;
  std::array<std::array<double, 2>, 3> const at{{{0, 0}, {s, 0}, {s / 2, s * std::sqrt(0.75)}}};
  for (int n = 0; n < 3; ++n)
    sheaths.push_back({at[static_cast<std::size_t>(n)], 0.03385, rs, current, -2 * pi * n / 3, 0});
  for (double i : circulating_currents(sheaths, 50))
    EXPECT_NEAR(rs * i * i / (r * current * current), 0.2928142510,
                1e-9);  // lambda1 of the first iteration, TB 880 4.5.2
  for (auto& sheath : sheaths) sheath.bonded = -1;
  EXPECT_EQ(circulating_currents(sheaths, 50), std::vector<double>(3, 0.0));
  for (auto& sheath : sheaths) sheath.bonded = 0;
  EXPECT_EQ(circulating_currents(sheaths, 0), std::vector<double>(3, 0.0));
}

/// IEC 60287-1-1, 5.3.4: three cables in a plane, not transposed, sheaths joined at both ends.
TEST(CableLosses, CirculatingCurrentsInAPlaneFollowTheStandardsFormula) {
  double const rs = 3e-4, d = 0.06, s = 0.2, omega = 2 * pi * 50;
  double const x = 2 * omega * 1e-7 * std::log(2 * s / d), xm = 2 * omega * 1e-7 * std::log(2.0);
  double const p = x + xm, q = x - xm / 3;
  double const both = 0.75 * p * p / (rs * rs + p * p) + 0.25 * q * q / (rs * rs + q * q);
  double const apart = 2 * rs * p * q * xm / (std::sqrt(3.0) * (rs * rs + q * q) * (rs * rs + p * p));
  std::vector<Sheath> sheaths;
  for (int n = 0; n < 3; ++n) sheaths.push_back({{n * s, -1}, d / 2, rs, 100, -2 * pi * n / 3, 7});
  auto const i = circulating_currents(sheaths, 50);
  EXPECT_NEAR(i[1] * i[1] / 1e4, q * q / (rs * rs + q * q), 1e-12);
  EXPECT_NEAR(std::max(i[0], i[2]) * std::max(i[0], i[2]) / 1e4, both + apart, 1e-12);
  EXPECT_NEAR(std::min(i[0], i[2]) * std::min(i[0], i[2]) / 1e4, both - apart, 1e-12);
}

TEST(CableLosses, EddiesAreTheirs) {
  auto const site = site_of(trefoil);
  Layer const& sheath = site.types[0].layers[*site.types[0].sheath];
  Formation const f{Formation::Kind::trefoil, 0.0755, 0};
  // TB 880 4.6.3, first iteration of the variant with single point bonding
  EXPECT_NEAR(eddy_factor(sheath, f, false, false, 50, 2.0727239574e-4, 3.9521526380e-5), 0.0769560093, 1e-8);
  // far apart there are none but those of its own current
  Formation const far{Formation::Kind::trefoil, 1e3, 0};
  EXPECT_LT(eddy_factor(sheath, far, false, false, 50, 2e-4, 4e-5), 1e-4);
  EXPECT_NEAR(eddy_share(1e9, 1e9), 1, 1e-6);  // resistive sheaths: nothing circulates
}

TEST(CableLosses, SkinEffectIsContinuousOverItsRanges) {
  // xs^2 = 8 pi f / R' 1e-7: resistances at the ends of the standard's ranges
  for (double x : {2.8, 3.8}) {
    auto const at = [&](double y) { return skin_effect(8 * pi * 50e-7 / (y * y), 50, 1); };
    EXPECT_NEAR(at(x - 1e-6), at(x + 1e-6), 0.01) << x;  // as the standard rounds its coefficients
  }
}

TEST(CableSite, TellsFormations) {
  using Kind = Formation::Kind;
  EXPECT_EQ(formation_of({{0, -1}}).kind, Kind::single);
  EXPECT_EQ(formation_of({{0, -1}, {0.2, -1}, {0.4, -1}}).kind, Kind::flat);
  EXPECT_EQ(formation_of({{0.4, -1}, {0, -1}, {0.2, -1}}).middle, 2u);
  EXPECT_EQ(formation_of({{0, -1}, {0.2, -1}, {0.5, -1}}).kind, Kind::other);
  EXPECT_NEAR(formation_of({{0, -1}, {0.2, -1}, {0.4, -1}}).spacing, 0.2, 1e-12);
}

TEST(CableSite, RefusesWhatCannotLieInTheGround) {
  EXPECT_EQ(complaint(trefoil), "");
  EXPECT_NE(complaint("a { type C; positions ((0 -0.02)); current 1; }").find("expected it below the surface"),
            std::string::npos);
  EXPECT_NE(complaint("a { type C; positions ((0 -1)); current 1; } b { type C; positions ((0.05 -1)); current 1; }")
                .find("0.0255 m into cable a"),
            std::string::npos);
  EXPECT_NE(complaint("a { type C; positions ((0 -1)); current 1; }",
                      "beds { b { box ((-1 -1.02) (1 -0.5)); resistivity 2; } }")
                .find("across the side of bed b"),
            std::string::npos);
  EXPECT_NE(complaint("a { type D; positions ((0 -1)); current 1; }").find("unknown type 'D'; valid: C"),
            std::string::npos);
  EXPECT_NE(complaint("a { type C; positions ((0 -1) (1 -1)); current 1; }").find("one cable or the three"),
            std::string::npos);
  EXPECT_NE(complaint("a { type C; positions ((0 -1) (1 -1) (3 -1)); current 1; }").find("yp"), std::string::npos);
  EXPECT_NE(complaint("a { type C; positions ((0 -1)); current rated; limit 363.15; }").find("limit"),
            std::string::npos);
}

TEST(CableSite, RefusesUnitsThatAreMistaken) {
  auto const with = [](std::string const& of, std::string const& other) {
    auto in = core::Dictionary::parse("ambient 20; soil { resistivity 1; } " +
                                          std::string(types).replace(types.find(of), of.size(), other) +
                                          "circuits { a { type C; positions ((0 -1)); current 1; } }",
                                      "cables");
    return error_of([&] { Site site(in); });
  };
  EXPECT_EQ(with("132e3", "132e3"), "");
  EXPECT_NE(with("132e3", "132").find("'voltage' is 132 V, expected volts"), std::string::npos) << with("132e3", "132");
  EXPECT_NE(with("R20 2.83e-5", "R20 2.83e-2").find("is 0.0283 Ohm/m, 1184 times that"), std::string::npos);
  EXPECT_NE(with("aluminium;", "aluminium; R20 0.21;").find("expected Ohm/m"), std::string::npos);
  EXPECT_NE(with("limit 90", "limit 293").find("'limit' is '293', expected a number from -60 to 250"),
            std::string::npos)
      << with("limit 90", "limit 293");
}

TEST(CableMesh, HasFineCellsAtCablesAndWiderOnesBeyond) {
  Sizes const sizes{0.001, 0.1};
  auto const axis = graded_axis(-10, 4, {{-1, -0.9}, {-0.95, -0.8}, {0.2, 0.3}}, sizes);
  EXPECT_EQ(axis.low(), -10);
  EXPECT_EQ(axis.high(), 4);
  for (core::Count i = 0; i < axis.cells(); ++i) {
    double const x = axis.centre(i), w = axis.width(i);
    double const d = std::max({0.0, std::min({std::max(-1 - x, x + 0.8), std::max(0.2 - x, x - 0.3)})});
    EXPECT_LE(w, (sizes.finest + sizes.growth * d) * 1.06) << x;  // the integral over a cell, not at its centre
    EXPECT_GE(w, (sizes.finest + sizes.growth * d) * 0.94) << x;
    double const before = axis.width(std::max<core::Count>(i, 1) - 1);
    EXPECT_LT(std::max(w / before, before / w), 1.12) << x;
  }
}

TEST(CableMesh, HasAboutAsManyCellsAsAskedFor) {
  auto const site = site_of(trefoil);
  for (core::Count cells : {20'000, 300'000}) {
    auto const grid = make_grid(site, 100, {finest_width(site, 100, 0.12, cells), 0.12});
    EXPECT_LE(grid.total(), cells);
    EXPECT_GT(grid.total(), cells * 9 / 10);
    EXPECT_EQ(grid.axis(1).high(), 0);
  }
}

}  // namespace
TEST(RatingHelp, PutsErrorsWhereTheReportHasThem) {
  auto const help = run::Models::find("cableRating").help;
  for (char const* part : {"results.circuits.NAME current", "results.daily.NAME", "results.emergency"}) {
    auto const from = help.find(part);
    ASSERT_NE(from, std::string::npos) << part;
    EXPECT_NE(help.substr(from, help.find(';', from) - from).find("estimatedError"), std::string::npos) << part;
  }
  auto const mesh = help.find("results.mesh");
  EXPECT_EQ(help.substr(mesh, help.find(';', mesh) - mesh).find("estimatedError"), std::string::npos);
}

TEST(RatingMaterials, AreThoseOfTheDocumentation) {
  auto const text = core::read_file(std::string(TESSERA_SOURCE_DIR) + "/docs/ratings.md");
  std::size_t rows = 0;
  Materials const materials;
  for (auto const& [name, m] : materials.all()) {
    auto const from = text.find("\n| `" + name + "` | ");
    ASSERT_NE(from, std::string::npos) << name;
    std::istringstream row(text.substr(from + 1, text.find('\n', from + 1) - from - 1));
    std::vector<double> numbers;  // an empty column is 0
    std::string column;
    for (int n = 0; std::getline(row, column, '|'); ++n) {
      bool const inverse = column.starts_with(" 1/");
      double const v = std::strtod(column.c_str() + (inverse ? 3 : 0), nullptr);
      if (n > 1) numbers.push_back(inverse ? 1 / v : v);
    }
    std::vector<double> const expected{m.resistivity, m.capacity / 1e6, m.rho20 * 1e8,
                                       m.alpha20,     m.permittivity,   m.loss_factor};
    ASSERT_EQ(numbers.size(), expected.size()) << name;
    for (std::size_t n = 0; n < expected.size(); ++n)
      EXPECT_NEAR(numbers[n], expected[n], 1e-9 * expected[n]) << name << ", column " << n;
    ++rows;
  }
  EXPECT_EQ(rows, 17U);
}

}  // namespace tessera::tests
