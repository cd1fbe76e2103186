// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/reader.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace tessera::io {
namespace {

using tests::Scratch;
using tests::write_bytes;

/// The ship of the help of Golly's 3D.lua.
std::string const rle3_ship =
    "3D version=1 size=40 pos=19,18,18\n# A 10c/10 orthogonal spaceship.\n\nx=2 y=4 z=4 rule=3D4,7/5,8\n"
    "$bo$bo/bo$bo$bo$oo/oo$bo$bo$bo/$bo$bo!\n";

/// Rows of layers, . for 0 and o for 1, layers after each other.
std::vector<std::string> read_rle3(Scratch const& scratch, std::string const& content, core::Count at_once = 1) {
  write_bytes(scratch / "p.rle3", content);
  auto const source = open_rows(scratch / "p.rle3");
  auto const [nx, ny, nz] = source->cells();
  EXPECT_FALSE(source->top_down());
  std::vector<std::string> rows;
  std::vector<std::byte> values(static_cast<std::size_t>(nx * at_once));
  for (core::Count r = 0; r < ny * nz; r += at_once) {
    core::Count const n = std::min(at_once, ny * nz - r);
    source->next(n, std::span(values).first(static_cast<std::size_t>(n * nx)));
    for (core::Count q = 0; q < n; ++q) {
      rows.emplace_back();
      for (core::Count i = 0; i < nx; ++i)
        rows.back() += values[static_cast<std::size_t>(q * nx + i)] == std::byte{0} ? '.' : 'o';
    }
  }
  return rows;
}
std::string rle3_message(Scratch const& scratch, std::string const& content) {
  try {
    read_rle3(scratch, content);
  } catch (core::Error const& error) {
    return error.what();
  }
  return "";
}

TEST(Rle3, IsReadLayerAfterLayer) {
  Scratch const scratch;
  for (core::Count const at_once : {1, 3, 16})
    EXPECT_EQ(read_rle3(scratch, rle3_ship, at_once),
              (std::vector<std::string>{"..", ".o", ".o", "..", ".o", ".o", ".o", "oo", "oo", ".o", ".o", ".o", "..",
                                        ".o", ".o", ".."}));
  auto const source = open_rows(scratch / "p.rle3");
  EXPECT_EQ(source->rule(), "3D4,7/5,8");
  EXPECT_TRUE(is_pattern(scratch / "p.rle3"));
  EXPECT_NE(source->note().find("size=40 pos=19,18,18"), std::string::npos) << source->note();
}

TEST(Rle3, KnowsRunsOfCellsRowsAndLayers) {
  Scratch const scratch;
  EXPECT_EQ(
      read_rle3(scratch, "3D version=1\nx=3 y=3 z=4 rule=3D5..7/6\n3o2$\r\no\n2/b2o3/!"),
      (std::vector<std::string>{"ooo", "...", "o..", "...", "...", "...", ".oo", "...", "...", "...", "...", "..."}));
  EXPECT_EQ(open_rows(scratch / "p.rle3")->note(), "");
}

TEST(Rle3, WhatIsWrongIsSaidWithItsLine) {
  Scratch const scratch;
  std::string const first = "3D version=1\n", header = "x=2 y=2 z=1 rule=3D4/4\n";
  for (auto const& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"3D version=2\n" + header + "o!", ":1: found version=2, expected version=1"},
           {"3D size=4\n" + header + "o!", ":1: expected '3D version=1'"},
           {first + "x=2 y=0 z=1 rule=3D4/4\no!", ":2: the size y is 0"},
           {first + "x=2 y=2 rule=3D4/4\no!", "expected the header 'x=NX y=NY z=NZ rule=RULE'"},
           {first + header + "3o!", ":3: 3 cells in row 1 of layer 1, expected 2"},
           {first + header + "o$o$o!", ":3: a cell in row 3 of layer 1, expected 2 rows and 1 layers"},
           {first + header + "o/o!", ":3: a cell in row 1 of layer 2, expected 2 rows and 1 layers"},
           {first + header + "oAb!", ":3: found 'A', expected b, o, $, / or !"},
           {first + header + "0o!", "found a run of 0 cells"},
           {first + header + "o$o", "found the end of the file, expected b, o, $, / or !"}})
    EXPECT_NE(rle3_message(scratch, text).find(part), std::string::npos) << text << "\n" << rle3_message(scratch, text);
}

/// A damaged file is read or refused: no other exception, no crash, no end that never comes.
TEST(Rle3, ADamagedFileIsReadOrRefused) {
  Scratch const scratch;
  std::mt19937 random(7);
  for (int n = 0; n < 3000; ++n) {
    std::string text = rle3_ship;
    for (unsigned k = 0; k <= random() % 3; ++k) {
      std::size_t const at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 4);
      else
        text[at] = "bo$/!0123 \n#x=yz\t9"[random() % 18];
    }
    write_bytes(scratch / "p.rle3", text);
    try {
      auto const source = open_rows(scratch / "p.rle3");
      auto const shape = source->cells();
      if (shape[0] > 1000 || shape[1] * shape[2] > 1000) continue;
      std::vector<std::byte> values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
      source->next(shape[1] * shape[2], values);
    } catch (core::Error const&) {
    }
  }
}

}  // namespace
}  // namespace tessera::io
