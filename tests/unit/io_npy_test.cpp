// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "tests/support/scratch.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera::io {
namespace {

class Npy : public testing::Test {
 protected:
  /// A file as numpy.save writes it, of the header's dictionary and the bytes of the values.
  std::string file(std::string dictionary, std::string const& values, int version = 1) const {
    dictionary += '\n';
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    bytes += static_cast<char>(dictionary.size() & 255);
    bytes += static_cast<char>(dictionary.size() >> 8);
    if (version > 1) bytes += std::string(2, '\0');
    std::string const path = scratch_ / "a.npy";
    tests::write_bytes(path, bytes + dictionary + values);
    return path;
  }
  static std::string header(std::string const& descr, bool fortran, std::string const& shape) {
    return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr, fortran ? "True" : "False",
                       shape);
  }
  template <class T>
  static std::vector<T> rows(RowSource& source, core::Count count) {
    std::vector<T> values(count * source.cells()[0]);
    source.next(count, std::as_writable_bytes(std::span(values)));
    return values;
  }
  std::string complaint(std::string const& dictionary, std::string const& values = std::string(24, '\0'),
                        int version = 1) const {
    try {
      auto const source = open_rows(file(dictionary, values, version));
      std::vector<std::byte> row(static_cast<std::size_t>(source->cells()[0]) * 8);
      source->next(1, row);
    } catch (core::Error const& error) {
      return error.what();
    }
    return "";
  }
  tests::Scratch scratch_;
};

template <class T>
std::string bytes(std::vector<T> const& values, bool big = false) {
  std::string result;
  for (T const& value : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    if (big) std::ranges::reverse(one);
    result += one;
  }
  return result;
}

TEST_F(Npy, IsReadInEveryTypeAndByteOrder) {
  auto const check = [&]<class T, class E>(std::string const& kind, T, E, core::Element element,
                                           std::string const& name) {
    for (char const order : std::string(sizeof(T) == 1 ? "|" : "<>=")) {
      std::vector<T> const values{T(1), T(0), T(1), T(2), T(1), T(3)};
      auto const source = open_rows(file(header(order + kind, false, "(2, 3)"), bytes(values, order == '>')));
      EXPECT_EQ(source->cells(), (core::Grid::Shape{3, 2, 1})) << kind;
      ASSERT_EQ(source->element(), element) << kind;
      EXPECT_EQ(source->stored().name, name);
      EXPECT_EQ((rows<E>(*source, 2)), std::vector<E>(values.begin(), values.end())) << order << kind;
    }
  };
  check("u1", std::uint8_t{}, std::uint8_t{}, core::Element::uint8, "uint8");
  check("i1", std::int8_t{}, std::int32_t{}, core::Element::int32, "int8");
  check("u2", std::uint16_t{}, std::int32_t{}, core::Element::int32, "uint16");
  check("i2", std::int16_t{}, std::int32_t{}, core::Element::int32, "int16");
  check("u4", std::uint32_t{}, std::int64_t{}, core::Element::int64, "uint32");
  check("i4", std::int32_t{}, std::int32_t{}, core::Element::int32, "int32");
  check("u8", std::uint64_t{}, std::int64_t{}, core::Element::int64, "uint64");
  check("i8", std::int64_t{}, std::int64_t{}, core::Element::int64, "int64");
  check("f4", float{}, float{}, core::Element::float32, "float32");
  check("f8", double{}, double{}, core::Element::float64, "float64");

  auto const mask = open_rows(file(header("|b1", false, "(3,)"), std::string("\1\0\1", 3)));
  EXPECT_EQ(mask->cells(), (core::Grid::Shape{3, 1, 1}));
  EXPECT_EQ(mask->stored().range, (std::array{0.0, 1.0}));
  EXPECT_EQ(rows<std::uint8_t>(*mask, 1), (std::vector<std::uint8_t>{1, 0, 1}));
}

// Large enough for several passes over the file: 128 x 64 x 96 values of four bytes are 3 MiB, a band is 1 MiB.
TEST_F(Npy, IsTheSameInCAndInFortranOrderFromAnyRow) {
  core::Count const nz = 96, ny = 64, nx = 128;
  std::vector<std::int32_t> c, fortran(static_cast<std::size_t>(nx * ny * nz));
  for (core::Count k = 0; k < nz; ++k)
    for (core::Count j = 0; j < ny; ++j)
      for (core::Count i = 0; i < nx; ++i) {
        c.push_back(static_cast<std::int32_t>(1000000 * k + 1000 * j + i));
        fortran[k + nz * (j + ny * i)] = c.back();
      }
  for (int const version : {1, 2, 3}) {
    auto const source = open_rows(file(header("<i4", true, "(96, 64, 128)"), bytes(fortran), version));
    EXPECT_EQ(source->cells(), (core::Grid::Shape{nx, ny, nz}));
    EXPECT_EQ(rows<std::int32_t>(*source, ny * nz), c) << version;
    auto const later = open_rows(scratch_ / "a.npy");
    ASSERT_TRUE(later->seek(5000));
    EXPECT_EQ(rows<std::int32_t>(*later, 7), std::vector(c.begin() + 5000 * nx, c.begin() + 5007 * nx));
  }
  auto const source = open_rows(file(header("<i4", false, "(96, 64, 128)"), bytes(c)));
  ASSERT_TRUE(source->seek(5000));
  EXPECT_EQ(rows<std::int32_t>(*source, 7), std::vector(c.begin() + 5000 * nx, c.begin() + 5007 * nx));
  // of two dimensions the rows are the fast ones
  auto const flat =
      open_rows(file(header(">i2", true, "(2, 3)"), bytes(std::vector<std::int16_t>{1, 4, 2, 5, 3, 6}, true)));
  EXPECT_EQ(rows<std::int32_t>(*flat, 2), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Npy, SaysWhatItDoesNotRead) {
  EXPECT_EQ(complaint(header("<f8", false, "(3,)")), "");
  EXPECT_NE(complaint(header("<f8", false, "(4,)")).find("has 24 bytes behind its header, expected 32"),
            std::string::npos);
  EXPECT_NE(complaint(header("<f8", false, "(2,)")).find("expected 16"), std::string::npos);
  EXPECT_NE(complaint(header("<f8", false, "(2147483647, 2147483647, 2147483647)")).find("far more"),
            std::string::npos);
  EXPECT_NE(complaint(header("<f8", false, "()")).find("has 0 dimensions"), std::string::npos);
  EXPECT_NE(complaint(header("<f8", false, "(1, 1, 1, 3)")).find("has 4 dimensions"), std::string::npos);
  EXPECT_NE(complaint(header("<f8", false, "(0, 3)")).find("a side that is not"), std::string::npos);
  for (char const* type : {"<f2", "<c16", "|O", "<U3", "|V8", "!f8", ""})
    EXPECT_NE(complaint(header(type, false, "(3,)")).find("expected bool, integers"), std::string::npos) << type;
  EXPECT_NE(complaint("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}").find("records"),
            std::string::npos);
  for (char const* text : {"", "{", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} and", "['descr']"})
    EXPECT_NE(complaint(text).find("in its header, expected {'descr'"), std::string::npos) << text;
  EXPECT_NE(complaint(header("<f8", false, "(3,)"), std::string(24, '\0'), 4).find("version 4"), std::string::npos);
  EXPECT_NE(complaint(header("|b1", false, "(24,)"), std::string(24, '\7')).find("the byte 7, expected 0 or 1"),
            std::string::npos);
  EXPECT_NE(complaint(header("<u8", false, "(3,)"), std::string(24, '\xff')).find("expected less than 2^63"),
            std::string::npos);
}

TEST_F(Npy, IsWrittenAsNumpyWouldReadIt) {
  std::string const path = scratch_ / "out.npy";
  RowFormat format;
  format.cells = {2, 1, 3};
  format.element = core::Element::float64;
  auto const sink = writer_for(path)->create(path, format);
  std::vector<double> const values{1, 2, 3, 4, 5, -6.5};
  sink->next(3, std::as_bytes(std::span(values)));
  sink->finish();
  std::string const found = tests::bytes_of(path);
  EXPECT_EQ(found.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
  EXPECT_EQ(found.substr(10, 62), "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1, 2), }");
  EXPECT_EQ(found[127], '\n');
  EXPECT_EQ(found.substr(128), bytes(values));
}

}  // namespace
}  // namespace tessera::io
