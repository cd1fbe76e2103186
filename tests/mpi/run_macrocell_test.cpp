// SPDX-License-Identifier: Apache-2.0
// Snapshots of HashLife as a tree: results/NNNNNN.mc.
#include "io/reader.hpp"
#include "tests/support/written_case.hpp"

#include <set>
#include <string>

namespace tessera::tests {
namespace {

/// Guns, on which HashLife has much to share; a wire with electrons; cells that die slowly.
struct Start {
  std::string rule, file, pattern;
};
std::vector<Start> const starts{
    {"B3/S23", "p.rle",
     "#CXRLE Pos=-17,33\nx = 36, y = 9\n24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$"
     "10bo5bo7bo$11bo3bo$12b2o!\n"},
    {"345/2/4", "p.rle", "x = 9, y = 5\n.A.2A.B.C$3A.2A.A$A.A.A.2A$2.B3A$.A.2A!\n"},
    {"", "p.mc", ""}};

/// Two gliders, 2^k cells apart in both directions.
std::string gliders(int k) {
  std::string text = "[M2] (golly 2.0)\n#R B3/S23\n.*$..*$***$$$$$\n";
  for (int level = 4; level <= k; ++level) text += fmt::format("{} {} 0 0 0\n", level, level - 3);
  return text + fmt::format("{} {} 0 0 {}\n", k + 1, k - 2, k - 2);
}

WrittenCase made(Start const& start, std::string const& more = "") {
  return WrittenCase(
      {{"system/controlDict", "application cellularAutomaton;\n" + more},
       {"constant/automatonProperties",
        (start.rule.empty() ? "" : "rule \"" + start.rule + "\";\n") + "initial { type pattern; file \"" + start.file +
            "\"; }\nboundary { unbounded; }\nalgorithm hash;\nstop { generations 150; }\n"},
       {start.file, start.pattern.empty() ? gliders(40) : start.pattern}});
}

void expect_same(nlohmann::ordered_json const& a, nlohmann::ordered_json const& b, std::string const& what) {
  EXPECT_EQ(a["results"]["population"], b["results"]["population"]) << what;
  EXPECT_EQ(a["results"]["box"], b["results"]["box"]) << what;
  EXPECT_EQ(a["hash"], b["hash"]) << what;
}

std::vector<std::string> generations(int n) {
  return {fmt::format("constant/automatonProperties:stop.generations={}", n)};
}

TEST(MacrocellSnapshots, ARunGoesOnFromItAndAnotherBeginsWithIt) {
  for (auto const& start : starts) {
    auto whole = made(start, "writeControl none;"),
         parts = made(start, "writeFormat macrocell;\nstartFrom latestTime;");
    auto const expected = whole.run(generations(150));
    parts.run(generations(60));
    core::Comm const world;
    if (world.root()) {
      EXPECT_TRUE(std::filesystem::exists(parts.path("results/000060.mc"))) << start.rule;
      EXPECT_FALSE(std::filesystem::exists(parts.path("results/000060.h5"))) << start.rule;
      auto const source = io::open_cells(parts.path("results/000060.mc").string());
      EXPECT_EQ(source->generation(), 60);
      EXPECT_EQ(source->rule(), start.rule.empty() ? "B3/S23" : start.rule);
    }
    world.barrier();
    expect_same(parts.run(generations(150)), expected, start.rule + " went on");

    auto next = made({"", "q.mc", parts.read("results/000060.mc")}, "writeControl none;");
    expect_same(next.run(generations(90)), expected, start.rule + " began anew");
    if (start.pattern.empty()) continue;
    EXPECT_EQ(next.run({"constant/automatonProperties:stop.generations=90",
                        "constant/automatonProperties:algorithm=tiles"})["hash"],
              expected["hash"])
        << start.rule << " by tiles";
  }
}

TEST(MacrocellSnapshots, OfAnEarlierRunGoAsideWhenANewOneWrites) {
  auto c = made(starts[0], "writeFormat macrocell;\nwriteControl timeStep; writeInterval 20;");
  c.run(generations(60));
  c.run({"automatonProperties:stop.generations=30", "automatonProperties:algorithm=tiles",
         "controlDict:writeFormat=ascii"});
  std::set<std::string> left;
  for (auto const& entry : std::filesystem::directory_iterator(c.path("results")))
    if (entry.path().extension() != ".png" && entry.path().extension() != ".xdmf")
      left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"000020.h5", "000030.h5", "earlier"}));
}

TEST(MacrocellSnapshots, WhatIsTooLargeForCellsIsWrittenAsATreeOrTheRunIsTold) {
  auto large = made(starts[2], "writeInterval 50; purgeWrite 2;");
  large.run(generations(150));
  core::Comm const world;
  if (!world.root()) return;
  EXPECT_FALSE(std::filesystem::exists(large.path("results/000050.mc"))) << "purgeWrite 2";
  EXPECT_TRUE(std::filesystem::exists(large.path("results/000100.mc")));
  EXPECT_TRUE(std::filesystem::exists(large.path("results/000150.mc")));
  EXPECT_FALSE(std::filesystem::exists(large.path("results/000150.mc.part")));
}

TEST(MacrocellSnapshots, OneThatIsDamagedOrOfAnotherRuleIsNotTaken) {
  auto c = made(starts[0], "writeFormat macrocell; writeInterval 30; startFrom latestTime;");
  auto const expected = c.run(generations(60));
  // another cell lives
  std::string text = c.read("results/000060.mc");
  text[text.find(".*")] = '*';
  core::Comm const world;
  world.barrier();
  c.write("results/000060.mc", text);
  expect_same(c.run(generations(60)), expected, "from generation 30");
  EXPECT_THROW(c.run({"constant/automatonProperties:rule=B36/S23"}), core::Error);
  c.write("results/000060.mc", "[M2]\n#R B3/S23\n#G 61\n*$\n4 1 1 1 1\n");
  expect_same(c.run(generations(60)), expected, "a file of another generation");
}

TEST(MacrocellSnapshots, AnotherRunBeginsWithTheLastOneOfACase) {
  auto first = made(starts[1], "");
  first.run(generations(20));
  auto const expected = first.run({generations(40).front(), "system/controlDict:writeFormat=macrocell"});
  auto const begins_with = [](std::string const& file, std::string const& boundary) {
    std::map<std::string, std::string> files{
        {"system/controlDict", "application cellularAutomaton;\n"},
        {"constant/automatonProperties",
         "rule \"345/2/4\";\ninitial { type snapshot; file \"" + file + "\"; }\nstop { generations 0; }\n" + boundary}};
    return WrittenCase(files);
  };
  std::string const plane = "boundary { unbounded; }\n";
  for (auto const& file : {first.path(), first.path("results"), first.path("results/000040.mc")})
    for (char const* algorithm : {"hash", "tiles"})
      expect_same(
          begins_with(file.string(), plane).run({std::string("constant/automatonProperties:algorithm=") + algorithm}),
          expected, file.string() + algorithm);
  // with cells of its size a grid does, too
  auto const n = expected["results"]["box"]["cells"];
  auto grid = begins_with(first.path().string(), "");
  grid.write("system/gridDict", fmt::format("cells ({} {} 1);", n[0].get<int>(), n[1].get<int>()));
  EXPECT_EQ(grid.run()["results"]["population"], expected["results"]["population"]);

  core::Comm const world;
  if (world.root()) std::filesystem::remove(first.path("results/000020.h5"));
  world.barrier();
  expect_same(begins_with(first.path().string(), plane).run(), expected, "no file of cells");
  if (world.root()) std::filesystem::remove(first.path("results/000040.mc"));
  world.barrier();
  auto const said = begins_with(first.path().string(), plane).complaint();
  EXPECT_NE(said.find("a folder without snapshots NNNNNN.h5 or NNNNNN.mc"), std::string::npos) << said;
}

TEST(MacrocellSnapshots, OnlyHashLifeHasThem) {
  auto c = made(starts[0], "writeFormat macrocell;");
  auto const said = c.complaint({"constant/automatonProperties:algorithm=tiles"});
  EXPECT_NE(said.find("controlDict:2: "), std::string::npos) << said;
  EXPECT_NE(said.find("`algorithm hash;` alone has"), std::string::npos) << said;
  EXPECT_EQ(c.complaint(), "");
  WrittenCase const grid(
      {{"system/controlDict", "application cellularAutomaton;\nwriteFormat macrocell;\n"},
       {"constant/automatonProperties", "rule life; initial { type random; } stop { generations 1; }"},
       {"system/gridDict", "cells (8 8 1);"}});
  EXPECT_NE(grid.complaint().find("writeFormat 'macrocell' is not supported, supported: ascii binary"),
            std::string::npos)
      << grid.complaint();
}

}  // namespace
}  // namespace tessera::tests
