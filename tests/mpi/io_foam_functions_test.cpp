// SPDX-License-Identifier: Apache-2.0
#include "io/foam/function_object.hpp"

#include "core/grid/migrate.hpp"
#include "io/foam/shapes.hpp"
#include "tests/support/foam.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/scratch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace tessera::tests {
namespace {

using namespace io::foam;

/// A case of 6 x 4 x 3 graded cells with T = 300 + 10 x + 20 y + 40 z in the cells, 500 on the patch `right` and the
/// cell's value on the others, w = 1 and a zone `half` of the cells with x < 1.
class Functions {
 public:
  explicit Functions(std::string const& functions, std::string const& control = "", std::size_t owners = 2)
      : dictionary_(dictionary("application x; endTime 4; deltaT 1; writePrecision 8; timePrecision 6;" + control +
                                   "functions\n{\n" + functions + "\n}",
                               "controlDict")),
        control_(read_control(dictionary_, {true, FunctionObjects::names()})),
        mesh_(make_mesh()),
        layout_(std::make_unique<core::Layout>(std::make_shared<core::Grid const>(mesh_.grid),
                                               owner_tables(mesh_.grid, world_.size())[owners], world_)),
        T_("T", *layout_),
        w_("w", *layout_, 0, 2.0) {
    for_each_cell(T_, [this](core::Index x, double& t) {
      auto const c = centre(mesh_.grid, x);
      t = 300 + 10 * c[0] + 20 * c[1] + 40 * c[2];
    });
    auto topo = dictionary("actions ( { name h; type cellSet; action new; source boxToCell; box (0 0 0) (1 1 1); }"
                           "{ name half; type cellZoneSet; action new; source setToCellZone; set h; } );");
    sets_ = topo_set(topo, *layout_);
    auto const face = [this](core::Side side, int s, int k, int j, int i) {
      return side == core::Side::right ? 500.0 : std::as_const(T_).host()(s, k, j, i);
    };
    context_ =
        std::make_unique<FunctionContext>(FunctionContext{&*layout_,
                                                          mesh_,
                                                          sets_,
                                                          control_,
                                                          scratch_ / "postProcessing",
                                                          {{"T", {&T_, face, dimensions_of_temperature, {}, true}},
                                                           {"w", {&w_}},
                                                           {"wallHeatFlux", {nullptr, [](auto...) { return -2.0; }}}}});
    context_->directories = {[this](std::string const& name, FunctionField const&, StepTime const& now) {
      written += fmt::format("{}/{} ", control_.time_name(now.time), name);
    }};
    context_->solves = {{"PCG", "DIC", "T", 12, 1, 1.25e-7, true}, {"PCG", "DIC", "T", 2, 0.5, 1e-9, true}};
    list_ = std::make_unique<FunctionList>(control_, *context_);
  }

  /// One more step, after which T is by so much above the start [K].
  void step(double delta_t, double above, bool writes = false) {
    time_ += delta_t;
    for_each_cell(T_, [&](core::Index x, double& t) {
      auto const c = centre(mesh_.grid, x);
      t = 300 + 10 * c[0] + 20 * c[1] + 40 * c[2] + above;
    });
    list_->execute({++steps_, time_, time_, delta_t, writes, false});
    world_.barrier();
  }
  /// Other owners get the tiles.
  void move(std::size_t owners) {
    auto const grid = layout_->shared_grid();
    auto next = std::make_unique<core::Layout>(grid, owner_tables(*grid, world_.size())[owners], world_);
    list_->move_to(*next);
    core::migrate_to(*next, T_);
    core::migrate_to(*next, w_);
    std::swap(layout_, next);
    context_->layout = &*layout_;
  }
  void go_on_from(Functions const& other) {
    auto const from = other.list_->kept(), to = list_->kept();
    for (std::size_t n = 0; n < to.size(); ++n) core::migrate(*from[n], *to[n]);
    list_->resume(other.list_->state(), other.time_);
    time_ = other.time_;
    steps_ = other.steps_;
  }
  FunctionContext& context() { return *context_; }

  /// Steps of 1 s; returns the log.
  std::string run(int steps = 4) {
    std::string log;
    for (int n = 1; n <= steps; ++n)
      log += list_->execute({n, static_cast<double>(n), static_cast<double>(n), 1, n % 2 == 0, n == steps});
    world_.barrier();
    return log;
  }
  std::string file(std::string const& name) const {
    std::ifstream in(context_->folder + "/" + name);
    std::ostringstream text;
    text << in.rdbuf();
    return in ? text.str() : "no file " + name;
  }
  /// The numbers of the last row of a file.
  std::vector<double> row(std::string const& name) const {
    std::istringstream text(file(name));
    std::string line, last;
    while (std::getline(text, line)) last = line;
    for (char& c : last)
      if (c == '(' || c == ')' || c == ',') c = ' ';
    std::istringstream in(last);
    std::vector<double> numbers;
    for (std::string word; in >> word;) numbers.push_back(std::strtod(word.c_str(), nullptr));
    return numbers;
  }
  core::Grid const& grid() const { return mesh_.grid; }
  std::string written;  ///< fields in time directories

 private:
  static Mesh make_mesh() {
    auto d = dictionary("vertices ((0 0 0) (2 0 0) (2 1 0) (0 1 0) (0 0 0.5) (2 0 0.5) (2 1 0.5) (0 1 0.5));\n"
                        "blocks ( hex (0 1 2 3 4 5 6 7) (6 4 3) simpleGrading (2 1 1) );\n"
                        "boundary ( left { type patch; faces ((0 3 7 4)); } right { type patch; faces ((1 2 6 5)); }\n"
                        " rest { type wall; faces ((0 1 5 4) (3 2 6 7) (0 1 2 3) (4 5 6 7)); } );");
    return read_block_mesh(d, {4, 2, 2});
  }

  Scratch scratch_;
  core::Comm world_;
  core::Dictionary dictionary_;
  Control control_;
  Mesh mesh_;
  std::unique_ptr<core::Layout> layout_;
  core::Field<double> T_, w_;
  CellSets sets_;
  std::unique_ptr<FunctionContext> context_;
  std::unique_ptr<FunctionList> list_;
  long steps_ = 0;
  double time_ = 0;
};

std::string error(std::string const& functions) {
  return error_of([&] { Functions{functions}; });
}

// The texts are those of OpenFOAM v1912's function objects, but for the numbers.
TEST(FoamFunctions, FieldMinMaxFindsCellsAndFaces) {
  Functions f("m { type fieldMinMax; libs (\"libfieldFunctionObjects.so\"); fields (T); }");
  auto const log = f.run(1);
  auto const text = f.file("m/0/fieldMinMax.dat");
  EXPECT_EQ(text.substr(0, text.find("\n1 ")),
            "# Field minima and maxima\n# Time          \tfield           \tmin             \tlocation(min)   "
            "\tmax             \tlocation(max)   ");
  auto const low = centre(f.grid(), {0, 0, 0});
  auto const row = f.row("m/0/fieldMinMax.dat");
  ASSERT_EQ(row.size(), 10U);
  EXPECT_EQ(row[0], 1);
  EXPECT_NEAR(row[2], 300 + 10 * low[0] + 20 * low[1] + 40 * low[2], 1e-5);  // 9 digits
  EXPECT_NEAR(row[3], low[0], 1e-8);
  EXPECT_EQ(row[6], 500);
  EXPECT_EQ(row[7], 2);  // on the face, not in the cell
  EXPECT_NE(log.find("fieldMinMax m write:\n    min(T) = 30"), std::string::npos) << log;
  EXPECT_NE(log.find("max(T) = 500 in cell 5 at location (2 0.125 0.083333333)"), std::string::npos) << log;
}

TEST(FoamFunctions, FieldMinMaxLeavesLocationsOut) {
  Functions f("m { type fieldMinMax; fields (T w); location no; log no; }");
  EXPECT_EQ(f.run(1), "");
  EXPECT_EQ(f.row("m/0/fieldMinMax.dat").size(), 5U);
  EXPECT_EQ(f.row("m/0/fieldMinMax.dat")[2], 500);
  EXPECT_EQ(f.row("m/0/fieldMinMax.dat")[4], 2);
}

TEST(FoamFunctions, VolFieldValueGivesMeansAndIntegrals) {
  auto const value = [](std::string const& keys) {
    Functions f("v { type volFieldValue; fields (T); " + keys + " }");
    f.run(1);
    return f.row("v/0/volFieldValue.dat").at(1);
  };
  // the cells' centres hold the cells' means of a linear function, so the mean of the body is its centre's value
  EXPECT_NEAR(value("operation volAverage;"), 300 + 10 + 10 + 10, 1e-5);
  EXPECT_NEAR(value("operation volIntegrate;"), 330, 1e-5);
  EXPECT_NEAR(value("operation volIntegrate; scaleFactor 2;"), 660, 1e-5);
  EXPECT_NEAR(value("operation weightedVolIntegrate; weightField w;"), 660, 1e-5);
  EXPECT_NEAR(value("operation weightedVolAverage; weightField w;"), 330, 1e-5);
  EXPECT_NEAR(value("operation weightedAverage; weightField w;"), value("operation average;"), 1e-5);
  EXPECT_NEAR(value("operation sum;"), 72 * value("operation average;"), 1e-2);
  EXPECT_EQ(value("operation sumMag;"), value("operation sum;"));
  EXPECT_LT(value("operation max; regionType cellZone; name half;"), value("operation max;"));
  EXPECT_GT(value("operation CoV;"), 0.01);
}

TEST(FoamFunctions, VolFieldValueWritesOpenFoamsTable) {
  Functions f("v { type volFieldValue; fields (T w); operation volAverage; regionType cellZone; name half; }");
  auto const log = f.run(2);
  auto const text = f.file("v/0/volFieldValue.dat");
  EXPECT_EQ(text.substr(0, text.find("# Volume")), "# Region        : cellZone half\n# Cells         : 48\n");
  EXPECT_NE(text.find("# Time          \tvolAverage(T)\tvolAverage(w)\n1               \t3.2"), std::string::npos)
      << text;
  EXPECT_NE(log.find("volFieldValue v write:\n    volAverage(half) of T = 32"), std::string::npos) << log;
  EXPECT_NE(log.find("volAverage(half) of w = 2\n\n"), std::string::npos) << log;
}

TEST(FoamFunctions, SurfaceFieldValueGivesTheHeatThroughAPatch) {
  Functions f(
      "s { type surfaceFieldValue; fields (wallHeatFlux T); operation areaIntegrate; regionType patch; name right; }\n"
      "u { type surfaceFieldValue; fields (T); operation uniformity; regionType patch; name right; writeArea yes; }\n"
      "a { type surfaceFieldValue; fields (T); operation absWeightedAreaAverage; weightField wallHeatFlux; regionType "
      "patch; name left; }");
  auto const log = f.run(1);
  EXPECT_EQ(f.file("s/0/surfaceFieldValue.dat"),
            "# Region type : patch right\n# Faces         : 12\n# Area          : 5.00000000e-01\n"
            "# Scale factor  : 1.00000000e+00\n# Time          \tareaIntegrate(wallHeatFlux)\tareaIntegrate(T)\n"
            "1               \t-1.00000000e+00\t2.50000000e+02\n");
  EXPECT_EQ(f.row("u/0/surfaceFieldValue.dat"), (std::vector<double>{1, 0.5, 1}));
  auto const low = centre(f.grid(), {0, 0, 0});
  EXPECT_NEAR(f.row("a/0/surfaceFieldValue.dat")[1], 320 + 10 * low[0], 1e-5);
  EXPECT_NE(log.find("surfaceFieldValue s write:\n    total faces   = 12\n    total area    = 0.5\n\n    "
                     "areaIntegrate(right) of wallHeatFlux = -1\n"),
            std::string::npos)
      << log;
}

TEST(FoamFunctions, ProbesTakeTheCellOrTheTetrahedron) {
  Functions f("p { type probes; fields (T); probeLocations ((0.9 0.4 0.2) (9 9 9)); }\n"
              "q { type probes; fields (T); probeLocations ((0.9 0.4 0.2)); interpolationScheme cellPoint; }");
  f.run(2);
  auto const text = f.file("p/0/T");
  EXPECT_EQ(text.substr(0, text.find("              1 ")),
            "# Probe 0 (0.9 0.4 0.2)\n# Probe 1 (9 9 9)  # Not Found\n#         Probe               0               1\n"
            "#          Time\n");
  EXPECT_EQ(f.row("p/0/T").at(2), -1e300);
  auto const cell = centre(f.grid(), {3, 1, 1});
  EXPECT_NEAR(f.row("p/0/T").at(1), 300 + 10 * cell[0] + 20 * cell[1] + 40 * cell[2], 1e-5);
  // inverse distances do not give back a linear function on a graded grid, but nearly so
  EXPECT_NEAR(f.row("q/0/T").at(1), 300 + 9 + 8 + 8, 0.2);
}

TEST(FoamFunctions, SetsFollowLinesThroughTheGrid) {
  Functions f("l { type sets; fields (T); setFormat raw; sets (\n"
              "u { type uniform; axis x; start (-1 0.4 0.2); end (3 0.4 0.2); nPoints 9; }\n"
              "f { type face; axis distance; start (0.5 -1 0.2); end (0.5 9 0.2); }\n"
              "m { type midPoint; axis y; start (0.5 0 0.2); end (0.5 1 0.2); }\n"
              "e { type face; axis y; start (0.5 0.1 0.2); end (0.5 0.6 0.2); }\n"
              "c { type cloud; axis xyz; points ((1 0.6 0.1)); } ); }\n"
              "k { type sets; fields (w T); setFormat csv; sets ( both { type midPointAndFace; axis xyz; start (0.5 0 "
              "0.2); end (0.5 1 0.2); } ); }");
  f.run(1);
  auto const column = [&](std::string const& name) {
    std::istringstream text(f.file(name));
    std::vector<double> x;
    for (std::string line; std::getline(text, line);) x.push_back(std::strtod(line.c_str(), nullptr));
    return x;
  };
  EXPECT_EQ(column("l/1/u_T.xy"), (std::vector<double>{0, 0.5, 1, 1.5, 2}));
  EXPECT_EQ(column("l/1/f_T.xy"), (std::vector<double>{1, 1.25, 1.5, 1.75, 2}));
  EXPECT_EQ(column("l/1/m_T.xy"), (std::vector<double>{0.125, 0.375, 0.625, 0.875}));
  EXPECT_EQ(column("l/1/e_T.xy"), (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(f.row("l/1/c_T.xy").size(), 4U);
  auto const text = f.file("k/1/both_T_w.csv");
  auto const first = centre(f.grid(), {2, 0, 1});
  EXPECT_EQ(
      text.substr(0, 28),
      fmt::format("x,y,z,T,w\n0.5,0,0.2,{:.8g}", 300 + 10 * first[0] + 20 * first[1] + 40 * first[2]).substr(0, 28));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
}

TEST(FoamFunctions, SolverInfoTellsTheFirstSolutionOfAStep) {
  Functions f("s { type solverInfo; fields (T); writePrecision 6; }");
  f.run(1);
  EXPECT_EQ(f.file("s/0/solverInfo.dat"),
            "# Solver information\n# Time        \tT_solver      \tT_initial     \tT_final       \tT_iters       "
            "\tT_converged   \n1             \tDICPCG\t1.000000e+00\t1.250000e-07\t12\ttrue\n");
}

TEST(FoamFunctions, ResidualsAreSolverInfoUnderItsNameUpToV1812) {
  Functions f("r { type residuals; fields (T); writePrecision 6; writeFields no; }");
  f.run(1);
  EXPECT_EQ(f.file("r/0/residuals.dat"),
            "# Residuals   \n# Time        \tT_solver      \tT_initial     \tT_final       \tT_iters       "
            "\tT_converged   \n1             \tDICPCG\t1.000000e+00\t1.250000e-07\t12\ttrue\n");
  EXPECT_NE(error("r { type residuals; fields (T); writeFields yes; }").find("writeFields yes is not supported"),
            std::string::npos);
}

constexpr char const* averages = R"(
    avg { type fieldAverage; fields ( T { mean on; prime2Mean on; base time; } w { mean on; prime2Mean off; base iteration; } ); }
    p { type probes; fields (T TMean TPrime2Mean wMean); probeLocations ((1.1 0.6 0.1)); writePrecision 15; }
    right { type surfaceFieldValue; fields (TMean TPrime2Mean); operation max; regionType patch; name rest; writePrecision 15; })";

TEST(FoamFunctions, FieldAverageWeighsStepsByTheirLength) {
  Functions f(averages);
  f.step(1, 0);
  f.step(2, 6);
  f.step(1, 2);
  auto const at = [&](char const* field) { return f.row(std::string("p/0/") + field)[1]; };
  double const start = at("T") - 2;
  EXPECT_NEAR(at("TMean"), start + 3.5, 1e-11);                          // (0 + 2 x 6 + 2) / 4
  EXPECT_NEAR(at("TPrime2Mean"), (12.25 + 2 * 6.25 + 2.25) / 4, 1e-11);  // of -3.5, 2.5 twice, -1.5
  EXPECT_EQ(at("wMean"), 2);
  EXPECT_NEAR(f.row("right/0/surfaceFieldValue.dat")[2], (12.25 + 2 * 6.25 + 2.25) / 4, 1e-11);  // as the cells behind
  EXPECT_EQ(f.written, "1/TMean 1/TPrime2Mean 1/wMean 3/TMean 3/TPrime2Mean 3/wMean 4/TMean 4/TPrime2Mean 4/wMean ");
  auto const properties = f.file("../4/uniform/functionObjects/functionObjectProperties");
  EXPECT_NE(properties.find("avg\n{\n    T\n    {\n        totalIter       3;\n        totalTime       4;\n    }"),
            std::string::npos)
      << properties;
}

TEST(FoamFunctions, FieldAverageGoesOnWithTheSameBitsOnOtherRanks) {
  Functions whole(averages), half(averages), rest(averages, "", 0);
  for (double const above : {0.3, 1.7, 2.9, 7.1}) whole.step(1, above);
  half.step(1, 0.3);
  half.move(1);
  half.step(1, 1.7);
  rest.go_on_from(half);
  rest.step(1, 2.9);
  rest.move(1);
  rest.step(1, 7.1);
  for (char const* file : {"p/0/TMean", "p/0/TPrime2Mean", "right/0/surfaceFieldValue.dat"})
    EXPECT_EQ(rest.row(file), whole.row(file)) << file;
}

TEST(FoamFunctions, FieldAverageBeginsAnewWhereItIsAskedTo) {
  std::string const fields = "fields ( T { mean on; prime2Mean off; base time; } ); ";
  auto const mean = [&](std::string const& keys) {
    Functions f("avg { type fieldAverage; " + fields + keys +
                "} p { type probes; fields (T TMean); probeLocations ((1.1 0.6 0.1)); writePrecision 15; }");
    for (double const above : {0.0, 1.0, 2.0, 3.0}) f.step(1, above, above == 1);
    return std::round(1e9 * (f.row("p/0/TMean")[1] - f.row("p/0/T")[1] + 3)) / 1e9;
  };
  EXPECT_EQ(mean(""), 1.5);
  EXPECT_EQ(mean("periodicRestart yes; restartPeriod 3;"), 3);  // once time is past 3
  EXPECT_EQ(mean("periodicRestart yes; restartPeriod 2;"), 2.5);
  EXPECT_EQ(mean("restartTime 2;"), 2);
  EXPECT_EQ(mean("restartOnOutput yes; writeControl writeTime;"), 2.5);
  EXPECT_EQ(mean("executeInterval 2; writeControl timeStep; writeInterval 4;"), 2);
  EXPECT_EQ(mean("executeInterval 2;"), 1.5);
  // what is written has the step it is written at
  EXPECT_EQ(mean("executeControl none; writeControl timeStep; writeInterval 4;"), 3);
  EXPECT_NEAR(mean("executeInterval 3; writeControl timeStep; writeInterval 4;"), 2.5, 1e-9);
}

TEST(FoamFunctions, FieldAverageRefusesWhatItHasNot) {
  auto const refused = [](std::string const& entry) {
    return error("a { type fieldAverage; fields (" + entry + "); }");
  };
  EXPECT_NE(refused("T { mean on; prime2Mean on; base time; window 10; windowType exact; }")
                .find("3: averages over a window"),
            std::string::npos);
  EXPECT_NE(refused("T { mean off; prime2Mean on; base time; }").find("prime2Mean on needs mean on"),
            std::string::npos);
  EXPECT_NE(refused("U { mean on; prime2Mean on; base time; }").find("unknown field 'U'"), std::string::npos);
  EXPECT_NE(refused("T { mean on; base time; }").find("prime2Mean"), std::string::npos);
  EXPECT_NE(refused("T").find("expected"), std::string::npos);
}

TEST(FoamFunctions, WriteObjectsWritesWhatTheRunDoesNot) {
  Functions f("w { type writeObjects; objects (T \"w.*\"); } n { type writeObjects; field T; writeOption noWrite; }");
  auto const log = f.run(2);  // results at 2
  EXPECT_EQ(f.written, "1/T 1/w 1/wallHeatFlux 2/w 2/wallHeatFlux ");
  EXPECT_NE(log.find("writeObjects w write:\n    automatically written object T\n    writing object w\n"),
            std::string::npos)
      << log;
  EXPECT_NE(error("w { type writeObjects; objects (p); }").find("unknown field 'p'"), std::string::npos);
}

TEST(FoamFunctions, WallHeatFluxSumsUpEachPatch) {
  Functions f(
      "q { type wallHeatFlux; libs (\"libfieldFunctionObjects.so\"); writePrecision 6; } all { type wallHeatFlux; "
      "patches (right \"r.*\"); }");
  f.run(1);
  EXPECT_EQ(f.file("q/0/wallHeatFlux.dat"),
            "# Wall heat-flux\n# Time        \tpatch         \tmin           \tmax           \tintegral      \n"
            "1             \trest\t-2.000000e+00\t-2.000000e+00\t-1.200000e+01\n");  // 2 x (2 x 1 + 2 x 0.5) m^2
  EXPECT_EQ(f.written, "1/wallHeatFlux 1/wallHeatFlux ");
  EXPECT_NE(f.file("all/0/wallHeatFlux.dat").find("\tright\t-2.0"), std::string::npos);
  EXPECT_NE(error("q { type wallHeatFlux; patches (rigt); }").find("unknown patch 'rigt'; did you mean 'right'"),
            std::string::npos);
}

TEST(FoamFunctions, ComeWhenTheyAreDue) {
  std::string const object = "type volFieldValue; fields (w); operation max; ";
  auto const times = [&](std::string const& keys) {
    Functions f("v { " + object + keys + " }");
    f.run();
    std::istringstream text(f.file("v/0/volFieldValue.dat"));
    std::string found;
    for (std::string line; std::getline(text, line);)
      if (line[0] != '#') found += line.substr(0, line.find(' ')) + " ";
    return found;
  };
  EXPECT_EQ(times(""), "1 2 3 4 ");
  EXPECT_EQ(times("writeInterval 3;"), "3 ");
  EXPECT_EQ(times("writeControl writeTime;"), "2 4 ");
  EXPECT_EQ(times("writeControl runTime; writeInterval 1.5;"), "1 3 4 ");  // at 1.5, 3 and 4.5, to half a step
  EXPECT_EQ(times("writeControl onEnd;"), "4 ");
  EXPECT_EQ(times("timeStart 2; timeEnd 3;"), "2 3 ");
  EXPECT_EQ(times("writeControl none;"), "no ");  // no file
}

TEST(FoamFunctions, GiveTheSameTextForAnyOwners) {
  std::string const all =
      "v { type volFieldValue; fields (T); operation volIntegrate; }\nm { type fieldMinMax; fields (T w); }\n"
      "s { type surfaceFieldValue; fields (T); operation areaAverage; regionType patch; name rest; }\n"
      "p { type probes; fields (T); probeLocations ((0.9 0.4 0.2) (0.01 0.01 0.01)); interpolationScheme cellPoint; }";
  std::map<std::string, std::string> reference;
  for (std::size_t owners : {0U, 1U, 2U}) {
    Functions f(all, "writePrecision 17;", owners);
    f.run(1);
    for (char const* file : {"v/0/volFieldValue.dat", "m/0/fieldMinMax.dat", "s/0/surfaceFieldValue.dat", "p/0/T"}) {
      auto const text = f.file(file);
      EXPECT_EQ(text, reference.emplace(file, text).first->second) << file;
    }
  }
}

TEST(FoamFunctions, RefuseWhatTheyDoNotKnowByName) {
  EXPECT_EQ(error("v { type forces; }").substr(0, 75),
            "controlDict:3: function object 'v' of type 'forces' is not supported, suppo");
  EXPECT_EQ(error("v { type fieldMinMax; fields (U); }"),
            "controlDict:3: entry 'fields': unknown field 'U'; valid: T w");
  EXPECT_EQ(error("v { type volFieldValue; fields (wallHeatFlux); operation max; }"),
            "controlDict:3: entry 'fields': unknown field 'wallHeatFlux'; valid: T w");
  EXPECT_EQ(error("v { type volFieldValue; fields (T); operation max; regionType cellZone; name hlaf; }"),
            "controlDict:3: entry 'name': unknown cellZone 'hlaf'; did you mean 'half'? valid: half");
  EXPECT_EQ(error("v { type surfaceFieldValue; fields (T); operation sum; regionType faceZone; name x; }"),
            "controlDict:3: regionType 'faceZone' is not supported, supported: patch");
  EXPECT_EQ(error("v { type surfaceFieldValue; fields (T); operation sum; regionType patch; name lfet; }"),
            "controlDict:3: entry 'name': unknown patch 'lfet'; did you mean 'left'? valid: left right rest");
  EXPECT_EQ(error("v { type probes; fields (T); probeLocations (); fixedLocation no; }").substr(0, 47),
            "controlDict:3: unknown entry 'fixedLocation'; d");
  EXPECT_EQ(error("v { type fieldMinMax; fields (T); writeControl cpuTime; }").substr(0, 52),
            "controlDict:3: writeControl 'cpuTime' is not support");
  EXPECT_EQ(
      error("v { type sets; fields (T); setFormat raw; sets ( a { type uniform; axis x; start (5 5 5); end (6 6 6); "
            "nPoints 3; } ); }"),
      "controlDict:3: entry 'type': set 'a' has no point inside the mesh");
  EXPECT_EQ(error("v { type fieldMinMax; fields (\"U.*\"); }"),
            "controlDict:3: entry 'fields': no field, expected some of: T w");
  EXPECT_NE(error("v { type sets; fields (T); setFormat raw; sets ( \"../a\" { type uniform; axis x; } ); }")
                .find("the set '../a' gives a file its name, expected a word without '/'"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::tests
