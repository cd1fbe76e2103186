// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/convert.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "tests/support/scratch.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

namespace tessera::io {
namespace {

TEST(Formats, AreThere) {
  for (auto const* name : {"png", "hdf5", "raw", "rle", "macrocell", "cells", "openfoam", "pnm"}) {
    EXPECT_TRUE(Readers::contains(name)) << name;
    EXPECT_TRUE(Writers::contains(name)) << name;
  }
}

TEST(Formats, EveryReaderRefusesEmptyForeignAndMissingFiles) {
  tests::Scratch const scratch;
  core::Comm const world;
  if (!world.root()) return;
  for (auto const& [name, entry] : Readers::entries()) {
    auto const reader = entry.make();
    EXPECT_FALSE(reader->extensions().empty()) << name;
    EXPECT_FALSE(reader->knows({})) << name;
    for (std::string const& content :
         {std::string(), std::string("neither fish nor fowl"), std::string(100000, '\0')}) {
      std::string const file = scratch / ("x." + reader->extensions()[0]);
      tests::write_bytes(file, content);
      EXPECT_THROW(reader->open(file, ""), core::Error) << name << " " << content.size();
    }
    EXPECT_THROW(reader->open(scratch / "missing", ""), core::Error) << name;
  }
}

/// A few rows as a file has them, all as double (and int64 as long double, which holds it).
using Values = std::vector<long double>;

template <class F>
void with_type(core::Element element, F const& f) {
  switch (element) {
  case core::Element::uint8:
    return f(std::uint8_t{});
  case core::Element::int32:
    return f(std::int32_t{});
  case core::Element::int64:
    return f(std::int64_t{});
  case core::Element::float32:
    return f(float{});
  case core::Element::float64:
    return f(double{});
  }
}

/// Writes values given from the bottom upwards.
void write(std::string const& file, RowFormat const& format, Values const& values) {
  auto const sink = writer_for(file)->create(file, format);
  auto const nx = static_cast<std::size_t>(format.cells[0]), ny = static_cast<std::size_t>(format.cells[1]);
  with_type(format.element, [&]<class T>(T) {
    std::vector<T> row(nx);
    for (std::size_t r = 0; r < values.size() / nx; ++r) {
      std::size_t const j = r % ny, from = r - j + (sink->top_down() ? ny - 1 - j : j);
      for (std::size_t i = 0; i < nx; ++i) row[i] = static_cast<T>(values[from * nx + i]);
      sink->next(1, std::as_bytes(std::span(row)));
    }
  });
  EXPECT_FALSE(std::filesystem::exists(file)) << file << " is not finished";
  sink->finish();
}

Values read(std::string const& path, core::Grid::Shape const& cells) {
  auto source = open_rows(path);
  EXPECT_EQ(source->cells(), cells) << path;
  if (source->top_down()) source = turned(std::move(source));
  Values values;
  with_type(source->element(), [&]<class T>(T) {
    std::vector<T> row(source->cells()[0]);
    for (core::Count r = 0; r < source->cells()[1] * source->cells()[2]; ++r) {
      source->next(1, std::as_writable_bytes(std::span(row)));
      values.insert(values.end(), row.begin(), row.end());
    }
  });
  return values;
}

/// Behind the name of a file that does not know its size.
std::string with_cells(std::string const& writer, std::string const& file, core::Grid::Shape const& n) {
  return writer == "openfoam" ? fmt::format("{}:{}x{}x{}", file, n[0], n[1], n[2]) : file;
}

TEST(Formats, EveryWriterReadsBackOrRefusesWhatItCannotHold) {
  tests::Scratch const scratch;
  core::Comm const world;
  if (!world.root()) return;
  using core::Element;
  struct Content {
    char const* what;
    std::vector<Element> elements;
    Values few;
  };
  std::vector<Content> const contents{
      {"masks", {Element::uint8, Element::int32, Element::int64, Element::float32, Element::float64}, {0, 1, 1, 0, 1}},
      {"bytes",
       {Element::uint8, Element::int32, Element::int64, Element::float32, Element::float64},
       {0, 7, 24, 25, 255}},
      {"integers", {Element::int32, Element::int64, Element::float64}, {-1, 65536, 2147483647, 0, -2147483647}},
      {"large integers", {Element::int64}, {9007199254740993, -9007199254740993, 1, 9223372036854775807, 0}},
      {"fractions", {Element::float32, Element::float64}, {0.5L, -0.25L, 1e-30F, 3.0e30F, 0}}};
  std::map<std::string, int> held, refused;
  for (auto const& [name, entry] : Writers::entries()) {
    bool const picture = entry.make()->is_picture();
    for (core::Grid::Shape const cells : {core::Grid::Shape{7, 5, 1}, core::Grid::Shape{4, 3, 2}})
      for (auto const& [what, elements, few] : contents)
        for (auto const element : elements) {
          if (picture && element != Element::uint8) continue;  // colours, not values
          RowFormat format;
          format.cells = cells;
          format.element = element;
          Values values(static_cast<std::size_t>(cells[0] * cells[1] * cells[2]));
          for (std::size_t n = 0; n < values.size(); ++n) values[n] = few[(n * n + n / 3) % few.size()];
          std::string const file = scratch / fmt::format("{}.{}", name, entry.make()->extensions()[0]);
          std::filesystem::remove(file);
          std::string const said =
              fmt::format("{}: {} of type {}, {} layers", name, what, static_cast<int>(element), cells[2]);
          try {
            write(file, format, values);
            ++held[name];
          } catch (core::Error const& error) {
            ++refused[name];
            EXPECT_NE(std::string(error.what()).find(file), std::string::npos) << said << " " << error.what();
            EXPECT_FALSE(std::filesystem::exists(file) || std::filesystem::exists(file + ".part")) << said;
            continue;
          }
          EXPECT_EQ(read(with_cells(name, file, cells), cells), values) << said;
        }
    RowFormat format;
    format.cells = {7, 5, 1};
    EXPECT_THROW(entry.make()->create("/dev/null/x", format), core::RunError) << name;
  }
  int const all = 2 * 16;
  EXPECT_EQ(held["hdf5"], all);
  EXPECT_EQ(held["raw"], all);
  EXPECT_EQ(held["rle"], 10) << "states 0 .. 255 of one layer in five types, twice";
  EXPECT_EQ(held["macrocell"], 10) << "as rle";
  EXPECT_EQ(held["cells"], 5) << "masks of one layer in five types";
  EXPECT_EQ(held["openfoam"], all - 2) << "all but integers that double does not hold";
  if (Writers::contains("tiff")) {
    EXPECT_EQ(held["tiff"], all);
  }
  for (auto const& [name, entry] : Writers::entries()) EXPECT_GT(held[name], 0) << name;
}

TEST(Formats, EveryWriterTakesTheTypesItNames) {
  tests::Scratch const scratch;
  core::Comm const world;
  if (!world.root()) return;
  for (auto const& [name, entry] : Writers::entries())
    for (auto const& type : entry.make()->types()) {
      RowFormat format;
      format.cells = {5, 1, 1};
      format.element = core::Element::int64;
      format.type = type;
      std::string const file = scratch / fmt::format("{}.{}", type, entry.make()->extensions()[0]);
      Values const values{0, 1, 100, 127, 3};
      write(file, format, values);
      EXPECT_EQ(read(file, format.cells), values) << name << " " << type;
      if (type.ends_with("64")) continue;
      // one above the largest, which no narrower type holds
      Values const large{0, 1, 4294967297, 0, 0};
      EXPECT_THROW(write(scratch / "large." + entry.make()->extensions()[0], format, large), core::Error) << type;
    }
}

TEST(Formats, MasksConvertFromEveryFormatToEveryOther) {
  tests::Scratch const scratch;
  core::Comm const world;
  if (!world.root()) return;
  core::Grid::Shape const cells{7, 5, 1};
  RowFormat format;
  format.cells = cells;
  Values values(35);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = n % 3 == 0 || n % 5 == 1;
  // pictures have white where the mask is 1
  auto const as_mask = [](Values all) {
    for (auto& value : all) value = value != 0;
    return all;
  };
  for (auto const& [from, first] : Writers::entries()) {
    std::string const in = scratch / "in." + first.make()->extensions()[0];
    format.hi = first.make()->is_picture() ? 1 : 255;
    write(in, format, values);
    for (auto const& [to, second] : Writers::entries()) {
      std::string const out = scratch / "out." + second.make()->extensions()[0];
      std::filesystem::remove(out);
      try {
        convert(with_cells(from, in, cells), out);
      } catch (core::Error const& error) {
        // a picture's 255 is no state of a pattern of two
        EXPECT_TRUE(first.make()->is_picture() && to == "cells") << from << " to " << to << ": " << error.what();
        continue;
      }
      EXPECT_EQ(as_mask(read(with_cells(to, out, cells), cells)), values) << from << " to " << to;
    }
  }
}

}  // namespace
}  // namespace tessera::io
