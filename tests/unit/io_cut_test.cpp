// SPDX-License-Identifier: Apache-2.0
// Boxes of files: what is given is what the whole file has there.
#include "io/reader.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace tessera::io {
namespace {

/// A value for each cell, x fastest, rows from the bottom.
std::vector<std::uint8_t> all(std::unique_ptr<RowSource> source) {
  if (source->top_down()) source = turned(std::move(source));
  auto const n = source->cells();
  std::vector<std::uint8_t> values(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  source->next(n[1] * n[2], std::as_writable_bytes(std::span(values)));
  return values;
}

void expect_boxes_are_parts_of(std::string const& file) {
  auto const n = open_rows(file)->cells();
  auto const whole = all(open_rows(file));
  for (core::Box const& box :
       {core::Box{{0, 0, 0}, {n[0], n[1], n[2]}}, core::Box{{1, 2, 0}, {3, 4, 1}},
        core::Box{{n[0] - 1, n[1] - 2, n[2] - 1}, {n[0], n[1], n[2]}}, core::Box{{2, 0, n[2] - 1}, {5, 1, n[2]}}}) {
    auto cells = cut(open_rows(file), box);
    auto const shape = box.shape();
    EXPECT_EQ(cells->cells(), (core::Grid::Shape{shape.i, shape.j, shape.k}));
    auto const values = all(std::move(cells));
    std::size_t at = 0;
    for (auto k = box.lo.k; k < box.hi.k; ++k)
      for (auto j = box.lo.j; j < box.hi.j; ++j)
        for (auto i = box.lo.i; i < box.hi.i; ++i)
          EXPECT_EQ(values[at++], whole[static_cast<std::size_t>((k * n[1] + j) * n[0] + i)])
              << i << ' ' << j << ' ' << k;
  }
}

TEST(Cut, GivesTheCellsOfABox) {
  tests::Scratch const scratch;
  std::string values(7 * 5 * 3, '\0');
  std::iota(values.begin(), values.end(), '\0');
  tests::write_bytes(scratch / "a.raw", values);
  expect_boxes_are_parts_of((scratch / "a.raw") + ":7x5x3:uint8");
  // rows from the top, and none but in their order
  tests::write_bytes(scratch / "a.pgm", "P5 7 5 255\n" + values.substr(0, 35));
  expect_boxes_are_parts_of(scratch / "a.pgm");
}

TEST(Cut, LiesWhereItLayInTheFile) {
  tests::Scratch const scratch;
  tests::write_bytes(scratch / "a.raw", std::string(24, '\1'));
  tests::write_bytes(scratch / "a.mhd", "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementSpacing = 0.5 1 "
                                        "2\nOffset = 1 2 3\nElementType = MET_UCHAR\n"
                                        "ElementDataFile = a.raw\n");
  auto const place = cut(open_rows(scratch / "a.mhd"), {{1, 2, 1}, {3, 3, 2}})->placement();
  ASSERT_TRUE(place);
  EXPECT_EQ(place->spacing, (std::array{0.5, 1.0, 2.0}));
  EXPECT_EQ(place->origin, (std::array{1.25, 3.5, 4.0}));  // Offset is the middle of the first cell
}

}  // namespace
}  // namespace tessera::io
