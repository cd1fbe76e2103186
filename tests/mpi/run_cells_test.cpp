// SPDX-License-Identifier: Apache-2.0
// Automata of several fields, their starts, series and stops, in runs of cases.
#include "ca/rule.hpp"
#include "io/reader.hpp"
#include "tests/support/written_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

namespace tessera::ca::rules {

/// A heat that is stirred at random, and how often a cell was.
struct Stirred {
  struct State {
    double heat;
    std::int32_t times;
    static constexpr auto fields = names("heat", "times");
  };
  static constexpr bool random = true;
  static constexpr auto stencil = core::von_neumann<2>();
  static constexpr auto quantities = names("warm");
  double rate = 0.25;
  void parameters(Parameters& in) { in("rate", rate, {0, 1}, "how often"); }
  KOKKOS_FUNCTION State operator()(State c, Near<Stirred> near) const {
    if (near.uniform() >= rate) return c;
    return {0.25 * ((near(-1).heat + near(1).heat) + (near(0, -1).heat + near(0, 1).heat)), c.times + 1};
  }
  double quantity(int, State c, Near<Stirred>) const { return c.heat > 0.5 ? 1 : 0; }
};
[[maybe_unused]] static bool const stirred_added = add_rule<Stirred>("stirred", "of two fields");

}  // namespace tessera::ca::rules

namespace tessera::tests {

std::string const stirred =
    "rule stirred; rate 0.5; seed 12; boundary { left fixed 1; }\n"
    "initial { heat { type random; low -1; high 2; seed 3; } times ( { type uniform; value 3; } "
    "{ type uniform; value 7; box ((2 1 0) (6 4 1)); } ); }\n"
    "series { every 5; from 10; } stop { generations 40; }\n";
std::string const control_of_cells = "application cellularAutomaton; writeControl timeStep; writeInterval 20;\n";

WrittenCase stirred_case(std::string const& properties = stirred) {
  return WrittenCase({{"system/controlDict", control_of_cells},
                      {"constant/automatonProperties", properties},
                      {"system/gridDict", "cells (33 20 1); tile (8 8 1); periodic (no no no);"}});
}

/// A field of a snapshot, by rows; on the root.
std::vector<double> values_of(WrittenCase const& c, std::string const& snapshot, std::string const& field) {
  auto const source = io::open_rows(c.path("results/" + snapshot + ".h5").string() + ":/fields/" + field);
  bool const real = source->element() == core::Element::float64;
  EXPECT_TRUE(real || source->element() == core::Element::int32) << field;
  auto const n = source->cells();
  std::vector<double> all;
  std::vector<std::byte> row(static_cast<std::size_t>(n[0]) * (real ? 8 : 4));
  for (core::Count j = 0; j < n[1]; ++j) {
    source->next(1, row);
    for (core::Count i = 0; i < n[0]; ++i)
      all.push_back(real ? reinterpret_cast<double const*>(row.data())[i]
                         : reinterpret_cast<std::int32_t const*>(row.data())[i]);
  }
  return all;
}

TEST(Fields, OfARuleHaveStartsSnapshotsAndResultsOfTheirOwn) {
  auto c = stirred_case();
  auto const start = c.run({"automatonProperties:stop.generations=0"});
  EXPECT_EQ(start["results"]["times"]["max"], 7);
  EXPECT_EQ(start["results"]["times"]["mean"], 3 + 4.0 * 12 / 660);
  EXPECT_GE(start["results"]["heat"]["min"], -1);
  EXPECT_LT(start["results"]["heat"]["max"], 2);
  EXPECT_NEAR(start["results"]["heat"]["mean"], 0.5, 0.1);
  EXPECT_EQ(start["seed"], 12);
  if (core::Comm().root()) {
    auto const times = values_of(c, "000000", "times"), heat = values_of(c, "000000", "heat");
    for (std::size_t n = 0; n < times.size(); ++n) {
      std::size_t const i = n % 33, j = n / 33;
      EXPECT_EQ(times[n], i >= 2 && i < 6 && j >= 1 && j < 4 ? 7 : 3) << i << " " << j;
    }
    EXPECT_NE(heat[0], heat[1]);
    for (char const* name : {"results/heat.png", "results/times.png"})
      EXPECT_TRUE(std::filesystem::exists(c.path(name)));
  }
  auto const end = c.run();
  EXPECT_EQ(end["hash"].size(), 2u);
  EXPECT_NE(end["hash"]["heat"], start["hash"]["heat"]);
  // a cell is stirred in half of the generations
  EXPECT_NEAR(end["results"]["times"]["mean"].get<double>() - start["results"]["times"]["mean"].get<double>(), 20, 0.5);
  // tiles and halos ahead change nothing
  int const depth = core::on_host ? 4 : 1;
  auto const other = c.run({"system/gridDict:tile=(33 5 1)", "automatonProperties:haloDepth=" + std::to_string(depth)});
  EXPECT_EQ(other["hash"], end["hash"]);
  EXPECT_EQ(other["results"], end["results"]);
  EXPECT_EQ(other["haloDepth"], depth);
  EXPECT_NE(c.run({"automatonProperties:seed=13"})["hash"], end["hash"]);
}

TEST(Fields, GoOnFromASnapshotWithTheSameBitsAndSeries) {
  auto c = stirred_case();
  auto const whole = c.run();
  std::string const rows = c.read("postProcessing/series.csv");
  if (core::Comm().root()) std::filesystem::remove(c.path("results/000040.h5"));
  core::Comm().barrier();
  auto const told = c.run({"controlDict:startFrom=latestTime"});
  EXPECT_EQ(told["hash"], whole["hash"]);
  EXPECT_EQ(told["results"], whole["results"]) << "means of the series, too";
  EXPECT_EQ(c.read("postProcessing/series.csv"), rows);
}

TEST(Series, HasARowEachSoManyGenerations) {
  auto c = stirred_case();
  auto const end = c.run();
  std::istringstream lines(c.read("postProcessing/series.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "generation,heat_min,heat_max,heat_mean,times_population,times_min,times_max,times_mean,warm");
  double warm = 0;
  int n = 0;
  for (; std::getline(lines, line); ++n) {
    EXPECT_EQ(line.substr(0, line.find(',')), std::to_string(5 * n));
    double const last = std::stod(line.substr(line.rfind(',') + 1));
    if (5 * n >= 10) warm += last;
    if (n == 8) {
      EXPECT_EQ(end["results"]["warm"], last);
    }
  }
  EXPECT_EQ(n, 9);
  EXPECT_EQ(end["results"]["series"]["warm"]["mean"], warm / 7);
}

TEST(Series, CountsTheStatesOfFewAndEndsTheRunWhenACaseSaysSo) {
  WrittenCase c(
      {{"system/controlDict", "application cellularAutomaton;"},
       {"constant/automatonProperties", "rule \"/2/3\"; initial { type random; probability 0.3; } series { every 2; } "
                                        "stop { generations 50; when \"state_2 > 0 && generation >= 6\"; }"},
       {"system/gridDict", "cells (40 30 1);"}});
  auto const end = c.run();
  EXPECT_EQ(end["results"]["generation"], 6);
  std::string const rows = c.read("postProcessing/series.csv");
  EXPECT_EQ(rows.substr(0, rows.find('\n')), "generation,population,state_1,state_2");
  auto const wrong = [&](std::string const& stop, std::string const& part) {
    try {
      c.run({"automatonProperties:stop=" + stop});
      ADD_FAILURE() << stop;
    } catch (core::Error const& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  wrong("{ when \"populatoin == 0\"; }", "populatoin");
  c.write("constant/automatonProperties", "rule \"/2/3\"; initial { type random; } stop { when \"population == 0\"; }");
  wrong("{ when \"population == 0\"; }", "series { every N; }");
}

/// A fluid round a disc, which ends once its permeability no longer moves.
WrittenCase fluid_case() {
  return WrittenCase(
      {{"system/controlDict", "application cellularAutomaton;"},
       {"constant/automatonProperties",
        "rule D2Q9; force (1e-6 0); initial { solid { type ball; value 1; centre (6 5 9); radius 2.6; } } series { "
        "every 10; }\n"
        "stop { when \"abs(permeability - permeability_before) < 1e-3 * permeability && generation > 0\"; }"},
       {"system/gridDict", "cells (12 10 1); tile (5 4 1); periodic (yes yes no);"}});
}
// A force far too large for the lattice. The results are written, for who wants to see what happened.
TEST(Automaton, OfNumbersThatGrowBeyondAllBoundsFails) {
  auto c = WrittenCase({{"system/controlDict", "application cellularAutomaton;"},
                        {"constant/automatonProperties",
                         "rule D2Q9; inertia yes; force (0.05 0); viscosity 0.01; stop { generations 400; }\n"
                         "initial { solid { type random; probability 0.1; } }"},
                        {"system/gridDict", "cells (32 24 1); periodic (yes yes no);"}});
  try {
    run::run_case(core::Comm(), c.options());
    FAIL() << "no error";
  } catch (core::RunError const& error) {
    EXPECT_NE(std::string(error.what()).find(": no number in some cells at generation 400"), std::string::npos);
  }
  EXPECT_FALSE(c.read("postProcessing/report.json").empty()) << "what became of it is written";
  run::TaskOptions task;
  task.directory = c.path().string();
  task.output = c.path("task").string();
  auto const result = run::run_task(core::Comm(), task);
  EXPECT_EQ(result.code, core::Exit::failed);
  EXPECT_NE(result.failure.find("no number"), std::string::npos) << "as a sweep tells it";
  EXPECT_EQ(run::run_case(core::Comm(), c.options({"automatonProperties:force=(1e-6 0)"})), core::Exit::done);
}

/// Generations and permeabilities of the series.
std::vector<std::pair<int, double>> permeabilities(WrittenCase const& c) {
  std::istringstream lines(c.read("postProcessing/series.csv"));
  std::string line;
  std::getline(lines, line);
  std::vector<std::pair<int, double>> all;
  while (std::getline(lines, line)) all.emplace_back(std::stoi(line), std::stod(line.substr(line.rfind(',') + 1)));
  return all;
}

TEST(Series, ComparesARowWithTheOneBefore) {
  auto c = fluid_case();
  auto const end = c.run();
  auto const rows = permeabilities(c);
  ASSERT_GT(rows.size(), 4u);
  for (std::size_t n = 2; n < rows.size(); ++n)
    EXPECT_EQ(std::abs(rows[n].second - rows[n - 1].second) < 1e-3 * rows[n].second, n + 1 == rows.size()) << n;
  EXPECT_EQ(end["results"]["generation"], rows.back().first);

  auto two = fluid_case();  // the row before is that of the run before
  two.run({fmt::format("automatonProperties:stop={{ generations {}; }}", rows.back().first - 10)});
  auto const later = two.run();
  EXPECT_EQ(later["results"]["generation"], rows.back().first);
  EXPECT_EQ(later["hash"], end["hash"]);
}

TEST(Fields, ThatARuleDerivesAreShownInPlaceOfItsArrays) {
  auto c = fluid_case();
  auto const end = c.run();
  int solid = 0;
  for (int j = 0; j < 10; ++j)
    for (int i = 0; i < 12; ++i) solid += std::hypot(i + 0.5 - 6, j + 0.5 - 5) <= 2.6;
  EXPECT_EQ(end["results"]["solid"]["population"], solid);
  EXPECT_FALSE(end["results"].contains("f0"));
  EXPECT_TRUE(end["hash"].contains("f0"));
  EXPECT_GT(end["results"]["velocityX"]["max"], 0);
  std::string const rows = c.read("postProcessing/series.csv");
  EXPECT_EQ(
      rows.substr(0, rows.find('\n')),
      "generation,solid_population,solid_min,solid_max,solid_mean,pressure_min,pressure_max,pressure_mean,velocityX_"
      "min,"
      "velocityX_max,velocityX_mean,velocityY_min,velocityY_max,velocityY_mean,mass,momentumX,momentumY,permeability");
  if (!core::Comm().root()) return;
  EXPECT_TRUE(std::filesystem::exists(c.path("results/velocityX.png")));
  EXPECT_FALSE(std::filesystem::exists(c.path("results/f0.png")));
  char name[16];
  std::snprintf(name, sizeof name, "%06d", end["results"]["generation"].get<int>());
  auto const u = values_of(c, name, "velocityX");
  EXPECT_EQ(*std::max_element(u.begin(), u.end()), end["results"]["velocityX"]["max"]);
  double f = 0;  // of the populations, and half a step's force
  std::size_t const at = 3;
  for (auto const& [q, c_x] : std::vector<std::pair<int, int>>{{1, 1}, {2, -1}, {5, 1}, {6, -1}, {7, 1}, {8, -1}})
    f += c_x * values_of(c, name, fmt::format("f{}", q))[at];
  EXPECT_NEAR(u[at], f - 0.5e-6, 1e-18);
}

TEST(Starts, OfFieldsAreRefusedWithTheirPlace) {
  auto const refused = [](std::string const& initial, std::vector<std::string> const& parts) {
    auto c = stirred_case("rule stirred; initial " + initial + " stop { generations 1; }");
    std::string text;
    try {
      c.run();
    } catch (core::Error const& error) {
      text = error.what();
    }
    for (auto const& part : parts) EXPECT_NE(text.find(part), std::string::npos) << initial << " -> " << text;
  };
  refused("{ type uniform; value 1; }", {"automatonProperties:1: ", "'stirred' has the fields heat, times"});
  refused("{ heta { type uniform; value 1; } }", {"unknown field 'heta'", "heat"});
  refused("{ times { type uniform; value 0.5; } }", {"value", "0.5", "states -2147483648 .. 2147483647"});
  refused("{ heat { type random; low 2; high 1; } }", {"high", "less than"});
  refused("{ heat { type uniform; value 1; box ((0 0 0) (40 2 1)); } }", {"box", "33 x 20 x 1"});
  refused("{ heat 3; }", {"heat", "expected"});
  refused("{ heat { type ball; value 1; centre (1 2 0); radius 0; } }", {"radius", "above 0"});
  refused("{ tpye random; }", {"tpye", "{ type ...; }"});
}

}  // namespace tessera::tests
