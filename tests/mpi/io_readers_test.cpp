// SPDX-License-Identifier: Apache-2.0
// Files read by several ranks at once, beside the same files read by one rank alone.
#include "core/error.hpp"
#include "io/reader.hpp"
#include "io/snapshot.hpp"
#include "io/writer.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/routers.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace tessera::io {
namespace {

using tests::bytes_of;
using tests::Routers;
using tests::Scratch;
using tests::write_bytes;

/// Bytes that repeat after 3 x 5 x 7 x 11 x 13, and so in no row.
std::string noise(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t n = 0; n < count; ++n)
    bytes[n] = static_cast<char>(n % 3 * 5 + n % 5 * 7 + n % 7 * 11 + n % 11 + n % 13);
  return bytes;
}

/// A dataset of doubles with a checksum, as the writer leaves it.
void write_dataset(std::string const& file, core::Grid::Shape cells) {
  RowFormat format;
  format.cells = cells;
  format.element = core::Element::float64;
  auto const sink = writer_for(file)->create(file, format);
  std::vector<double> row(cells[0]);
  for (core::Count r = 0; r < cells[1] * cells[2]; ++r) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<double>(r) + 0.001 * static_cast<double>(i);
    sink->next(1, std::as_bytes(std::span(row)));
  }
  sink->finish();
}

struct File {
  std::string path;
  core::Grid::Shape cells;
  bool by_several;  ///< whether its format can be read from any row
};

std::vector<File> write_files(Scratch const& scratch) {
  if (core::Comm().root()) {
    write_bytes(scratch / "bytes.raw", noise(45 * 31 * 3));
    write_bytes(scratch / "words.raw", noise(45 * 31 * 2));
    write_bytes(scratch / "bits.pbm", "P4\n# of 6 bytes a row\n45 31\n" + noise(6 * 31));
    write_bytes(scratch / "grey.pgm", "P5 45 31 255\n" + noise(45 * 31));
    write_bytes(scratch / "steps.pgm", "P5 45 31 250\n" + noise(45 * 31));
    write_bytes(scratch / "deep.pgm", "P5 45 31 65535\n" + noise(45 * 31 * 2));
    std::string plain = "P1 45 31\n";
    for (char const c : noise(45 * 31)) plain += c % 2 == 0 ? '0' : '1';
    write_bytes(scratch / "plain.pbm", plain);
    write_dataset(scratch / "doubles.h5", {45, 31, 3});
  }
  core::Comm().barrier();
  return {{scratch / "bytes.raw:45x31x3:uint8", {45, 31, 3}, true},
          {scratch / "words.raw:45x31:int16:big", {45, 31, 1}, true},
          {scratch / "bits.pbm", {45, 31, 1}, true},
          {scratch / "grey.pgm", {45, 31, 1}, true},
          {scratch / "steps.pgm", {45, 31, 1}, true},
          {scratch / "deep.pgm", {45, 31, 1}, true},
          {scratch / "plain.pbm", {45, 31, 1}, false},
          {scratch / "doubles.h5", {45, 31, 3}, true},
          {scratch / "doubles.h5:value[1:3,2:29,5:6]", {1, 27, 2}, true}};
}

/// All values of a file as one rank reads them, row by row from the bottom.
std::vector<double> read_alone(File const& file) {
  auto const [nx, ny, nz] = file.cells;
  core::Comm const alone(MPI_COMM_SELF);
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(file.cells, {16, 8, 2}));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), 1), alone);
  core::Field<double> field("f", layout);
  auto const source = open_rows(file.path);
  distribute(source.get(), field);
  std::vector<double> values(nx * ny * nz);
  tests::for_each_cell(field, [&](core::Index x, double v) { values[grid->number(x)] = v; });
  return values;
}

TEST(Readers, SeveralGiveTheSameCellsAsOne) {
  Scratch const scratch;
  core::Comm const world;
  for (File const& file : write_files(scratch)) {
    auto const expected = read_alone(file);
    for (int const readers : {1, 2, 3, 4})
      for (RouterSettings settings : {RouterSettings{}, {1, -1, 360}, {2, -1, 4096, 1}, {2, -1, 40, 2}}) {
        settings.readers = readers;
        Routers const routers(settings);
        router_counts() = {};
        auto const layout = tests::shuffled_layout(file.cells, {7, 5, 1});
        core::Field<double> field("f", *layout, 1, -1);
        auto const source = open_rows(world, file.path);
        distribute(source.get(), field);
        EXPECT_EQ(router_counts().readers, file.by_several ? std::min(readers, world.size()) : 1) << file.path;
        auto const v = field.host();
        for (int s = 0; s < layout->tiles(); ++s) {
          auto const& t = layout->info(s);
          for (int k = 0; k < t.nk; ++k)
            for (int j = 0; j < t.nj; ++j)
              for (int i = 0; i < t.ni; ++i)
                ASSERT_EQ(v(s, k, j, i), expected[layout->grid().number(t.global(k, j, i))])
                    << file.path << " with " << readers << " at " << i << " " << j << " " << k;
        }
      }
  }
}

TEST(Readers, OfEachNodeAreItsFirstRanks) {
  Scratch const scratch;
  core::Comm const world;
  if (world.root()) write_bytes(scratch / "bytes.raw", noise(64));
  world.barrier();
  // two ranks a node: ranks 0 and 2 come first, then 1, then 3
  std::vector<std::vector<int>> const first{{0}, {0, 2}, {0, 1, 2}, {0, 1, 2, 3}};
  for (std::size_t n = 0; n < first.size() && world.size() == 4; ++n) {
    Routers const routers({.node = 2, .readers = static_cast<int>(n) + 1});
    bool const reads = open_rows(world, scratch / "bytes.raw:8x8:uint8") != nullptr;
    EXPECT_EQ(reads, std::ranges::find(first[n], world.rank()) != first[n].end()) << n + 1;
  }
  Routers const routers({});  // so small a file is for one, a large one for four of the node
  EXPECT_EQ(open_rows(world, scratch / "bytes.raw:8x8:uint8") != nullptr, world.root());
  if (world.root()) std::filesystem::resize_file(scratch / "bytes.raw", std::uintmax_t{8192} * 8192);
  world.barrier();
  EXPECT_NE(open_rows(world, scratch / "bytes.raw:8192x8192:uint8"), nullptr);
}

TEST(Readers, AreOnlyThoseThatSeeTheFile) {
  Scratch const scratch;
  core::Comm const world;
  if (world.root()) write_bytes(scratch / "bytes.raw", noise(64));
  world.barrier();
  Routers const routers({.readers = 4});
  auto const mine = scratch / (world.rank() < 2 ? "bytes.raw:8x8:uint8" : "nothing.raw:8x8:uint8");
  EXPECT_EQ(open_rows(world, mine) != nullptr, world.rank() < 2);
}

TEST(Readers, FindADatasetWhoseValuesDoNotHaveItsChecksum) {
  Scratch const scratch;
  core::Comm const world;
  std::string const file = scratch / "doubles.h5";
  if (world.root()) {
    write_dataset(file, {45, 31, 2});
    std::string bytes = bytes_of(file);
    double const one = 40.002, other = 40.003;
    std::string const value(reinterpret_cast<char const*>(&one), 8);
    auto const at = bytes.find(value);
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, 8, std::string(reinterpret_cast<char const*>(&other), 8));
    write_bytes(file, bytes);
  }
  world.barrier();
  auto const layout = tests::shuffled_layout({45, 31, 2}, {8, 8, 1});
  core::Field<double> field("f", *layout);
  for (int const readers : {1, 2, 4}) {
    Routers const routers({.readers = readers});
    auto const source = open_rows(world, file);
    try {
      distribute(source.get(), field);
      ADD_FAILURE() << "no error";
    } catch (core::Error const& error) {
      EXPECT_NE(std::string(error.what()).find("checksum"), std::string::npos) << error.what();
    }
  }
}

TEST(Readers, WhoseFileIsTruncatedInTheMeantimeFailTogether) {
  Scratch const scratch;
  core::Comm const world;
  std::string const file = scratch / "bytes.raw";
  constexpr std::size_t many = 512 * 512;  // more than the C library reads ahead
  if (world.root()) write_bytes(file, noise(many));
  world.barrier();
  auto const layout = tests::shuffled_layout({512, 512, 1}, {64, 64, 1});
  core::Field<std::uint8_t> field("f", *layout);
  Routers const routers({.chunk = 8192, .readers = 4});
  auto const source = open_rows(world, file + ":512x512:uint8");
  world.barrier();
  if (world.root()) std::filesystem::resize_file(file, many - 1000);
  world.barrier();
  try {
    distribute(source.get(), field);
    ADD_FAILURE() << "no error";
  } catch (core::Error const& error) {
    EXPECT_EQ(std::string(error.what()), file + ": is truncated");
  }
}

}  // namespace
}  // namespace tessera::io
