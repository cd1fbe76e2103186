// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/compare.hpp"
#include "io/convert.hpp"
#include "io/reader.hpp"
#include "tests/support/scratch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

namespace tessera::io {
namespace {

using tests::Scratch;
using tests::write_bytes;

/// Writes TIFF files byte by byte, so that the tests can also write what no library would.
struct TiffBytes {
  bool big = false;
  std::string whole = std::string(8, '\0');
  std::size_t link = 4;  // where the offset of the next directory goes

  std::string number(std::uint64_t value, std::size_t bytes) const {
    std::string text;
    for (std::size_t b = 0; b < bytes; ++b) text += static_cast<char>(value >> 8 * (big ? bytes - 1 - b : b) & 255);
    return text;
  }
  template <class T>
  std::string samples(std::vector<T> const& values) const {
    std::string text;
    for (T const value : values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      text += number(bits, sizeof value);
    }
    return text;
  }
  /// A picture of one strip (or several, `rows_per_strip`); `tags` come on top of the usual ones.
  struct Picture {
    std::uint32_t width, height;
    unsigned bits = 8;
    std::map<unsigned, std::vector<unsigned>> tags = {};
    unsigned rows_per_strip = 0;
    bool data_last = false;
  };
  void add(Picture const& p, std::string const& data) {
    if (!p.data_last) whole += data;
    std::map<unsigned, std::vector<unsigned>> tags = p.tags;
    auto const put = [&](unsigned tag, std::vector<unsigned> values) { tags.emplace(tag, std::move(values)); };
    put(256, {p.width});
    put(257, {p.height});
    bool const rgb = tags.count(262) && tags[262][0] == 2;
    put(258, rgb ? std::vector<unsigned>(3, p.bits) : std::vector<unsigned>{p.bits});
    put(259, {1});
    put(262, {1});
    put(277, {rgb ? 3u : 1u});
    unsigned const strip_rows = p.rows_per_strip ? p.rows_per_strip : p.height;
    put(278, {strip_rows});
    // directory: count, 12 bytes a tag, the next; what is longer than 4 bytes follows
    std::size_t const strips = strip_rows ? (p.height + strip_rows - 1) / strip_rows : 1;
    auto const row = static_cast<unsigned>(p.height ? data.size() / p.height : 0);
    std::size_t const size = tags.size() + (tags.count(279) ? 1 : 2), at = whole.size();
    std::size_t after = at + 2 + 12 * size + 4, data_at = p.data_last ? 0 : at - data.size();
    std::vector<unsigned> starts(strips), lengths(strips, static_cast<unsigned>(data.size()));
    if (strips > 1) std::fill(lengths.begin(), lengths.end(), row * strip_rows);
    if (strips > 1) lengths.back() = static_cast<unsigned>(data.size()) - row * strip_rows * unsigned(strips - 1);
    put(279, lengths);
    put(273, starts);
    if (p.data_last) {
      data_at = after;
      for (auto const& [tag, values] : tags)
        if (values.size() > 1 && width_of(tag) * values.size() > 4) data_at += width_of(tag) * values.size();
    }
    for (std::size_t s = 0; s < strips; ++s) tags[273][s] = static_cast<unsigned>(data_at + s * row * strip_rows);
    std::string directory = number(tags.size(), 2), extra;
    for (auto const& [tag, values] : tags) {
      std::size_t const width = width_of(tag);
      directory += number(tag, 2) + number(width == 2 ? 3 : width == 1 ? 2 : 4, 2) + number(values.size(), 4);
      std::string text;
      for (auto const value : values) text += number(value, width);
      if (text.size() > 4) {
        directory += number(after + extra.size(), 4);
        extra += text;
      } else {
        directory += text + std::string(4 - text.size(), '\0');
      }
    }
    whole.replace(link, 4, number(at, 4));
    link = whole.size() + directory.size();
    whole += directory + std::string(4, '\0') + extra;
    if (p.data_last) whole += data;
  }
  /// Bytes of one value: text, long or short.
  static std::size_t width_of(unsigned tag) {
    if (tag == 270) return 1;
    return tag == 256 || tag == 257 || tag == 273 || tag == 278 || tag == 279 || tag == 322 || tag == 323 ? 4 : 2;
  }
  std::string file() {
    whole.replace(0, 4, (big ? "MM" : "II") + number(42, 2));
    return whole;
  }
};
using Picture = TiffBytes::Picture;

std::string one(Picture const& picture, std::string const& data) {
  TiffBytes tiff;
  tiff.add(picture, data);
  return tiff.file();
}

/// What libtiff writes to stderr would end up in the user's terminal.
class Tiff : public testing::Test {
 protected:
  void SetUp() override {
    if (!Readers::contains("tiff")) GTEST_SKIP() << "built without libtiff";
    testing::internal::CaptureStderr();
  }
  void TearDown() override {
    if (!Readers::contains("tiff")) return;
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }

  struct Content {
    core::Element element;
    core::Grid::Shape cells;
    bool top_down;
    std::vector<double> values;
  };
  Content read(std::string const& bytes) {
    write_bytes(file, bytes);
    auto const source = open_rows(file);
    Content content{source->element(), source->cells(), source->top_down(), {}};
    std::size_t const width = static_cast<std::size_t>(content.cells[0]), size = size_of(content.element);
    std::vector<std::byte> row(width * size);
    for (core::Count r = 0; r < content.cells[1] * content.cells[2]; ++r) {
      source->next(1, row);
      for (std::size_t i = 0; i < width; ++i) content.values.push_back(value(row.data() + i * size, content.element));
    }
    return content;
  }
  std::vector<double> values(std::string const& bytes) { return read(bytes).values; }
  std::string message(std::string const& bytes) {
    try {
      read(bytes);
    } catch (core::Error const& error) {
      std::string const text = error.what();
      EXPECT_EQ(text.find(file + ": "), 0u) << text;
      return text.substr(file.size());
    }
    return "";
  }
  void expect(std::string const& bytes, std::string const& part) {
    std::string const text = message(bytes);
    EXPECT_NE(text.find(part), std::string::npos) << part << " -> '" << text << "'";
  }

  Scratch const scratch;
  std::string const file = scratch / "p.tif";

 private:
  template <class T>
  static double stored(std::byte const* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  }
  static double value(std::byte const* at, core::Element element) {
    switch (element) {
    case core::Element::uint8:
      return stored<std::uint8_t>(at);
    case core::Element::int32:
      return stored<std::int32_t>(at);
    case core::Element::int64:
      return stored<std::int64_t>(at);
    case core::Element::float32:
      return stored<float>(at);
    case core::Element::float64:
      break;
    }
    return stored<double>(at);
  }
};

using Greys = std::vector<double>;
constexpr unsigned photometric = 262, sample_format = 339, orientation = 274;

TEST_F(Tiff, KeepsGreyOfUpTo8Bits) {
  auto const content = read(one({3, 2}, std::string("\x00\x01\x02\x80\xfe\xff", 6)));
  EXPECT_EQ(content.element, core::Element::uint8);
  EXPECT_EQ(content.cells, (core::Grid::Shape{3, 2, 1}));
  EXPECT_TRUE(content.top_down);
  EXPECT_EQ(content.values, (Greys{0, 1, 2, 128, 254, 255}));
  EXPECT_EQ(values(one({3, 2, 1}, "\xa0\x40")), (Greys{1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(values(one({4, 1, 2}, "\x1b")), (Greys{0, 1, 2, 3}));
  EXPECT_EQ(values(one({3, 1, 4}, "\x0f\x70")), (Greys{0, 15, 7}));
  EXPECT_EQ(values(one({3, 1, 1, {{photometric, {0}}}}, "\xa0")), (Greys{0, 1, 0})) << "white is 0";
  EXPECT_EQ(values(one({2, 1, 8, {{photometric, {0}}}}, std::string("\x00\xf0", 2))), (Greys{255, 15}));
}

TEST_F(Tiff, SaysThatWhiteIsZeroAndWhatTypeItHolds) {
  auto const source = [&](std::string const& bytes) {
    write_bytes(file, bytes);
    return open_rows(file);
  };
  EXPECT_EQ(source(one({3, 1, 1}, "\xa0"))->note(), "");
  auto const inverse = one({3, 1, 1, {{photometric, {0}}}}, "\xa0");
  EXPECT_NE(source(inverse)->note().find("white is 0"), std::string::npos);
  EXPECT_NE(turned(source(inverse))->note().find("white is 0"), std::string::npos);
  EXPECT_EQ(source(inverse)->stored().name, "uint1");
  EXPECT_NE(convert(file, scratch / "x.pgm").find("white is 0"), std::string::npos);
  EXPECT_EQ(compare(file, scratch / "x.pgm").notes.size(), 1u);
  EXPECT_EQ(source(one({3, 1, 4}, "\x0f\x70"))->stored().range, (std::array{0.0, 15.0}));
  auto const wide = source(one({2, 1, 16}, "abcd"))->stored();
  EXPECT_EQ(wide.name, "uint16");
  EXPECT_EQ(wide.range, (std::array{0.0, 65535.0}));
  EXPECT_EQ(source(one({2, 1, 8, {{sample_format, {2}}}}, "ab"))->stored().range, (std::array{-128.0, 127.0}));
  EXPECT_FALSE(source(one({1, 1, 32, {{sample_format, {3}}}}, "abcd"))->stored().range.has_value());
}

TEST_F(Tiff, KeepsWiderValuesInBothByteOrders) {
  for (bool const big : {false, true}) {
    auto const check = [&]<class T>(std::vector<T> const& numbers, unsigned format, core::Element element) {
      TiffBytes tiff{big};
      tiff.add({static_cast<std::uint32_t>(numbers.size()), 1, 8 * sizeof(T), {{sample_format, {format}}}},
               tiff.samples(numbers));
      auto const content = read(tiff.file());
      EXPECT_EQ(content.element, element);
      EXPECT_EQ(content.values, Greys(numbers.begin(), numbers.end())) << sizeof(T) << " bytes, format " << format;
    };
    check(std::vector<std::uint16_t>{0, 1, 256, 65535}, 1, core::Element::int32);
    check(std::vector<std::uint32_t>{0, 1, 65536, 4294967295u}, 1, core::Element::int64);
    check(std::vector<std::uint64_t>{0, 1, 1ull << 40}, 1, core::Element::int64);
    check(std::vector<std::int8_t>{0, -1, 127, -128}, 2, core::Element::int32);
    check(std::vector<std::int16_t>{0, -1, 256, -32768}, 2, core::Element::int32);
    check(std::vector<std::int32_t>{0, -1, 65536, -2147483647}, 2, core::Element::int32);
    check(std::vector<std::int64_t>{0, -1, 1ll << 40}, 2, core::Element::int64);
    check(std::vector<float>{0, -1.5f, 1e30f}, 3, core::Element::float32);
    check(std::vector<double>{0, -1.5, 1e300}, 3, core::Element::float64);
  }
}

TEST_F(Tiff, TurnsColoursIntoLuminance) {
  // as of the PNG reader: 255 x (0.2126, 0.7152, 0.0722) = 54.2, 182.4, 18.4; 2.126 + 71.52 + 14.44 = 88.1
  std::string const pixels("\xff\x00\x00\x00\xff\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x0a\x64\xc8", 18);
  EXPECT_EQ(values(one({6, 1, 8, {{photometric, {2}}}}, pixels)), (Greys{54, 182, 18, 255, 0, 88}));
  TiffBytes tiff;
  tiff.add({2, 1, 16, {{photometric, {2}}}},
           tiff.samples(std::vector<std::uint16_t>{65535, 0, 0, 65535, 65535, 65535}));
  EXPECT_EQ(values(tiff.file()), (Greys{13933, 65535}));  // 0.2126 x 65535 = 13932.7

  for (unsigned const scale : {257u, 1u}) {  // palettes of 16 bits, and the 8 bits of old programs
    std::vector<unsigned> colours(3 * 16, 0);
    auto const set = [&](std::size_t c, unsigned r, unsigned g, unsigned b) {
      colours[c] = r * scale;
      colours[16 + c] = g * scale;
      colours[32 + c] = b * scale;
    };
    set(1, 255, 255, 255);
    set(2, 255, 0, 0);
    set(15, 10, 100, 200);
    EXPECT_EQ(values(one({4, 1, 4, {{photometric, {3}}, {320, colours}}}, "\x21\x0f")), (Greys{54, 255, 0, 88}));
  }
}

TEST_F(Tiff, GivesPicturesAsLayers) {
  TiffBytes tiff;
  for (char const c : {'a', 'k', 'u'}) {
    std::string data;
    for (int n = 0; n < 6; ++n) data += static_cast<char>(c + n);
    tiff.add({2, 3}, data);
  }
  auto const content = read(tiff.file());
  EXPECT_EQ(content.cells, (core::Grid::Shape{2, 3, 3}));
  std::string text;
  for (double const v : content.values) text += static_cast<char>(v);
  EXPECT_EQ(text, "abcdefklmnopuvwxyz");
  tiff.add({3, 2}, "abcdef");
  expect(tiff.file(), "picture 4 is 3 x 2 of 8 bits, the first is 2 x 3 of 8 bits");
}

TEST_F(Tiff, ReadsStripsPackBitsAndPicturesFromTheBottom) {
  EXPECT_EQ(values(one({2, 3, 8, {}, 2}, "abcdef")), (Greys{97, 98, 99, 100, 101, 102}));
  // PackBits, a row each: "aaaa" as a run, "bcde" as it is
  EXPECT_EQ(values(one({4, 2, 8, {{259, {32773}}}}, "\xfd"
                                                    "a\x03"
                                                    "bcde")),
            (Greys{97, 97, 97, 97, 98, 99, 100, 101}));
  EXPECT_FALSE(read(one({2, 1, 8, {{orientation, {4}}}}, "ab")).top_down);
}

TEST_F(Tiff, RefusesByNameWhatItDoesNotRead) {
  expect(one({16, 16, 8, {{322, {16}}, {323, {16}}, {324, {8}}, {325, {256}}}}, std::string(256, 'x')), "in tiles");
  expect(one({2, 1, 8, {{photometric, {2}}, {284, {2}}}}, "abcdef"), "in planes");
  expect(one({2, 1, 8, {{photometric, {4}}}}, "ab"), "colour space 4");
  expect(one({2, 1, 8, {{277, {2}}, {258, {8, 8}}, {338, {2}}}}, "abcd"), "2 samples a pixel, expected 1");
  expect(one({2, 1, 8, {{orientation, {6}}}}, "ab"), "orientation 6");
  expect(one({2, 1, 64}, std::string(16, '\xff')), "holds the value 18446744073709551615, expected less than 2^63");
  expect(one({2, 1, 16, {{sample_format, {3}}}}, "abcd"), "floating-point values of 16 bits");
  expect(one({2, 1, 16, {{sample_format, {2}}, {photometric, {0}}}}, "abcd"), "(white is 0)");
  EXPECT_NE(message(one({2, 1, 4, {{photometric, {3}}}}, "a")), "") << "no palette";
  std::string const text = "ImageJ=1.53\nimages=3\n";
  expect(one({2, 1, 8, {{270, std::vector<unsigned>(text.begin(), text.end())}}}, "abcdef"), "ImageJ's own sort");
  EXPECT_THROW(open_rows(file + ":part"), core::Error);
}

TEST_F(Tiff, RefusesSizesThatTheFileCannotHold) {
  for (auto const& [width, height] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {900000, 900000}, {2000000000, 1}, {1, 2000000000}, {0xffffffff, 0xffffffff}, {0, 5}, {5, 0}, {100, 100}})
    for (unsigned const compression : {1u, 32773u, 5u, 4u})
      for (unsigned const bits : {1u, 8u, 32u}) {
        if (width == 100 && compression != 1) continue;  // other schemes find out as they read
        if (compression == 4 && bits != 1) continue;
        EXPECT_NE(message(one({width, height, bits, {{259, {compression}}}}, std::string(100, 'x'))), "")
            << width << " x " << height << " of " << bits << " bits, compression " << compression;
      }
}

TEST_F(Tiff, TruncatedAtAnyLengthIsAnErrorThatNamesTheFile) {
  TiffBytes stack;
  stack.add({2, 3}, "abcdef");
  stack.add({2, 3}, "ghijkl");
  for (auto const& whole : {one({4, 3, 8, {}, 1}, "abcdefghijkl"), one({4, 3, 8, {}, 1, true}, "abcdefghijkl"),
                            one({4, 2, 8, {{259, {32773}}}, 0, true}, "\xfd"
                                                                      "a\x03"
                                                                      "bcde"),
                            stack.file()}) {
    EXPECT_EQ(message(whole), "");
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_NE(message(whole.substr(0, length)), "") << length << " of " << whole.size();
  }
}

TEST_F(Tiff, SurvivesDamageOfAnySort) {
  TiffBytes stack;
  stack.add({2, 3}, "abcdef");
  stack.add({2, 3}, "ghijkl");
  std::vector<std::string> const seeds{
      one({4, 3, 8, {}, 1}, "abcdefghijkl"),
      one({4, 2, 8, {{259, {32773}}}}, "\xfd"
                                       "a\x03"
                                       "bcde"),
      one({4, 1, 4, {{photometric, {3}}, {320, std::vector<unsigned>(48, 700)}}}, "\x21\x0f"), stack.file(),
      one({2, 1, 8, {{photometric, {2}}}}, "abcdef")};
  std::mt19937 random(1);
  int bad = 0;
  for (int round = 0; round < 800; ++round) {
    std::string bytes = seeds[static_cast<std::size_t>(round) % seeds.size()];
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      std::size_t const at = random() % bytes.size();
      switch (random() % 6) {
      case 0:
        bytes.erase(at, 1);
        break;
      case 1:
        bytes.insert(at, bytes.substr(at, random() % 8));
        break;
      default:
        bytes[at] = static_cast<char>(random() % 2 ? random() : random() % 4);
      }
    }
    bad += message(bytes) != "";  // fails by itself for any other exception
  }
  EXPECT_GT(bad, 300);
  EXPECT_LT(bad, 800);
}

}  // namespace
}  // namespace tessera::io
