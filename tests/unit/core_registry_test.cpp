// SPDX-License-Identifier: Apache-2.0
#include "core/registry.hpp"

#include <gtest/gtest.h>

namespace tessera::core::registry_test {

struct Shape {
  static constexpr std::string_view kind = "shape";
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square final : Shape {
  explicit Square(double side) : side(side) {}
  double area() const override { return side * side; }
  double side;
};
struct Strip final : Shape {
  explicit Strip(double side) : side(side) {}
  double area() const override { return 2 * side; }
  double side;
};
using Shapes = Registry<Shape, double>;
[[maybe_unused]] static bool const square_added = Shapes::add<Square>("square", "equal sides");
[[maybe_unused]] static bool const strip_added = Shapes::add<Strip>("strip", "two wide");

TEST(Registry, MakesAPluginByItsName) {
  EXPECT_EQ(Shapes::make("square", 3.0)->area(), 9);
  EXPECT_EQ(Shapes::make("strip", 3.0)->area(), 6);
  EXPECT_TRUE(Shapes::contains("strip"));
  EXPECT_FALSE(Shapes::contains("circle"));
  EXPECT_EQ(Shapes::find("square").doc, "equal sides");
}

TEST(Registry, ListsItsEntriesSorted) {
  EXPECT_EQ(Shapes::names(), (std::vector<std::string>{"square", "strip"}));
  EXPECT_EQ(Shapes::entries().begin()->second.doc, "equal sides");
}

TEST(Registry, NamesTheNearestOfAnUnknownName) {
  try {
    Shapes::make("sqaure", 1.0);
    FAIL() << "an unknown name must throw";
  } catch (Error const& error) {
    EXPECT_STREQ(error.what(), "unknown shape 'sqaure'; did you mean 'square'? valid: square strip");
  }
}

TEST(Registry, ReportsTwoPluginsOfOneName) {
  EXPECT_NO_THROW(check_registries());
  EXPECT_TRUE(Shapes::add<Strip>("square", "another one"));
  ASSERT_EQ(registry_clashes().size(), 1u);
  EXPECT_EQ(registry_clashes()[0], "two plugins claim the shape 'square' (\"equal sides\" and \"another one\")");
  EXPECT_THROW(check_registries(), Error);
  registry_clashes().clear();
  EXPECT_EQ(Shapes::make("square", 3.0)->area(), 9) << "the first one stays";
}

}  // namespace tessera::core::registry_test
