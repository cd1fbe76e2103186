// SPDX-License-Identifier: Apache-2.0
#include "io/foam/time_directory.hpp"

#include "tests/support/foam.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace tessera::tests {
namespace {

using namespace io::foam;

struct FillCells {
  core::FieldView<double> out;
  void operator()(core::Layout const& layout) const {
    core::for_own_cells(layout, [&](int s, int k, int j, int i) {
      auto const number = static_cast<double>(layout.grid().number(layout.info(s).global(k, j, i)));
      out(s, k, j, i) = 300 + std::sin(number);
    });
  }
};

TEST(FoamTimeDirectory, IsReadBackWithTheSameBits) {
  core::Comm const world;
  auto d = dictionary(block_mesh(37, 23, 2.0, 1.6));
  auto const mesh = read_block_mesh(d, {8, 5, 1});
  auto const grid = std::make_shared<core::Grid const>(mesh.grid);
  core::Layout const layout(grid, owner_tables(*grid, world.size())[2], world);
  std::string text = scalar_field("uniform 1");
  text.replace(text.find("frontAndBack"), 0,
               "left { type fixedValue; value nonuniform List<scalar> 23(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 "
               "18 19 20 21 22.5); "
               "table ((0 1) (1 2)); names (\"a b\"); inner { x 1; } }\n    ");
  if (world.root()) write_file("T", text);
  world.barrier();
  auto file = read_field("T", world);
  core::Field<double> T("T", layout), back("T", layout);
  FillCells{T.host()}(layout);
  for (FieldFormat const format : {FieldFormat{true, 6}, FieldFormat{false, 17}}) {
    write_field("written/86400", T, file.dimensions, boundary_text(file, mesh, format), format);
    EXPECT_FALSE(std::filesystem::exists("written/86400/T.part"));
    auto again = read_field("written/86400/T", world);
    check_patches(again, mesh);
    EXPECT_EQ(again.name, "T");
    EXPECT_EQ(again.dimensions, dimensions_of_temperature);
    EXPECT_EQ(again.list->binary, format.binary);
    set_cells(again, back);
    EXPECT_EQ(core::hash(back), core::hash(T));
    auto const& left = *mesh.find("left");
    auto const values = patch_values(*patch_entry(again, left), "value", mesh, left, plane_of(mesh, core::Side::left));
    ASSERT_EQ(values.size(), 23U);
    EXPECT_EQ(values[22], 22.5);
    EXPECT_EQ(patch_entry(again, left)->get<std::vector<std::string>>("names"), std::vector<std::string>{"a b"});
    EXPECT_EQ(patch_entry(again, left)->sub("inner").get<int>("x"), 1);
    EXPECT_EQ(patch_entry(again, *mesh.find("top"))->get<std::string>("type"), "zeroGradient");
    world.barrier();
  }
}

TEST(FoamTimeDirectory, KeepsTheOrderOfBlocks) {
  core::Comm const world;
  // two blocks of 3 x 2 cells, the right one first
  auto d = dictionary(
      "vertices ((0 0 0) (1 0 0) (2 0 0) (0 1 0) (1 1 0) (2 1 0) (0 0 1) (1 0 1) (2 0 1) (0 1 1) (1 1 1) (2 1 1));\n"
      "blocks ( hex (1 2 5 4 7 8 11 10) (3 2 1) simpleGrading (1 1 1) hex (0 1 4 3 6 7 10 9) (3 2 1) "
      "simpleGrading (1 1 1) );defaultPatch { type patch; }");
  auto const mesh = read_block_mesh(d, {2, 1, 1});
  auto const grid = std::make_shared<core::Grid const>(mesh.grid);
  core::Layout const layout(grid, owner_tables(*grid, world.size())[2], world);
  if (world.root()) {
    auto text = scalar_field("nonuniform List<scalar> 12(0 1 2 3 4 5 6 7 8 9 10 11)");
    write_file("blocks", text.replace(text.find("frontAndBack"), 12, "defaultFaces"));
  }
  world.barrier();
  auto file = read_field("blocks", world);
  core::Field<double> T("T", layout), back("T", layout);
  set_cells(file, T, mesh.blocks);
  int wrong = 0;
  for (int s = 0; s < layout.tiles(); ++s) {
    auto const& t = layout.info(s);
    for (int i = 0; i < t.ni; ++i)
      wrong += std::as_const(T).host()(s, 0, 0, i) != static_cast<double>(mesh.number(t.global(0, 0, i)));
  }
  EXPECT_EQ(wrong, 0);
  write_field("written/2", T, file.dimensions, boundary_text(file, mesh, {}), {}, mesh.blocks);
  auto again = read_field("written/2/T", world);
  set_cells(again, back, mesh.blocks);
  EXPECT_EQ(core::hash(back), core::hash(T));
  set_cells(again, back);  // as if it were one block
  EXPECT_NE(core::hash(back), core::hash(T));
}

TEST(FoamTimeDirectory, FailsOnAllRanksWhereItCannotWrite) {
  core::Comm const world;
  auto layout = shuffled_layout({8, 4, 1}, {4, 4, 1});
  if (world.root()) write_file("occupied", "a file where the folder should be");
  world.barrier();
  core::Field<double> const T("T", *layout);
  EXPECT_THROW(write_field("occupied/1", T, dimensions_of_temperature, "", {}), core::RunError);
}

}  // namespace
}  // namespace tessera::tests
