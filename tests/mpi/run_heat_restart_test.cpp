// SPDX-License-Identifier: Apache-2.0
// A heat run that goes on from any of its snapshots, on other ranks, ends with the bits and tables of a whole one: whatever a
// time scheme or a solver keeps is in the snapshot.
#include "tests/support/written_case.hpp"

#include <algorithm>
#include <set>

namespace tessera::tests {
namespace {

namespace fs = std::filesystem;

/// tests/data/laplacian_small with function objects.
struct SmallHeat : testing::TestWithParam<std::array<char const*, 2>> {
  core::Comm world;
  WrittenCase files{{}};
  std::vector<std::string> settings{"decomposeParDict:tile=(6 5 1)", "controlDict:endTime=2000",
                                    "controlDict:writeInterval=1", "controlDict:startFrom=latestTime"};
  SmallHeat() {
    if (world.root()) {
      for (char const* folder : {"0", "system"})
        fs::copy(std::string(TESSERA_SOURCE_DIR) + "/tests/data/laplacian_small/" + folder, files.path(folder),
                 fs::copy_options::recursive | fs::copy_options::overwrite_existing);
      std::ofstream(files.path("system/controlDict"), std::ios::app) << R"(
functions
{
    point { type probes; fields (T); probeLocations ((0.5 0.4 0.005)); writeControl runTime; writeInterval 500; }
    extremes { type fieldMinMax; fields (T); }
    mean { type volFieldValue; fields (T); operation volAverage; writeControl writeTime; writeInterval 2; }
    over_time { type fieldAverage; fields (T { mean on; prime2Mean on; base time; }); writeControl writeTime; }
    averages { type fieldMinMax; fields (TMean TPrime2Mean); }
    walls { type wallHeatFlux; patches (".*"); }
    slopes { type fieldMinMax; fields (gradTx gradTy); }
})";
    }
    world.barrier();
  }
  /// Tables of the case by their paths; on the root.
  std::map<std::string, std::string> tables() const {
    std::map<std::string, std::string> all;
    for (auto const& entry : fs::recursive_directory_iterator(files.path("postProcessing")))
      if (entry.is_regular_file() && entry.path().extension() != ".json")
        all[entry.path().string()] = bytes_of(entry.path().string());
    return all;
  }
  /// Snapshots, the first one first; the later ones go where only `keep` are to stay, and with them the time directories.
  std::vector<fs::path> snapshots(std::size_t keep = ~std::size_t{0}) const {
    std::set<fs::path> found;
    for (auto const& entry : fs::directory_iterator(files.path("results")))
      if (entry.path().extension() == ".h5") found.insert(entry.path());
    std::vector<fs::path> const all(found.begin(), found.end());
    for (std::size_t n = keep; n < all.size(); ++n) fs::remove(all[n]);
    if (keep < all.size())
      for (auto const& entry : fs::directory_iterator(files.path()))
        if (auto const name = entry.path().filename().string(); name != "0" && std::isdigit(name[0]))
          fs::remove_all(entry.path());
    return all;
  }
  /// Runs the case whole on all ranks, then from the last but one of its snapshots on one, and from the first ones on all.
  void expect_same_bits() {
    auto const whole = files.run(settings);
    std::map<std::string, std::string> before;
    std::int64_t count = 0;
    if (world.root()) {
      before = tables();
      count = std::ssize(snapshots());
      EXPECT_FALSE(before.empty());
    }
    count = static_cast<std::int64_t>(world.max(static_cast<double>(count)));
    ASSERT_GE(count, 3);
    core::Comm const alone(MPI_COMM_SELF);
    for (auto const& [keep, on_one] :
         {std::pair{count - 2, true}, std::pair{std::int64_t{2}, false}, std::pair{std::int64_t{1}, false}}) {
      if (keep == 2 && !on_few_ranks()) continue;
      if (world.root()) snapshots(static_cast<std::size_t>(keep));
      world.barrier();
      if (!on_one || world.root()) {
        auto const resumed = files.run(settings, on_one ? alone : world);
        EXPECT_EQ(resumed["hash"]["T"], whole["hash"]["T"]) << "from snapshot " << keep;
      }
      world.barrier();
      if (!world.root()) continue;
      auto after = tables();
      EXPECT_EQ(after.size(), before.size()) << "from snapshot " << keep;
      for (auto const& [path, text] : before) EXPECT_EQ(after[path], text) << path << " from snapshot " << keep;
    }
  }
};

TEST_P(SmallHeat, GoesOnFromAnySnapshotWithTheBitsOfAWholeRun) {
  auto const& [scheme, more] = GetParam();
  settings.push_back("fvSchemes:ddtSchemes.default=" + std::string(scheme));
  std::istringstream words(more);
  for (std::string word; words >> word;) settings.push_back(word);
  settings.push_back("fvSolution:solvers.T.tolerance=1e-9");
  expect_same_bits();
}
constexpr char const* adjusted =
    "fvSolution:extrapolate=yes controlDict:adjustTimeStep=yes controlDict:deltaTTolerance=0.05";
INSTANTIATE_TEST_SUITE_P(
    Schemes, SmallHeat,
    testing::Values(std::array{"Euler", ""}, std::array{"Euler", adjusted},
                    std::array{"CrankNicolson 1", "fvSolution:extrapolate=yes"},
                    std::array{"CrankNicolson 0.9", "controlDict:adjustTimeStep=yes controlDict:deltaTTolerance=0.05"},
                    std::array{"backward", "controlDict:adjustTimeStep=yes controlDict:deltaTTolerance=0.05"},
                    std::array{"backward", adjusted}));

struct FromDirectories : SmallHeat {};
TEST_P(FromDirectories, AveragesGoOnFromWhatATimeDirectoryHolds) {
  settings.push_back("controlDict:writePrecision=17");
  files.run(settings);
  auto const last_rows = [&] { return files.read("postProcessing/averages/0/fieldMinMax.dat"); };
  std::string const whole = world.root() ? last_rows() : "";
  auto const end_of = [](std::string const& table) { return table.substr(table.rfind("\n2000")); };
  if (world.root()) {
    EXPECT_TRUE(fs::exists(files.path("1800/uniform/functionObjects/functionObjectProperties")));
    for (char const* gone : {"results", "2000", "postProcessing"}) fs::remove_all(files.path(gone));
  }
  world.barrier();
  files.run(settings);
  if (!world.root()) return;
  std::string const gone_on = files.read("postProcessing/averages/1800/fieldMinMax.dat");
  EXPECT_NE(gone_on.find("TMean"), std::string::npos);
  EXPECT_EQ(end_of(gone_on), end_of(whole));
}
INSTANTIATE_TEST_SUITE_P(Schemes, FromDirectories, testing::Values(std::array{"Euler", ""}));

struct LearningSolver : SmallHeat {};
TEST_P(LearningSolver, GoesOnWithWhatASolverHasLearnt) {
  settings.push_back(std::string("fvSolution:solvers.T={ ") + GetParam()[0] + " }");
  expect_same_bits();
}
// multigrid goes over to double precision at this tolerance, auto makes its choice
INSTANTIATE_TEST_SUITE_P(Solvers, LearningSolver,
                         testing::Values(std::array{"solver PCG; preconditioner multigrid; tolerance 1e-14;", ""},
                                         std::array{"solver auto; measure work; tolerance 1e-9;", ""}));

/// Conductivities that depend on T: the solver follows the matrix with what it was set up for some steps before.
struct FollowingSolver : SmallHeat {};
TEST_P(FollowingSolver, GoesOnWithWhatASolverWasSetUpFor) {
  if (world.root()) {
    fs::create_directories(files.path("constant"));
    std::ofstream(files.path("constant/transportProperties"))
        << R"(FoamFile { version 2.0; format ascii; class dictionary; object x; }
regions
{
    inner { cellZone hot; DT table ((200 1e-3) (320 1e-3) (360 2e-4) (2000 2e-4)); }
    outer { cellZone cold; DT polynomial ((1e-7 0) (1e-8 1)); }
})";
  }
  world.barrier();
  settings.push_back("fvSchemes:ddtSchemes.default=" + std::string(GetParam()[0]));
  settings.push_back(std::string("fvSolution:solvers.T={ ") + GetParam()[1] + " }");
  expect_same_bits();
  settings.push_back("controlDict:startFrom=startTime");
  auto const whole = files.run(settings);
  if (!world.root()) return;
  if (std::string(GetParam()[1]).find("auto") == std::string::npos) {
    EXPECT_EQ(std::string(GetParam()[1]).find("multigrid") != std::string::npos,
              whole["solvers"]["T"].contains("followed"));
  }
}
INSTANTIATE_TEST_SUITE_P(
    Solvers, FollowingSolver,
    testing::Values(std::array{"Euler", "solver PCG; preconditioner multigrid; tolerance 1e-9;"},
                    std::array{"backward", "solver PCG; preconditioner multigrid; tolerance 1e-9;"},
                    std::array{"Euler",
                               "solver PCG; preconditioner { preconditioner multigrid; cycle V; } tolerance 1e-14;"},
                    std::array{"Euler", "solver auto; measure work; candidates (MDIC multigrid); tolerance 1e-9;"},
                    std::array{"Euler", "solver PCG; preconditioner DIC; tolerance 1e-9;"}));

}  // namespace
}  // namespace tessera::tests
