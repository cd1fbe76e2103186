// SPDX-License-Identifier: Apache-2.0
// The module for Catalyst 2 against a stand-in for libcatalyst (tests/support/catalyst_stub), which keeps what it is told.
#include "core/grid/halo.hpp"
#include "io/insitu/catalyst2.catalyst2.cpp"
#include "io/insitu/channels.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

namespace tessera::io::insitu {
namespace {

TEST(InSituCatalyst2, DescribesTilesWithoutCopying) {
  auto const layout = tests::shuffled_layout({20, 12, 1}, {8, 8, 1});
  core::Field<double> T("T", *layout, 1), source("Q", *layout, 1);
  core::Field<std::uint8_t> mask("mask", *layout, 0);
  GridChannel grid;
  grid.fill(std::array{Shown(T), Shown(source), Shown(mask)});
  PreviewChannel preview;
  preview.fill(std::array{Shown(T)});

  insitu_module const* const c2 = insitu_get_module();
  char const* const args[] = {"lo=1", "hi=2", nullptr};
  insitu_script const script{"look.py", args, insitu_grid | insitu_preview};
  int wrong = 0;
  ASSERT_EQ(c2->init(MPI_COMM_WORLD, 1, &script, &wrong), nullptr);
  auto s = catalyst_stub::initialized["catalyst/scripts/script0"];
  EXPECT_EQ(s["filename"].data().text, "look.py");
  EXPECT_EQ(s["args"].child(1).data().text, "hi=2");
  unsigned char wanted = 0;
  EXPECT_EQ(c2->due(3, 0.5, 0, &wanted), 0);
  wanted = 1;
  EXPECT_EQ(c2->due(3, 0.5, 0, &wanted), insitu_grid | insitu_preview);

  catalyst_stub::results["catalyst/steer/fields/hottest/values"].set_float64(42);
  insitu_channel const channels[] = {grid.c(), preview.c()};
  insitu_frame const frame{3, 0.5, 0, 2, channels};
  insitu_value values[4];
  ASSERT_EQ(c2->execute(&frame, values, 4), 1);
  EXPECT_STREQ(values[0].name, "hottest");
  EXPECT_EQ(values[0].value, 42);

  auto all = catalyst_stub::executed;
  EXPECT_EQ(all["catalyst/state/timestep"].data().integer, 3);
  EXPECT_EQ(all["catalyst/state/time"].data().number, 0.5);
  auto tiles = all["catalyst/channels/grid/data"];
  // 6 tiles: one domain for the two fields of doubles, one for the bytes, which are stored with other margins
  ASSERT_EQ(tiles.number_of_children(), 12U);
  auto tile = tiles["tile_4"];  // the second column, the upper row: 8 x 4 cells from (8, 8)
  EXPECT_EQ(tile["state/domain_id"].data().integer, 4);
  EXPECT_EQ(tile["coordsets/coords/type"].data().text, "uniform");
  auto const& array = grid.c().tiles[layout->slot(4)].arrays[0];
  EXPECT_EQ(tile["coordsets/coords/dims/i"].data().integer, array.n[0] + 1);
  EXPECT_EQ(tile["coordsets/coords/origin/x"].data().number, 8.0 + static_cast<double>(array.lo[0] - 8));
  EXPECT_EQ(tile["coordsets/coords/origin/y"].data().number, 7);
  EXPECT_FALSE(tile.has_path("coordsets/coords/dims/k"));
  EXPECT_EQ(tile["fields/T/values"].data().external, array.data);
  EXPECT_EQ(tile["fields/T/values"].data().count, static_cast<std::size_t>(array.n[0] * array.n[1]));
  EXPECT_TRUE(tile.has_path("fields/Q/values"));
  EXPECT_FALSE(tile.has_path("fields/mask"));
  EXPECT_EQ(tile["fields/vtkGhostType/values"].data().external, array.ghost);
  auto bytes = tiles["tile_10"];
  EXPECT_EQ(bytes["fields/mask/values"].data().external, grid.c().tiles[layout->slot(4)].arrays[2].data);
  EXPECT_EQ(bytes["fields/mask/values"].data().size, 1U);
  EXPECT_EQ(all["catalyst/channels/preview/data"].number_of_children(), 1U);

  c2->finalize();
  EXPECT_EQ(catalyst_stub::finalized, 1);
}

TEST(InSituCatalyst2, GivesCoordinatesOfGradedAxes) {
  auto const grid = std::make_shared<core::Grid const>(core::Grid(
      {core::Axis::make_graded(12, 0, 2, 4), core::Axis::make_uniform(4, 0, 1), core::Axis::make_uniform(3, 0, 1)},
      {6, 4, 3}));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), core::Comm());
  core::Field<float> T("T", layout, 1);
  GridChannel channel;
  channel.fill(std::array{Shown(T)});
  insitu_frame const frame{0, 0, 0, 1, &channel.c()};
  insitu_value value;
  ASSERT_EQ(insitu_get_module()->execute(&frame, &value, 1) < 0, false);
  auto tile = catalyst_stub::executed["catalyst/channels/grid/data/tile_1"];
  EXPECT_EQ(tile["coordsets/coords/type"].data().text, "rectilinear");
  auto const& array = channel.c().tiles[1].arrays[0];
  auto const& x = tile["coordsets/coords/values/x"].data().numbers;
  ASSERT_EQ(x.size(), static_cast<std::size_t>(array.n[0]) + 1);
  for (core::Count i = 6; i <= 12; ++i) EXPECT_EQ(x[i - array.lo[0]], grid->axis(0).face(i));
  // hidden cells beyond the grid go on as the outermost ones, so that coordinates keep growing
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_GT(x[i], x[i - 1]);
  EXPECT_EQ(tile["coordsets/coords/values/z"].data().numbers.size(), 6U);
}

}  // namespace
}  // namespace tessera::io::insitu
