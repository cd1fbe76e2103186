// SPDX-License-Identifier: Apache-2.0
#include "io/foam/cell_sets.hpp"
#include "io/foam/fields.hpp"
#include "io/foam/sources.hpp"

#include "tests/support/foam.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace tessera::tests {
namespace {

using namespace io::foam;

constexpr core::Grid::Shape cells{37, 23, 3};

/// Written by the root; the others wait until it is there.
void write_shared(std::string const& path, std::string const& content) {
  core::Comm const world;
  if (world.root()) write_file(path, content);
  world.barrier();
}

std::string numbered(bool binary, int count) {
  std::string text = "nonuniform List<scalar> \n" + std::to_string(count) + "\n(";
  for (int n = 0; n < count; ++n) {
    double const value = n;
    char bytes[8];
    std::memcpy(bytes, &value, 8);
    if (binary)
      text.append(bytes, 8);
    else
      text += std::to_string(n) + "\n";
  }
  return text + ")\n";
}

TEST(FoamField, GivesTheSameCellsToAnyOwners) {
  for (bool const binary : {false, true}) {
    write_shared("T", scalar_field(numbered(binary, 37 * 23 * 3), binary ? "binary" : "ascii"));
    auto file = read_field("T", core::Comm());
    ASSERT_TRUE(file.list);
    EXPECT_EQ(file.list->binary, binary);
    EXPECT_TRUE(file.dictionary.is_dictionary("boundaryField"));
    for (core::Grid::Shape tile : {core::Grid::Shape{37, 23, 3}, {8, 5, 2}, {5, 23, 1}}) {
      auto layout = shuffled_layout(cells, tile);
      core::Field<double> T("T", *layout), number("n", *layout);
      set_cells(file, T);
      fill_by_number(number);
      EXPECT_EQ(core::hash(T), core::hash(number));
    }
  }
}

TEST(FoamField, TellsAllRanksWhatIsWrong) {
  write_shared("T", scalar_field(numbered(false, 37 * 23 * 3 - 1) + "extra"));
  EXPECT_FALSE(error_of([] {
                 auto file = read_field("T", core::Comm());
                 auto layout = shuffled_layout(cells, {8, 5, 2});
                 core::Field<double> T("T", *layout);
                 set_cells(file, T);
               }).empty());
  EXPECT_EQ(error_of([] { read_field("nothing", core::Comm()); }),
            "nothing: no such file, expected a field of OpenFOAM");
  std::string bad = numbered(false, 37 * 23 * 3);
  bad.replace(bad.find("\n1000\n"), 6, "\ninf\n");
  write_shared("T", scalar_field(bad));
  auto file = read_field("T", core::Comm());
  auto layout = shuffled_layout(cells, {8, 5, 2});
  core::Field<double> T("T", *layout);
  // ten lines of header, the length in line 11, value 0 in the line of the bracket
  EXPECT_EQ(error_of([&] { set_cells(file, T); }),
            "T:1012: value 1000 of internalField (cell (1 4 1)) is 'inf', expected a finite number");
}

TEST(FoamSources, SumTheVolumeOverAllRanks) {
  for (core::Grid::Shape tile : {core::Grid::Shape{37, 23, 3}, {8, 5, 2}}) {
    auto layout = shuffled_layout(cells, tile);
    auto topo = dictionary(
        "actions ( { name s; type cellSet; action new; source sphereToCell; origin (18 11 1.5); radius 6; } );");
    auto sets = topo_set(topo, *layout);
    auto options = dictionary("heat { type scalarSemiImplicitSource; selectionMode cellSet; cellSet s; volumeMode "
                              "absolute; sources { T (100 0); } }");
    auto const added = read_sources(options, "T", sets, *layout);
    ASSERT_EQ(added.size(), 1U);
    int expected = 0;
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 23; ++j)
        for (int i = 0; i < 37; ++i) {
          double const x = i + 0.5 - 18, y = j + 0.5 - 11, z = k + 0.5 - 1.5;
          expected += x * x + y * y + z * z < 36;
        }
    EXPECT_GT(expected, 200);
    EXPECT_EQ(added[0].count, expected);
    EXPECT_EQ(added[0].volume, expected);  // unit cells: exact
    EXPECT_DOUBLE_EQ(added[0].Su(0), 100.0 / expected);
  }
}

}  // namespace
}  // namespace tessera::tests
