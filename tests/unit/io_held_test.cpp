// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/grid/field.hpp"
#include "io/readers/held.hpp"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace tessera::io {
namespace {

std::vector<std::int32_t> all_of(RowSource& source) {
  auto const n = source.cells();
  std::vector<std::int32_t> values(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  source.next(n[1] * n[2], std::as_writable_bytes(std::span(values)));
  return values;
}

TEST(HeldFile, IsReadWhereItIsNamedAsLongAsItLives) {
  std::array<std::int16_t, 6> const values{-1, 2, 3, 4, 5, 600};
  {
    HeldFile const held("<case>/medium", {values.data(), "int16", {3, 2, 1}});
    auto const source = open_rows("<case>/medium");
    EXPECT_EQ(source->cells(), (core::Grid::Shape{3, 2, 1}));
    EXPECT_EQ(source->stored().name, "int16");
    EXPECT_FALSE(source->top_down());
    EXPECT_EQ(all_of(*source), (std::vector<std::int32_t>{-1, 2, 3, 4, 5, 600}));
    EXPECT_FALSE(is_pattern("<case>/medium"));
  }
  EXPECT_THROW(open_rows("<case>/medium"), core::Error);
}

TEST(HeldFile, CanBeReadFromAnyRow) {
  std::array<std::int32_t, 6> const values{1, 2, 3, 4, 5, 6};
  HeldFile const held("rows", {values.data(), "int32", {2, 3, 1}});
  auto const source = open_rows("rows");
  ASSERT_TRUE(source->seek(2));
  std::array<std::int32_t, 2> row{};
  source->next(1, std::as_writable_bytes(std::span(row)));
  EXPECT_EQ(row, (std::array<std::int32_t, 2>{5, 6}));
}

TEST(HeldFile, IsDistributedOverTiles) {
  std::vector<double> values(35);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = 0.5 * static_cast<double>(n);
  HeldFile const held("values", {values.data(), "float64", {7, 5, 1}});
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({7, 5, 1}, {3, 2, 1}));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), core::Comm(MPI_COMM_SELF));
  core::Field<double> field("T", layout);
  distribute(open_rows("values").get(), field);
  auto const view = std::as_const(field).host();
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& info = layout.info(slot);
    for (int j = 0; j < info.nj; ++j)
      for (int i = 0; i < info.ni; ++i)
        EXPECT_EQ(view(slot, 0, j, i), values[static_cast<std::size_t>(grid->number(info.global(0, j, i)))]);
  }
}

TEST(HeldFile, RefusesWhatCannotBeMeant) {
  double const value = 1;
  EXPECT_THROW(HeldFile("x", HeldValues{&value, "float16", {1, 1, 1}}), core::Error);
  HeldFile const held("x", {&value, "float64", {1, 1, 1}});
  EXPECT_THROW(HeldFile("x", HeldValues{&value, "float64", {1, 1, 1}}), core::Error);
  std::uint8_t const two = 2;
  HeldFile const mask("mask", {&two, "bool", {1, 1, 1}});
  std::byte to{};
  EXPECT_THROW(open_rows("mask")->next(1, {&to, 1}), core::Error);
}

}  // namespace
}  // namespace tessera::io
