// SPDX-License-Identifier: Apache-2.0
// The dictionaries of a case as made for OpenFOAM (three buried cables), read from end to end.
#include "io/foam/cell_sets.hpp"
#include "io/foam/control.hpp"
#include "io/foam/fields.hpp"
#include "io/foam/schemes.hpp"
#include "io/foam/sources.hpp"

#include "tests/support/foam.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {
namespace {

using namespace io::foam;

std::string header(std::string const& type, std::string const& object) {
  return "FoamFile\n{\n    version     2.0;\n    format      ascii;\n    class       " + type + ";\n    object      " +
         object + ";\n}\n\n";
}
std::string field_text(std::string const& name, std::string const& dimensions, std::string const& value,
                       std::string const& entry) {
  std::string text = header("volScalarField", name) + "dimensions      " + dimensions + ";\ninternalField   uniform " +
                     value + ";\nboundaryField\n{\n";
  for (char const* patch : {"bottom", "right", "top", "left"})
    text += std::string("    ") + patch + " { " + entry + " }\n";
  return text + "    frontAndBack { type empty; }\n}\n";
}
std::string cylinder(std::string const& x, std::string const& radius) {
  return "p1 (" + x + " 0.9 -1); p2 (" + x + " 0.9 1); radius " + radius + "; ";
}

double const metal = 384 / 2.4e6, insulation = 0.286 / 2.4e6, soil = 1.0 / 2.4e6;
std::string const metal_text = "0.00016000000000000001", insulation_text = "1.1916666666666666e-07",
                  soil_text = "4.1666666666666667e-07";

struct Cables {
  Mesh mesh = read_mesh();
  std::shared_ptr<core::Grid const> grid = std::make_shared<core::Grid const>(mesh.grid);
  core::Layout layout{grid, core::block_owners(grid->tiles(), 1), core::Comm()};
  core::Field<double> T{"T", layout}, DT{"DT", layout};

  static Mesh read_mesh() {
    auto d = dictionary(header("dictionary", "blockMeshDict") + block_mesh(160, 128, 2.0, 1.6));
    return read_block_mesh(d, {64, 32, 1});
  }
  CellSets topo() {
    std::string text = header("dictionary", "topoSetDict") + "actions\n(\n";
    std::string action = "new";
    for (char const* x : {"0.8", "1.0", "1.2"}) {
      text += "    { name conductor; type cellSet; action " + action + "; source cylinderToCell; " +
              cylinder(x, "0.020") + "}\n";
      action = "add";
    }
    auto d = dictionary(
        text + "    { name conductor; type cellZoneSet; action new; source setToCellZone; set conductor; }\n);\n");
    return topo_set(d, layout);
  }
  void materials() {
    std::string text = header("dictionary", "setFieldsDict") + "defaultFieldValues ( volScalarFieldValue DT " +
                       soil_text + " );\nregions\n(\n";
    for (auto const& [radius, value] : {std::pair{"0.045", insulation_text}, std::pair{"0.020", metal_text}})
      for (char const* x : {"0.8", "1.0", "1.2"})
        text +=
            "    cylinderToCell { " + cylinder(x, radius) + "fieldValues ( volScalarFieldValue DT " + value + " ); }\n";
    auto d = dictionary(text + ");\n");
    set_fields(d, {{"T", &T}, {"DT", &DT}});
  }
};

TEST(FoamCase, GivesEachCellTheMaterialOfItsCentre) {
  Cables c;
  c.materials();
  auto const v = std::as_const(c.DT).host();
  int wrong = 0, metals = 0, insulations = 0;
  for (int s = 0; s < c.layout.tiles(); ++s) {
    auto const& t = c.layout.info(s);
    for (int j = 0; j < t.nj; ++j)
      for (int i = 0; i < t.ni; ++i) {
        double const x = (static_cast<double>(t.i0 + i) + 0.5) * 2.0 / 160,
                     y = (static_cast<double>(t.j0 + j) + 0.5) * 1.6 / 128;
        double expected = soil;
        for (double const xc : {0.8, 1.0, 1.2}) {
          double const r2 = (x - xc) * (x - xc) + (y - 0.9) * (y - 0.9);
          if (r2 < 0.045 * 0.045) expected = r2 < 0.02 * 0.02 ? metal : insulation;
        }
        wrong += v(s, 0, j, i) != expected;
        metals += v(s, 0, j, i) == metal;
        insulations += v(s, 0, j, i) == insulation;
      }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(metals, 36);  // both as OpenFOAM v1912's setFields has it
  EXPECT_EQ(insulations, 96);
}

TEST(FoamCase, HeatsTheConductors) {
  Cables c;
  auto sets = c.topo();
  auto d = dictionary(
      header("dictionary", "fvOptions") +
      "heat\n{\n    type            scalarSemiImplicitSource;\n    active          yes;\n    selectionMode   "
      "cellZone;\n"
      "    cellZone        conductor;\n    volumeMode      specific;\n    injectionRateSuSp { T (0.01 0); }\n}\n");
  auto const added = read_sources(d, "T", sets, c.layout);
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].count, 36);  // as OpenFOAM v1912's topoSet has it
  EXPECT_EQ(added[0].Su(0), 0.01);
  EXPECT_NEAR(added[0].volume, 36 * (2.0 / 160) * (1.6 / 128) * 0.01, 1e-18);  // rounding of the faces' coordinates
}

TEST(FoamCase, ReadsFieldsWithTheirPatches) {
  Cables c;
  write_file("T", field_text("T", "[0 0 0 1 0 0 0]", "293.15", "type fixedValue; value uniform 293.15;"));
  write_file("DT", field_text("DT", "[0 2 -1 0 0 0 0]", soil_text, "type zeroGradient;"));
  auto T = read_field("T", core::Comm()), DT = read_field("DT", core::Comm());
  check_dimensions(T.dimensions, dimensions_of_temperature, T.location("dimensions"));
  check_dimensions(DT.dimensions, dimensions_of_diffusivity, DT.location("dimensions"));
  check_patches(T, c.mesh);
  check_patches(DT, c.mesh);
  auto const& top = *c.mesh.find("top");
  EXPECT_EQ(patch_values(*patch_entry(T, top), "value", c.mesh, top, plane_of(c.mesh, core::Side::top)),
            std::vector<double>(160, 293.15));
  for (auto* file : {&T, &DT}) {
    for (auto const& patch : c.mesh.patches)
      if (auto const* entry = patch_entry(*file, patch)) entry->mark_read();
    EXPECT_NO_THROW(file->dictionary.check_all_read());
  }
}

}  // namespace
}  // namespace tessera::tests
