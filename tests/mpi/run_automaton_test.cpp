// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"
#include "io/convert.hpp"
#include "io/reader.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/written_case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera::ca::rules {

/// Brian's Brain, /2/3: three states, which a pattern must bring along.
struct Brain {
  static constexpr auto stencil = core::moore<2>();
  static constexpr int states = 3;
  KOKKOS_FUNCTION State operator()(State centre, Near<Brain> near) const {
    return static_cast<State>(centre == 1 ? 2 : centre == 0 && near.count(1) == 2);
  }
};
[[maybe_unused]] static bool const brain_added = add_rule<Brain>("brain", "Brian's Brain");

}  // namespace tessera::ca::rules

namespace tessera::tests {

using Rows = std::vector<std::string>;

std::string const control = "application cellularAutomaton;\n";
std::string const glider = "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n";

/// Rows of the field `state` of a snapshot from the top, a character a cell, `.` for 0; the root asks alone.
Rows states_in(WrittenCase const& c, std::string const& snapshot) {
  Rows rows;
  auto const source = io::open_rows(c.path("results/" + snapshot + ".h5").string() + ":/fields/state");
  std::vector<std::byte> row(source->cells()[0]);
  for (core::Count j = 0; j < source->cells()[1]; ++j) {
    source->next(1, row);
    std::string text;
    for (auto const value : row) text += value == std::byte{0} ? '.' : static_cast<char>('0' + static_cast<int>(value));
    rows.insert(rows.begin(), text);
  }
  return rows;
}

/// What a run of the case says is wrong; "" if nothing. The same on all ranks.
std::string complaint_of(WrittenCase& c) {
  return tests::error_of([&] { c.run(); });
}
/// A run of the case says all these parts in one line; nothing is wrong where there are none.
void expect_complaint(std::string const& properties, std::vector<std::string> const& parts,
                      std::string const& pattern = glider, std::string const& grid = "cells (20 20 1);") {
  WrittenCase c({{"system/controlDict", control},
                 {"constant/automatonProperties", properties + " stop { generations 1; }"},
                 {"system/gridDict", grid},
                 {"p.rle", pattern}});
  auto const text = complaint_of(c);
  if (parts.empty()) {
    EXPECT_EQ(text, "") << properties;
  }
  for (auto const& part : parts) EXPECT_NE(text.find(part), std::string::npos) << properties << " -> '" << text << "'";
}

TEST(Pattern, ComesWithItsOwnRuleAndSize) {
  WrittenCase c(
      {{"system/controlDict", control},
       {"constant/automatonProperties", "initial { type pattern; file \"p.rle\"; margin 2; } stop { generations 1; }"},
       {"p.rle", "x = 3, y = 3, rule = b36s23\nbo$2bo$3o!\n"}});
  auto const report = c.run();
  EXPECT_EQ(report["grid"]["cells"], (std::vector<int>{7, 7, 1}));
  EXPECT_EQ(report["results"]["population"], 5);
  if (!core::Comm().root()) return;
  io::convert(c.path("results/000001.h5").string() + ":/fields/state", c.path("q.rle").string(), {});
  EXPECT_EQ(io::open_rows(c.path("q.rle").string())->rule(), "B36/S23") << "results know it, too";
  EXPECT_EQ(states_in(c, "000001"),
            (Rows{".......", ".......", ".......", "..1.1..", "...11..", "...1...", "......."}));
}

TEST(Pattern, LiesInTheMiddleOrWhereTheCaseSaysUpright) {
  WrittenCase c({{"system/controlDict", control},
                 {"constant/automatonProperties",
                  "rule \"23/3\"; initial { type pattern; file \"p.rle\"; } stop { generations 0; }"},
                 {"system/gridDict", "cells (6 5 1);"},
                 {"p.rle", glider}});
  c.run();
  if (core::Comm().root()) {
    EXPECT_EQ(states_in(c, "000000"), (Rows{"......", "..1...", "...1..", ".111..", "......"}));
  }
  c.run({"automatonProperties:initial.position=(3 0 0)"});
  if (core::Comm().root()) {
    EXPECT_EQ(states_in(c, "000000"), (Rows{"......", "......", "....1.", ".....1", "...111"}));
  }
}

TEST(Pattern, KeepsEveryStateOfItsFile) {
  WrittenCase c({{"system/controlDict", control},
                 {"constant/automatonProperties",
                  "rule brain; initial { type pattern; file \"p.rle\"; } stop { generations 0; }"},
                 {"system/gridDict", "cells (3 3 1);"},
                 {"p.rle", "x = 3, y = 3\nABA$BAB$.A!\n"}});
  c.run();
  if (core::Comm().root()) {
    EXPECT_EQ(states_in(c, "000000"), (Rows{"121", "212", ".1."}));
  }
}

TEST(Pattern, IsRefusedWhereTheRuleCannotHoldItsStates) {
  std::string const life = "rule life; initial { type pattern; file \"p.rle\"; position (4 5 0); }";
  expect_complaint(life, {"p.rle: ", "state 2 for cell (5 7 0)", "rule 'B3/S23' has states 0 .. 1"},
                   "x = 3, y = 3\nABA$BAB$.A!\n");
  expect_complaint("rule brain; initial { type uniform; value 3; }", {"'brain' has states 0 .. 2"});
  expect_complaint("rule life; initial { type uniform; value 0.5; }", {"'B3/S23' has states 0 .. 1"});
  expect_complaint("rule gasHPP; initial { type uniform; value 17; }", {"'gasHPP' has states 0 .. 16"});
  expect_complaint("rule gasHPP; initial { type random; low 0; high 63; }", {"'gasHPP' has states 0 .. 16"});
  expect_complaint("rule gasFHP; initial { type uniform; value 128; }", {"'gasFHP' has states 0 .. 64"});
}

TEST(Pattern, IsRefusedForAnotherRuleThanTheCases) {
  std::string const start = " initial { type pattern; file \"p.rle\"; ";
  expect_complaint("rule B36/S23;" + start + "}", {"automatonProperties:1: ", "'p.rle'", "'B3/S23'", "'B36/S23'"});
  for (char const* same : {"life", "B3/S23", "b3s23", "23/3", "S23/B3", "B3/S32"})
    expect_complaint("rule \"" + std::string(same) + "\";" + start + "}", {});
  expect_complaint("rule B36/S23;" + start + "fileRule ignore; }", {});
  auto const refused = [&](std::string const& rule, std::vector<std::string> const& parts) {
    expect_complaint(start + "}", parts, "x = 3, y = 1, rule = " + rule + "\n3o!\n");
  };
  refused("Nowhere", {"p.rle: ", "unknown rule 'Nowhere'", "no Nowhere.rule in "});
  expect_complaint(start + "}", {}, "x = 3, y = 1\n3o!\n");  // Conway's
  expect_complaint("initial { type random; }", {"automatonProperties", "no entry 'rule'"});
}

/// Cells of the last snapshot, and where the case says more than the pattern.
Rows run_bounded(std::string const& rule, int generations, std::string const& cells, std::string const& grid = "",
                 std::string const& comment = "") {
  std::map<std::string, std::string> files{
      {"system/controlDict", control},
      {"constant/automatonProperties", fmt::format("initial {{ type pattern; file \"p.rle\"; margin 3; }} stop {{ "
                                                   "generations {}; }}",
                                                   generations)},
      {"p.rle", comment + "x = 3, y = 3, rule = " + rule + "\n" + cells}};
  if (!grid.empty()) files["system/gridDict"] = grid;
  WrittenCase c(files);
  c.run();
  return core::Comm().root() ? states_in(c, fmt::format("{:06}", generations)) : Rows{};
}

TEST(Bounds, BehindTheRuleAreTheGridAndItsSides) {
  std::string const flying = "bo$2bo$3o!\n";
  auto const root = core::Comm().root();
  // a glider on a torus of 6 x 8 cells is back where it was after 4 lcm(6, 8) generations, and on the way goes round both
  auto const start = run_bounded("B3/S23:T6,8", 0, flying);
  if (root) {
    EXPECT_EQ(start, (Rows{"......", "......", "......", "...1..", "....1.", "..111.", "......", "......"}));
  }
  EXPECT_EQ(run_bounded("B3/S23:t6,8", 96, flying), start);
  EXPECT_EQ(run_bounded("B3/S23:T6,8", 96, flying, "cells (6 8 1);"), start);
  // in a plane it becomes a block in the corner
  if (auto const end = run_bounded("B3/S23:P6,8", 40, flying); root) {
    EXPECT_EQ(end[6], "....11");
    EXPECT_EQ(end[7], "....11");
  }
  // where the file says that it lies: the middle is the third column and the fourth row
  if (auto const placed = run_bounded("B3/S23:P6,8", 0, flying, "", "#CXRLE Pos=-3,-3\n"); root) {
    EXPECT_EQ(placed, (Rows{"......", ".1....", "..1...", "111...", "......", "......", "......", "......"}));
  }
  // in a tube it has its margin on both sides along the axis without end
  if (auto const tube = run_bounded("B3/S23:T0,8", 12, flying); root) {
    EXPECT_EQ(tube, (Rows{"......111", ".........", ".........", ".........", ".........", ".........", ".......1.",
                          "........1"}));
  }
  EXPECT_EQ(run_bounded("B2-a/S12:T0,0", 5, flying), run_bounded("B2-a/S12", 5, flying));
  // round a Klein bottle a glider comes back as its mirror image, and round a shifted torus beside its place
  auto const cells = [](Rows const& rows) {
    int n = 0;
    for (auto const& row : rows) n += static_cast<int>(std::count(row.begin(), row.end(), '1'));
    return n;
  };
  auto const straight = run_bounded("B3/S23:T12,10", 24, flying);
  for (char const* surface : {":T12+3,10", ":T12,10-3", ":K12*,10", ":K12,10*", ":K12*+1,10"})
    if (auto const end = run_bounded(std::string("B3/S23") + surface, 24, flying); root) {
      EXPECT_EQ(cells(end), 5) << surface;
      EXPECT_NE(end, straight) << surface;
    }
}

TEST(Bounds, AreRefusedWhereTheyAreNotComputedOrTheCaseSaysOtherwise) {
  auto const complaint = [](std::string const& rule, std::string const& more, std::string const& grid,
                            std::vector<std::string> const& parts) {
    expect_complaint("initial { type pattern; file \"p.rle\"; } " + more, parts,
                     "x = 3, y = 1, rule = B3/S23" + rule + "\n3o!\n", grid);
  };
  std::string const cells = "cells (20 20 1);";
  complaint(":T20,20", "", cells, {});
  complaint(":T30,20", "", cells, {"cells are 20 x 20 x 1", "':T30,20' says 30 along x"});
  complaint(":T20,20", "boundary { left fixed 0; }", cells, {"':T20,20'", "expected no entry 'boundary'"});
  complaint(":T20,20", "rule B3/S23;", cells,
            {"a pattern for the rule 'B3/S23:T20,20'", "the case's rule is 'B3/S23'"});
  complaint(":T20,20", "rule \"23/3:t20,20\";", cells, {});
  complaint("", "rule \"23/3:t20,20\";", cells, {"but the case's rule is '23/3:T20,20'"});
  complaint(":S20", "", cells, {});
  complaint(":T20", "", cells, {});  // one number is of both axes, as in Golly
  complaint(":K30", "", cells, {"cells are 20 x 20 x 1", "':K30,30*' says 30 along x"});
  complaint(":T20+23,20", "rule \"23/3:t20+3,20\";", cells, {});
  complaint(":K20-5,20", "", cells, {"behind its *"});
  complaint(":K20,20", "rule \"23/3:K20,20*\";", cells, {});
  complaint(":K20*-6,20", "rule \"23/3:K20*+1,20\";", cells, {});
  for (char const* wrong : {":", ":X20,20", ":T20,", ":T-1,20", ":T20,20x", ":T9999999999,1", ":T20*,20", ":K20*,20*",
                            ":K0*,20", ":S20,20", ":C20+1,20", ":T20+1,0", ":T20+1,20+1", ":T20+,20"})
    complaint(wrong, "", cells, {"p.rle: ", wrong, "expected "});
}

TEST(RuleOfTheCase, ThatIsWrongInANumberIsToldByItsFamily) {
  auto const told = [](std::string const& rule, std::vector<std::string> const& parts) {
    expect_complaint("rule \"" + rule + "\"; initial { type uniform; value 0; }", parts);
  };
  told("B3/S29", {"automatonProperties:1: ", "with another number for '29'", "`tessera help life`"});
  told("R501,C0,M1,S34..58,B34..45,NM", {"with another number for '501'", "help largerThanLife"});
  told("W256", {"with another number for '256'", "help wolfram"});
  told("B3/S2x", {"without 'x'", "help life`"});
  told("nowhere", {"unknown rule 'nowhere'; valid: "});
}

TEST(Start, IsRefusedWhereABallLiesOutsideOfTheGrid) {
  auto const ball = [](char const* centre, double radius, std::vector<std::string> const& parts) {
    expect_complaint(fmt::format("rule life; initial {{ type ball; value 1; centre {}; radius {}; }}", centre, radius),
                     parts);
  };
  ball("(-3 -4 7)", 5.1, {});
  ball("(-3 -4 7)", 5, {"automatonProperties:1: entry 'centre'", "20 x 20 x 1 cells"});
  ball("(30 10 0)", 9, {"entry 'centre'", "expected a ball that meets them"});
}

TEST(Pattern, HasRoomRoundItOrIsRefused) {
  std::string const start = "rule life; initial { type pattern; file \"p.rle\"; ";
  expect_complaint(start + "margin 9; }", {"has not 9 cells on each side"});
  expect_complaint(start + "margin 8; }", {});
  expect_complaint(start + "position (18 0 0); }", {"(18 0 0) does not fit into 20 x 20 x 1"});
  expect_complaint(start + "position middle; }", {"position", "or centre"});
  expect_complaint(start + "position (9223372036854775807 0 0); }", {"position", "expected numbers up to 2147483647"});
}

TEST(Pattern, IsNoPicture) {
  expect_complaint("rule life; initial { type picture; file \"p.rle\"; }", {"'p.rle'", "a pattern", "type pattern"});
}

TEST(Start, LaysOneOverTheOther) {
  WrittenCase c(
      {{"system/controlDict", control},
       {"constant/automatonProperties",
        "rule brain; initial ( { type uniform; value 2; } { type pattern; file \"p.rle\"; position (0 1 0); } "
        "{ type pattern; file \"p.rle\"; position (2 0 0); } ); stop { generations 0; }"},
       {"system/gridDict", "cells (5 4 1);"},
       {"p.rle", "x = 3, y = 3\nbo$2bo$3o!\n"}});
  c.run();
  if (core::Comm().root()) {
    EXPECT_EQ(states_in(c, "000000"), (Rows{".1.22", "...1.", "11..1", "22111"}));
  }
  c.write("constant/automatonProperties",
          "rule brain; initial ( { type uniform; vlaue 2; } ); stop { generations 0; }");
  EXPECT_NE(complaint_of(c).find("value"), std::string::npos);
}

TEST(Start, GoesOnFromASnapshotWithItsValuesAsTheyAre) {
  std::string const rule = "rule heat; diffusivity 0.2; deltaT 0.5; boundary { left fixed 3.5; } ";
  WrittenCase c(
      {{"system/controlDict", control},
       {"constant/automatonProperties", rule + "initial { type random; probability 0.3; } stop { generations 7; }"},
       {"system/gridDict", "cells (31 12 1); tile (8 8 1);"}});
  auto const whole = c.run()["hash"]["state"];
  c.run({"automatonProperties:stop.generations=4"});
  for (std::string const file : {"results/000004.h5", "results", "."}) {
    WrittenCase on({{"system/controlDict", control},
                    {"constant/automatonProperties", rule + "initial { type snapshot; file \"" + c.path(file).string() +
                                                         "\"; } stop { generations 3; }"},
                    {"system/gridDict", "cells (31 12 1); tile (16 4 1);"}});
    if (core::Comm().root()) std::filesystem::remove(c.path("results/000007.h5"));
    core::Comm().barrier();
    EXPECT_EQ(on.run()["hash"]["state"], whole) << file;
    on.write("system/gridDict", "cells (32 12 1);");
    EXPECT_NE(complaint_of(on).find("a snapshot of 31 x 12 x 1 cells, but the grid has 32 x 12 x 1"),
              std::string::npos);
  }
}

TEST(Start, OfASnapshotStopsAlikeHoweverManyGenerationsWereDoneAtOnce) {
  for (std::string const depth : {"auto", "1"}) {
    WrittenCase c({{"system/controlDict", control},
                   {"constant/automatonProperties", "rule heat; diffusivity 0.15; deltaT 1; haloDepth " + depth +
                                                        "; initial { type uniform; value 0; } stop { generations 7; }"},
                   {"system/gridDict", "cells (24 12 6); tile (24 12 6);"}});
    c.run();
    auto const on = c.run({"controlDict:startFrom=latestTime", "automatonProperties:haloDepth=auto",
                           "automatonProperties:stop={ generations 9; stable; }"});
    EXPECT_EQ(on["results"]["generation"], 8) << depth;  // no change is known of the generation before
  }
}

TEST(Automaton, WritesNoSnapshotWhereNoneIsAskedFor) {
  WrittenCase c({{"system/controlDict", control + "writeControl none;"},
                 {"constant/automatonProperties", "rule life; initial { type random; } stop { generations 3; }"},
                 {"system/gridDict", "cells (20 20 1);"}});
  c.run();
  int snapshots = 0;
  for (auto const& entry : std::filesystem::directory_iterator(c.path("results")))
    snapshots += entry.path().extension() != ".png";
  EXPECT_EQ(snapshots, 0);
  EXPECT_TRUE(std::filesystem::exists(c.path("results/state.png")));
}

/// A soup of B36/S23 between unlike sides, with more words than a tile has.
WrittenCase soup(std::string const& entries, std::string const& grid = "cells (330 70 1); tile (128 16 1);") {
  return WrittenCase(
      {{"system/controlDict", control + "writeInterval 20;"},
       {"constant/automatonProperties",
        "rule B36/S23; initial { type random; probability 0.4; seed 3; } stop { generations 50; } " + entries},
       {"system/gridDict", grid}});
}

TEST(Bits, GiveTheSnapshotsAndResultsOfBytes) {
  for (std::string const sides :
       {"left fixed 1; top fixed 1;", "left periodic; right periodic;", "right reflecting; top open;"}) {
    auto bytes = soup("storage bytes; boundary { " + sides + " }"),
         bits = soup("storage bits; boundary { " + sides + " }");
    auto const expected = bytes.run(), told = bits.run();
    EXPECT_EQ(told["hash"], expected["hash"]) << sides;
    EXPECT_EQ(told["results"], expected["results"]) << sides;
    if (!core::Comm().root()) continue;
    for (char const* generation : {"000020", "000040", "000050"})
      EXPECT_EQ(states_in(bits, generation), states_in(bytes, generation)) << sides << generation;
  }
}

TEST(Bits, GoOnFromASnapshotOfBytes) {
  for (std::string const rule : {"B36/S23", "345/2/4", "3/2/16"}) {
    auto bytes = soup("storage bytes; boundary { left periodic; right periodic; }");
    auto const expected = bytes.run({"automatonProperties:rule=" + rule});
    if (core::Comm().root()) std::filesystem::remove(bytes.path("results/000050.h5"));
    core::Comm().barrier();
    auto const told = bytes.run(
        {"automatonProperties:rule=" + rule, "automatonProperties:storage=bits", "controlDict:startFrom=latestTime"});
    EXPECT_EQ(told["hash"], expected["hash"]) << rule;
    EXPECT_EQ(told["steps"], 10) << rule;  // those of this run
  }
}

TEST(Automaton, TellsThatItHasNoEndTime) {
  auto c = soup("boundary { left periodic; right periodic; }");
  auto const said = c.complaint({"system/controlDict:endTime=3"});
  EXPECT_NE(said.find("nothing reads 'endTime'"), std::string::npos) << said;
}

TEST(Bits, EndAStopThatLooksAtEachGeneration) {
  for (char const* stop : {"{ period 6; generations 300; }", "{ stable; generations 300; }"}) {
    auto c = soup("boundary { left periodic; right periodic; }", "cells (130 12 1);");
    auto const bits = c.run({std::string("automatonProperties:stop=") + stop});
    auto const bytes = c.run({std::string("automatonProperties:stop=") + stop, "automatonProperties:storage=bytes"});
    EXPECT_EQ(bits["results"], bytes["results"]) << stop;
    EXPECT_EQ(bits["hash"], bytes["hash"]) << stop;
  }
}

TEST(Bits, NeedTilesOfWholeWords) {
  auto c = soup("storage bits;", "cells (330 70 1); tile (100 16 1);");
  auto const text = complaint_of(c);
  for (char const* part : {"automatonProperties:1: ", "storage", "100 cells wide", "a multiple of 64"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  c.run({"automatonProperties:storage=auto"});
}

TEST(Bits, AreForUpToSixteenStates) {
  auto c = soup("");
  c.write("constant/automatonProperties", "rule 345/2/17; storage bits; initial { type random; }");
  auto const text = complaint_of(c);
  for (char const* part : {"automatonProperties:1: ", "storage", "17 states", "at most 16"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// A case of a pattern on a grid or on a plane.
WrittenCase of_pattern(std::string const& name, std::string const& pattern, bool plane,
                       std::string const& control = "") {
  std::map<std::string, std::string> files{
      {"system/controlDict", "application cellularAutomaton;\n" + control},
      {"constant/automatonProperties", "rule \"345/2/4\";\ninitial { type pattern; file \"" + name +
                                           "\"; fileRule ignore; }\nstop { generations 4; }\n" +
                                           (plane ? "boundary { unbounded; }\n" : "")},
      {name, pattern}};
  if (!plane) files["system/gridDict"] = "cells (24 24 1);";
  return WrittenCase(files);
}

TEST(AutomatonCase, CheckReadsFilesToTheirEndsAndLooksForTheSnapshot) {
  for (bool const plane : {false, true}) {
    for (auto const& [name, pattern, says] :
         {std::tuple{"p.rle", "x = 3, y = 3, rule = B3/S23\nbo$2bo$3o", "p.rle"},
          {"p.rle", "x = 3, y = 1, rule = B3/S23\nADA!\n", "has state 4 for"},
          {"p.mc", "[M2]\n#R 345/2/4\n1 0 7 0 0\n2 1 0 0 0\n3 0 2 0 0\n4 3 0 0 0\n", "has state 7 for"}}) {
      auto const said = of_pattern(name, pattern, plane).complaint();
      EXPECT_NE(said.find(says), std::string::npos) << pattern << plane << said;
      EXPECT_TRUE(said.ends_with("\n1 error\n") || !core::Comm().root()) << said;
    }
    auto asks = of_pattern("p.rle", "x = 3, y = 1\n3o!\n", plane, "startFrom startTime;\nstartTime 3;\n");
    auto const said = asks.complaint();
    EXPECT_NE(said.find("controlDict:3: there is no snapshot of 3 in "), std::string::npos) << said;
    asks.run({"system/controlDict:startTime=0", "constant/automatonProperties:stop.generations=3"});
    EXPECT_EQ(asks.complaint(), "");
    EXPECT_EQ(asks.complaint({"system/controlDict:startFrom=latestTime"}), "");
  }
}

TEST(AutomatonPreview, HasTheColoursOfAllStates) {
  // state 1 of 0 .. 3 alone; later ones are to be brighter
  auto c = of_pattern("p.rle", "x = 3, y = 1\n3o!\n", false,
                      "preview { every 1; size 64; palette grey; }\nwriteControl none;\n");
  core::Comm const world;
  auto const brightest = [&] {
    if (!world.root()) return 0;
    auto const source = io::open_rows(c.path("results/preview.png").string());
    auto const side = source->cells()[0];  // of the grid; below it are the stamp and the palette
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(side * side));
    source->next(side, std::as_writable_bytes(std::span(pixels)));
    return static_cast<int>(*std::max_element(pixels.begin(), pixels.end()));
  };
  c.run();
  EXPECT_EQ(brightest(), world.root() ? 85 : 0);
  c.run({"system/controlDict:preview.range=(0 1)"});
  EXPECT_EQ(brightest(), world.root() ? 255 : 0);
}

}  // namespace tessera::tests
