// SPDX-License-Identifier: Apache-2.0
// What a run on a plane without end shares with one on a grid: its start, its end by a period, restarts, the series and previews.
#include "io/convert.hpp"
#include "io/reader.hpp"
#include "io/readers/live_cells.hpp"
#include "tests/support/written_case.hpp"

#include <algorithm>
#include <span>

namespace tessera::tests {
namespace {

constexpr char const* blinker = "#CXRLE Pos=-70,60\nx = 3, y = 1, rule = B3/S23\n3o!\n";
constexpr char const* block = "x = 2, y = 2, rule = B3/S23\n2o$2o!\n";
constexpr char const* glider = "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n";
/// Becomes a pentadecathlon, of period 15.
constexpr char const* row_of_ten = "x = 10, y = 1, rule = B3/S23\n10o!\n";
constexpr char const* pulsar =
    "x = 13, y = 13, rule = "
    "B3/S23\n2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o!\n";

WrittenCase made(std::string const& pattern, std::string const& stop, std::string const& boundary = "unbounded;",
                 std::string const& control = "") {
  return WrittenCase({{"system/controlDict", "application cellularAutomaton;\n" + control},
                      {"constant/automatonProperties", "initial { type pattern; file \"p.rle\"; }\n" +
                                                           (boundary.empty() ? "" : "boundary { " + boundary + " }\n") +
                                                           "stop { " + stop + " }\n"},
                      {"p.rle", pattern}});
}

std::vector<std::string> by(std::string const& algorithm) {
  return {"constant/automatonProperties:algorithm=" + algorithm};
}

TEST(PlanePeriod, IsThatOfABoundedGrid) {
  struct Run {
    std::string pattern, stop;
    int generation, period;  // 0: none
  };
  for (auto const& [pattern, stop, generation, period] :
       {Run{blinker, "period; generations 50;", 2, 2}, Run{block, "period 7;", 1, 1}, Run{block, "stable;", 1, 1},
        Run{pulsar, "generations 50; period 3;", 3, 3}, Run{pulsar, "generations 50; period 2;", 50, 0},
        Run{blinker, "stable; generations 9;", 9, 0}, Run{row_of_ten, "period 15;", 17, 15},
        Run{glider, "period 100; generations 40;", 40, 0}}) {
    auto bounded = made(pattern, stop, "");
    auto plane = made(pattern, stop);
    auto const expected = bounded.run();
    EXPECT_EQ(expected["results"]["generation"], generation) << stop;
    EXPECT_EQ(expected["results"].value("period", 0), period) << stop;
    for (char const* algorithm : {"tiles", "hash"}) {
      auto const found = plane.run(by(algorithm));
      EXPECT_EQ(found["results"]["generation"], expected["results"]["generation"]) << pattern << stop << algorithm;
      EXPECT_EQ(found["results"]["population"], expected["results"]["population"]) << pattern << stop << algorithm;
      EXPECT_EQ(found["results"].value("period", 0), period) << pattern << stop << algorithm;
    }
  }
}

TEST(PlanePeriod, OfRulesOfManyStates) {
  // a ship leaves: its states come back, in other places
  std::string const ship = "x = 3, y = 2, rule = /2/3\n.2A$.2B!\n";
  auto plane = made(ship, "period 20; generations 60;");
  for (char const* algorithm : {"tiles", "hash"})
    EXPECT_FALSE(plane.run(by(algorithm))["results"].contains("period")) << algorithm;
}

TEST(PlanePeriod, IsFoundInTheSameGenerationByARunThatGoesOn) {
  for (char const* snapshots : {"binary", "macrocell"})
    for (char const* algorithm : {"tiles", "hash"}) {
      if (snapshots == std::string("macrocell") && algorithm == std::string("tiles")) continue;
      auto c = made(pulsar, "generations 2; period 900;", "unbounded;",
                    fmt::format("writeFormat {}; startFrom latestTime;", snapshots));
      EXPECT_FALSE(c.run(by(algorithm))["results"].contains("period"));
      auto settings = by(algorithm);
      settings.emplace_back("constant/automatonProperties:stop.generations=100");
      for (int n = 0; n < 2; ++n) {  // the second one has nothing left to do
        auto const found = c.run(settings);
        EXPECT_EQ(found["results"]["generation"], 3) << snapshots << algorithm << n;
        EXPECT_EQ(found["results"].value("period", 0), 3) << snapshots << algorithm << n;
        EXPECT_EQ(found["steps"], n == 0 ? 1 : 0) << snapshots << algorithm;
      }
    }
}

TEST(PlanePeriod, StableIsKnownToARunThatGoesOn) {
  for (auto const& [snapshots, algorithm] : {std::pair{"binary", "hash"}, {"macrocell", "hash"}, {"binary", "tiles"}}) {
    auto c = made(block, "stable;", "unbounded;", fmt::format("writeFormat {}; startFrom latestTime;", snapshots));
    for (int n = 0; n < 3; ++n) EXPECT_EQ(c.run(by(algorithm))["results"]["generation"], 1) << snapshots << n;
  }
}

TEST(PlaneStart, OfAListLaysOneOverTheOther) {
  struct Start {
    std::string list;
    int population;
  };
  std::string const pattern = "{ type pattern; file \"p.rle\"; position (0 0 0); }",
                    tree = "{ type pattern; file \"p.mc\"; }";
  auto const random = [](std::string const& box, int probability) {
    return fmt::format("{{ type random; box ({}); probability {}; }}", box, probability);
  };
  std::string const all = random("(0 0 0) (5 5 1)", 1);
  for (auto const& [list, population] :
       {Start{all + pattern, 21}, Start{all + random("(1 1 0) (4 3 1)", 0), 19}, Start{pattern + all, 25},
        Start{all + pattern + random("(0 2 0) (9 9 1)", 0), 8},
        // the tree's cells lie at (1 2), (2 1), (0 0), (1 0), (2 0) as those of the other file
        Start{all + tree, 21}, Start{tree + random("(2 0 0) (3 9 1)", 0), 3}}) {
    bool const trees = list.find("mc") != std::string::npos;
    auto const start = [&, &starts = list](std::string const& boundary) {
      std::map<std::string, std::string> files{
          {"system/controlDict", "application cellularAutomaton;\n"},
          {"constant/automatonProperties",
           "rule \"B3/S23\"; initial ( " + starts + " );\nstop { generations 0; }\n" + boundary},
          {"p.rle", glider},
          {"p.mc", "[M2] (golly 2.0)\n#R B3/S23\n$$$$$.*$..*$***$\n4 0 1 0 0\n"}};
      if (boundary.empty()) files["system/gridDict"] = "cells (9 9 1);";
      return WrittenCase(files);
    };
    if (!trees) {
      EXPECT_EQ(start("").run()["results"]["population"], population) << list;
    }
    auto plane = start("boundary { unbounded; }");
    auto const tiles = plane.run(by("tiles")), hash = plane.run(by("hash"));
    EXPECT_EQ(hash["computed"]["plane without end"]["threads"], 1);
    EXPECT_TRUE(tiles["computed"].contains("plane without end"));
    EXPECT_EQ(tiles["results"]["population"], population) << list;
    EXPECT_EQ(hash["results"]["population"], population) << list;
    EXPECT_EQ(tiles["hash"], hash["hash"]) << list;
  }
}

TEST(PlaneStart, OfTreesLaysWhatNobodyCanGoThroughOverOthers) {
  // a square of 2^40 x 2^40 cells that live, and over it in a list a tree of two cells that far from each other, two times
  std::string full =
      "[M2] (golly 2.0)\n#R B3/S23\n********$********$********$********$********$********$********$********$\n";
  for (int level = 4; level <= 40; ++level) full += fmt::format("{0} {1} {1} {1} {1}\n", level, level - 3);
  std::string two = "[M2] (golly 2.0)\n#R B3/S23\n*$\n$$$$$$$.......*$\n";
  for (int level = 4; level <= 39; ++level)
    two += fmt::format("{} {} 0 0 0\n{} 0 0 0 {}\n", level, 2 * level - 7, level, 2 * level - 6);
  two += "40 73 0 0 74\n";
  auto const start = [&](std::vector<std::string> const& trees) {
    std::string list;
    for (auto const& tree : trees) list += "{ type pattern; file \"" + tree + ".mc\"; }";
    return WrittenCase(
               {{"system/controlDict", "application cellularAutomaton;\nwriteControl none;\n"},
                {"constant/automatonProperties",
                 "initial ( " + list + " );\nboundary { unbounded; }\nalgorithm hash;\nstop { generations 0; }\n"},
                {"full.mc", full},
                {"two.mc", two}})
        .run()["results"]["population"];
  };
  EXPECT_EQ(start({"two", "full", "two"}), 2);
  EXPECT_EQ(start({"two", "full"}), "1208925819614629174706176");
}

/// Cells at random in a box, which begins at some (x 0).
WrittenCase soup_at(std::int64_t x, std::string const& more = "") {
  return WrittenCase(
      {{"system/controlDict", "application cellularAutomaton;\nstartFrom latestTime;\n"},
       {"constant/automatonProperties",
        fmt::format("rule \"B3/S23\";\ninitial {{ type random; box (({} 0 0) ({} 10 1)); }}\nboundary {{ unbounded; "
                    "}}\nstop {{ generations 20; }}\n",
                    x, x + 10) +
            more}});
}
std::vector<std::string> by(std::string const& algorithm, int generations) {
  return {"constant/automatonProperties:algorithm=" + algorithm,
          fmt::format("constant/automatonProperties:stop.generations={}", generations)};
}
void expect_cells(nlohmann::ordered_json const& a, nlohmann::ordered_json const& b, std::string const& what) {
  EXPECT_EQ(a["results"]["box"], b["results"]["box"]) << what;
  EXPECT_EQ(a["hash"], b["hash"]) << what;
}

TEST(PlaneRestart, KnowsPlacesThatNoDoubleHolds) {
  core::Comm const world;
  constexpr std::int64_t far = 100000000000000004;
  auto const expected = soup_at(far).run(by("tiles", 20));
  EXPECT_EQ(soup_at(far).run(by("hash", 20))["hash"], expected["hash"]);
  auto parts = soup_at(far);
  auto const before = parts.run(by("tiles", 7));
  auto const file = parts.path("results/000007.h5").string();
  EXPECT_TRUE(std::filesystem::exists(file));

  // as another start
  WrittenCase next(
      {{"system/controlDict", "application cellularAutomaton;\n"},
       {"constant/automatonProperties",
        fmt::format("rule \"B3/S23\"; initial {{ type snapshot; file \"{}\"; }} boundary {{ unbounded; }} stop "
                    "{{ generations 0; }}",
                    file)}});
  for (char const* algorithm : {"tiles", "hash"}) expect_cells(next.run(by(algorithm)), before, algorithm);
  // no pattern says that place, and none says another
  for (char const* pattern : {"p.mc", "p.rle"}) {
    if (!world.root()) continue;
    auto const to = parts.path(pattern).string();
    EXPECT_THROW(io::convert(file + ":/fields/state", to), core::Error) << pattern;
    EXPECT_FALSE(std::filesystem::exists(to));
  }
  expect_cells(parts.run(by("tiles", 20)), expected, "by tiles");
  expect_cells(parts.run(by("hash", 20)), expected, "nothing to do");

  // another place
  auto other = soup_at(far);
  other.run(by("tiles", 7));
  auto text = other.read("results/000007.h5");
  auto const& lo = before["results"]["box"]["lo"];
  EXPECT_EQ(lo[0].get<std::int64_t>() % 2, 1) << "no double is that";
  auto const at = text.find(fmt::format("{} {}", lo[0].get<std::int64_t>(), lo[1].get<std::int64_t>()));
  ASSERT_NE(at, std::string::npos);
  text[at + 2] = '7';
  world.barrier();
  other.write("results/000007.h5", text);
  try {
    other.run(by("tiles", 20));
    ADD_FAILURE() << "goes on from a place that its hash does not know";
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what()).find("is damaged: its cells have the hash"), std::string::npos) << error.what();
  }
}

TEST(PlaneRestart, APatternFileHasItsPlaceOrIsRefused) {
  core::Comm const world;
  std::int64_t const far = std::int64_t{1} << 40;
  auto c = soup_at(far);
  auto const expected = c.run(by("tiles", 3));
  if (!world.root()) return;
  auto const file = c.path("results/000003.h5:/fields/state").string(), tree = c.path("p.mc").string();
  io::convert(file, tree);
  auto const source = io::open_cells(tree);
  EXPECT_EQ(dynamic_cast<io::LiveCells const&>(*source).corner()[0], expected["results"]["box"]["lo"][0]);
  try {
    io::convert(file, c.path("p.rle").string());
    ADD_FAILURE() << "a place that the reader refuses";
  } catch (core::Error const& error) {
    EXPECT_NE(std::string(error.what()).find("expected a place up to 2147483647"), std::string::npos) << error.what();
  }
}

TEST(PlaneSeries, HasTheMeansOfAllRowsWhenARunGoesOn) {
  std::string const series = "series { every 2; from 4; }\n";
  auto const expected = soup_at(-5, series).run(by("tiles", 20))["results"]["series"];
  EXPECT_EQ(expected.size(), 5u);
  for (char const* algorithm : {"tiles", "hash"}) {
    auto parts = soup_at(-5, series);
    parts.run(by(algorithm, 11));
    EXPECT_EQ(parts.run(by(algorithm, 20))["results"]["series"], expected) << algorithm;
  }
}

TEST(PlaneSeries, WhenLooksAtTheRowBefore) {
  for (char const* when : {"population == population_before", "population < population_before - 1"}) {
    auto const stop = fmt::format("generations 100; when \"{}\"; }} series {{ every 1;", when);
    std::string const grows = "x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n";
    auto const expected = made(grows, stop, "").run()["results"]["generation"];
    EXPECT_LT(expected, 100);
    auto plane = made(grows, stop);
    for (char const* algorithm : {"tiles", "hash"})
      EXPECT_EQ(plane.run(by(algorithm))["results"]["generation"], expected) << when << algorithm;
    EXPECT_EQ(plane.complaint(), "");
  }
  auto const said = made(glider, "when \"population == left_befor\"; } series { every 1;").complaint();
  EXPECT_NE(said.find("left_befor"), std::string::npos) << said;
}

TEST(PlaneStart, RefusesWhatAPlaneHasNot) {
  for (auto const& [start, says] :
       {std::pair{"type ball; value 1; centre (0 0 0); radius 3;", "expected pattern, snapshot, or random with a box"},
        {"type random; box ((0 0 5) (20 20 6));", "'box' is '((0 0 5) (20 20 6))', expected cells of the one layer"},
        {"type random; box ((0 0 0) (20 20 4));", "'box' is '((0 0 0) (20 20 4))', expected cells of the one layer"},
        {"type pattern; file \"p.rle\"; position (0 0 5);",
         "'position' is '(0 0 5)', expected a cell of the one layer"}}) {
    auto c = made(glider, "generations 1;");
    c.write("constant/automatonProperties",
            fmt::format("rule \"B3/S23\";\ninitial {{ {} }}\nboundary {{ unbounded; }}\nstop {{ generations 1; }}\n",
                        start));
    auto const said = c.complaint();
    EXPECT_NE(said.find("automatonProperties:2: "), std::string::npos) << said;
    EXPECT_NE(said.find(says), std::string::npos) << said;
    EXPECT_TRUE(said.ends_with("\n1 error\n") || !core::Comm().root()) << said;
  }
}

/// The preview of a case, and what the log said.
struct Shown {
  std::string file, picture;
  std::vector<std::string> log;
  int count() const {  // of pictures: acTL's first number
    auto const at = picture.find("acTL");
    return at == std::string::npos
               ? 0
               : static_cast<unsigned char>(picture[at + 6]) * 256 + static_cast<unsigned char>(picture[at + 7]);
  }
};
/// Run by each rank alone, or by all together.
Shown preview_of(WrittenCase const& c, Scratch const& elsewhere, std::string const& algorithm, core::Comm const& comm) {
  core::Comm const world;
  world.barrier();
  run::TaskOptions task;
  task.directory = c.path().string();
  task.settings = by(algorithm);
  task.output = elsewhere / fmt::format("{}{}", algorithm, comm.size() < world.size() ? world.rank() : world.size());
  task.keeps = true;
  auto const result = run::run_task(comm, task);
  Shown shown{task.output + "/results/preview.png", "", result.log};
  world.barrier();
  shown.picture = bytes_of(shown.file);
  return shown;
}

/// A glider and eight cells round it, each of 3 x 3 pixels, in the middle of a square of 64 x 64.
void expect_glider(std::string const& file) {
  auto const source = io::open_rows(file);
  ASSERT_EQ(source->cells(), (core::Grid::Shape{64, 84, 1}));
  std::vector<std::uint8_t> pixels(64 * 64);
  source->next(64, std::as_writable_bytes(std::span(pixels)));
  std::vector<std::string> const rows{".o.", "..o", "ooo"};
  for (std::size_t y = 0; y < 64; ++y)
    for (std::size_t x = 0; x < 64; ++x) {
      std::size_t const from = 3 + 8 * 3, to = from + 9;
      bool const lives = x >= from && x < to && y >= from && y < to && rows[(y - from) / 3][(x - from) / 3] == 'o';
      ASSERT_EQ(pixels[64 * y + x], lives ? 255 : 0) << x << " " << y;
    }
}

TEST(PlanePreview, ShowsWhatLivesAsOftenAsAskedByAnyAlgorithmOnAnyRanks) {
  core::Comm const world, alone(MPI_COMM_SELF);
  Scratch const elsewhere;
  auto const c = made(glider, "generations 41;", "unbounded;",
                      "preview { every 7; size 64; palette grey; }\nwriteControl timeStep; writeInterval 10;");
  auto const expected = preview_of(c, elsewhere, "tiles", alone);
  EXPECT_EQ(expected.count(), 6) << "0 7 14 21 28 35";
  EXPECT_TRUE(preview_of(c, elsewhere, "hash", alone).picture == expected.picture);
  for (char const* algorithm : {"tiles", "hash"})
    EXPECT_TRUE(preview_of(c, elsewhere, algorithm, world).picture == expected.picture) << algorithm;

  expect_glider(expected.file);
}

TEST(PlanePreview, OfPlacesThatNoDoubleHolds) {
  constexpr std::int64_t far = std::int64_t{1} << 59;
  auto c = made(glider, "generations 1;", "unbounded;",
                "preview { every 100; size 64; palette grey; }\nstartFrom latestTime;");
  auto const run_to = [&](std::int64_t generation, std::string const& every) {
    return c.run({"constant/automatonProperties:algorithm=hash", "system/controlDict:preview.every=" + every,
                  fmt::format("constant/automatonProperties:stop.generations={}", generation)});
  };
  run_to(far, std::to_string(far / 4));
  EXPECT_TRUE(std::filesystem::exists(c.path(fmt::format("results/{}.mc", far))))
      << "a file of cells has no place for them";
  auto const report = run_to(far + 40, std::to_string(far));
  EXPECT_EQ(report["results"]["box"]["lo"], (std::vector<std::int64_t>{far / 4 + 10, -far / 4 - 13}));
  EXPECT_EQ(report["steps"], 40);
  expect_glider(c.path("results/preview.png").string());
}

TEST(PlanePreview, HasOneSizeWhateverGrowsAndNoMorePicturesThanAsked) {
  core::Comm const world;
  Scratch const elsewhere;
  auto const c = made("x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!\n", "generations 200;", "unbounded;",
                      "preview { every 3; size 50; pictures 8; }\nwriteControl none;");
  auto const tiles = preview_of(c, elsewhere, "tiles", world), hash = preview_of(c, elsewhere, "hash", world);
  EXPECT_EQ(tiles.count(), 5) << "every 48 in the end";
  EXPECT_TRUE(tiles.picture == hash.picture);
}

TEST(PlanePreview, PassesOverWhatIsTooLargeAndSaysSoOnce) {
  core::Comm const world;
  Scratch const elsewhere;
  // two gliders that fly apart: their box has 10^9 cells and more from the first generation on
  auto const far = made("x = 40000, y = 32004, rule = B3/S23\nbo39996bo$2bo39994bo$3o39994b3o$32000$3o!\n",
                        "generations 12;", "unbounded;", "preview { every 4; }\nwriteControl none;");
  for (char const* algorithm : {"tiles", "hash"}) {
    auto const shown = preview_of(far, elsewhere, algorithm, world);
    EXPECT_EQ(shown.count(), 0) << algorithm;
    if (!world.root()) continue;
    EXPECT_EQ(std::count_if(shown.log.begin(), shown.log.end(),
                            [](auto const& line) { return line.find("are passed over") != std::string::npos; }),
              1)
        << algorithm;
    EXPECT_NE(shown.log.back().find("Generation 12"), std::string::npos) << shown.log.back();
  }
}

TEST(PlanePreview, RefusesWhatCannotBeAndCheckpointsWithAWayOut) {
  for (auto const& [control, line, says] : {std::tuple{"preview { every 0; }", 2, "every"},
                                            {"\npreview { size 5000; }", 3, "size"},
                                            {"preview { palette pink; }", 2, "viridis"},
                                            {"preview { range (1 0); }", 2, "(lo hi) with lo < hi"},
                                            {"preview { evry 1; }", 2, "evry"},
                                            {"\n\ncheckpoint { every 5; }", 4, "writeInterval N; purgeWrite 2;"}}) {
    auto const said = made(glider, "generations 1;", "unbounded;", control).complaint();
    EXPECT_NE(said.find(fmt::format("controlDict:{}: ", line)), std::string::npos) << said;
    EXPECT_NE(said.find(says), std::string::npos) << said;
    EXPECT_TRUE(said.ends_with("\n1 error\n") || !core::Comm().root()) << said;
  }
}

}  // namespace
}  // namespace tessera::tests
