// SPDX-License-Identifier: Apache-2.0
#include "core/case/dictionary.hpp"
#include "core/error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tessera::core {
namespace {

Dictionary parse(std::string const& text) { return Dictionary::parse(text, "system/test"); }
std::string error(std::string const& text) {
  try {
    parse(text);
  } catch (Error const& e) {
    return e.what();
  }
  return "";
}

TEST(Expression, ComputesWithNamesOfTheDictionary) {
  auto const d =
      parse("H 2; n -3; sub { w 0.5; }\n"
            "a #eval{ 20*pi() };\nb #eval \"2*$H\";\nc #eval{ -1*${n} };\nd #eval{ $sub.w + $:sub.w };\n"
            "e #eval{ sin(degToRad(30)) };\nlist (1 #eval{ $n^2 } 3);\nf #eval{ sqr($n) + pow(2, 10) + mag($n) };\n"
            "g #eval{\n  1/4\n};\nh 1;");
  EXPECT_DOUBLE_EQ(d.get<double>("a"), 20 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(d.get<double>("b"), 4);
  EXPECT_DOUBLE_EQ(d.get<double>("c"), 3);
  EXPECT_DOUBLE_EQ(d.get<double>("d"), 1);
  EXPECT_NEAR(d.get<double>("e"), 0.5, 1e-15);
  EXPECT_EQ(d.get<std::vector<double>>("list"), (std::vector<double>{1, 9, 3}));
  EXPECT_DOUBLE_EQ(d.get<double>("f"), 9 + 1024 + 3);
  EXPECT_DOUBLE_EQ(d.get<double>("g"), 0.25);  // no whole numbers are left of divisions
  EXPECT_EQ(d.location("h"), "system/test:12");
}

TEST(Expression, SaysWhatItCannotCompute) {
  EXPECT_TRUE(error("\nx #eval{ 1 + };").starts_with("system/test:2: '#eval{ 1 + }' in entry 'x': "))
      << error("\nx #eval{ 1 + };");
  EXPECT_EQ(error("x #eval{ 1/0 };"), "system/test:1: '#eval{ 1/0 }' in entry 'x': the result is no finite number");
  EXPECT_EQ(error("a word; x #eval{ $a };"), "system/test:1: '#eval' in entry 'x': '$a' is 'word', expected a number");
  EXPECT_EQ(error("x #eval{ 2*$L };"), "system/test:1: '$L' is not defined");
  EXPECT_EQ(error("x #eval{ 2;"), "system/test:1: the '{' after '#eval' is not closed");
  EXPECT_EQ(error("x #eval 2;"), "system/test:1: expected an expression in braces or quotes after '#eval'");
  EXPECT_EQ(
      error("x #calc \"1/2\";"),
      "system/test:1: '#calc' is C++ that OpenFOAM compiles (1/2 is 0 in it), which is not supported (entry 'x'); "
      "#eval{ ... } takes expressions of numbers");
}

}  // namespace
}  // namespace tessera::core
