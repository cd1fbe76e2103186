// SPDX-License-Identifier: Apache-2.0
// Meshes whose blocks do not fill a box, and blocks that lie turned, from end to end.
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/report.hpp"
#include "run/run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace tessera;
namespace fs = std::filesystem;

namespace tessera::tests {

/// An L of three blocks: [0 1] x [0 1] in 4 x 3 cells; [1 2] x [0 1] in 3 x 3, turned by half a turn about z; on the first
/// one [0 1] x [1 2.5] in 4 x 5 cells that grow upwards by 2. Hot below, a temperature a face on the two walls of the notch,
/// a gradient elsewhere. One step of Euler's scheme.
class LShape : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::current_path() / "run_holes_test";
    if (world_.root()) {
      fs::remove_all(folder_);
      for (char const* sub : {"0", "constant", "system"}) fs::create_directories(folder_ / sub);
      write("system/blockMeshDict", "dictionary",
            "scale 1;\nvertices ((0 0 0) (1 0 0) (2 0 0) (0 1 0) (1 1 0) (2 1 0) (0 2.5 0) (1 2.5 0)\n"
            "(0 0 1) (1 0 1) (2 0 1) (0 1 1) (1 1 1) (2 1 1) (0 2.5 1) (1 2.5 1));\n"
            "blocks (hex (0 1 4 3 8 9 12 11) (4 3 1) simpleGrading (1 1 1)\n"
            "hex (5 4 1 2 13 12 9 10) (3 3 1) simpleGrading (1 1 1)\n"
            "hex (3 4 7 6 11 12 15 14) (4 5 1) simpleGrading (1 2 1));\n"
            "boundary (bottom { type wall; faces ((0 1 9 8) (1 2 10 9)); }\n"
            "notch { type wall; faces ((4 7 15 12) (4 5 13 12)); }\n"
            "rest { type patch; faces ((0 3 11 8) (3 6 14 11) (2 5 13 10) (6 7 15 14)); });\n");
      write("system/controlDict", "dictionary",
            "application laplacianFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 0.1; deltaT 0.1;\n"
            "writeControl timeStep; writeInterval 1; writeFormat ascii; writePrecision 16;\n"
            "functions {\n"
            " low { type volFieldValue; fields (T); regionType all; operation min; }\n"
            " flow { type surfaceFieldValue; fields (wallHeatFlux); regionType patch; name notch; operation "
            "areaIntegrate; }\n"
            " ends { type fieldMinMax; fields (T); } }\n");
      write("system/fvSchemes", "dictionary",
            "ddtSchemes { default Euler; } gradSchemes { default Gauss linear; } divSchemes { default none; }\n"
            "laplacianSchemes { default Gauss linear corrected; } interpolationSchemes { default linear; }\n"
            "snGradSchemes { default corrected; }\n");
      write("system/fvSolution", "dictionary",
            "solvers { T { solver PCG; preconditioner DIC; tolerance 1e-13; relTol 0; } }\n");
      write("system/decomposeParDict", "dictionary", "method scotch;\ntile (3 3 1);\n");
      write("constant/transportProperties", "dictionary", "DT DT [0 2 -1 0 0 0 0] 1;\n");
      write(
          "0/T", "volScalarField",
          "dimensions [0 0 0 1 0 0 0];\ninternalField uniform 300;\nboundaryField {\n"
          "bottom { type fixedValue; value uniform 350; }\n"
          // the faces of block 2, in the order of its own axes: from the bottom up; those of block 1 from right to left
          "notch { type fixedValue; value nonuniform List<scalar> 8(311 312 313 314 315 321 322 323); }\n"
          "rest { type fixedGradient; gradient uniform 20; }\ndefaultFaces { type empty; } }\n");
    }
    world_.barrier();
  }
  void TearDown() override {
    world_.barrier();
    if (world_.root()) fs::remove_all(folder_);
    world_.barrier();
  }
  void write(std::string const& file, std::string const& type, std::string const& text) {
    std::ofstream(folder_ / file) << "FoamFile { version 2.0; format ascii; class " << type << "; object "
                                  << fs::path(file).filename().string() << "; }\n"
                                  << text;
  }
  int run(std::vector<std::string> const& settings) {
    return run::run_case(world_, {folder_.string(), settings, (folder_ / "report.json").string(), true});
  }
  std::vector<double> temperatures() {
    world_.barrier();
    std::ifstream in(folder_ / "0.1" / "T");
    std::string word;
    while (in >> word && word != "internalField") {
    }
    std::size_t count = 0;
    in >> word >> word >> count >> word;
    std::vector<double> values(count);
    for (double& v : values) in >> v;
    return values;
  }
  /// The last number of a file of postProcessing.
  double last(std::string const& file) {
    world_.barrier();
    std::ifstream in(folder_ / "postProcessing" / file);
    std::string word, found;
    while (in >> word) found = word;
    return std::stod(found);
  }

  /// The 41 temperatures in OpenFOAM's order, by Gauss elimination, and the heat that flows in through the notch.
  static std::pair<std::vector<double>, double> reference() {
    std::vector<double> x(4, 0.25), y(3, 1.0 / 3);
    for (int n = 0; n < 3; ++n) x.push_back(1.0 / 3);
    double const r = std::pow(2.0, 0.25);
    for (int n = 0; n < 5; ++n) y.push_back(1.5 * (r - 1) / (std::pow(r, 5) - 1) * std::pow(r, n));
    auto const number = [](int i, int j) {
      if (i < 0 || j < 0 || i > 6 || j > 7 || (i > 3 && j > 2)) return -1;
      return i > 3 ? 12 + (2 - j) * 3 + 6 - i : j < 3 ? j * 4 + i : 21 + (j - 3) * 4 + i;
    };
    constexpr std::size_t n = 41;
    std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0.0));
    std::vector<std::array<double, 3>> notch;  // cell, conductance, temperature
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 7; ++i) {
        int const at = number(i, j);
        if (at < 0) continue;
        auto& row = a[static_cast<std::size_t>(at)];
        auto const self = static_cast<std::size_t>(at);
        double const volume = x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(j)];
        row[self] += volume / 0.1;
        row[n] += volume / 0.1 * 300;
        for (auto const& [di, dj] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
          auto const& width = di != 0 ? x : y;
          double const area = di != 0 ? y[static_cast<std::size_t>(j)] : x[static_cast<std::size_t>(i)];
          auto const here = static_cast<std::size_t>(di != 0 ? i : j);
          int const other = number(i + di, j + dj);
          if (other >= 0) {
            double const f =
                area / (0.5 * (width[here] + width[static_cast<std::size_t>(static_cast<int>(here) + di + dj)]));
            row[self] += f;
            row[static_cast<std::size_t>(other)] -= f;
            continue;
          }
          double const g = area / (0.5 * width[here]);
          bool const right = di == 1 && j > 2, above = dj == 1 && i > 3, below = dj == -1;
          if (right || above || below) {
            double const value = below ? 350 : right ? 311 + (j - 3) : 321 + (6 - i);
            row[self] += g;
            row[n] += g * value;
            if (!below) notch.push_back({static_cast<double>(at), g, value});
          } else {
            row[n] += area * 20;
          }
        }
      }
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t row = 0; row < n; ++row) {
        if (row == c) continue;
        double const q = a[row][c] / a[c][c];
        for (std::size_t k = c; k <= n; ++k) a[row][k] -= q * a[c][k];
      }
    std::vector<double> t(n);
    for (std::size_t c = 0; c < n; ++c) t[c] = a[c][n] / a[c][c];
    double heat = 0;
    for (auto const& [cell, g, value] : notch) heat += g * (value - t[static_cast<std::size_t>(cell)]);
    return {t, heat};
  }

  core::Comm world_;
  fs::path folder_;
};

TEST_F(LShape, HasOnlyTheCellsOfItsBlocks) {
  auto const [expected, heat] = reference();
  for (char const* preconditioner : {"DIC", "multigrid"}) {
    ASSERT_EQ(run({std::string("system/fvSolution:solvers.T.preconditioner=") + preconditioner}), 0);
    auto const t = temperatures();
    ASSERT_EQ(t.size(), expected.size());
    for (std::size_t n = 0; n < t.size(); ++n) EXPECT_NEAR(t[n], expected[n], 1e-9) << preconditioner << ", cell " << n;
    EXPECT_NEAR(last("low/0/volFieldValue.dat"), *std::min_element(expected.begin(), expected.end()), 1e-4);
    EXPECT_NEAR(last("flow/0/surfaceFieldValue.dat"), heat, 1e-4 * std::abs(heat));
  }
}

TEST_F(LShape, NamesTheObjectThatWantsAMeshWithoutHoles) {
  try {
    run({"system/controlDict:functions.low.type=probes",
         "system/controlDict:functions.low.probeLocations=((0.1 0.1 0.5))",
         "system/controlDict:functions.low.interpolationScheme=cellPoint"});
    FAIL() << "cellPoint was taken";
  } catch (core::Error const& error) {
    std::string const said = error.what();
    EXPECT_NE(said.find("controlDict:functions.low.interpolationScheme"), std::string::npos) << said;
    EXPECT_NE(said.find("'cellPoint', expected cell: cellPoint wants a mesh whose blocks fill a box"),
              std::string::npos)
        << said;
  }
}

TEST_F(LShape, IsReadAgainAsItWasWritten) {
  ASSERT_EQ(run({}), 0);
  auto const first = temperatures();
  if (world_.root()) {
    std::ostringstream list;
    list.precision(17);
    for (double const v : first) list << v << "\n";
    write("0/T", "volScalarField",
          "dimensions [0 0 0 1 0 0 0];\ninternalField nonuniform List<scalar> 41(\n" + list.str() +
              ");\nboundaryField { \"(bottom|notch|rest)\" { type zeroGradient; } defaultFaces { type empty; } }\n");
  }
  world_.barrier();
  // with hardly any diffusion T stays what it is
  ASSERT_EQ(run({"constant/transportProperties:DT=1e-20"}), 0);
  auto const t = temperatures();
  ASSERT_EQ(t.size(), first.size());
  for (std::size_t n = 0; n < t.size(); ++n) EXPECT_NEAR(t[n], first[n], 1e-11) << n;
}

}  // namespace tessera::tests
