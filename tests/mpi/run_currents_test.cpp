// SPDX-License-Identifier: Apache-2.0
#include "core/comm/runtime.hpp"
#include "run/models/percolation/method.hpp"
#include "solvers/conduction.hpp"
#include "tests/support/kirchhoff.hpp"
#include "tests/support/percolation_case.hpp"

#include <gtest/gtest.h>

#include <utility>

using namespace tessera;
using tests::PercolationCase;

namespace tests_currents {

/// Exact, but for one site that it leaves out of the backbone.
class Careless final : public run::percolation::Method {
 public:
  Careless() : exact_(run::percolation::Methods::make("lattice")) {}
  void start(run::percolation::Settings const& settings, run::percolation::Medium const& medium,
             core::Layout const& layout) override {
    exact_->start(settings, medium, layout);
  }
  run::percolation::Crossed cross(run::percolation::Query const& query) override {
    auto found = exact_->cross(query);
    tests::for_each_cell(*found.backbone, [](core::Index x, std::uint8_t& value) {
      if (x.i == 1 && x.j == 3) value = 0;
    });
    return found;
  }

 private:
  std::shared_ptr<run::percolation::Method> exact_;
};
bool const added = run::percolation::add_method<Careless>("careless", "exact, but for one site");

}  // namespace tests_currents

namespace {

/// A task of the case, and what its fields hold: by name, a value a cell of the grid, on all ranks.
struct Ran {
  run::TaskResult result;
  std::map<std::string, std::vector<double>> fields;
};

Ran ran_by(PercolationCase& a_case) {
  Ran ran;
  core::Comm const world;
  auto const take = [&](std::vector<core::FieldBase const*> const& fields, core::Box const&) {
    for (auto const* field : fields) {
      auto& values = ran.fields[field->name()];
      values.assign(static_cast<std::size_t>(field->layout().grid().total()), -2);
      core::visit(*field, [&](auto const& typed) {
        tests::for_each_cell(typed, [&](core::Index x, auto const& value) {
          values[static_cast<std::size_t>(typed.layout().grid().number(x))] = static_cast<double>(value);
        });
      });
    }
  };
  ran.result = run::run_task(
      world,
      {.directory = a_case.path().string(), .settings = {}, .output = a_case.path("out").string(), .take = take});
  for (auto& [name, values] : ran.fields)
    for (double& value : values) value = world.max(value);
  std::string text = world.root() ? ran.result.report.dump() : "";
  world.broadcast(text);
  ran.result.report = core::Report::Json::parse(text);
  return ran;
}

struct CurrentShape {
  std::string lattice;
  int connectivity;
  core::Grid::Shape cells;
  std::string tile;
  double p;
  std::vector<core::Index> steps{};  ///< where neighbours are listed
};
std::vector<CurrentShape> const shapes{
    {"square", 4, {11, 13, 1}, "(4 5 1)", 0.68},
    {"square", 8, {9, 11, 1}, "(5 3 1)", 0.5},
    {"triangular", 6, {11, 9, 1}, "(3 4 1)", 0.6},
    {"cubic", 6, {6, 5, 7}, "(3 5 2)", 0.45},
    {"cubic", 26, {4, 5, 6}, "(3 2 4)", 0.2},
    {"listed", 8, {9, 11, 1}, "(5 3 1)", 0.45, {{1, 0, 0}, {0, 1, 0}, {3, 0, 0}, {-1, 2, 0}}},
    {"listed", 8, {4, 5, 6}, "(1 2 4)", 0.4, {{1, 0, 0}, {0, 0, 2}, {0, 1, 0}, {2, 1, -1}}},
};

std::vector<core::Index> both_ways(std::vector<core::Index> steps) {
  for (std::size_t n = steps.size(); n-- > 0;) steps.push_back(core::Index{} - steps[n]);
  return steps;
}

}  // namespace

// Kirchhoff's equations on the whole clusters that join the ends, dead ends and all, against the currents of the backbone.
TEST(Currents, OfEachSiteAreThoseOfADenseSolution) {
  int spanning = 0;
  for (auto const& shape : shapes)
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      bool const sites = seed % 2 == 0, periodic = seed % 3 == 0;
      std::size_t const axis = shape.cells[2] > 1 ? 2 : 1;
      tests::Medium m = tests::random_medium(shape.cells, shape.p, seed);
      core::Random const random{seed, 0};  // that of the case
      for (std::size_t c = 0; c < m.cells.size(); ++c) m.cells[c] = random.uniform(c) < shape.p;
      m.periodic[0] = periodic;
      PercolationCase a_case(fmt::format("input {{ type random; probability {}; seed {}; }} {} frame none; "
                                         "definition D2; conductivity yes; electrodes {}; verify yes; method lattice;\n"
                                         "fields (backbone potential flux dissipation);",
                                         shape.p, seed,
                                         shape.steps.empty() ? fmt::format("lattice {}; connectivity {};",
                                                                           shape.lattice, shape.connectivity)
                                                             : tests::listed(shape.steps),
                                         sites ? "sites" : "faces"),
                             fmt::format("cells ({} {} {}); tile {}; periodic ({} no no);", shape.cells[0],
                                         shape.cells[1], shape.cells[2], shape.tile, periodic ? "yes" : "no"));
      auto const ran = ran_by(a_case);
      double const bond = sites ? 1 : 2;
      auto const expected = tests::kirchhoff(
          m,
          shape.steps.empty() ? tests::neighbours_of(m, shape.lattice, shape.connectivity)
                              : tests::neighbours_of(m, both_ways(shape.steps)),
          tests::side_of(m, static_cast<core::Side>(2 * axis)),
          tests::side_of(m, static_cast<core::Side>(2 * axis + 1)), [](int, int) { return 1.0; },
          [&](int) { return bond; });
      auto const& results = ran.result.report["results"];
      auto const where = fmt::format("{} {} seed {}\n{}", shape.lattice, shape.connectivity, seed, m.text());
      EXPECT_EQ(ran.result.code, core::Exit::done) << where;
      EXPECT_NEAR(results["conductance"].get<double>(), expected.conductance, 1e-9) << where;
      EXPECT_LE(results["currentOffBackbone"].get<double>(), 1e-9) << where;
      bool const faces = shape.connectivity == 4 || (shape.lattice == "cubic" && shape.connectivity == 6);
      EXPECT_EQ(results.contains("conductivity"), faces) << where;
      spanning += expected.conductance > 0;
      auto const &u = ran.fields.at("potential"), &flux = ran.fields.at("flux"), &heat = ran.fields.at("dissipation");
      double total = 0;
      for (std::size_t c = 0; c < m.cells.size(); ++c) {
        bool const on = ran.fields.at("backbone")[c] != 0;
        ASSERT_NEAR(u[c], on ? expected.potential[c] : -1, 1e-10) << where << c;
        ASSERT_NEAR(flux[c], expected.flux[c], 1e-10) << where << c;
        ASSERT_NEAR(heat[c], expected.dissipation[c], 1e-10) << where << c;
        total += heat[c];
      }
      EXPECT_NEAR(total, expected.conductance, 1e-9) << where;
    }
  EXPECT_GT(spanning, 22);
}

TEST(Currents, OfAPlaneMediumWithBarsAreVerifiedToo) {
  for (std::string const how :
       {"definition D1;", "definition D2; frame none;", "propagation synchronous;", "direction all;"}) {
    PercolationCase a_case(
        "input { type random; probability 0.64; seed 4; } conductivity yes; verify yes; fields (flux);" + how,
        "cells (40 34 1); tile (16 16 1);");
    auto const ran = ran_by(a_case);
    EXPECT_EQ(ran.result.code, core::Exit::done) << how;
    EXPECT_TRUE(ran.fields.contains(how == "direction all;" ? "flux_x" : "flux")) << how;
    auto const& results = ran.result.report["results"];
    auto const& one = how == "direction all;" ? results["directions"]["y"] : results;
    EXPECT_EQ(one["spans"], true) << how;
    EXPECT_LE(one["currentOffBackbone"].get<double>(), 1e-9) << how;
  }
}

// One site of a full strip is missing: the currents differ, and those of the clusters flow through it.
TEST(Currents, ThatFlowOffTheBackboneAreToldByTheExitCode) {
  PercolationCase a_case(
      "input { type random; probability 1; } conductivity yes; verify yes; method careless; frame none; ",
      "cells (5 7 1); tile (3 3 1);");
  auto const ran = ran_by(a_case);
  EXPECT_EQ(ran.result.code, core::Exit::not_converged);
  // a straight current of 1/8 in each of five columns
  EXPECT_NEAR(ran.result.report["results"]["currentOffBackbone"].get<double>(), 0.2, 1e-6);
  core::Comm const world;
  if (world.root()) {
    EXPECT_NE(ran.result.log.back().find("currentOffBackbone"), std::string::npos) << ran.result.log.back();
  }
}

TEST(Currents, AreRefusedByNameWhereTheyCannotBe) {
  PercolationCase a_case("input { type random; probability 0.6; }", "cells (20 20 1);");
  auto const expect = [&](std::vector<std::string> settings, std::string const& words) {
    for (auto& s : settings)
      if (s.find(':') == std::string::npos) s = "constant/percolationProperties:" + s;
    auto const complaint = a_case.complaint(settings);
    EXPECT_NE(complaint.find(words), std::string::npos) << complaint << "\nexpected: " << words;
  };
  expect({"fields=(flux)"}, "flux");
  expect({"verify=yes"}, "is for conductivity yes");
  expect({"connectivity=8", "conductivity=yes", "backbone=no", "verify=yes"}, "nothing to compare with");
  expect({"lattice=triangular", "conductivity=yes", "system/fvSolution:solvers.potential={ solver PCG; }"},
         "is for the whole grid");
}

TEST(Currents, OutsideAMaskAreFoundOverTilesAndRanks) {
  auto const layout = tests::shuffled_layout({4, 6, 1}, {3, 2, 1});
  core::Field<std::uint8_t> all("all", *layout, 0, 1), mask("mask", *layout, 0, 1);
  solvers::Electrodes const electrodes{.inlet = {{0, 0, 0}, {4, 1, 1}}, .outlet = {{0, 5, 0}, {4, 6, 1}}, .bond = 1};
  auto found = solvers::conduct(all, electrodes, {.neighbours = {{0, -1, 0}, {-1, 0, 0}}, .potential = true});
  EXPECT_EQ(solvers::largest_current_outside(*found.potential, mask, electrodes), 0);
  tests::for_each_cell(mask, [](core::Index x, std::uint8_t& value) { value = x.i != 2 || x.j != 3; });
  EXPECT_NEAR(solvers::largest_current_outside(*found.potential, mask, electrodes), 1.0 / 7, 1e-9);
}
