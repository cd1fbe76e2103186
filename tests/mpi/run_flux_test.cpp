// SPDX-License-Identifier: Apache-2.0
#include "io/foam/fields.hpp"
#include "tests/support/foam.hpp"
#include "tests/support/written_case.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <sstream>

namespace tessera::tests {
namespace {

/// 2 m of 8 x 4 x 2 cells between 300 and 400 K, with a gradient of 20 K/m out of the upper side: DT is 3, and T goes to
/// 300 + 50 x + 20 y where the gradient below fits.
std::map<std::string, std::string> rod(std::string const& format) {
  return {{"system/blockMeshDict",
           "vertices ((0 0 0) (2 0 0) (2 1 0) (0 1 0) (0 0 1) (2 0 1) (2 1 1) (0 1 1));\n"
           "blocks (hex (0 1 2 3 4 5 6 7) (8 4 2) simpleGrading (1 1 1));\n"
           "boundary (ends { type patch; faces ((0 3 7 4) (1 2 6 5)); } low { type wall; faces ((0 1 5 4)); }\n"
           "high { type wall; faces ((3 2 6 7)); } sides { type symmetryPlane; faces ((0 1 2 3) (4 5 6 7)); });\n"},
          {"system/controlDict",
           "application laplacianFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 1; deltaT 1;\n"
           "writeControl timeStep; writeInterval 1; writeFormat " +
               format +
               "; writePrecision 10;\n"
               "functions { flux { type writeObjects; writeControl writeTime; objects (flux gradTy); } }\n"},
          {"system/fvSchemes",
           "ddtSchemes { default steadyState; } gradSchemes { default Gauss linear; } divSchemes { default none; }\n"
           "laplacianSchemes { default Gauss linear corrected; } interpolationSchemes { default linear; }\n"
           "snGradSchemes { default corrected; }\n"},
          {"system/fvSolution", "solvers { T { solver PCG; preconditioner DIC; tolerance 1e-13; relTol 0; } }\n"},
          {"system/decomposeParDict", "method scotch;\ntile (3 3 1);\n"},
          {"constant/transportProperties", "DT DT [0 2 -1 0 0 0 0] 3;\n"},
          {"0/T",
           "FoamFile { version 2.0; format ascii; class volScalarField; object T; }\ndimensions [0 0 0 1 0 0 0];\n"
           "internalField uniform 350; boundaryField { ends { type fixedValue; value nonuniform List<scalar> 16(\n"
           "302.5 307.5 312.5 317.5 302.5 307.5 312.5 317.5 402.5 407.5 412.5 417.5 402.5 407.5 412.5 417.5); }\n"
           "low { type fixedGradient; gradient uniform -20; } high { type fixedGradient; gradient uniform 20; }\n"
           "sides { type symmetryPlane; } }\n"}};
}

std::vector<double> numbers_after(std::string const& text, std::string const& head) {
  auto const at = text.find(head);
  EXPECT_NE(at, std::string::npos) << head << "\n" << text;
  std::string rest = at == std::string::npos ? "" : text.substr(at + head.size());
  rest = rest.substr(0, rest.find("\n)"));
  std::replace_if(
      rest.begin(), rest.end(), [](char c) { return c == '(' || c == ')' || c == ';'; }, ' ');
  std::istringstream in(rest);
  std::vector<double> numbers;
  for (double x; in >> x;) numbers.push_back(x);
  return numbers;
}

TEST(RunFlux, IsDTTimesTheGradientAsAVectorField) {
  WrittenCase ascii(rod("ascii")), binary(rod("binary"));
  ascii.run();
  auto const text = ascii.read("1/flux");
  EXPECT_NE(text.find("class       volVectorField;"), std::string::npos) << text;
  EXPECT_NE(text.find("dimensions      [0 1 -1 1 0 0 0];"), std::string::npos) << text;
  auto const cells = numbers_after(text, "internalField   nonuniform List<vector> \n64\n");
  ASSERT_EQ(cells.size(), 192U);
  for (std::size_t n = 0; n < cells.size(); ++n)
    EXPECT_NEAR(cells[n], (std::array{150.0, 60.0, 0.0})[n % 3], 1e-6) << n;
  auto const low = text.find("low\n    {\n        type            calculated;\n        value           ");
  ASSERT_NE(low, std::string::npos) << text;
  // at the face its own gradient across, and along it that of the cell
  auto const faces = numbers_after(text.substr(low), "nonuniform List<vector> \n16\n");
  ASSERT_EQ(faces.size(), 48U);
  for (std::size_t n = 0; n < faces.size(); ++n)
    EXPECT_NEAR(faces[n], (std::array{150.0, 60.0, 0.0})[n % 3], 1e-6) << n;
  EXPECT_NE(text.find("sides\n    {\n        type            symmetryPlane;\n    }"), std::string::npos) << text;

  binary.run();
  auto const bytes = binary.read("1/flux");
  std::string const head = "internalField   nonuniform List<vector> \n64\n(";
  auto const at = bytes.find(head);
  ASSERT_NE(at, std::string::npos);
  std::array<double, 3> first{};
  std::memcpy(first.data(), bytes.data() + at + head.size(), sizeof first);
  EXPECT_NEAR(first[0], 150, 1e-6);
  EXPECT_NEAR(first[1], 60, 1e-6);
}

TEST(RunFlux, IsForWriteObjectsAlone) {
  auto files = rod("ascii");
  files["system/controlDict"] =
      replaced(files["system/controlDict"], "type writeObjects; writeControl writeTime; objects (flux gradTy);",
               "type surfaceFieldValue; operation areaAverage; regionType patch; name low; fields (flux);");
  WrittenCase const written(files);
  EXPECT_NE(written.complaint().find("field 'flux'"), std::string::npos) << written.complaint();
}

}  // namespace
}  // namespace tessera::tests
