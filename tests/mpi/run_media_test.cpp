// SPDX-License-Identifier: Apache-2.0
// Pictures and volumes as media: which cells are occupied, and where they lie.
#include "core/random.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/percolation_case.hpp"
#include "tests/support/png_bytes.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sstream>

using namespace tessera;
using tests::PercolationCase;

namespace {

template <class T>
std::string bytes(std::vector<T> const& values) {
  std::string text(values.size() * sizeof(T), '\0');
  std::memcpy(text.data(), values.data(), text.size());
  return text;
}

/// A volume of 20 x 20 cells and as many layers as the values fill, in constant/a.raw.
class Medium {
 public:
  template <class T>
  Medium(std::string const& type, std::vector<T> const& values)
      : case_("input { type picture; file \"constant/a.raw:20x20x" + std::to_string(values.size() / 400) + ":" + type +
                  "\"; }\nlattice cubic; connectivity 26; backbone no; shortestPath no;\n",
              "tile (7 9 5);") {
    case_.write("constant/a.raw", bytes(values));
  }
  /// The report with entries of the input.
  nlohmann::ordered_json run(std::vector<std::string> const& entries) { return case_.run(settings(entries)); }
  double occupation(std::vector<std::string> const& entries) { return run(entries)["results"]["occupation"]; }
  std::string refusal(std::vector<std::string> const& entries) {
    try {
      case_.run(settings(entries));
    } catch (core::Error const& error) {
      return error.what();
    }
    return "";
  }
  PercolationCase& files() { return case_; }

 private:
  static std::vector<std::string> settings(std::vector<std::string> entries) {
    for (auto& entry : entries) entry = "constant/percolationProperties:input." + entry;
    return entries;
  }
  PercolationCase case_;
};

std::string const light = "occupied=light";

/// Normal numbers times 1000, as a volume scaled to HU may hold them.
std::vector<float> normal(int count) {
  std::mt19937 random(7);
  std::vector<float> values;
  for (int n = 0; n < count; ++n) {
    double sum = -6;
    for (int q = 0; q < 12; ++q) sum += static_cast<double>(random()) / 4294967296.0;
    values.push_back(static_cast<float>(1000 * sum));
  }
  return values;
}

template <class T>
double share(std::vector<T> const& values, double level) {
  return static_cast<double>(std::count_if(values.begin(), values.end(), [&](T v) { return double(v) >= level; })) /
         static_cast<double>(values.size());
}

}  // namespace

// The same picture in 16 and in 8 bits: 0.6 of 65535 is 39321, 0.6 of 255 is 153.
TEST(Media, TakeAThresholdAsAShareOfTheTypesRange) {
  std::vector<std::uint16_t> wide;
  std::vector<std::uint8_t> narrow;
  std::vector<std::int16_t> negative;
  for (int n = 0; n < 8000; ++n) {
    wide.push_back(static_cast<std::uint16_t>(n * 59999 / 7999));
    narrow.push_back(static_cast<std::uint8_t>(wide.back() >> 8));
    negative.push_back(static_cast<std::int16_t>(-1000 + n / 8));
  }
  Medium sixteen("uint16", wide), eight("uint8", narrow), hounsfield("int16", negative);
  auto const report = sixteen.run({"threshold=0.6", light});
  EXPECT_DOUBLE_EQ(report["results"]["occupation"], share(wide, 39321));
  EXPECT_EQ(report["input"]["type"], "uint16");
  EXPECT_EQ(report["input"]["values"], (nlohmann::json{0.0, 59999.0}));
  EXPECT_EQ(report["input"]["level"], 39321.0);
  EXPECT_EQ(report["input"]["threshold"], 0.6);
  EXPECT_EQ(report["input"]["notANumber"], 0);
  EXPECT_DOUBLE_EQ(eight.occupation({"threshold=0.6", light}), share(narrow, 153));
  EXPECT_NEAR(eight.occupation({"threshold=0.6", light}), sixteen.occupation({"threshold=0.6", light}), 0.005);
  // all values are negative: the middle of the type is above them, a share of 0.49 is -655.7
  EXPECT_DOUBLE_EQ(hounsfield.occupation({"threshold=0.49", light}), share(negative, -655.7));
  EXPECT_DOUBLE_EQ(hounsfield.occupation({"level=-500", light}), share(negative, -500));
  EXPECT_DOUBLE_EQ(hounsfield.occupation({"level=-500"}), 1 - share(negative, -500));
}

TEST(Media, TakeAThresholdAsAShareOfTheRangeOfFloatingPointData) {
  auto const values = normal(8000);
  auto const [lo, hi] = std::minmax_element(values.begin(), values.end());
  double const level = 0.5 * double(*lo) + 0.5 * double(*hi);
  Medium medium("float32", values);
  auto const report = medium.run({light});
  EXPECT_EQ(report["input"]["level"], level);
  EXPECT_DOUBLE_EQ(report["results"]["occupation"], share(values, level));
  // one hot voxel moves the share's level, and no absolute one
  auto hot = values;
  hot[4321] = 1e6f;
  Medium spoilt("float32", hot);
  EXPECT_DOUBLE_EQ(spoilt.occupation({light}), 1.0 / 8000);
  EXPECT_DOUBLE_EQ(spoilt.occupation({"level=200", light}), share(hot, 200));
}

TEST(Media, LeaveOutWhatIsNotANumber) {
  auto const values = normal(8000);
  Medium sound("float32", values);
  auto const before = sound.run({light});
  for (std::size_t const at : {std::size_t{0}, std::size_t{4000}, std::size_t{7999}})
    for (std::string const occupied : {"light", "dark"}) {
      auto with = values;
      with[at] = std::numeric_limits<float>::quiet_NaN();
      with[at == 0 ? 1 : at - 1] = std::numeric_limits<float>::infinity();
      Medium medium("float32", with);
      auto const report = medium.run({"occupied=" + occupied});
      EXPECT_EQ(report["input"]["level"], before["input"]["level"]) << at;
      EXPECT_EQ(report["input"]["notANumber"], 1);
      double const lights = share(with, before["input"]["level"].get<double>());
      EXPECT_DOUBLE_EQ(report["results"]["occupation"], occupied == "light" ? lights : 1 - lights - 1.0 / 8000);
    }
}

// Files of 0 and 1 alone are masks in any type. With a third value they are labels, which nobody may read as grey unasked.
TEST(Media, TakePhases) {
  std::vector<std::uint8_t> labels;
  for (int n = 0; n < 4000; ++n) labels.push_back(static_cast<std::uint8_t>(n % 10 < 5 ? 0 : n % 10 < 8 ? 1 : 2));
  Medium three("uint8", labels);
  EXPECT_DOUBLE_EQ(three.occupation({"phase=2"}), 0.2);
  EXPECT_DOUBLE_EQ(three.occupation({"phases=(0 2)"}), 0.7);
  EXPECT_DOUBLE_EQ(three.occupation({"phase=3"}), 0) << "with a warning";
  EXPECT_EQ(three.run({"phases=(2 1)"})["input"]["phases"], (nlohmann::json{1, 2}));
  EXPECT_NE(three.refusal({light}).find("all cells lie on one side, occupied: not below 127.5"), std::string::npos);
  EXPECT_NE(three.refusal({light}).find("although the values are 0 .. 2; expected a threshold, level or phase"),
            std::string::npos);
  EXPECT_DOUBLE_EQ(three.occupation({light, "threshold=0.5"}), 0) << "asked for: a warning";
  EXPECT_NE(three.refusal({"phase=2", light}).find("expected no 'occupied' beside phase"), std::string::npos);
  EXPECT_NE(three.refusal({"phase=2", "level=1"}).find("one of threshold, level, phase, phases"), std::string::npos);
  EXPECT_NE(three.refusal({"phases=()"}).find("is an empty list"), std::string::npos);
  EXPECT_NE(three.refusal({"phases=(1 2 1)"}).find("entry 'phases' holds 1 twice"), std::string::npos);
  EXPECT_NE(three.refusal({"phase=1.5"}), "");
  EXPECT_NE(three.refusal({"threshold=otzu"}), "");
  EXPECT_NE(three.refusal({"threshold=1.5"}), "");

  std::vector<std::int64_t> wide;
  std::vector<double> real;
  for (auto& label : labels) {
    label = label == 2 ? 1 : label;
    wide.push_back(label);
    real.push_back(label);
  }
  EXPECT_DOUBLE_EQ(Medium("uint8", labels).occupation({light}), 0.5);
  EXPECT_DOUBLE_EQ(Medium("bool", labels).occupation({light}), 0.5);
  EXPECT_DOUBLE_EQ(Medium("int64", wide).occupation({light}), 0.5);
  EXPECT_DOUBLE_EQ(Medium("float64", real).occupation({light}), 0.5);
  EXPECT_DOUBLE_EQ(Medium("float64", std::vector<double>(400, 0)).occupation({light}), 0);
  EXPECT_NE(Medium("float64", std::vector<double>(400, 7)).refusal({light}).find("no range to take a share of"),
            std::string::npos);
  EXPECT_NE(Medium("float64", std::vector<double>(400, 7)).refusal({"threshold=otsu"}).find("needs two values"),
            std::string::npos);
}

// `level`, `phases` and conductivities are of the file's values, `threshold` is a share of white, whatever the depth.
TEST(Media, OfGreyOfFewBitsHaveTheValuesOfTheirFile) {
  std::string rows = "P2 12 10 15\n";
  std::vector<std::vector<int>> pixels(10, std::vector<int>(12));
  for (int n = 0; n < 120; ++n) {
    rows += fmt::format("{} ", n % 6);
    pixels[static_cast<std::size_t>(n / 12)][static_cast<std::size_t>(n % 12)] = n % 6;
  }
  for (std::string const name : {"a.pgm", "a.png"}) {
    PercolationCase a_case("input { type picture; file \"constant/" + name + "\"; }", "tile (5 4 1);");
    a_case.write("constant/a.pgm", rows);
    a_case.write("constant/a.png", tests::PngBytes{12, 10, 4}.picture(pixels));
    auto const run = [&](std::vector<std::string> entries) {
      for (auto& entry : entries) entry = "constant/percolationProperties:" + entry;
      return a_case.run(entries);
    };
    auto const level = run({"input.level=2.5", "input.occupied=light"});
    EXPECT_DOUBLE_EQ(level["results"]["occupation"], 0.5) << name;
    EXPECT_EQ(level["input"]["type"], name == "a.png" ? "uint4" : "uint8");
    EXPECT_EQ(level["input"]["values"], (nlohmann::json{0.0, 5.0}));
    EXPECT_DOUBLE_EQ(run({"input.phases=(1 4)"})["results"]["occupation"], 1.0 / 3);
    auto const share = run({"input.threshold=0.3", "input.occupied=light"});
    EXPECT_DOUBLE_EQ(share["results"]["occupation"], 1.0 / 6) << "5 of 15 is white by a third";
    EXPECT_EQ(share["input"]["level"], 4.5);
    EXPECT_EQ(run({"input.threshold=otsu"})["input"]["level"], 2.5);
    auto const layers = run({"input.level=2.5", "effectiveConductivity=yes", "direction=y",
                             "conductivities=((0 6) (1 6) (2 6) (3 6) (4 6) (5 6))"});
    EXPECT_NEAR(layers["results"]["effectiveConductivity"], 6.0, 1e-7);
  }
}

// Doubles do not tell whole numbers beyond 2^53 apart: phases do, levels beyond are refused.
TEST(Media, OfWholeNumbersOf64BitsAreExact) {
  std::int64_t const two53 = std::int64_t{1} << 53;
  std::vector<std::int64_t> values(400, two53 - 1);
  std::fill_n(values.begin(), 100, two53 + 1);
  std::fill_n(values.begin(), 40, two53);
  Medium medium("int64", values);
  EXPECT_DOUBLE_EQ(medium.occupation({"phase=9007199254740993"}), 0.15);
  EXPECT_DOUBLE_EQ(medium.occupation({"level=9007199254740991", "occupied=light"}), 1) << "with a warning";
  EXPECT_DOUBLE_EQ(medium.occupation({"level=9007199254740991", "occupied=dark"}), 0);
  EXPECT_NE(
      medium.refusal({"level=9007199254740993"})
          .find("entry 'level' is 9007199254740993 for a file of the type int64, expected a number between -2^53"),
      std::string::npos);
  EXPECT_NE(medium.refusal({"level=-9007199254740992"}).find("is -9007199254740992 for a file"), std::string::npos);
  EXPECT_DOUBLE_EQ(Medium("float64", std::vector<double>(400, 1e18)).occupation({"level=1e17", "occupied=light"}), 1);
}

TEST(Media, RefuseAProbabilityThatIsThereTwice) {
  PercolationCase a_case("input { type random; probability (0.5 0.6 0.50); samples 2; }", "cells (8 8 1);");
  std::string const text = tests::error_of<core::Error>([&] { a_case.run(); });
  EXPECT_NE(text.find("percolationProperties:1: entry 'probability' holds 0.5 twice"), std::string::npos) << text;
}

// Values with the level that skimage.filters.threshold_otsu parts them at: 81 is the last dark one of the bytes; of the
// numbers the last dark bin ends at 39.84375 of 0 .. 100. The level does not depend on ranks.
TEST(Media, FindOtsusLevel) {
  std::vector<std::uint8_t> bytes;
  for (int n = 0; n < 8000; ++n) bytes.push_back(static_cast<std::uint8_t>(n % 3 == 0 ? 150 + n % 61 : 20 + n % 62));
  Medium eight("uint8", bytes);
  auto const report = eight.run({"threshold=otsu", light});
  EXPECT_EQ(report["input"]["level"], 115.5) << "the middle of the gap 82 .. 149";
  EXPECT_EQ(report["input"]["threshold"], "otsu");
  EXPECT_DOUBLE_EQ(report["results"]["occupation"], share(bytes, 115.5));
  std::vector<double> numbers;
  for (int n = 0; n < 8000; ++n) numbers.push_back(n % 4 == 0 ? 60.0 + n % 41 : 0.0 + n % 31);
  auto const real = Medium("float64", numbers).run({"threshold=otsu", light});
  EXPECT_GT(real["input"]["level"], 30.0);
  EXPECT_LT(real["input"]["level"], 60.0);
  EXPECT_DOUBLE_EQ(real["results"]["occupation"], 0.25);
}

// The outermost pixels are where the frame lies: what is within is the medium that a frame outside closes.
TEST(Media, FromPicturesMayHaveTheirFrameInside) {
  core::Random const random{4, 0};
  std::string rows = "P2 19 14 2\n";
  for (std::uint64_t n = 0; n < 19 * 14; ++n)
    rows += random.uniform(n) < 0.3 ? "0 " : random.uniform(n) < 0.7 ? "1 " : "2 ";
  std::string const keys = "direction all; conductivity yes; effectiveConductivity yes; conductivities ((0 0.1) (1 "
                           "1) (2 3)); geodesic yes;";
  std::string const input = "input { type picture; file \"constant/medium.pgm\"; level 1; occupied light; ";
  PercolationCase inside(input + "} frame inside; " + keys, "tile (5 4 1);"),
      outside(input + "box ((1 1 0) (18 13 1)); } frame outside; " + keys, "tile (7 6 1);");
  for (auto const* c : {&inside, &outside}) c->write("constant/medium.pgm", rows);
  auto const a = inside.run(), b = outside.run();
  EXPECT_TRUE(a["results"]["directions"]["x"]["spans"] && a["results"]["directions"]["y"]["spans"]);
  for (auto const& [key, value] : a["results"]["directions"]["x"].items())
    if (value.is_number()) {
      EXPECT_NEAR(value, b["results"]["directions"]["x"][key], 1e-9) << key;
    }
  for (char const* field : {"occupied", "backbone_x", "backbone_y", "red_x", "spanning_y"})
    EXPECT_EQ(a["hash"][field], b["hash"][field]) << field;
}

TEST(Media, TellHowMasksOfInletAndOutletWereRead) {
  PercolationCase a_case(
      "input { type picture; file \"constant/medium.pgm\"; occupied light; } lattice triangular;\n"
      "inlet { file \"constant/in.raw:5x3:int32\"; phase 4; } outlet { file \"constant/out.raw:5x3:float32\"; "
      "level 0.5; occupied light; }",
      "tile (2 1 1);");
  a_case.write("constant/medium.pgm", "P2 5 3 1\n0 0 0 0 0\n1 1 1 1 1\n0 0 1 0 0\n");
  std::vector<std::int32_t> in(15, 3);
  in[6] = 4;
  std::vector<float> out(15, 0);
  out[8] = 0.75f;
  a_case.write("constant/in.raw", bytes(in));
  a_case.write("constant/out.raw", bytes(out));
  auto const report = a_case.run();
  EXPECT_EQ(report["results"]["shortestPath"], 3);
  EXPECT_EQ(report["inlet"]["phases"], nlohmann::json{4});
  EXPECT_EQ(report["inlet"]["type"], "int32");
  EXPECT_EQ(report["outlet"]["level"], 0.5);
  EXPECT_EQ(report["outlet"]["values"], (nlohmann::json{0.0, 0.75}));
}

namespace {

/// Origin and lengths of the cells in the results' XDMF: z, y, x.
std::vector<double> place_of(PercolationCase& a_case) {
  std::string const text = a_case.read("results/case.xdmf");
  std::vector<double> result;
  for (std::size_t at = text.find("NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"); at != std::string::npos;
       at = text.find("NumberType=\"Float\" Precision=\"8\" Format=\"XML\">", at + 1)) {
    std::istringstream in(text.substr(text.find('>', at) + 1));
    for (double x; in >> x;) result.push_back(x);
  }
  return result;
}

}  // namespace

TEST(Media, LieWhereTheirFileOrGridDictSays) {
  PercolationCase a_case(
      "input { type picture; file \"constant/a.mhd\"; } lattice cubic; connectivity 26; backbone no;\n"
      "shortestPath no; fields (occupied);",
      "");
  a_case.write("constant/a.raw", std::string(24, '\0'));
  std::string const head = "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementType = MET_UCHAR\n";
  a_case.write("constant/a.mhd", head + "ElementSpacing = 0.0025 0.005 0.01\nOffset = 0.00125 1.0025 0.005\n"
                                        "ElementDataFile = a.raw\n");
  auto const check = [&](std::vector<std::string> const& settings, std::vector<double> const& expected) {
    a_case.run(settings);
    if (!core::Comm().root()) return;
    auto const place = place_of(a_case);
    ASSERT_EQ(place.size(), 6u);
    for (std::size_t n = 0; n < 6; ++n) EXPECT_NEAR(place[n], expected[n], 1e-12) << n;
  };
  check({}, {0, 1, 0, 0.01, 0.005, 0.0025});
  check({"system/gridDict:size=(8 6 10)"}, {0, 1, 0, 5, 2, 2});
  check({"system/gridDict:size=(8 6 10)", "system/gridDict:origin=(1 2 3)"}, {3, 2, 1, 5, 2, 2});
  EXPECT_EQ(a_case.complaint({"system/gridDict:cells=(4 3 2)"}), "");
  EXPECT_NE(a_case.complaint({"system/gridDict:cells=(4 3 1)"}).find("is (4 3 1), but constant/a.mhd has (4 3 2)"),
            std::string::npos);
  EXPECT_NE(a_case.complaint({"system/gridDict:size=(8 0 10)"}).find("expected a length above 0"), std::string::npos);
}
