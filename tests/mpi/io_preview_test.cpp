// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/pictures/preview.hpp"
#include "io/reader.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/png_bytes.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

namespace tessera::io {
namespace {

using tests::PngBytes;
using tests::Scratch;

struct Chunk {
  std::string type, data;
};

std::uint32_t number(std::string const& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t b = 0; b < 4; ++b) value = value << 8 | static_cast<unsigned char>(bytes[at + b]);
  return value;
}

/// The chunks of a PNG file, their checksums checked.
std::vector<Chunk> chunks_of(std::string const& file) {
  std::string const bytes = tests::bytes_of(file);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    std::size_t const length = number(bytes, at);
    chunks.push_back({bytes.substr(at + 4, 4), bytes.substr(at + 8, length)});
    EXPECT_EQ(number(bytes, at + 8 + length), PngBytes::crc(chunks.back().type + chunks.back().data));
    at += 12 + length;
  }
  return chunks;
}

std::string types_of(std::vector<Chunk> const& chunks) {
  std::string types;
  for (auto const& chunk : chunks) types += chunk.type + " ";
  return types;
}

/// Pictures of a spot that moves along x.
void add(Preview& preview, core::Field<double>& field, int step) {
  auto const v = field.host();
  auto const& layout = field.layout();
  for (int s = 0; s < layout.tiles(); ++s) {
    auto const& t = layout.info(s);
    for (int j = 0; j < t.nj; ++j)
      for (int i = 0; i < t.ni; ++i) v(s, 0, j, i) = t.global(0, j, i).i / 4 == step ? 1 : 0;
  }
  preview.add(field, "step " + std::to_string(step));
}

TEST(Preview, IsAnAnimatedPngWhoseFirstPictureEveryReaderShows) {
  Scratch const scratch;
  core::Comm const world;
  auto const layout = tests::shuffled_layout({64, 48, 1}, {16, 8, 1});
  core::Field<double> field("T", *layout);
  Preview preview(scratch / "p.png", {.size = 32, .palette = "grey", .lo = 0, .hi = 1, .seconds = 0.25});
  for (int step = 0; step < 3; ++step) add(preview, field, step);
  preview.finish(world);
  if (!world.root()) return;
  auto const chunks = chunks_of(preview.file());
  ASSERT_EQ(types_of(chunks), "IHDR acTL fcTL IDAT fcTL fdAT fcTL fdAT IEND ");
  EXPECT_EQ(number(chunks[1].data, 0), 3u) << "pictures";
  EXPECT_EQ(number(chunks[1].data, 4), 0u) << "for ever";
  EXPECT_EQ(number(chunks[0].data, 0), 32u);
  EXPECT_EQ(number(chunks[0].data, 4), 24u + 20) << "and the strip with the stamp";
  for (std::size_t const n : {2u, 4u, 6u}) {
    ASSERT_EQ(chunks[n].data.size(), 26u);
    EXPECT_EQ(chunks[n].data.substr(4, 8), chunks[0].data.substr(0, 8)) << "the whole canvas";
    EXPECT_EQ(chunks[n].data.substr(20, 4), std::string("\0\xfa\x03\xe8", 4)) << "250 / 1000 s";
  }
  std::uint32_t sequence = 0;
  for (auto const& chunk : chunks)
    if (chunk.type == "fcTL" || chunk.type == "fdAT") {
      EXPECT_EQ(number(chunk.data, 0), sequence++);
    }

  auto const first = open_rows(preview.file());
  EXPECT_EQ(first->cells(), (core::Grid::Shape{32, 44, 1}));
  std::vector<std::uint8_t> row(32);
  first->next(1, std::as_writable_bytes(std::span(row)));
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(row[i], i < 2 ? 255 : 0) << "a pixel is the mean of 2 x 2 cells";
}

TEST(Preview, ShowsInEachPictureTheFieldOfItsStep) {
  Scratch const scratch;
  core::Comm const world;
  auto const layout = tests::shuffled_layout({64, 48, 1}, {16, 8, 1});
  core::Field<double> field("T", *layout);
  Preview preview(scratch / "p.png", {.size = 32, .palette = "grey", .lo = 0, .hi = 1});
  for (int step = 0; step < 3; ++step) add(preview, field, step);
  preview.finish(world);
  if (!world.root()) return;
  // each later picture as a file of its own
  auto const chunks = chunks_of(preview.file());
  for (std::size_t const n : {5u, 7u}) {
    std::size_t const step = (n - 3) / 2;
    tests::write_bytes(scratch / "one.png", "\x89PNG\r\n\x1a\n" + PngBytes::chunk("IHDR", chunks[0].data) +
                                                PngBytes::chunk("IDAT", chunks[n].data.substr(4)) +
                                                PngBytes::chunk("IEND", ""));
    auto const picture = open_rows(scratch / "one.png");
    std::vector<std::uint8_t> row(32);
    picture->next(1, std::as_writable_bytes(std::span(row)));
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(row[i], i / 2 == step ? 255 : 0) << n << " " << i;
  }
}

TEST(Preview, WidensItsRangeWhereAsked) {
  Scratch const scratch;
  core::Comm const world;
  auto const layout = tests::shuffled_layout({32, 32, 1}, {16, 8, 1});
  // values 0 .. 1, then 0 .. 4, then 1 .. 2: the same 1 is white, then a quarter of the way, and stays so
  std::vector<std::array<double, 2>> const ranges{{0, 1}, {0, 4}, {1, 2}};
  core::Field<double> field("T", *layout);
  Preview preview(scratch / "p.png", {.size = 32, .palette = "grey", .widening = true});
  for (auto const& [lo, hi] : ranges) {
    auto const v = field.host();
    for (int s = 0; s < layout->tiles(); ++s)
      for (int j = 0; j < layout->info(s).nj; ++j)
        for (int i = 0; i < layout->info(s).ni; ++i) {
          auto const x = layout->info(s).global(0, j, i);
          v(s, 0, j, i) = x.i == 0 ? lo : x.i == 1 ? hi : 1;
        }
    preview.add(field, "");
  }
  preview.finish(world);
  if (!world.root()) return;
  auto const chunks = chunks_of(preview.file());
  for (std::size_t const n : {3u, 5u, 7u}) {
    tests::write_bytes(scratch / "one.png", "\x89PNG\r\n\x1a\n" + PngBytes::chunk("IHDR", chunks[0].data) +
                                                PngBytes::chunk("IDAT", chunks[n].data.substr(n == 3 ? 0 : 4)) +
                                                PngBytes::chunk("IEND", ""));
    auto const picture = open_rows(scratch / "one.png");
    std::vector<std::uint8_t> row(32);
    picture->next(1, std::as_writable_bytes(std::span(row)));
    EXPECT_EQ(row[5], n == 3 ? 255 : 64) << n;
  }
}

TEST(Preview, DropsEverySecondPictureInsteadOfGrowing) {
  Scratch const scratch;
  core::Comm const world;
  auto const layout = tests::shuffled_layout({32, 32, 1}, {16, 8, 1});
  core::Field<double> field("T", *layout);
  Preview preview(scratch / "p.png", {.every = 2, .size = 32, .lo = 0, .hi = 1, .pictures = 4});
  for (int step = 0; step <= 30; ++step)
    if (preview.due(step)) add(preview, field, step);
  preview.finish(world);
  // 0 2 4 6 -> 0 4; 8 12 -> 0 8; 16 24 -> 0 16
  for (int step = 0; step < 64; ++step) EXPECT_EQ(preview.due(step), step % 16 == 0) << step;
  if (!world.root()) return;
  EXPECT_EQ(types_of(chunks_of(preview.file())), "IHDR acTL fcTL IDAT fcTL fdAT IEND ");
}

TEST(Preview, IsTheSameOnAnyLayout) {
  Scratch const scratch;
  core::Comm const world;
  std::vector<std::string> files;
  for (core::Grid::Shape const tile : {core::Grid::Shape{16, 8, 1}, core::Grid::Shape{64, 48, 1}}) {
    auto const layout = tests::shuffled_layout({64, 48, 1}, tile);
    core::Field<double> field("T", *layout);
    Preview preview(scratch / "p.png", {.size = 40});
    for (int step = 0; step < 3; ++step) add(preview, field, step);
    preview.finish(world);
    files.push_back(tests::bytes_of(preview.file()));
    world.barrier();
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST(Preview, LaysFieldsOfAnySizeInTheMiddleOfASquare) {
  Scratch const scratch;
  core::Comm const world;
  Preview preview(scratch / "p.png", {.size = 32, .palette = "grey", .lo = -1, .hi = 3, .square = true});
  std::vector<std::array<core::Count, 2>> const sizes{{64, 48}, {2, 7}, {40, 3}};
  for (auto const& [nx, ny] : sizes) {
    auto const layout = tests::shuffled_layout({nx, ny, 1}, {nx, 2, 1});
    core::Field<double> field("T", *layout);
    field.fill(3);
    preview.add(field, "");
  }
  preview.finish(world);
  if (!world.root()) return;
  auto const chunks = chunks_of(preview.file());
  ASSERT_EQ(types_of(chunks), "IHDR acTL fcTL IDAT fcTL fdAT fcTL fdAT IEND ");
  std::vector<std::array<std::size_t, 2>> const pixels{{32, 24}, {8, 28}, {32, 2}};
  for (std::size_t n = 0; n < 3; ++n) {
    tests::write_bytes(scratch / "one.png", "\x89PNG\r\n\x1a\n" + PngBytes::chunk("IHDR", chunks[0].data) +
                                                PngBytes::chunk("IDAT", chunks[2 * n + 3].data.substr(n == 0 ? 0 : 4)) +
                                                PngBytes::chunk("IEND", ""));
    auto const picture = open_rows(scratch / "one.png");
    ASSERT_EQ(picture->cells(), (core::Grid::Shape{32, 52, 1}));
    auto const [width, height] = pixels[n];
    std::size_t const left = (32 - width) / 2, top = (32 - height) / 2;
    for (std::size_t y = 0; y < 32; ++y) {
      std::vector<std::uint8_t> row(32);
      picture->next(1, std::as_writable_bytes(std::span(row)));
      for (std::size_t x = 0; x < 32; ++x) {
        bool const of_field = x >= left && x < left + width && y >= top && y < top + height;
        ASSERT_EQ(row[x], of_field ? 255 : 64)
            << n << ": " << x << " " << y << ", 0 lies a quarter of the way from -1 to 3";
      }
    }
  }
}

TEST(Preview, RefusesWrongEntriesAndFolders) {
  auto const read = [](std::string const& text) { return read_preview(core::Dictionary::parse(text, "preview")); };
  auto const style = read("every 5; size 64; palette grey; range (0 2); pictures 10; seconds 1;");
  EXPECT_EQ(style.every, 5);
  EXPECT_EQ(style.hi, 2);
  auto const given = core::Dictionary::parse("range (0 2);", "preview");
  EXPECT_FALSE(read_preview(given, {.widening = true}).widening) << "a range in the case is the range";
  for (auto const* bad :
       {"every 0;", "size 5;", "palette pink;", "range (2 1);", "pictures 1;", "seconds 0;", "evry 1;"})
    EXPECT_THROW(read(bad), core::Error) << bad;
  auto const layout = tests::shuffled_layout({32, 32, 1}, {16, 8, 1});
  core::Field<double> field("T", *layout);
  Preview preview("/dev/null/p.png", {});
  EXPECT_THROW(preview.add(field, ""), core::RunError);
}

}  // namespace
}  // namespace tessera::io
