// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

namespace tessera::io {
namespace {

TEST(Formats, AreThere) {
  for (auto const* name : {"png", "hdf5"}) {
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

TEST(Formats, EveryWriterReadsBack) {
  tests::Scratch const scratch;
  core::Comm const world;
  if (!world.root()) return;
  std::vector<std::uint8_t> values(7 * 5), back(values.size());
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<std::uint8_t>(n * 7);
  for (auto const& [name, entry] : Writers::entries()) {
    if (name == "cells") continue;  // two states only; tests/unit/io_patterns_test.cpp
    std::string const file = scratch / ("x." + entry.make()->extensions()[0]);
    RowFormat format;
    format.cells = {7, 5, 1};
    auto const sink = writer_for(file)->create(file, format);
    sink->next(2, std::as_bytes(std::span(values).first(14)));
    sink->next(3, std::as_bytes(std::span(values).last(21)));
    EXPECT_FALSE(std::filesystem::exists(file)) << name << " is not finished";
    sink->finish();
    auto source = open_rows(file);
    if (source->top_down() != sink->top_down()) source = turned(std::move(source));
    EXPECT_EQ(source->cells(), format.cells) << name;
    source->next(5, std::as_writable_bytes(std::span(back)));
    EXPECT_EQ(back, values) << name;
    EXPECT_THROW(entry.make()->create("/dev/null/x", format), core::RunError) << name;
  }
}

}  // namespace
}  // namespace tessera::io
