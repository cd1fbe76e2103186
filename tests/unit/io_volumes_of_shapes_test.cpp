// SPDX-License-Identifier: Apache-2.0
#include "io/foam/drawing.hpp"
#include "tests/support/foam.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace tessera::tests {
namespace {

using namespace io::foam;

Solid::Part part(std::string const& name, std::string const& text) { return make_shape(name, dictionary(text)); }

/// The volume of a shape in the box from (-3 -3 -3) to (3 3 3), cell by cell.
double volume(Solid::Part const& shape, core::Count n) {
  std::array<core::Axis, 3> axes;
  axes.fill(core::Axis::make_uniform(n, -3, 6));
  auto const grid = std::make_shared<core::Grid const>(axes);
  core::Layout const layout(grid, std::vector<int>(static_cast<std::size_t>(grid->tiles())), core::Comm());
  auto const share = shares(shape, layout);
  double sum = 0;
  for_each_cell(share, [&](core::Index const& x, double s) {
    EXPECT_GE(s, 0);
    EXPECT_LE(s, 1);
    sum += s * grid->volume(x);
  });
  return sum;
}

TEST(Drawing, MeasuresTheVolumesOfShapes) {
  double const pi = std::numbers::pi;
  for (int const n : {1, 5, 12}) {
    double const near = 1e-5 * std::pow(6.0 / n, 3);  // of a cell
    EXPECT_NEAR(volume(part("boxToCell", "box (-1.1 -2 0.3) (1.7 2.5 0.35);"), n), 2.8 * 4.5 * 0.05, 1e-9);
    EXPECT_NEAR(volume(part("cylinderToCell", "p1 (0.1 0.2 -1.3); p2 (0.1 0.2 1.1); radius 1.7;"), n),
                pi * 1.7 * 1.7 * 2.4, near);
    EXPECT_NEAR(volume(part("cylinderToCell", "p1 (-9 0.1 0.2); p2 (9 0.1 0.2); radius 1.7; innerRadius 1.6;"), n),
                pi * (1.7 * 1.7 - 1.6 * 1.6) * 6, near);
  }
  EXPECT_NEAR(volume(part("sphereToCell", "origin (0.1 0.2 0.3); radius 2;"), 12), 4.0 / 3 * pi * 8, 1e-3);
  EXPECT_NEAR(volume(part("cylinderToCell", "p1 (-1 -1 0); p2 (1 1 0); radius 1;"), 12), pi * std::sqrt(8), 1e-2);
  EXPECT_NEAR(volume(part("rotatedBoxToCell", "origin (0 -1 -1); i (1 1 0); j (-1 1 0); k (0 0 2);"), 12), 4, 1e-2);
}

TEST(Drawing, SumsLengthsOverValues) {
  Drawing drawing(1);
  drawing.draw(part("cylinderToCell", "p1 (0 0 -1); p2 (0 0 1); radius 2;"), 0.5);
  drawing.draw(part("cylinderToCell", "p1 (0 0 -1); p2 (0 0 1); radius 1;"), 10);
  // through the middle: 1 of ground, 1 + 1 of the ring, 2 of the core, 1 of ground
  EXPECT_NEAR(drawing.resistance({-3, 0, 0}, {3, 0, 0}), 1 + 1 / 0.5 + 2 / 10.0 + 1 / 0.5 + 1, 1e-12);
  // beside the core, at the height 1.2 of the ring: a chord of 3.2
  EXPECT_NEAR(drawing.resistance({-3, 1.2, 0}, {3, 1.2, 0}), 2.8 + 3.2 / 0.5, 1e-12);
  EXPECT_EQ(drawing.at({0, 0, 0}), 10);
  EXPECT_EQ(drawing.at({1.5, 0, 0}), 0.5);
  EXPECT_TRUE(drawing.near({0, 0, 0}, {0.1, 0.1, 0.1}).uniform());
  EXPECT_EQ(drawing.near({0, 0, 0}, {0.1, 0.1, 0.1}).at({0, 0, 0}), 10);
  EXPECT_FALSE(drawing.near({0.95, 0, 0}, {0.1, 0.1, 0.1}).uniform());
}

TEST(Drawing, FollowsWhatActionsMakeOfSets) {
  EXPECT_NEAR(
      volume(united({part("boxToCell", "box (-1 -1 -1) (0.1 1 1);"), part("boxToCell", "box (0 -1 -1) (1 1 1);")}), 7),
      8, 1e-6);
  Solid ring;
  ring.take(Solid::Step::add, part("sphereToCell", "origin (0 0 0); radius 2;"));
  ring.take(Solid::Step::subtract, part("sphereToCell", "origin (0 0 0); radius 1;"));
  EXPECT_TRUE(ring.contains({1.5, 0, 0}));
  EXPECT_FALSE(ring.contains({0.5, 0, 0}));
  ring.take(Solid::Step::subset, part("boxToCell", "box (-9 -9 -9) (0 9 9);"));
  EXPECT_FALSE(ring.contains({1.5, 0, 0}));
  EXPECT_TRUE(ring.contains({-1.5, 0, 0}));
  ring.take(Solid::Step::invert);
  EXPECT_TRUE(ring.contains({7, 0, 0}));
  EXPECT_EQ(united({nullptr}), nullptr);
}

}  // namespace
}  // namespace tessera::tests
