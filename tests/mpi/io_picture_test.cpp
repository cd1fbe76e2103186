// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/pictures/picture.hpp"
#include "io/reader.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

namespace tessera::io {
namespace {

/// f(x) in every cell.
template <class T, class F>
void set(core::Field<T>& field, F const& f) {
  tests::for_each_cell(field, [&](core::Index x, T& v) { v = static_cast<T>(f(x)); });
}

PictureStyle within(core::Count pixels) {
  PictureStyle style;
  style.width = style.height = pixels;
  return style;
}

TEST(Picture, EnlargesCellsByAWholeFactorWithYUpwards) {
  auto const layout = tests::shuffled_layout({5, 3, 1}, {2, 2, 1});
  core::Field<double> field("T", *layout);
  set(field, [](core::Index x) { return static_cast<double>(x.j * 5 + x.i); });
  Raster const raster = rasterize(field, within(64));
  EXPECT_EQ(raster.width, 60);  // 12 pixels a cell
  EXPECT_EQ(raster.height, 36);
  EXPECT_EQ(raster.lo, 0);
  EXPECT_EQ(raster.hi, 14);
  if (!layout->comm().root()) return;
  auto const& viridis = palette("viridis");
  EXPECT_EQ(raster.at(0, 35), viridis[0]);  // cell (0, 0): bottom left
  EXPECT_EQ(raster.at(11, 24), viridis[0]);
  EXPECT_EQ(raster.at(59, 0), viridis[255]);  // cell (4, 2)
  EXPECT_EQ(raster.at(12, 35), viridis[18]);  // 255 / 14 = 18.2
}

TEST(Picture, OfManyCellsHasTheirMeans) {
  auto const layout = tests::shuffled_layout({64, 48, 1}, {7, 5, 1});
  core::Field<float> field("T", *layout);
  // columns 0 and 100 in turn: each pixel of 4 x 4 cells has 50
  set(field, [](core::Index x) { return x.i % 2 * 100.0; });
  Raster const raster = rasterize(field, within(16));
  EXPECT_EQ(raster.width, 16);
  EXPECT_EQ(raster.height, 12);
  for (auto const& pixel : raster.pixels) EXPECT_EQ(pixel, palette("viridis")[128]);
}

TEST(Picture, IsTheSameOnAnyRanksAndTiles) {
  auto const value = [](core::Index x) {
    return std::sin(0.1 * static_cast<double>(x.i * x.i)) + 0.3 * static_cast<double>(x.j);
  };
  auto const layout = tests::shuffled_layout({101, 57, 3}, {16, 9, 2});
  core::Field<double> field("T", *layout);
  set(field, value);
  Raster const raster = rasterize(field, within(40));
  if (!layout->comm().root()) return;
  auto grid = std::make_shared<core::Grid const>(core::Grid::unit({101, 57, 3}, {101, 4, 1}));
  core::Layout const alone(grid, core::block_owners(grid->tiles(), 1), core::Comm(MPI_COMM_SELF));
  core::Field<double> other("T", alone);
  set(other, value);
  EXPECT_TRUE(raster.pixels == rasterize(other, within(40)).pixels);
}

TEST(Picture, LeavesOutWhatIsNoNumber) {
  auto const layout = tests::shuffled_layout({4, 2, 1}, {2, 2, 1});
  core::Field<double> field("T", *layout);
  set(field, [](core::Index x) { return x.i < 2 ? NAN : 1.0 + static_cast<double>(x.i); });
  Raster const raster = rasterize(field, within(2));
  EXPECT_EQ(raster.lo, 3);
  EXPECT_EQ(raster.hi, 4);
  if (layout->comm().root()) {
    EXPECT_EQ(raster.at(0, 0), colours::grey);
    EXPECT_EQ(raster.at(1, 0), palette("viridis")[128]);
  }
}

TEST(Picture, OfMasksPaintsLaterOnesOverEarlierAndMixesByArea) {
  auto const layout = tests::shuffled_layout({40, 40, 1}, {16, 8, 1});
  core::Field<std::uint8_t> occupied("occupied", *layout);
  core::Field<std::int64_t> red("red", *layout);
  set(occupied, [](core::Index x) { return x.i < 20; });
  set(red, [](core::Index x) { return x.i < 20 && x.j < 10 ? 12345 : 0; });
  std::vector<Category> const categories{{"occupied", {0, 0, 0}, &occupied}, {"red", {200, 0, 0}, &red}};
  Raster const fine = rasterize(categories, colours::white, within(40)),
               coarse = rasterize(categories, colours::white, within(1));
  if (!layout->comm().root()) return;
  EXPECT_EQ(fine.at(0, 0), colours::black);
  EXPECT_EQ(fine.at(39, 0), colours::white);
  EXPECT_EQ(fine.at(0, 39), (Colour{200, 0, 0}));
  EXPECT_EQ(fine.at(0, 29), colours::black);
  EXPECT_EQ(fine.shares, (std::vector<double>{0.375, 0.125}));
  // 1/2 white, 3/8 black, 1/8 red: 127.5 + 25, 127.5
  EXPECT_EQ(coarse.at(0, 0), (Colour{153, 128, 128}));
}

TEST(Picture, HasAnIconInEachCellThatHasAsManyPixels) {
  auto const layout = tests::shuffled_layout({6, 5, 1}, {4, 2, 1});
  core::Field<std::uint8_t> state("state", *layout);
  set(state, [](core::Index x) { return (x.i + x.j) % 2; });
  Colour const a{1, 2, 3}, b{4, 5, 6}, c{7, 8, 9}, d{10, 11, 12}, plain{100, 0, 0};
  std::vector<Category> const categories{{"odd", plain, &state, 1, {a, b, c, d}}};
  Raster const with = rasterize(categories, colours::white, within(12)),
               larger = rasterize(categories, colours::white, within(18)),
               smaller = rasterize(categories, colours::white, within(6));
  if (!layout->comm().root()) return;
  ASSERT_EQ(with.width, 12);
  // cell (1, 0), at the bottom, is odd
  EXPECT_EQ(with.at(2, 8), a);
  EXPECT_EQ(with.at(3, 8), b);
  EXPECT_EQ(with.at(2, 9), c);
  EXPECT_EQ(with.at(3, 9), d);
  EXPECT_EQ(with.at(0, 8), colours::white);
  EXPECT_EQ(with.at(0, 6), a);
  EXPECT_EQ(larger.at(3, 12), plain);
  EXPECT_EQ(smaller.at(1, 4), plain);
}

TEST(Picture, OfAGradedGridKeepsItsShape) {
  std::array const axes{core::Axis::make_graded(20, 0, 2, 8), core::Axis::make_uniform(10, 0, 1),
                        core::Axis::make_uniform(1, 0, 1)};
  auto grid = std::make_shared<core::Grid const>(axes, core::Grid::Shape{6, 6, 1});
  core::Comm const world;
  core::Layout const layout(grid, tests::owner_tables(*grid, world.size())[2], world);
  core::Field<double> field("x", layout);
  set(field, [&](core::Index x) { return grid->axis(0).centre(x.i); });
  Raster const raster = rasterize(field, within(200));
  EXPECT_NEAR(static_cast<double>(raster.width) / static_cast<double>(raster.height), 2.0, 0.03);  // whole pixels
  if (!world.root()) return;
  // the middle pixel shows the cell at x = 1
  auto const cell = grid->axis(0).faces_up_to(1.0) - 1;
  double const share = (grid->axis(0).centre(cell) - raster.lo) / (raster.hi - raster.lo);
  EXPECT_EQ(raster.at(raster.width / 2, 3), palette("viridis")[std::lround(255 * share)]);
}

TEST(Picture, IsWrittenWithItsFrameAndHasTheCellsInIt) {
  tests::Scratch const scratch;
  auto const layout = tests::shuffled_layout({300, 200, 1}, {64, 32, 1});
  core::Field<std::uint8_t> occupied("occupied", *layout);
  set(occupied, [](core::Index x) { return x.j < 100; });
  PictureStyle style;
  style.title = "half";
  style.physical = false;
  std::vector<Category> const categories{{"occupied", colours::black, &occupied}};
  draw_masks(scratch / "pictures/half.png", categories, {"empty", colours::white}, style);
  core::Field<double> T({"T", "", "K"}, *layout);
  draw_field(scratch / "pictures/T.png", T, style);
  if (!layout->comm().root()) return;
  auto const source = open_rows(scratch / "pictures/half.png");
  auto const n = source->cells();
  EXPECT_GT(n[0], 900);  // 300 cells of 3 pixels, legend and margins
  EXPECT_GT(n[1], 600);
  EXPECT_LT(n[0], 1100);
  EXPECT_LT(n[1], 740);
  std::vector<std::byte> pixels(n[0] * n[1]);
  source->next(n[1], pixels);
  auto const dark = std::count(pixels.begin(), pixels.end(), std::byte{0});
  EXPECT_GE(dark, 900 * 300);  // the lower half of the cells, and the legend
  EXPECT_LE(dark, 900 * 300 + 20 * 20 + 400);
}

TEST(Picture, ThatCannotBeWrittenIsARunErrorOnAllRanks) {
  auto const layout = tests::shuffled_layout({8, 8, 1}, {4, 4, 1});
  core::Field<double> field("T", *layout);
  EXPECT_THROW(draw_field("/dev/null/x.png", field), core::RunError);
  PictureStyle style;
  style.palette = "rainbow";
  EXPECT_THROW(draw_field("x.png", field, style), core::Error);
}

/// Values a few units in the last place apart, as a uniform temperature has them after a solve.
TEST(Ticks, AreFewHoweverNearTheEndsAre) {
  for (double const lo : {310.0, -310.0, 0.0, 1.0, -1.0, 1e308, -1e308, 1e-308, 5e-324, 6.02e23, 0x1p53, 293.15}) {
    double hi = lo;
    for (int k = 1; k < 4000; ++k) {
      hi = std::nextafter(hi, std::numeric_limits<double>::infinity());
      if (k > 100 && k % 97 != 0) continue;
      for (int const most : {2, 3, 11}) {
        auto const marks = ticks(lo, hi, most);
        ASSERT_GE(marks.size(), 1u) << lo << " + " << k;
        ASSERT_LE(marks.size(), static_cast<std::size_t>(most)) << lo << " + " << k;
        EXPECT_TRUE(std::is_sorted(marks.begin(), marks.end()));
        auto const names = labels(marks);
        for (std::size_t n = 1; n < names.size(); ++n) EXPECT_NE(names[n], names[n - 1]) << lo << " + " << k;
      }
    }
  }
  auto const all = ticks(-1.7e308, 1.7e308, 11);
  EXPECT_LE(all.size(), 11u);
  EXPECT_GE(all.size(), 2u);
  EXPECT_EQ(labels({300, 320}), (std::vector<std::string>{"300", "320"}));
  EXPECT_EQ(labels({293.15, 293.1501}), (std::vector<std::string>{"293.15", "293.1501"}));
}

TEST(Picture, OfAlmostUniformCellsIsDrawn) {
  tests::Scratch const scratch;
  auto const layout = tests::shuffled_layout({4, 4, 1}, {2, 2, 1});
  for (auto const& [lo, hi] : {std::pair{310.0, std::nextafter(310.0, 311.0)}, {0.0, 5e-324}, {-1.7e308, 1.7e308}}) {
    core::Field<double> field("T", *layout);
    set(field, [&, lo = lo, hi = hi](core::Index x) { return x.i == 0 ? hi : lo; });
    EXPECT_NO_THROW(draw_field(scratch / "uniform.png", field)) << lo;
  }
}

TEST(Ticks, AreRound) {
  EXPECT_EQ(ticks(0, 10, 6), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(293.2, 351, 5), (std::vector<double>{300, 320, 340}));
  EXPECT_EQ(ticks(5, 5, 5), (std::vector<double>{5}));
  EXPECT_EQ(readable(0.25), "0.25");
  EXPECT_EQ(readable(353.15), "353.15");
  EXPECT_EQ(readable(2e7), "2e+07");
}

}  // namespace
}  // namespace tessera::io
