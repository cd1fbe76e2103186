// SPDX-License-Identifier: Apache-2.0
#include "io/foam/cell_sets.hpp"

#include "io/foam/cell_selection.hpp"
#include "io/foam/shapes.hpp"
#include "io/foam/sources.hpp"
#include "tests/support/foam.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera::tests {
namespace {

using namespace io::foam;

bool inside(std::string const& name, std::string const& text, Point const& c) {
  return make_shape(name, dictionary(text))->contains(c);
}
std::string shape_error(std::string const& name, std::string const& text) {
  return error_of([&] { make_shape(name, dictionary(text)); });
}

int size(CellSets::Mask const& mask) {
  int n = 0;
  for_each_cell(mask, [&](core::Index const&, std::uint8_t m) { n += m; });
  return n;
}
CellSets sets_of(std::string const& actions, core::Layout const& layout) {
  auto d = dictionary("actions\n(\n" + actions + "\n);", "topoSetDict");
  return topo_set(d, layout);
}

// Which side of a comparison holds on the surface itself: as in OpenFOAM's own sources.
TEST(FoamShapes, BoxesAreClosed) {
  EXPECT_TRUE(inside("boxToCell", "box (0 0 0) (1 2 3);", {1, 2, 3}));
  EXPECT_FALSE(inside("boxToCell", "box (0 0 0) (1 2 3);", {1.0000001, 2, 3}));
  EXPECT_TRUE(inside("boxToCell", "boxes ((0 0 0) (1 1 1) (5 5 5) (6 6 6));", {5.5, 5.5, 5.5}));
  EXPECT_FALSE(inside("boxToCell", "boxes ((0 0 0) (1 1 1) (5 5 5) (6 6 6));", {3, 3, 3}));
  EXPECT_TRUE(inside("boxToCell", "min (0 0 0); max (1 1 1);", {0, 0, 0}));
  EXPECT_EQ(shape_error("boxToCell", "box (0 3 0) (1 2 3);"),
            "dict:1: y of the box runs from 3 to 2, expected the lower corner first");
}

TEST(FoamShapes, CylindersAndSpheresAreOpen) {
  std::string const along_z = "p1 (0 0 0); p2 (0 0 2); radius 1;";
  EXPECT_TRUE(inside("cylinderToCell", along_z, {0.5, 0.5, 1}));
  EXPECT_FALSE(inside("cylinderToCell", along_z, {1, 0, 1}));
  EXPECT_FALSE(inside("cylinderToCell", along_z, {0, 0, 0}));
  EXPECT_FALSE(inside("cylinderToCell", along_z, {0, 0, 2}));
  EXPECT_FALSE(inside("cylinderToCell", along_z + "innerRadius 0.5;", {0.5, 0, 1}));
  EXPECT_TRUE(inside("cylinderToCell", along_z + "innerRadius 0;", {0, 0, 1}));
  EXPECT_TRUE(inside("cylinderAnnulusToCell", "p1 (0 0 0); p2 (0 0 2); outerRadius 1; innerRadius 0.5;", {0.7, 0, 1}));
  EXPECT_TRUE(inside("cylinderToCell", "p1 (0 0 0); p2 (2 2 0); radius 0.1;", {1.05, 1, 0}));  // oblique
  EXPECT_FALSE(inside("cylinderToCell", "p1 (0 0 0); p2 (2 2 0); radius 0.1;", {1.2, 1, 0}));
  EXPECT_TRUE(inside("sphereToCell", "centre (1 1 1); radius 1;", {1.5, 1.5, 1.5}));
  EXPECT_FALSE(inside("sphereToCell", "origin (1 1 1); radius 1;", {2, 1, 1}));
  EXPECT_EQ(shape_error("cylinderToCell", "p1 (0 0 0);\np2 (0 0 0); radius 1;"),
            "dict:2: p1 and p2 are the same point, expected two ends of an axis");
}

TEST(FoamShapes, RotatedBoxesAreClosedAndRightHanded) {
  std::string const diamond = "origin (0 0 0); i (1 1 0); j (-1 1 0); k (0 0 1);";
  EXPECT_TRUE(inside("rotatedBoxToCell", diamond, {0, 1, 0.5}));
  EXPECT_TRUE(inside("rotatedBoxToCell", diamond, {0, 0, 0}));
  EXPECT_FALSE(inside("rotatedBoxToCell", diamond, {0.9, 0.5, 0.5}));
  EXPECT_EQ(shape_error("rotatedBoxToCell", "origin (0 0 0); i (1 1 0); j (-1 1 0);\nk (0 0 -1);").substr(0, 40),
            "dict:2: the edges i, j, k are not right-");
}

TEST(FoamShapes, AreContainedInTheCellsNear) {
  core::Grid const grid({core::Axis::make_graded(40, -1, 2, 5), core::Axis::make_uniform(30, -1, 2),
                         core::Axis::make_uniform(10, -1, 2)});
  for (auto const& [name, text] :
       {std::pair{"boxToCell", "box (-0.3 -0.2 -9) (0.4 0.6 0.1);"},
        std::pair{"cylinderToCell", "p1 (-0.5 -0.5 -0.4); p2 (0.5 0.3 0.4); radius 0.3;"},
        std::pair{"sphereToCell", "origin (0.9 0 0); radius 0.4;"},
        std::pair{"rotatedBoxToCell", "origin (-0.2 -0.4 -2); i (0.5 0.5 0); j (-0.5 0.5 0); k (0 0 4);"},
        std::pair{"sphereToCell", "origin (9 9 9); radius 0.4;"}}) {
    auto const shape = make_shape(name, dictionary(text));
    auto const near = cells_near(*shape, grid);
    int outside = 0;
    for (core::Count k = 0; k < 10; ++k)
      for (core::Count j = 0; j < 30; ++j)
        for (core::Count i = 0; i < 40; ++i)
          outside += shape->contains(centre(grid, {i, j, k})) && !near.contains({i, j, k});
    EXPECT_EQ(outside, 0) << name;
    EXPECT_LT(near.cells(), grid.total()) << name;
  }
}

TEST(FoamTopoSet, CarriesOutActionsInOrder) {
  auto layout = shuffled_layout({10, 6, 1}, {4, 4, 1});
  auto const sets =
      sets_of("{ name a; type cellSet; action new; source boxToCell; box (0 0 0) (4 6 1); }\n"                  // 24
              "{ name b; type cellSet; action new; source boxToCell; sourceInfo { box (2 0 0) (10 3 1); } }\n"  // 24
              "{ name u; type cellSet; action new; source cellToCell; sets (a b); }\n"                          // 42
              "{ name i; type cellSet; action new; source cellToCell; set a; }\n"
              "{ name i; type cellSet; action subset; source cellToCell; set b; }\n"  // 6
              "{ name d; type cellSet; action new; source cellToCell; set a; }\n"
              "{ name d; type cellSet; action subtract; source cellToCell; set b; }\n"  // 18
              "{ name n; type cellSet; action new; source cellToCell; set u; }\n"
              "{ name n; type cellSet; action invert; }\n"  // 18
              "{ name c; type cellSet; action clear; }\n"
              "{ name gone; type cellSet; action new; source cellToCell; set a; }\n"
              "{ name gone; type cellSet; action remove; }\n"
              "{ name a; type cellZoneSet; action new; source setToCellZone; set d; }\n"
              "{ name z; type cellSet; action new; source zoneToCell; zone a; }\n"
              "{ name z; type cellSet; action add; source sphereToCell; origin (9.5 5.5 0.5); radius 0.2; }",
              *layout);
  EXPECT_EQ(size(sets.sets.at("a")), 24);
  EXPECT_EQ(size(sets.sets.at("u")), 42);
  EXPECT_EQ(size(sets.sets.at("i")), 6);
  EXPECT_EQ(size(sets.sets.at("d")), 18);
  EXPECT_EQ(size(sets.sets.at("n")), 18);
  EXPECT_EQ(size(sets.sets.at("c")), 0);
  EXPECT_FALSE(sets.sets.contains("gone"));
  EXPECT_EQ(sets.zones.size(), 1U);
  EXPECT_EQ(size(sets.zones.at("a")), 18);
  EXPECT_EQ(size(sets.sets.at("z")), 19);
}

/// Number of the cells, sum of their OpenFOAM numbers, and sum of the squares of these.
std::array<core::Count, 3> sums(CellSets::Mask const& mask, Mesh const& mesh) {
  std::array<core::Count, 3> sum{};
  for_each_cell(mask, [&](core::Index const& x, std::uint8_t m) {
    core::Count const n = m != 0 ? mesh.number(x) : 0;
    sum = {sum[0] + (m != 0), sum[1] + n, sum[2] + n * n};
  });
  return sum;
}

// The sets that topoSet of OpenFOAM v1912 makes of the same two dictionaries.
TEST(FoamTopoSet, SelectsWhatOpenFoamSelects) {
  auto blocks = dictionary(R"dict(scale 1;
vertices ((0 0 0) (1 0 0) (3 0 0) (0 1 0) (1 1 0) (3 1 0) (0 2 0) (1 2 0) (3 2 0)
          (0 0 1) (1 0 1) (3 0 1) (0 1 1) (1 1 1) (3 1 1) (0 2 1) (1 2 1) (3 2 1));
blocks (hex (1 2 5 4 10 11 14 13) (7 5 3) simpleGrading (2 1 1) hex (0 1 4 3 9 10 13 12) (6 5 3) simpleGrading (1 1 1)
        hex (3 4 7 6 12 13 16 15) (6 4 3) simpleGrading (1 0.5 1) hex (4 5 8 7 13 14 17 16) (7 4 3) simpleGrading (2 0.5 1));
edges ();
boundary (
  bottom { type patch; faces ((0 1 10 9)); } heater { type wall; inGroups (hot); faces ((1 2 11 10)); }
  sides { type wall; inGroups (hot cold); faces ((0 9 12 3) (3 12 15 6) (2 5 14 11) (5 8 17 14)); }
  top { type patch; faces ((6 15 16 7) (7 16 17 8)); }
  ends { type patch; faces ((0 3 4 1) (1 4 5 2) (3 6 7 4) (4 7 8 5) (9 10 13 12) (10 11 14 13) (12 13 16 15) (13 14 17 16)); } );
)dict");
  auto const mesh = read_block_mesh(blocks, {4, 4, 2});
  auto const grid = std::make_shared<core::Grid const>(mesh.grid);
  auto const layout = std::make_unique<core::Layout>(grid, owner_tables(*grid, 1)[2], core::Comm());
  core::Field<double> T("T", *layout);
  auto const t = T.host();
  core::for_each_on_host("cells", *layout, [&](int s, int k, int j, int i) {
    t(s, k, j, i) = 300 + static_cast<double>(mesh.number(layout->info(s).global(k, j, i)) * 7 % 31) * 0.75;
  });
  auto actions = dictionary(R"dict(actions (
{ name field; type cellSet; action new; source fieldToCell; field T; min 300.5; max 317; }
{ name labels; type cellSet; action new; source labelToCell; value (0 5 107 200 350); }
{ name points; type cellSet; action new; source nearestToCell; points ((0 0 0) (1.01 1.4 0.49) (9 -3 0.7)); }
{ name group; type cellSet; action new; source patchToCell; patch hot; }
{ name pattern; type cellSet; action new; source patchToCell; patches ("(top|bot.*)" heater); }
{ name border; type cellSet; action new; source boundaryToCell; }
{ name corners; type cellSet; action new; source nbrToCell; neighbours 3; }
{ name hexes; type cellSet; action new; source shapeToCell; sourceInfo { shape hex; } }
{ name grown; type cellSet; action new; source cellToCell; set labels; }
{ name grown; type cellSet; action add; source haloToCell; steps 2; }
{ name shrunk; type cellSet; action new; source cellToCell; set grown; }
{ name shrunk; type cellSet; action subtract; source haloToCell; }
{ name zone; type cellZoneSet; action new; source boxToCell; box (0.4 0.3 0) (1.7 1.5 0.7); }
{ name both; type cellSet; action new; source cellToCell; sets (points labels group); }
{ name both; type cellSet; action subset; source zoneToCell; zones (zone); }
{ name mixed; type cellZoneSet; action new; source setToCellZone; set group; }
{ name mixed; type cellZoneSet; action add; source setToCellZone; set labels; }
{ name mixed; type cellZoneSet; action invert; }
{ name matched; type cellSet; action new; source zoneToCell; zone "z(o|a)ne"; }
{ name matches; type cellSet; action new; source zoneToCell; zones ("z.*" mixed); }
{ name enclosed; type cellSet; action new; source searchableSurfaceToCell; surfaceType searchableSphere; centre (1.2 1 0.5); radius 0.6; }
{ name shell; type cellSet; action new; source sphereToCell; centre (1.2 1 0.5); radius 0.6; innerRadius 0.3; }
{ name annulus; type cellSet; action new; source cylinderAnnulusToCell; p1 (1 1 0); p2 (1 1 0.6); outerRadius 0.8; innerRadius 0.2; }
);
)dict");
  auto const made = topo_set(actions, *layout, block_zones(mesh, *layout),
                             {&mesh, [&](std::string const& name) { return name == "T" ? &T : nullptr; }});
  using Sums = std::array<core::Count, 3>;
  EXPECT_EQ(sums(made.sets.at("annulus"), mesh), (Sums{82, 12978, 2687572}));
  EXPECT_EQ(sums(made.sets.at("border"), mesh), (Sums{274, 48144, 11359960}));
  EXPECT_EQ(sums(made.sets.at("both"), mesh), (Sums{2, 502, 131204}));
  EXPECT_EQ(sums(made.sets.at("corners"), mesh), (Sums{8, 1470, 366488}));
  EXPECT_EQ(sums(made.sets.at("enclosed"), mesh), (Sums{54, 9306, 2166922}));
  EXPECT_EQ(sums(made.sets.at("field"), mesh), (Sums{249, 43494, 10151764}));
  EXPECT_EQ(sums(made.sets.at("group"), mesh), (Sums{72, 10179, 2233725}));
  EXPECT_EQ(sums(made.sets.at("grown"), mesh), (Sums{69, 9766, 2235286}));
  EXPECT_EQ(sums(made.sets.at("hexes"), mesh), (Sums{351, 61425, 14352975}));
  EXPECT_EQ(sums(made.sets.at("labels"), mesh), (Sums{5, 662, 173974}));
  EXPECT_EQ(sums(made.sets.at("pattern"), mesh), (Sums{78, 14283, 3586213}));
  EXPECT_EQ(sums(made.sets.at("points"), mesh), (Sums{3, 483, 108005}));
  EXPECT_EQ(sums(made.sets.at("shell"), mesh), (Sums{50, 8588, 1984216}));
  EXPECT_EQ(sums(made.sets.at("shrunk"), mesh), (Sums{1, 224, 50176}));
  EXPECT_EQ(sums(made.zones.at("zone"), mesh), (Sums{84, 12138, 2374866}));
  EXPECT_EQ(sums(made.zones.at("mixed"), mesh), (Sums{277, 50939, 12067801}));
  EXPECT_EQ(sums(made.sets.at("matched"), mesh), sums(made.zones.at("zone"), mesh));
  auto const both = made.sets.at("matches").host(), zone = made.zones.at("zone").host(),
             mixed = made.zones.at("mixed").host();
  core::for_each_on_host("cells", *layout, [&](int s, int k, int j, int i) {
    EXPECT_EQ(both(s, k, j, i) != 0, zone(s, k, j, i) != 0 || mixed(s, k, j, i) != 0);
  });
}

TEST(FoamTopoSet, RefusesWhatItDoesNotKnowByName) {
  auto layout = shuffled_layout({10, 6, 1}, {4, 4, 1});
  auto const error = [&](std::string const& actions) { return error_of([&] { sets_of(actions, *layout); }); };
  EXPECT_EQ(error("{ name a; type faceSet; action new; source boxToFace; }"),
            "topoSetDict:3: type 'faceSet' is not supported, supported: cellSet cellZoneSet");
  EXPECT_EQ(error("{ name a; type cellSet; action ad; source boxToCell; }"),
            "topoSetDict:3: action 'ad' is not supported, supported: new add subtract delete subset invert clear "
            "remove; did you mean 'add'?");
  EXPECT_EQ(error("{ name a; type cellSet; action new; source faceToCell; set faces; option any; }"),
            "topoSetDict:3: source 'faceToCell' is not supported, supported: boxToCell cylinderToCell "
            "cylinderAnnulusToCell sphereToCell rotatedBoxToCell searchableSurfaceToCell fieldToCell labelToCell "
            "nearestToCell patchToCell boundaryToCell nbrToCell shapeToCell haloToCell cellToCell zoneToCell; did you "
            "mean 'labelToCell'?");
  EXPECT_EQ(error("{ name a; type cellSet; action new; source fieldToCell; field T; min 0; max 1; }"),
            "topoSetDict:3: entry 'field': there is no volScalarField 'T' in the case");
  EXPECT_EQ(error("{ name a; type cellSet; action new; source labelToCell; value (0 60); }"),
            "topoSetDict:3: entry 'value': there is no cell 60, expected 0 to 59");
  EXPECT_EQ(error("{ name a; type cellSet; action new; source haloToCell; }"),
            "topoSetDict:3: haloToCell changes a set, expected 'action add' or 'action subtract' in topoSetDict");
  EXPECT_EQ(error("{ name a; type cellSet; action add; source boxToCell; box (0 0 0) (1 1 1); }"),
            "topoSetDict:3: entry 'name': there is no cellSet 'a', nor any other; make it first");
  EXPECT_EQ(error("{ name abc; type cellSet; action new; source boxToCell; box (0 0 0) (1 1 1); }\n"
                  "{ name b; type cellSet; action new; source cellToCell; set abd; }"),
            "topoSetDict:4: entry 'set': unknown cellSet 'abd'; did you mean 'abc'? valid: abc");
  EXPECT_EQ(
      error("{ name a; type cellSet; action new; source boxToCell; box (0 0 0) (1 1 1); radius 3; }").substr(0, 38),
      "topoSetDict:3: unknown entry 'radius' ");
}

TEST(FoamSetFields, LaterRegionsOverrideEarlierOnesAndDefaults) {
  auto layout = shuffled_layout({10, 6, 1}, {4, 4, 1});
  core::Field<double> a("a", *layout), b("b", *layout, 1, 7.0);
  auto d = dictionary(
      "defaultFieldValues ( volScalarFieldValue a 1 );\n"
      "regions ( boxToCell { box (0 0 0) (5 6 1); fieldValues ( volScalarFieldValue a 2 volScalarFieldValue b 3 ); }\n"
      "          boxToCell { box (3 0 0) (8 2 1); fieldValues ( volScalarFieldValue a 4 ); } );");
  set_fields(d, {{"a", &a}, {"b", &b}});
  for_each_cell(a, [](core::Index const& x, double v) {
    EXPECT_EQ(v, x.i >= 3 && x.i < 8 && x.j < 2 ? 4 : x.i < 5 ? 2 : 1) << x.i << ' ' << x.j;
  });
  for_each_cell(b, [](core::Index const& x, double v) { EXPECT_EQ(v, x.i < 5 ? 3 : 7); });
}

TEST(FoamSetFields, RefusesWhatItDoesNotKnowByName) {
  auto layout = shuffled_layout({10, 6, 1}, {4, 4, 1});
  core::Field<double> T("T", *layout);
  auto const error = [&](std::string const& text) {
    return error_of([&] {
      auto d = dictionary(text, "setFieldsDict");
      set_fields(d, {{"T", &T}});
    });
  };
  EXPECT_EQ(error("defaultFieldValues ( volVectorFieldValue U (0 0 0) );\nregions ();"),
            "setFieldsDict:1: entry 'defaultFieldValues' has values of type 'volVectorFieldValue', which is not "
            "supported, supported: volScalarFieldValue");
  EXPECT_EQ(error("defaultFieldValues ( volScalarFieldValue DT 1 );\nregions ();").substr(0, 68),
            "setFieldsDict:1: entry 'defaultFieldValues' sets an unknown field 'D");
  EXPECT_EQ(error("regions (\nboxToFace { box (0 0 0) (1 1 1); fieldValues (); } );").substr(0, 57),
            "setFieldsDict:2: source 'boxToFace' is not supported, sup");
  EXPECT_EQ(error("regions ( boxToCell { box (0 0 0) (1 1 1); } );").substr(0, 16), "setFieldsDict:1:");
}

struct Heated {
  std::unique_ptr<core::Layout> layout = shuffled_layout({10, 6, 1}, {4, 4, 1});
  CellSets sets = sets_of("{ name wire; type cellSet; action new; source boxToCell; box (0 0 0) (4 6 1); }\n"
                          "{ name core; type cellZoneSet; action new; source setToCellZone; set wire; }",
                          *layout);
  std::vector<HeatSource> read(std::string const& text) {
    auto d = dictionary(text, "fvOptions");
    return read_sources(d, "T", sets, *layout);
  }
};

TEST(FoamSources, HaveSpecificAndAbsoluteRates) {
  Heated h;
  auto const added = h.read(
      "heat { type scalarSemiImplicitSource; active yes; selectionMode cellZone; cellZone core; volumeMode specific;\n"
      "       injectionRateSuSp { T (0.5 -2); } }\n"
      "more { type scalarSemiImplicitSource; volumeMode absolute; selectionMode cellSet; cellSet wire;\n"
      "       sources { T { explicit 48; implicit constant 0; } } }\n"
      "off { type scalarSemiImplicitSource; active no; selectionMode none; sources { T (1 1); } }\n"
      "old { type semiImplicitSource; semiImplicitSourceCoeffs { selectionMode all; volumeMode specific; sources { T "
      "(1 0); } } }");
  ASSERT_EQ(added.size(), 3U);
  EXPECT_EQ(added[0].count, 24);
  EXPECT_EQ(added[1].volume, 24.0);
  EXPECT_EQ(added[0].mask, &h.sets.zones.at("core"));
  EXPECT_EQ(added[0].Su(7), 0.5);
  EXPECT_EQ(added[0].Sp(7), -2.0);
  EXPECT_EQ(added[1].Su(7), 2.0);
  EXPECT_EQ(added[1].cells, "cellSet wire");
  EXPECT_EQ(added[0].where, "fvOptions:2");
  EXPECT_EQ(added[2].mask, nullptr);
  EXPECT_EQ(added[2].count, 60);
}

TEST(FoamSources, TakeTheCellsOfSeveralZones) {
  Heated h;
  h.sets.zones.emplace("cover", CellSets::Mask("cover", *h.layout, 0, std::uint8_t{0}));
  auto const cover = h.sets.zones.at("cover").host();
  for (int slot = 0; slot < h.layout->tiles(); ++slot) {
    auto const& t = h.layout->info(slot);
    if (t.i0 <= 9 && 9 < t.i0 + t.ni && t.j0 == 0) cover(slot, 0, 0, static_cast<int>(9 - t.i0)) = 1;
  }
  std::string const begin =
                        "heat { type scalarSemiImplicitSource; volumeMode specific; selectionMode cellZone; cellZone ",
                    end = "; sources { T { explicit table ((0 1) (1 2)); implicit none; } } }";
  auto const own = h.read(begin + "core" + end);
  std::size_t const core = static_cast<std::size_t>(own[0].count);
  EXPECT_EQ(own[0].Sp(0), 0);
  auto const listed = h.read(begin + "(core cover)" + end), matched = h.read(begin + "\"co.*\"" + end),
             both = h.read(begin + "(\"cov.*\" core core)" + end), one = h.read(begin + "(\"cor.\")" + end);
  EXPECT_EQ(listed[0].count, core + 1);
  EXPECT_EQ(listed[0].cells, "cellZone (core cover)");
  EXPECT_EQ(matched[0].count, core + 1);
  EXPECT_EQ(both[0].count, core + 1);
  EXPECT_EQ(one[0].count, core);
}

TEST(FoamSources, MayChangeInTimeAndHoldCells) {
  Heated h;
  auto const s =
      h.read("a { type scalarSemiImplicitSource; volumeMode specific; selectionMode all; timeStart 3; duration 4;\n"
             "    sources { T { explicit table ((0 1) (10 21)); } } }\n"
             "b { type fixedTemperatureConstraint; selectionMode cellZone; cellZone core; mode uniform; temperature "
             "constant 5; }\n"
             "c { type scalarFixedValueConstraint; selectionMode cellSet; cellSet wire; fieldValues { T 6; } }\n"
             "d { type conductorLosses; selectionMode all; q20 1000; alpha 0.004; Tref 300; }");
  ASSERT_EQ(s.size(), 4U);
  EXPECT_EQ(s[0].Su(5), 11.0);
  EXPECT_FALSE(s[0].active(2.9));
  EXPECT_TRUE(s[0].active(3));
  EXPECT_FALSE(s[0].active(7.1));
  EXPECT_EQ(s[1].value(0), 5.0);
  EXPECT_EQ(s[2].value(0), 6.0);
  EXPECT_EQ(s[2].kind, HeatSource::Kind::held);
  EXPECT_TRUE(s[2].overruled.contains("b"));
  EXPECT_NEAR(s[3].Su(0) + s[3].Sp(0) * 325, 1100, 1e-10);  // 1000 (1 + 0.004 * 25), to rounding
}

TEST(FoamSources, TellWhichCellsAnEarlierOneHoldsToo) {
  Heated h;
  auto const s =
      h.read("a { type scalarFixedValueConstraint; selectionMode all; fieldValues { T 5; } }\n"
             "b { type scalarFixedValueConstraint; selectionMode cellZone; cellZone core; fieldValues { T 6; } }");
  EXPECT_TRUE(s[0].overruled.empty());
  EXPECT_EQ(s[1].overruled, (std::map<std::string, core::Count>{{"a", s[1].count}}));
}

TEST(FoamSources, RefuseWhatTheyDoNotKnowByName) {
  Heated h;
  auto const error = [&](std::string const& text) { return error_of([&] { h.read(text); }); };
  std::string const common = "heat { type scalarSemiImplicitSource; volumeMode specific; ";
  EXPECT_EQ(error("heat { type radiation; }"),
            "fvOptions:1: source type 'radiation' is not supported, supported: conductorLosses "
            "fixedTemperatureConstraint scalarFixedValueConstraint scalarSemiImplicitSource semiImplicitSource");
  EXPECT_EQ(error(common + "selectionMode points; sources { T (1 0); } }"),
            "fvOptions:1: selectionMode 'points' is not supported, supported: all cellZone cellSet");
  EXPECT_EQ(error(common + "selectionMode cellZone;\ncellZone cores; sources { T (1 0); } }"),
            "fvOptions:2: unknown cellZone 'cores'; did you mean 'core'? valid: core");
  EXPECT_EQ(error(common + "selectionMode all; sources {\nh (1 0); } }"),
            "fvOptions:2: source for the field 'h', but the equation solved is that of 'T'");
  EXPECT_EQ(error(common + "selectionMode all; sources { T { explicit coded; } } }"),
            "fvOptions:1: entry 'explicit': 'coded' is code to be compiled, which is not run here: a table or sine "
            "gives values in time");
  EXPECT_EQ(error("heat { type scalarCodedSource; selectionMode all; fields (T); code #{ a; } b #}; }").substr(0, 85),
            "fvOptions:1: source type 'scalarCodedSource' is code to be compiled, which is not run");
  EXPECT_EQ(error(common +
                  "\ntimeStart 3; duration 4; scalarSemiImplicitSourceCoeffs { selectionMode all; sources { T (1 0); "
                  "} } }"),
            "fvOptions:2: entry 'timeStart' stands beside scalarSemiImplicitSourceCoeffs, where OpenFOAM does not read "
            "it: expected it within");
  EXPECT_EQ(error(common + "selectionMode cellZone;\ncellZone (core cor); sources { T (1 0); } }"),
            "fvOptions:2: unknown cellZone 'cor'; did you mean 'core'? valid: core");
  EXPECT_EQ(error(common + "selectionMode cellZone;\ncellZone \"cable.*\"; sources { T (1 0); } }"),
            "fvOptions:2: unknown cellZone 'cable.*'; valid: core");
  EXPECT_EQ(error(common + "selectionMode all; sources { T { explicit table; } } }"),
            "fvOptions:1: entry 'explicitCoeffs' is missing in 'heat.sources.T'");
  EXPECT_EQ(error("heat { type scalarFixedValueConstraint; selectionMode all; timeStart 3; duration 4; }"),
            "fvOptions:1: entry 'timeStart' is not supported: cells are held during the whole run");
  EXPECT_EQ(error(common + "selectionMode all;\nduration 0.3; sources { T (1 0); } }"),
            "fvOptions:2: entry 'duration' stands without timeStart, and would do nothing: expected both or neither");
  EXPECT_EQ(
      error("a { type scalarFixedValueConstraint; selectionMode cellZone; cellZone core; fieldValues { T 6; } }\n"
            "b { type fixedTemperatureConstraint; selectionMode cellZone; cellZone core; mode uniform; temperature "
            "5; }"),
      "fvOptions:2: entry 'selectionMode': 'b' holds cellZone core, as 'a' does: expected one temperature for them");
}

}  // namespace
}  // namespace tessera::tests
