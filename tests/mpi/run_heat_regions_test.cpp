// SPDX-License-Identifier: Apache-2.0
// Cases of several solid regions, from end to end.
#include "tests/support/poly_mesh.hpp"
#include "tests/support/written_case.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sstream>

namespace tessera::tests {
namespace {

std::string head(std::string const& type, std::string const& object) {
  return "FoamFile { version 2.0; format ascii; class " + type + "; object " + object + "; }\n";
}

/// A wall of two layers of different materials, a of 0.2 m and b of 0.3 m, that is 400 K on the left, and to the right air of
/// 300 K. Between them may lie thin layers.
struct Wall {
  double kappa_a = 20, kappa_b = 0.5, capacity_a = 2e6, capacity_b = 1e6, h = 8;
  double layers = 0.001 / 0.01 + 0.002 / 0.05;  // m2 K/W
  std::vector<double> a{0, 0.02, 0.06, 0.12, 0.2}, b{0.2, 0.23, 0.28, 0.36, 0.43, 0.5};

  /// Faces each cut in so many.
  Wall refined(int by) const {
    Wall fine = *this;
    for (auto* faces : {&fine.a, &fine.b}) {
      std::vector<double> cut{faces->front()};
      for (std::size_t n = 1; n < faces->size(); ++n)
        for (int m = 1; m <= by; ++m) cut.push_back((*faces)[n - 1] + ((*faces)[n] - (*faces)[n - 1]) * m / by);
      *faces = cut;
    }
    return fine;
  }
  /// T of the cells of a, then b, after steps of Euler's scheme from 300 K; by elimination of the resistances in series.
  std::vector<double> after(int steps, double dt) const {
    std::vector<double> width, kappa, capacity;
    for (auto const* faces : {&a, &b})
      for (std::size_t n = 1; n < faces->size(); ++n) {
        width.push_back((*faces)[n] - (*faces)[n - 1]);
        kappa.push_back(faces == &a ? kappa_a : kappa_b);
        capacity.push_back(faces == &a ? capacity_a : capacity_b);
      }
    std::size_t const n = width.size(), joint = a.size() - 1;
    std::vector<double> g(n + 1);  // conductance of the face below each cell
    g[0] = 2 * kappa[0] / width[0];
    g[n] = 1 / (1 / h + 0.5 * width[n - 1] / kappa[n - 1]);
    for (std::size_t c = 1; c < n; ++c)
      g[c] = 1 / (0.5 * width[c - 1] / kappa[c - 1] + 0.5 * width[c] / kappa[c] + (c == joint ? layers : 0));
    std::vector<double> t(n, 300);
    for (int step = 0; step < steps; ++step) {
      std::vector<double> up(n), right(n);
      for (std::size_t c = 0; c < n; ++c) {
        double const mass = capacity[c] * width[c] / dt;
        double diagonal = mass + g[c] + g[c + 1];
        right[c] = mass * t[c] + (c == 0 ? g[0] * 400 : 0) + (c + 1 == n ? g[n] * 300 : 0);
        if (c > 0) {
          diagonal -= g[c] * up[c - 1];
          right[c] += g[c] * right[c - 1];
        }
        up[c] = g[c + 1] / diagonal;
        right[c] /= diagonal;
      }
      t[n - 1] = right[n - 1];
      for (std::size_t c = n - 1; c-- > 0;) t[c] = right[c] + up[c] * t[c + 1];
    }
    return t;
  }
};

std::string const coupled = "type compressible::turbulentTemperatureRadCoupledMixed; Tnbr T; kappaMethod solidThermo; "
                            "value uniform 300; ";
std::string const with_layers = "thicknessLayers (0.001 0.002); kappaLayers (0.01 0.05); ";

std::string field_of(std::string const& boundary, std::string const& internal = "uniform 300") {
  return head("volScalarField", "T") + "dimensions [0 0 0 1 0 0 0];\ninternalField " + internal +
         ";\nboundaryField {\n" + boundary + " sides { type zeroGradient; } }\n";
}

struct WallCase {
  core::Comm world;
  Wall wall;
  WrittenCase made{
      {{"system/controlDict",
        head("dictionary", "controlDict") +
            "application chtMultiRegionFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 4000; "
            "deltaT 500;\nwriteControl timeStep; writeInterval 4; writeFormat ascii; writePrecision 17; "
            "maxDi 10; adjustTimeStep no;\n"},
       {"system/fvSolution", head("dictionary", "fvSolution") + "PIMPLE { nOuterCorrectors 1; }\n"},
       {"system/decomposeParDict", "method scotch;\ntile (2 1 1);\n"},
       {"constant/regionProperties", head("dictionary", "regionProperties") + "regions ( fluid () solid (a b) );\n"}}};

  WallCase() {
    for (std::string const& region : {std::string("a"), std::string("b")}) {
      if (world.root())
        for (std::string folder : {"0/", "constant/", "system/"})
          std::filesystem::create_directories(made.path(folder + region));
      world.barrier();
      made.write("system/" + region + "/fvSchemes",
                 "ddtSchemes { default Euler; } laplacianSchemes { default none; laplacian(alpha,h) Gauss linear "
                 "corrected; }\n");
      made.write("system/" + region + "/fvSolution",
                 "solvers { h { solver PCG; preconditioner DIC; tolerance 1e-6; relTol 0.1; } hFinal { $h; tolerance " +
                     std::string(region == "a" ? "1e-6" : "1e-13") + "; relTol 0; } }\nPIMPLE { }\n");
      bool const is_a = region == "a";
      material(region, "constIso", is_a ? wall.kappa_a : wall.kappa_b, is_a ? wall.capacity_a : wall.capacity_b);
    }
    meshes();
    temperatures(with_layers, with_layers);
  }
  void material(std::string const& region, std::string const& transport, double kappa, double capacity) {
    made.write(
        "constant/" + region + "/thermophysicalProperties",
        fmt::format("thermoType {{ type heSolidThermo; mixture pureMixture; transport {}; thermo hConst; "
                    "equationOfState rhoConst; specie specie; energy sensibleEnthalpy; }}\nmixture {{ specie {{ "
                    "molWeight 1; }} transport {{ kappa {}; }} thermodynamics {{ Hf 0; Cp {}; }} equationOfState "
                    "{{ rho 1000; }} }}\n",
                    transport, kappa, capacity / 1000));
  }
  void temperatures(std::string const& of_a, std::string const& of_b) {
    made.write("0/a/T", field_of("left { type fixedValue; value uniform 400; } a_to_b { " + coupled + of_a + "}"));
    made.write("0/b/T", field_of("right { type externalWallHeatFluxTemperature; mode coefficient; h uniform 8; Ta 300; "
                                 "kappaMethod solidThermo; value uniform 300; } b_to_a { " +
                                 coupled + of_b + "}"));
  }
  /// The files of constant/REGION/polyMesh, of 2 x 2 rows of cells; those of b in another order than rows.
  void meshes() {
    if (world.root())
      for (bool const is_a : {true, false}) {
        WrittenPolyMesh mesh;
        mesh.planes = {is_a ? wall.a : wall.b, {0, 0.1, 0.3}, {0, 0.1, 0.2}};
        auto const n = static_cast<core::Count>(mesh.planes[0].size()) - 1;
        for (core::Count k = 0; k < 2; ++k)
          for (core::Count j = 0; j < 2; ++j)
            for (core::Count i = 0; i < n; ++i) mesh.cells.push_back({is_a ? i : n - 1 - i, j, k});
        if (!is_a) std::swap(mesh.cells[1], mesh.cells[7]);
        std::string const own = is_a ? "a_to_b" : "b_to_a", other = is_a ? "b_to_a" : "a_to_b";
        mesh.patches = {{is_a ? "left" : "right", "wall"},
                        {own, "mappedWall",
                         "sampleMode nearestPatchFace; sampleRegion " + std::string(is_a ? "b" : "a") +
                             "; samplePatch " + other + ";"},
                        {"sides", "patch"}};
        mesh.patch = [is_a](core::Index const&, int side) { return side > 1 ? 2 : (side == 0) == is_a ? 0 : 1; };
        mesh.write(made.path("constant/" + std::string(is_a ? "a" : "b") + "/polyMesh").string());
        order.push_back(mesh.cells);
      }
    world.barrier();
  }
  std::vector<std::vector<core::Index>> order;  ///< cells of each region as the files number them; on the root
  /// TIME/REGION/T, cell by cell of the file.
  std::vector<double> values(std::string const& time, std::string const& region) {
    std::istringstream in(made.read(time + "/" + region + "/T"));
    std::string word;
    while (in >> word && word != "internalField") {
    }
    std::size_t count = 0;
    in >> word >> word >> count >> word;
    std::vector<double> result(count);
    for (double& v : result) in >> v;
    return result;
  }
  /// The largest difference of the files of a time to these values along x.
  double difference(std::string const& time, std::vector<double> const& expected) {
    double worst = 0;
    if (!world.root()) return worst;
    for (std::size_t r = 0; r < 2; ++r) {
      auto const t = values(time, r == 0 ? "a" : "b");
      if (t.size() != order[r].size()) return 1e300;
      for (std::size_t c = 0; c < t.size(); ++c)
        worst = std::max(
            worst,
            std::abs(t[c] - expected[static_cast<std::size_t>(order[r][c].i) + (r == 0 ? 0 : wall.a.size() - 1)]));
    }
    return worst;
  }
};

TEST(HeatRegions, StepsTheLayersOfAWallInTimeTogether) {
  WallCase c;
  auto const report = c.made.run();
  EXPECT_EQ(report["hash"]["T"], c.made.run_alone()["hash"]["T"]);
  EXPECT_LT(c.difference("4000", c.wall.after(8, 500)), 1e-9);
  EXPECT_LT(c.difference("2000", c.wall.after(4, 500)), 1e-9);
  // the grid's own error, of cells 2 to 8 cm wide: those a ninth as wide have their centres at those of the coarse ones
  auto const fine = c.wall.refined(9).after(8, 500);
  auto const t = c.wall.after(8, 500);
  for (std::size_t n = 0; n < t.size(); ++n) EXPECT_NEAR(t[n], fine[9 * n + 4], 1.2) << n;
  EXPECT_NEAR(report["results"]["regions"]["a"]["max"].get<double>(), t[0], 1e-9);
  EXPECT_NEAR(report["results"]["regions"]["b"]["max"].get<double>(), t[c.wall.a.size() - 1], 1e-9);
  EXPECT_NEAR(report["results"]["regions"]["b"]["min"].get<double>(), t.back(), 1e-9);
}

TEST(HeatRegions, GoesOnFromTimeDirectoriesOfTheRegions) {
  WallCase c;
  c.made.run({"system/controlDict:endTime=2000", "system/controlDict:writeControl=timeStep"});
  if (c.world.root()) std::filesystem::remove_all(c.made.path("results"));
  c.world.barrier();
  c.made.run({"system/controlDict:startFrom=latestTime"});
  EXPECT_LT(c.difference("4000", c.wall.after(8, 500)), 1e-9);
}

TEST(HeatRegions, FindTheSteadyStateOfResistancesInSeries) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  WallCase c;
  for (std::string const& region : {std::string("a"), std::string("b")})
    c.made.write("system/" + region + "/fvSchemes",
                 "ddtSchemes { default steadyState; } laplacianSchemes { default Gauss linear corrected; }\n");
  c.made.run({"system/controlDict:application=chtMultiRegionSimpleFoam", "system/controlDict:endTime=1",
              "system/controlDict:deltaT=1"});
  Wall const& w = c.wall;
  double const q = 100 / (0.2 / w.kappa_a + w.layers + 0.3 / w.kappa_b + 1 / w.h);  // W/m2
  std::vector<double> expected;
  for (std::size_t n = 1; n < w.a.size(); ++n) expected.push_back(400 - q * 0.5 * (w.a[n] + w.a[n - 1]) / w.kappa_a);
  for (std::size_t n = 1; n < w.b.size(); ++n)
    expected.push_back(400 - q * (0.2 / w.kappa_a + w.layers + (0.5 * (w.b[n] + w.b[n - 1]) - 0.2) / w.kappa_b));
  EXPECT_LT(c.difference("1", expected), 1e-8);
  if (!c.world.root()) return;
  for (std::string const& region : {std::string("a"), std::string("b")}) {
    std::string const text = c.made.read("1/" + region + "/T"), patch = region == "a" ? "a_to_b" : "b_to_a";
    auto const at = text.find(" ", text.find("value ", text.find(patch)));
    std::istringstream value(text.substr(text.find_first_of("(0123456789", at)));
    double of_face = 0;
    if (text.substr(at).find("nonuniform") < 20) value.ignore(20, '(');
    value >> of_face;
    EXPECT_NEAR(of_face, 400 - q * (0.2 / w.kappa_a + (region == "b" ? w.layers : 0)), 1e-6) << text.substr(at, 60);
  }
}

TEST(HeatRegions, AreThoseOfZonesOfBlocksWhereThereIsNoMeshOfTheirs) {
  WallCase c;
  std::string const planes[2] = {"(4 2 2) simpleGrading (1 1 1)", "(5 2 2) simpleGrading (1 1 1)"};
  std::string const dict =
      head("dictionary", "blockMeshDict") +
      "scale 1;\nvertices ((0 0 0) (0.2 0 0) (0.5 0 0) (0 0.3 0) (0.2 0.3 0) (0.5 0.3 0)\n(0 0 0.2) (0.2 0 "
      "0.2) (0.5 0 0.2) (0 0.3 0.2) (0.2 0.3 0.2) (0.5 0.3 0.2));\nblocks (hex (0 1 4 3 6 7 10 9) a " +
      planes[0] + " hex (1 2 5 4 7 8 11 10) b " + planes[1] +
      ");\nboundary (left { type wall; faces ((0 3 9 6)); } right { type wall; faces ((2 5 11 8)); }\nsides "
      "{ type patch; faces ((0 1 7 6) (1 2 8 7) (3 4 10 9) (4 5 11 10) (0 1 4 3) (1 2 5 4) (6 7 10 "
      "9) (7 8 11 10)); });\n";
  c.made.write("system/blockMeshDict", dict);
  if (c.world.root())
    for (char const* region : {"a", "b"})
      std::filesystem::remove_all(c.made.path("constant/" + std::string(region) + "/polyMesh"));
  c.world.barrier();
  c.made.run();
  Wall even = c.wall;
  even.a = {0, 0.05, 0.1, 0.15, 0.2};
  even.b = {0.2, 0.26, 0.32, 0.38, 0.44, 0.5};
  auto const expected = even.after(8, 500);
  if (!c.world.root()) return;
  for (std::size_t r = 0; r < 2; ++r) {
    auto const t = c.values("4000", r == 0 ? "a" : "b");
    ASSERT_EQ(t.size(), r == 0 ? 16U : 20U);
    for (std::size_t n = 0; n < t.size(); ++n) EXPECT_NEAR(t[n], expected[r == 0 ? n % 4 : 4 + n % 5], 1e-9);
  }
}

TEST(HeatRegions, AreClosedWhereTheirPatchesSayNothingOfTheNeighbour) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  WallCase c;
  c.made.write("0/a/T", field_of("left { type fixedValue; value uniform 400; } a_to_b { type zeroGradient; }"));
  c.made.write("0/b/T", field_of("right { type zeroGradient; } b_to_a { type fixedValue; value uniform 320; }"));
  auto const report = c.made.run({"system/controlDict:endTime=1e9", "system/controlDict:deltaT=2e8"});
  EXPECT_NEAR(report["results"]["regions"]["a"]["min"].get<double>(), 400, 1e-6);
  EXPECT_NEAR(report["results"]["regions"]["b"]["min"].get<double>(), 320, 1e-2);
  EXPECT_NEAR(report["results"]["regions"]["b"]["max"].get<double>(), 320, 1e-2);
}

TEST(HeatRegions, TakeHeatFromTheirOwnSourcesAlone) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  WallCase c;
  c.made.write("0/a/T", field_of("left { type zeroGradient; } a_to_b { " + coupled + "}"));
  c.made.write("0/b/T", field_of("right { type zeroGradient; } b_to_a { " + coupled + "}"));
  c.made.write("constant/b/fvOptions",
               "heat { type scalarSemiImplicitSource; active yes; selectionMode all; volumeMode absolute; "
               "injectionRateSuSp { h (36 0); } }\n");
  auto const report = c.made.run();
  EXPECT_NEAR(report["results"]["balance"]["produced"].get<double>(), 36, 1e-9);
  EXPECT_GT(report["results"]["regions"]["b"]["max"].get<double>(),
            report["results"]["regions"]["a"]["max"].get<double>());
  c.made.write("constant/b/fvOptions",
               "heat { type scalarSemiImplicitSource; active yes; selectionMode all; volumeMode absolute; "
               "injectionRateSuSp { h (36 -1); } }\n");
  EXPECT_NE(c.made.complaint().find("depends on h"), std::string::npos);
}

TEST(HeatRegions, HoldCellsAtAnEnthalpyThatIsCpT) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  WallCase c;  // a: Cp 2000, b: Cp 1000
  for (char const* region : {"a", "b"})
    c.made.write(
        "constant/" + std::string(region) + "/fvOptions",
        "held { type scalarFixedValueConstraint; active yes; selectionMode all; fieldValues { h 640000; } }\n");
  auto const report = c.made.run();
  EXPECT_NEAR(report["results"]["regions"]["a"]["mean"].get<double>(), 320, 1e-9);
  EXPECT_NEAR(report["results"]["regions"]["b"]["mean"].get<double>(), 640, 1e-9);
  c.made.write("constant/b/fvOptions",
               "held { type scalarFixedValueConstraint; active yes; selectionMode all; fieldValues { h -1; } }\n");
  EXPECT_NE(c.made.complaint().find("constant/b/fvOptions:1: 'held' holds cells at -0.001, expected kelvin"),
            std::string::npos);
}

TEST(HeatRegions, HaveSetsAndStartsOfTheirOwn) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  WallCase c;
  c.made.write("0/a/T", field_of("left { type zeroGradient; } a_to_b { type zeroGradient; }"));
  c.made.write("0/b/T", field_of("right { type zeroGradient; } b_to_a { type zeroGradient; }"));
  // x is 0.2 to 0.5 in b; the box reaches into a, and a's cells stay as they are
  c.made.write("system/b/setFieldsDict", "defaultFieldValues ( volScalarFieldValue T 310 );\n"
                                         "regions ( boxToCell { box (0 0 0) (0.3 1 1); fieldValues ( "
                                         "volScalarFieldValue T 350 ); } );\n");
  c.made.write("system/b/topoSetDict",
               "actions ( { name near; type cellSet; action new; source boxToCell; box (0 0 0) (0.23 1 1); }\n"
               "{ name near; type cellZoneSet; action new; source setToCellZone; set near; } );\n");
  c.made.write(
      "constant/b/fvOptions",
      "held { type fixedTemperatureConstraint; active yes; selectionMode cellZone; cellZone near; mode uniform; "
      "temperature 360; }\n");
  c.made.write("system/topoSetDict", "actions ( { name b; type cellSet; action new; source nonsense; } );\n");
  testing::internal::CaptureStdout();
  run::run_case(c.world, {c.made.path().string(), {"system/controlDict:endTime=1"}, "", false});
  auto const log = testing::internal::GetCapturedStdout();
  if (c.world.root()) {
    EXPECT_NE(log.find("system/topoSetDict is not carried out: those of regions are system/REGION/topoSetDict"),
              std::string::npos)
        << log;
  }
  auto const report = c.made.run({"system/controlDict:endTime=1", "system/controlDict:deltaT=1"});
  EXPECT_NEAR(report["results"]["regions"]["a"]["max"].get<double>(), 300, 1e-6);
  EXPECT_NEAR(report["results"]["regions"]["b"]["max"].get<double>(), 360, 1e-6);
  EXPECT_NEAR(report["results"]["regions"]["b"]["min"].get<double>(), 310, 1e-3);
  EXPECT_NEAR(report["results"]["regions"]["b"]["mean"].get<double>(), (360 * 3 + 350 * 5 + 310 * 22) / 30., 1e-2);
  c.made.write("system/b/setFieldsDict", "defaultFieldValues ( volScalarFieldValue p 310 );\nregions ();\n");
  EXPECT_NE(c.made.complaint().find("system/b/setFieldsDict:1: entry 'defaultFieldValues' sets an unknown field 'p'"),
            std::string::npos)
      << c.made.complaint();
}

TEST(HeatRegions, RefuseWhatTheyCannotDo) {
  if (!on_few_ranks()) GTEST_SKIP() << few;
  WallCase c;
  auto const expect = [&](std::string const& what) {
    std::string const said = c.made.complaint();
    EXPECT_NE(said.find(what), std::string::npos) << said;
  };
  EXPECT_EQ(c.made.complaint(), "");
  c.temperatures(with_layers, "");
  expect("layers of 0.14 m2 K/W on the patch 'a_to_b' of the region 'a', and of 0 on 'b_to_a' of 'b': "
         "expected the "
         "same on both sides");
  c.temperatures("", "");
  c.made.write("0/b/T", field_of("right { type fixedValue; value uniform 300; } b_to_a { type zeroGradient; }"));
  expect("is coupled to 'b_to_a' of 'b', which is not: expected the same on both sides");
  c.temperatures("", "");
  c.made.write("constant/regionProperties", "regions ( fluid (air) solid (a b) );\n");
  expect("the region 'air' is fluid, which is not supported: all regions must be solid");
  c.made.write("constant/regionProperties", "regions ( solid (a) );\n");
  expect("of the 4 faces of the coupled patch 'a_to_b' of the region 'a' 0 lie against the patch 'b_to_a' of 'b'");
  c.made.write("constant/regionProperties", "regions ( solid (a b) );\n");
  c.material("a", "constAnIso", 1, 1e6);
  expect("constant/a/thermophysicalProperties:1: unknown transport 'constAnIso'");
  c.material("a", "constIso", 1, 1e6);
  c.made.write("constant/b/radiationProperties", "radiation on; radiationModel P1;\n");
  expect("constant/b/radiationProperties:1: unknown radiationModel 'P1'");
  c.made.write("constant/b/radiationProperties", "radiation off; radiationModel P1;\n");
  EXPECT_EQ(c.made.complaint(), "");
  auto const steps = c.made.complaint({"system/controlDict:adjustTimeStep=yes"});
  EXPECT_NE(
      steps.find("adjustTimeStep yes wants 'deltaTTolerance', the error of T in a step [K], such as 0.05, and perhaps "
                 "maxDeltaT; maxCo and maxDi say nothing of the steps here"),
      std::string::npos)
      << steps;
  c.made.write("system/b/fvSchemes",
               "ddtSchemes { default backward; } laplacianSchemes { default Gauss linear corrected; }\n");
  expect("system/b/fvSchemes: the scheme of time is backward, in the region 'a' Euler: expected the same in all");
}

}  // namespace
}  // namespace tessera::tests
