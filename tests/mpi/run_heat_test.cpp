// SPDX-License-Identifier: Apache-2.0
// The heat applications on cases in OpenFOAM's form, from end to end.
#include "core/comm/runtime.hpp"
#include "core/comm/slowdown.hpp"
#include "core/error.hpp"
#include "core/report.hpp"
#include "run/run.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace tessera;
namespace fs = std::filesystem;

namespace tessera::tests {

/// A copy of tests/data/laplacian_small: a graded mesh of 16 x 12 cells with jumps of DT, sources with an explicit and an
/// implicit part, held cells, and fixedValue (one a face), a table in time, fixedGradient and mixed on its sides.
class SmallCase : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::current_path() / "tools_heat_test";
    if (world_.root()) {
      fs::remove_all(folder_);
      fs::copy(TESSERA_SOURCE_DIR "/tests/data/laplacian_small", folder_, fs::copy_options::recursive);
    }
    world_.barrier();
  }
  void TearDown() override {
    world_.barrier();
    if (world_.root()) fs::remove_all(folder_);
    world_.barrier();
  }

  int run(std::vector<std::string> settings) {
    settings.insert(settings.begin(), "system/decomposeParDict:tile=(6 5 1)");
    return run::run_case(world_, {folder_.string(), settings, "", true});
  }
  /// The message of the core::Error that a run ends with.
  std::string error(std::vector<std::string> const& settings) {
    try {
      run(settings);
    } catch (core::Error const& e) {
      return e.what();
    }
    return "";
  }
  void replace(std::string const& file, std::string const& from, std::string const& to) {
    world_.barrier();
    if (world_.root()) {
      std::ostringstream all;
      all << std::ifstream(folder_ / file).rdbuf();
      std::string text = all.str();
      auto const at = text.find(from);
      ASSERT_NE(at, std::string::npos);
      std::ofstream(folder_ / file) << text.replace(at, from.size(), to);
    }
    world_.barrier();
  }

  /// The internal field of TIME/T.
  std::vector<double> temperatures(std::string const& time) {
    world_.barrier();
    std::ifstream in(folder_ / time / "T");
    std::string word;
    while (in >> word && word != "internalField") {
    }
    std::size_t count = 0;
    in >> word >> word >> count >> word;
    std::vector<double> values(count);
    for (double& v : values) in >> v;
    return values;
  }

  /// T of the last time is that of OpenFOAM v1912, whose values stand behind `NAME : ` in a file.
  void expect_openfoam(std::string const& file, std::string const& name) {
    std::ifstream in(std::string(TESSERA_SOURCE_DIR "/tests/data/laplacian_small/") + file);
    std::string line;
    while (std::getline(in, line) && !line.starts_with(name + " : ")) {
    }
    ASSERT_TRUE(in) << name;
    std::istringstream values(line.substr(name.size() + 3));
    auto const t = temperatures("2000");
    ASSERT_EQ(t.size(), 192U);
    double worst = 0;
    for (double const v : t) {
      double expected = 0;
      values >> expected;
      worst = std::max(worst, std::abs(v - expected));
    }
    EXPECT_LT(worst, 1e-9) << name;  // the reference has 13 digits, both were solved to 1e-14
  }

  /// Rows of a table of postProcessing, without the head.
  std::vector<std::vector<double>> table(std::string const& name) {
    world_.barrier();
    std::ifstream in(folder_ / "postProcessing" / name);
    std::vector<std::vector<double>> rows;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::istringstream cells(line);
      rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
    }
    return rows;
  }

  core::Report::Json report() {
    world_.barrier();
    std::ifstream in(folder_ / "postProcessing/report.json");
    return core::Report::Json::parse(in);
  }
  /// All that the run wrote beside its report and the speeds.
  std::map<std::string, std::string> files() {
    world_.barrier();
    std::map<std::string, std::string> texts;
    for (auto const& entry : fs::recursive_directory_iterator(folder_)) {
      auto const name = entry.path().filename();
      if (!entry.is_regular_file() || name == "report.json" || name == "speeds.json" || name.extension() == ".h5")
        continue;
      std::ostringstream all;
      all << std::ifstream(entry.path()).rdbuf();
      texts[entry.path().string()] = all.str();
    }
    return texts;
  }

  core::Comm world_;
  fs::path folder_;
};

}  // namespace tessera::tests

using tessera::tests::SmallCase;

TEST_F(SmallCase, AgreesWithOpenFoamInEveryTimeScheme) {
  for (std::string const scheme : {"Euler", "CrankNicolson 0.9", "CrankNicolson 1", "backward", "steadyState"}) {
    EXPECT_EQ(run({"fvSchemes:ddtSchemes.default=" + scheme}), core::Exit::done);
    expect_openfoam("reference.txt", scheme);
  }
}

TEST_F(SmallCase, TakesTheDiffusivityOfPatchesAsOpenFoamDoes) {
  replace("0/DT", "    \"(left|right|bottom|top)\" { type zeroGradient; }",
          "left { type fixedValue; value nonuniform List<scalar> 12(1e-5 2e-5 3e-5 4e-5 5e-5 6e-5 7e-5 8e-5 9e-5 1e-4 "
          "2e-4 3e-4); } right { type calculated; value uniform 1e-3; } bottom { type fixedValue; value uniform 2e-3; "
          "} top { type calculated; value nonuniform List<scalar> 16(1e-5 2e-5 3e-5 4e-5 5e-5 6e-5 7e-5 8e-5 9e-5 1e-4 "
          "2e-4 3e-4 4e-4 5e-4 6e-4 7e-4); }");
  std::vector<std::string> const mean{
      "controlDict:functions={ mean { type surfaceFieldValue; fields (DT); operation areaAverage; regionType patch; "
      "name left; } }"};
  // setFields gives patches of type calculated the value of the cells behind, those of type fixedValue keep theirs
  EXPECT_EQ(run(mean), core::Exit::done);
  expect_openfoam("reference_patches.txt", "set");
  auto const written = files().at((folder_ / "2000/DT").string());
  EXPECT_NE(written.find("fixedValue"), std::string::npos);
  EXPECT_EQ(written.find("calculated"), std::string::npos);  // that of the cells now, of which no number is written
  EXPECT_EQ(written.find("1e-3"), std::string::npos);
  world_.barrier();
  if (world_.root()) fs::remove(folder_ / "system/setFieldsDict");
  world_.barrier();
  EXPECT_EQ(run(mean), core::Exit::done);
  expect_openfoam("reference_patches.txt", "read");

  std::ifstream in(folder_ / "postProcessing/mean/0/surfaceFieldValue.dat");
  std::string line, last;
  while (std::getline(in, line)) last = line;
  std::istringstream row(last);
  double time = 0, value = 0;
  row >> time >> value;
  EXPECT_EQ(time, 2000);
  EXPECT_NEAR(value, 105e-5 / 12, 1e-12);

  replace("0/DT", "value uniform 2e-3", "value uniform 0");
  EXPECT_NE(error({}).find("0/DT:13: DT on the patch 'bottom' is 0, expected a value > 0"), std::string::npos)
      << error({});
  replace("0/T", "bottom { type fixedGradient; gradient uniform 20; }", "bottom { type zeroGradient; }");
  EXPECT_EQ(run({}), core::Exit::done);  // no heat passes there
}

TEST_F(SmallCase, TakesTheConductivityOfPatchesAlike) {
  replace("0/DT", "    \"(left|right|bottom|top)\" { type zeroGradient; }",
          "\"(left|right)\" { type fixedValue; value uniform 3e-4; } \"(bottom|top)\" { type calculated; value uniform "
          "1e-5; }");
  auto const change = [this](auto const& f) {
    world_.barrier();
    if (world_.root()) f();
    world_.barrier();
  };
  change([&] {
    fs::remove(folder_ / "system/fvOptions");
    fs::remove(folder_ / "system/setFieldsDict");
  });
  EXPECT_EQ(run({}), core::Exit::done);
  auto const expected = temperatures("2000");
  replace("0/DT", "[0 2 -1 0 0 0 0]", "[1 1 -3 -1 0 0 0]");
  replace("system/fvSchemes", "laplacian(DT,T)", "laplacian(lambda,T)");
  change([&] {
    fs::rename(folder_ / "0/DT", folder_ / "0/lambda");
    fs::create_directories(folder_ / "constant");
    std::ofstream(folder_ / "constant/transportProperties") << "FoamFile { class dictionary; }\nrhoC 1;\n";
  });
  EXPECT_EQ(run({"controlDict:application=heatConduction"}), core::Exit::done);
  auto const found = temperatures("2000");
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_EQ(found.size(), 192U);
  for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-10);
}

TEST_F(SmallCase, KeepsItsBalanceInEveryStep) {
  for (char const* scheme : {"Euler", "CrankNicolson 0.9", "backward"}) {
    SCOPED_TRACE(scheme);
    EXPECT_EQ(run({std::string("fvSchemes:ddtSchemes.default=") + scheme}), core::Exit::done);
    auto const rows = table("balance.csv");
    ASSERT_EQ(rows.size(), 10U);
    for (auto const& row : rows) {
      ASSERT_EQ(row.size(), 9U);  // time, four patches, held, produced, stored, error
      EXPECT_NEAR(row[1] + row[2] + row[3] + row[4] + row[5] + row[6] - row[7], row[8], 1e-18);
      EXPECT_LT(std::abs(row[8]), 1e-11 * std::abs(row[6]));  // solved to 1e-14 of terms a thousand times larger
    }
  }
}

TEST_F(SmallCase, MeetsWriteTimesWithAdjustedSteps) {
  EXPECT_EQ(run({"controlDict:adjustTimeStep=yes", "controlDict:deltaTTolerance=0.2", "controlDict:maxDeltaT=300",
                 "controlDict:writeControl=adjustableRunTime", "controlDict:writeInterval=500"}),
            core::Exit::done);
  for (char const* time : {"500", "1000", "1500", "2000"}) EXPECT_TRUE(fs::exists(folder_ / time / "T")) << time;
  double before = 0;
  int short_steps = 0;
  for (auto const& row : table("T.csv")) {
    EXPECT_LE(row[0] - before, 300 * (1 + 1e-12));
    short_steps += row[0] - before < 100;
    before = row[0];
  }
  EXPECT_EQ(before, 2000);
  EXPECT_GT(short_steps, 3);  // the start is steep
}

TEST_F(SmallCase, GivesTheSameAnswerFromAnExtrapolatedGuess) {
  EXPECT_EQ(run({}), core::Exit::done);
  auto const plain = temperatures("2000");
  EXPECT_EQ(run({"fvSolution:extrapolate=yes"}), core::Exit::done);
  auto const guessed = temperatures("2000");
  ASSERT_EQ(plain.size(), guessed.size());
  for (std::size_t n = 0; n < plain.size(); ++n) EXPECT_NEAR(plain[n], guessed[n], 1e-9);  // solved to 1e-14
}

TEST_F(SmallCase, ShowsAPreviewOfEverySoManySteps) {
  ASSERT_EQ(run({"system/controlDict:preview={ every 3; size 48; }", "system/controlDict:endTime=1000"}), 0);
  if (!world_.root()) return;
  std::ostringstream all;
  all << std::ifstream(folder_ / "results/preview.png").rdbuf();
  std::string const bytes = all.str();
  std::size_t pictures = 0;
  for (auto at = bytes.find("fcTL"); at != std::string::npos; at = bytes.find("fcTL", at + 4)) ++pictures;
  auto const report = core::Report::Json::parse(std::ifstream(folder_ / "postProcessing/report.json"));
  auto const steps = report["steps"].get<std::size_t>();
  ASSERT_GT(steps, 3u);
  EXPECT_EQ(pictures, steps / 3 + 1) << "of " << steps << " steps, and the initial state";
}

TEST_F(SmallCase, EndsWithThreeWhenItMustConvergeAndDoesNot) {
  EXPECT_EQ(run({"fvSolution:solvers.T.maxIter=2", "fvSolution:mustConverge=yes"}), core::Exit::not_converged);
  EXPECT_EQ(run({"fvSolution:solvers.T.maxIter=2"}), core::Exit::done);
}

TEST_F(SmallCase, KeepsItsBitsWhenTilesMove) {
  std::string const functions =
      "controlDict:functions={ mean { type volFieldValue; fields (T DT); operation volAverage; }"
      " places { type probes; fields (T); interpolationScheme cellPoint; probeLocations ((0.2 0.2 0.005) (0.7 0.5 "
      "0.005)); "
      "} }";
  std::vector<std::vector<std::string>> const variants{
      {functions},
      {"fvSchemes:ddtSchemes.default=CrankNicolson 0.9", "fvSolution:extrapolate=yes"},
      {"fvSchemes:ddtSchemes.default=backward", "fvSolution:solvers.T.preconditioner=FDIC"},
      {"fvSchemes:ddtSchemes.default=backward", "controlDict:adjustTimeStep=yes", "controlDict:deltaTTolerance=2"},
      {"controlDict:endTime=1000", "fvSolution:solvers.T.preconditioner=multigrid"},
      {"controlDict:endTime=1000", "fvSolution:solvers.T={ solver GAMG; smoother DIC; tolerance 1e-6; }"},
      {"controlDict:endTime=1000",
       "fvSolution:solvers.T={ solver smoothSolver; smoother symGaussSeidel; tolerance 1e-3; }"},
      {"controlDict:endTime=1000", "fvSchemes:ddtSchemes.default=CrankNicolson 0.9",
       "fvSolution:solvers.T={ solver auto; measure work; tolerance 1e-6; }"},
      {"controlDict:endTime=1000", "fvSolution:solvers.T={ solver PCG; preconditioner multigrid; tolerance 1e-8; }",
       "transportProperties:regions={ inner { cellZone hot; DT table ((200 1e-3) (320 1e-3) (360 2e-4) (2000 2e-4)); } "
       "}"}};
  world_.barrier();
  if (world_.root()) {
    fs::create_directories(folder_ / "constant");
    std::ofstream(folder_ / "constant/transportProperties")
        << "FoamFile { version 2.0; format ascii; class dictionary; object transportProperties; }\n";
  }
  world_.barrier();
  for (auto settings : variants) {
    SCOPED_TRACE(settings.back());
    settings.push_back("controlDict:deltaT=50");
    settings.push_back("balanceDict:rebalance=no");
    EXPECT_EQ(run(settings), core::Exit::done);
    auto const hash = report().at("hash").at("T");
    auto const written = files();
    settings.back() = "balanceDict:rebalance=yes";
    settings.push_back("balanceDict:moveCost=0");  // else moving tiles of this little case would not pay
    core::slowdown() = {world_.rank() == 1 ? 150.0 : 1.0, 0};
    EXPECT_EQ(run(settings), core::Exit::done);
    core::slowdown() = {};
    auto const after = report();
    EXPECT_EQ(after.at("hash").at("T"), hash);
    for (auto const& [name, text] : files()) EXPECT_TRUE(written.contains(name) && written.at(name) == text) << name;
    if (world_.size() > 1) {
      EXPECT_GE(after.at("balance").at("moves").get<int>(), 1) << after.at("balance");
    }
    world_.barrier();
    if (world_.root()) fs::remove(folder_ / "postProcessing/speeds.json");
    world_.barrier();
  }
}

TEST_F(SmallCase, PassesOverNamesOfOtherPatchesAsOpenFoamDoes) {
  replace("0/T", "    bottom {",
          "    sideWalls { type nonsense; a b; }\n    \"inlet.*\" { type nonsense; }\n    bottom {");
  EXPECT_EQ(run({"controlDict:endTime=200"}), core::Exit::done);
  auto const message =
      error({"controlDict:application=heatConduction", "transportProperties:lambda=1", "transportProperties:rhoC=1",
             "fvSchemes:laplacianSchemes.default=Gauss linear orthogonal"});
  EXPECT_NE(message.find("0/T:15: unknown patch 'sideWalls'; valid:"), std::string::npos) << message;
}

TEST_F(SmallCase, RefusesWhatOpenFoamWouldReadAnotherWay) {
  EXPECT_NE(error({"fvSolution:solvers.T.maxIter=0"}).find("'maxIter' is '0', expected a number from 1"),
            std::string::npos)
      << error({"fvSolution:solvers.T.maxIter=0"});
  replace("0/T", "internalField", "referenceLevel 10;\ninternalField");
  EXPECT_NE(error({}).find("'referenceLevel': is not added to values here"), std::string::npos) << error({});
  replace("0/T", "referenceLevel 10;\n", "");
  replace("0/T", "type fixedGradient; gradient uniform 20;", "type zeroGradient; gradient uniform 20;");
  EXPECT_NE(error({}).find("unknown entry 'gradient'"), std::string::npos) << error({});
}

TEST_F(SmallCase, TakesSimpleWhereThereAreOtherAlgorithms) {
  auto const log = [&] {
    testing::internal::CaptureStdout();
    EXPECT_EQ(run::run_case(world_, {folder_.string(), {"controlDict:endTime=200"}, "", false}), core::Exit::done);
    return testing::internal::GetCapturedStdout();
  };
  auto const solutions = [](std::string const& text) {
    int n = 0;
    for (auto at = text.find("Solving for T"); at != std::string::npos; at = text.find("Solving for T", at + 1)) ++n;
    return n;
  };
  replace("system/fvSolution", "SIMPLE { nNonOrthogonalCorrectors 0; }", "PIMPLE { nNonOrthogonalCorrectors 3; }");
  auto const alone = log();
  replace("system/fvSolution", "PIMPLE {", "SIMPLE { nNonOrthogonalCorrectors 1; }\nPIMPLE {");
  auto const both = log();
  if (!world_.root()) return;
  EXPECT_EQ(alone.find("is passed over"), std::string::npos) << alone;
  EXPECT_NE(both.find("'PIMPLE' is passed over, as 'SIMPLE' is there"), std::string::npos) << both;
  EXPECT_GT(solutions(both), 0);
  EXPECT_EQ(solutions(alone), 2 * solutions(both));  // 1 + 3 and 1 + 1 a step
}

TEST_F(SmallCase, WritesTheRateThatCrankNicolsonGoesOnFromWhereThereIsOne) {
  for (char const* psi : {"0", "0.9"}) {
    EXPECT_EQ(run({"controlDict:endTime=200", "fvSchemes:ddtSchemes.default=CrankNicolson " + std::string(psi)}),
              core::Exit::done);
    if (!world_.root()) continue;
    bool found = false, t_old = false;
    for (auto const& entry : fs::recursive_directory_iterator(folder_)) {
      found = found || entry.path().filename().string().starts_with("ddt0(T)");
      t_old = t_old || entry.path().filename().string().starts_with("T_0");
    }
    EXPECT_EQ(found, psi != std::string("0"));
    EXPECT_TRUE(t_old);
  }
}

TEST_F(SmallCase, ReadsEveryEntryOfABoundaryCondition) {
  replace("0/T", "type fixedGradient; gradient uniform 20;", "type fixedGradient; gradient uniform 20; gradent 3;");
  EXPECT_NE(error({}).find("0/T:15: unknown entry 'gradent'; did you mean 'gradient'?"), std::string::npos)
      << error({});
  replace(
      "0/T", "type fixedGradient; gradient uniform 20; gradent 3;",
      "type externalWallHeatFluxTemperature; mode coefficient; h uniform 5; Ta constant 300; kappaMethod solidThermo; "
      "emisivity 0.9;");
  std::vector<std::string> const heat{"controlDict:application=heatConduction", "transportProperties:lambda=1",
                                      "transportProperties:rhoC=1", "controlDict:endTime=200",
                                      "fvSchemes:laplacianSchemes.default=Gauss linear orthogonal"};
  replace("system/fvSchemes", "laplacian(DT,T) Gauss harmonic orthogonal;", "");
  auto const fields = std::string("0/DT");
  world_.barrier();
  if (world_.root()) {
    fs::remove(folder_ / "system/setFieldsDict");
    fs::remove(folder_ / "system/fvOptions");
    fs::remove(folder_ / fields);
  }
  world_.barrier();
  EXPECT_NE(error(heat).find("0/T:15: unknown entry 'emisivity'; did you mean 'emissivity'?"), std::string::npos)
      << error(heat);
  // what OpenFOAM writes of it is known
  replace("0/T", "emisivity 0.9;",
          "qr none; refValue uniform 1; refGradient uniform 2; valueFraction uniform 0; value uniform 3;");
  EXPECT_EQ(run(heat), core::Exit::done) << error(heat);
  replace("0/T", "type mixed;", "type codedFixedValue; name a; code #{ operator==(3); #};");
  EXPECT_NE(error(heat).find("boundary condition 'codedFixedValue' on the patch 'top' is not supported: code"),
            std::string::npos)
      << error(heat);
  replace("0/T", "type codedFixedValue; name a; code #{ operator==(3); #};", "type fixedvalue;");
  EXPECT_NE(error(heat).find("did you mean 'fixedValue'?"), std::string::npos) << error(heat);
}

TEST_F(SmallCase, ReadsValuesThatAreUsedByNobody) {
  struct Wrong {
    std::string value, words;
  };
  std::vector<std::string> const conditions{
      "type uniformFixedValue; uniformValue 300;",
      "type mixed; refValue uniform 290; refGradient 5; valueFraction 0.3;", "type zeroGradient;",
      "type fixedGradient; gradient uniform 20;",
      "type externalWallHeatFluxTemperature; mode flux; q uniform 5; kappaMethod solidThermo;"};
  std::string last = "type fixedGradient; gradient uniform 20;";
  replace("system/fvSchemes", "laplacian(DT,T) Gauss harmonic orthogonal;", "");
  world_.barrier();
  if (world_.root())
    for (char const* file : {"system/setFieldsDict", "system/fvOptions", "0/DT"}) fs::remove(folder_ / file);
  world_.barrier();
  std::vector<std::string> const heat{"controlDict:application=heatConduction", "transportProperties:lambda=1",
                                      "transportProperties:rhoC=1e4", "controlDict:endTime=200",
                                      "fvSchemes:laplacianSchemes.default=Gauss linear orthogonal"};
  auto const put = [&](std::string const& entries) {
    replace("0/T", last, entries);
    last = entries;
  };
  for (auto const& condition : conditions) {
    for (auto const& [value, words] : {Wrong{"banana", "is 'banana', expected a number, 'uniform VALUE' or"},
                                       {"uniform nan", "expected a finite number"},
                                       {"", "has no value, expected a number"},
                                       {"uniform (1 2)", "expected a number"},
                                       {"nonuniform List<vector> 1((1 2 3))", "List<vector> is not supported"}}) {
      put(condition + " value " + value + ";");
      auto const said = error(heat);
      EXPECT_NE(said.find("0/T:15: "), std::string::npos) << condition << said;
      EXPECT_NE(said.find("value"), std::string::npos) << condition << said;
      EXPECT_NE(said.find(words), std::string::npos) << condition << said;
    }
    // what v1912 writes, and passes over
    for (char const* value : {"uniform 3", "3", "nonuniform List<scalar> 3(1 2 3)", "nonuniform List<scalar> 0()",
                              "nonuniform List<scalar> 1000000{300}", "nonuniform 0()", "$internalField"}) {
      put(condition + " value " + value + ";");
      EXPECT_EQ(run(heat), core::Exit::done) << condition << value << error(heat);
    }
  }
  std::string list = "nonuniform List<scalar> 192(";
  for (int n = 0; n < 192; ++n) list += "300 ";
  replace("0/T", "internalField   uniform 300;", "internalField " + list + ");");
  EXPECT_EQ(run(heat), core::Exit::done) << error(heat);
  put(conditions.back() + " refValue pear;");
  EXPECT_NE(error(heat).find("entry 'refValue' is 'pear', expected a number"), std::string::npos) << error(heat);
}

TEST_F(SmallCase, NamesPropertiesThatAreNotAboveZero) {
  replace("system/fvSchemes", "laplacian(DT,T) Gauss harmonic orthogonal;", "");
  world_.barrier();
  if (world_.root()) {
    for (char const* file : {"system/setFieldsDict", "system/fvOptions", "0/DT"}) fs::remove(folder_ / file);
    fs::create_directories(folder_ / "constant");
  }
  world_.barrier();
  auto const said = [&](std::string const& properties, std::string const& scheme = "Euler") {
    if (world_.root())
      std::ofstream(folder_ / "constant/transportProperties")
          << "FoamFile { version 2.0; format ascii; class dictionary; object transportProperties; }\n"
          << properties;
    world_.barrier();
    return error({"controlDict:application=heatConduction", "controlDict:endTime=200",
                  "fvSchemes:laplacianSchemes.default=Gauss linear orthogonal",
                  "fvSchemes:ddtSchemes.default=" + scheme});
  };
  EXPECT_EQ(said("lambda 1; rhoC 1e4;"), "");
  EXPECT_EQ(said("lambda 1; rhoC 1e4;", "steadyState"), "");
  for (char const* scheme : {"Euler", "steadyState"}) {
    auto const text = said("lambda 1;\nrhoC -1e4;", scheme);
    EXPECT_NE(text.find("transportProperties:3: rhoC is -10000, expected a value > 0"), std::string::npos) << text;
  }
  auto text = said("lambda 1;\nrhoC 1e4;\nregions {\n hot {\n cellZone hot;\n lambda -384; } }");
  EXPECT_NE(text.find("transportProperties:7: entry 'lambda' is '-384', expected a value above 0 in the region 'hot'"),
            std::string::npos)
      << text;
  text = said("lambda 1;\nrhoC 1e4;\nregions {\n hot {\n cellZone hot; rhoC 0; } }", "steadyState");
  EXPECT_NE(text.find("transportProperties:6: entry 'rhoC' is '0', expected a value above 0 in the region 'hot'"),
            std::string::npos)
      << text;
  // heat is produced by fvOptions alone
  text = said("lambda 1;\nrhoC 1e4;\nq 100;");
  EXPECT_NE(text.find("transportProperties:4: entry 'q' is '100', expected none: sources of heat are entries of "
                      "system/fvOptions"),
            std::string::npos)
      << text;
  EXPECT_EQ(said("q 1;\nlambda $q; rhoC 1e4;"), "");  // a variable
}

TEST_F(SmallCase, PassesOverWhatLaplacianFoamDoes) {
  replace("system/fvSolution", "maxIter 20000; } }",
          "maxIter 20000; }\n \"T.*\" { solver nonsense; }\n \"(U|k)\" { solver other; } }\n"
          "relaxationFactors { equations { \".*\" 0.7; } }");
  replace("system/controlDict", "application", "adjustTimeStep yes; maxCo 1;\napplication");
  testing::internal::CaptureStdout();
  EXPECT_EQ(run::run_case(world_, {folder_.string(), {}, "", false}), core::Exit::done);
  auto const log = testing::internal::GetCapturedStdout();
  expect_openfoam("reference.txt", "Euler");
  if (world_.root()) {
    EXPECT_NE(log.find("fvSolution:12: 'relaxationFactors' does nothing, as in OpenFOAM's laplacianFoam"),
              std::string::npos)
        << log;
    EXPECT_NE(log.find("'adjustTimeStep' does nothing without deltaTTolerance, as in OpenFOAM's laplacianFoam"),
              std::string::npos)
        << log;
  }
  // where conductivities may depend on T, somebody may count on it
  auto const said = error({"controlDict:application=heatConduction", "controlDict:adjustTimeStep=no",
                           "transportProperties:lambda=1", "transportProperties:rhoC=1"});
  EXPECT_NE(said, "");
}

TEST_F(SmallCase, ReadsUnitsInPlaceOfExponents) {
  replace("0/T", "[0 0 0 1 0 0 0]", "[K]");
  replace("0/DT", "[0 2 -1 0 0 0 0]", "[m^2/s]");
  EXPECT_EQ(run({}), core::Exit::done);
  expect_openfoam("reference.txt", "Euler");
  replace("0/DT", "[m^2/s]", "[m/s]");
  EXPECT_NE(error({}).find("0/DT:9: dimensions [0 1 -1 0 0 0 0], expected [0 2 -1 0 0 0 0]"), std::string::npos)
      << error({});
}

TEST_F(SmallCase, RefusesHeatPerVolumeWhereThereIsNoCapacity) {
  replace("system/fvOptions", "heat {",
          "losses { type conductorLosses; selectionMode cellZone; cellZone hot; q20 7500; alpha 4e-3; }\nheat {");
  EXPECT_NE(error({}).find("fvOptions:9: conductorLosses is heat in W/m3, and laplacianFoam's equation has no heat "
                           "capacity: use application heatConduction"),
            std::string::npos)
      << error({});
}

TEST_F(SmallCase, NamesTheSourceThatOutweighsConduction) {
  replace("system/fvOptions", "T (0.02 4e-5)", "T (0.02 40)");
  auto const message = error({});
  EXPECT_NE(message.find("fvSolution:9: DIC's pivot in cell"), std::string::npos) << message;
  EXPECT_NE(message.find("source 'heat' ("), std::string::npos) << message;
  EXPECT_NE(message.find("fvOptions:9) has Sp > 0"), std::string::npos) << message;
}

TEST_F(SmallCase, RefusesNumbersThatOverflowInTheMatrix) {
  world_.barrier();
  if (world_.root()) fs::remove(folder_ / "system/setFieldsDict");
  world_.barrier();
  for (char const* huge : {"1e308", "1e200", "1e-300"}) {
    auto const message =
        error({"controlDict:application=heatConduction", std::string("transportProperties:lambda=") + huge,
               "transportProperties:rhoC=1", "fvSchemes:laplacianSchemes.default=Gauss linear orthogonal"});
    EXPECT_NE(message.find("expected numbers from 1e-140 to 1e+140"), std::string::npos) << message;
    EXPECT_NE(message.find("lambda from"), std::string::npos) << message;
  }
}

TEST_F(SmallCase, TakesNoGradientOfDiffusivityAsThatOfTheCells) {
  replace("0/DT", "type zeroGradient;", "type fixedGradient; gradient uniform 0;");
  EXPECT_EQ(run({}), core::Exit::done);
  expect_openfoam("reference.txt", "Euler");
  replace("0/DT", "gradient uniform 0", "gradient uniform 1");
  EXPECT_NE(error({}).find("entry 'gradient' of DT is 1, expected 0"), std::string::npos) << error({});
}

TEST_F(SmallCase, ClaimsNoConvergenceThatItDoesNotPrint) {
  std::vector<std::string> settings{"fvSolution:solvers.T.preconditioner=multigrid",
                                    "fvSolution:solvers.T.tolerance=1e-19", "fvSolution:mustConverge=yes",
                                    "controlDict:endTime=400"};
  EXPECT_EQ(run(settings), core::Exit::not_converged);
  auto const solved = report().at("solvers").at("T");
  EXPECT_FALSE(solved.at("converged").get<bool>());
  EXPECT_GT(solved.at("finalResidual").at(0).get<double>(), 1e-19);
  EXPECT_LT(solved.at("iterations").at(0).get<int>(), 100);
  settings[2] = "fvSolution:mustConverge=no";
  EXPECT_EQ(run(settings), core::Exit::done);
}

TEST_F(SmallCase, SaysThatLossesHaveNoSteadyTemperature) {
  replace("system/fvOptions", "loss {",
          "losses { type conductorLosses; selectionMode cellZone; cellZone hot; q20 QQ; alpha 4e-3; }\nloss {");
  replace("system/fvOptions", "heat { type scalar", "// heat { type scalar");
  std::vector<std::string> const heat{"controlDict:application=heatConduction",
                                      "transportProperties:lambda=1",
                                      "transportProperties:rhoC=1",
                                      "fvSchemes:ddtSchemes.default=steadyState",
                                      "fvSchemes:laplacianSchemes.default=Gauss linear orthogonal",
                                      "controlDict:endTime=200",
                                      "fvSolution:mustConverge=yes"};
  replace("system/fvOptions", "QQ", "1");
  world_.barrier();
  if (world_.root()) fs::remove(folder_ / "system/setFieldsDict");
  world_.barrier();
  EXPECT_EQ(run(heat), core::Exit::done);
  replace("system/fvOptions", "q20 1;", "q20 1e6;");
  EXPECT_EQ(run(heat), core::Exit::not_converged);
  auto const solved = report();
  EXPECT_LT(solved.at("solvers").at("T").at("outerIterations").at(0).get<int>(), 30);
  EXPECT_TRUE(std::isfinite(solved.at("results").at("max").get<double>()));
}

TEST_F(SmallCase, NamesWhatIsWrong) {
  replace("0/T", "type mixed;", "type inletOutlet;");
  EXPECT_NE(
      error({}).find("0/T:16: entry 'type': boundary condition 'inletOutlet' on the patch 'top' is not supported"),
      std::string::npos);
  replace("0/T", "type inletOutlet;", "type convective; h 5; Tinf 300;");
  EXPECT_NE(error({}).find("convective needs a conductivity"), std::string::npos);
  replace("0/DT", "[0 2 -1 0 0 0 0]", "[0 2 -2 0 0 0 0]");
  EXPECT_NE(error({}).find("0/DT:9: dimensions [0 2 -2 0 0 0 0], expected [0 2 -1 0 0 0 0]"), std::string::npos);
  replace("0/DT", "[0 2 -2 0 0 0 0]", "[0 2 -1 0 0 0 0]");
  replace("system/setFieldsDict", "DT 2e-6", "DT -2e-6");
  replace("0/T", "type convective; h 5; Tinf 300;", "type zeroGradient;");
  replace("0/T", "refValue uniform 290; refGradient uniform 5; valueFraction uniform 0.3;", "");
  EXPECT_NE(error({}).find("DT in cell (12 0 0) is -2e-06, expected a value > 0"), std::string::npos) << error({});
}

TEST_F(SmallCase, RefusesAMeanWhereSomethingGivesTheTemperature) {
  std::vector<std::string> settings{"controlDict:endTime=1", "controlDict:deltaT=1",
                                    "fvSchemes:ddtSchemes.default=steadyState", "fvSolution:SIMPLE={ TMean 293; }"};
  EXPECT_NE(error(settings).find("TMean is there, expected no such entry: sides, sources or held cells give"),
            std::string::npos)
      << error(settings);
  settings.back() = "fvSolution:SIMPLE={ TMean -293; }";
  EXPECT_NE(error(settings).find("entry 'TMean' is '-293', expected a number above 0"), std::string::npos)
      << error(settings);
}

TEST_F(SmallCase, RefusesASteadyStateWithoutAStep) {
  std::vector<std::string> settings{"controlDict:endTime=1", "controlDict:deltaT=3"};
  EXPECT_EQ(run(settings), core::Exit::done);
  settings.push_back("fvSchemes:ddtSchemes.default=steadyState");
  EXPECT_NE(error(settings).find("no step is taken: deltaT 3 is not less than twice endTime - startTime, which is 1"),
            std::string::npos)
      << error(settings);
}

TEST_F(SmallCase, IsCheckedWhateverIsWrongWithItsTilesOrPatches) {
  auto const complaint = [&](std::vector<std::string> const& settings) {
    testing::internal::CaptureStderr();
    run::check_case(world_, {folder_.string(), settings, "", true});
    std::string said = testing::internal::GetCapturedStderr();
    world_.broadcast(said);
    return said;
  };
  // there are no tiles to lay fields on
  EXPECT_NE(complaint({"decomposeParDict:tile=(0 5 1)"}).find("tile size is 0"), std::string::npos);
  EXPECT_NE(complaint({"decomposeParDict:method=scotsh"}).find("did you mean 'scotch'?"), std::string::npos);
  // a side whose condition cannot be read is told once, not also as a side without a condition
  replace("system/blockMeshDict", "right { type patch;", "right { type cyclic; neighbourPatch left;");
  replace("system/blockMeshDict", "left { type patch;", "left { type cyclic; neighbourPatch right;");
  auto const said = complaint({});
  EXPECT_NE(said.find("type fixedValue on the patch 'left' of type cyclic"), std::string::npos) << said;
  EXPECT_EQ(said.find("side 'left'"), std::string::npos) << said;
}
