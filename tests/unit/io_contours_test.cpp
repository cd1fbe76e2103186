// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/contours.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera::io {
namespace {

ContourPlot sampled(int columns, int rows, double (*value)(double, double)) {
  ContourPlot plot;
  plot.left = plot.bottom = -1;
  for (int i = 0; i < columns; ++i) plot.x.push_back(-1 + 2.0 * i / (columns - 1));
  for (int j = 0; j < rows; ++j) plot.y.push_back(-1 + 2.0 * j / (rows - 1));
  for (double y : plot.y)
    for (double x : plot.x) plot.values.push_back(value(x, y));
  return plot;
}

TEST(Contours, OfADistanceAreClosedCircles) {
  auto const plot = sampled(81, 61, [](double x, double y) { return std::hypot(x, y); });
  double length = 0;
  for (Piece const& p : contour(plot, 0.6)) {
    EXPECT_NEAR(std::hypot(p.x0, p.y0), 0.6, 1e-3);
    EXPECT_NEAR(std::hypot(p.x1, p.y1), 0.6, 1e-3);
    length += std::hypot(p.x1 - p.x0, p.y1 - p.y0);
  }
  EXPECT_NEAR(length, 2 * M_PI * 0.6, 2e-3);
  EXPECT_TRUE(contour(plot, 2).empty());
}

TEST(Contours, AtASaddleKeepTheSideOfTheMiddle) {
  ContourPlot plot;
  plot.x = plot.y = {0, 1};
  auto ends_on_the_lower_side = [&](double level) {  // where the piece from the lower side leads to
    for (Piece const& p : contour(plot, level)) {
      if (p.y0 == 0) return p.x1;
      if (p.y1 == 0) return p.x0;
    }
    return -1.0;
  };
  plot.values = {1, 0, 0, 1};  // high at the lower left and the upper right, 0.5 in the middle
  EXPECT_EQ(contour(plot, 0.4).size(), 2u);
  EXPECT_EQ(ends_on_the_lower_side(0.4), 1);  // the middle is high: the lower right corner is cut off
  EXPECT_EQ(contour(plot, 0.6).size(), 2u);
  EXPECT_EQ(ends_on_the_lower_side(0.6), 0);  // the middle is low: the lower left corner is cut off
}

TEST(Contours, AreDrawnAtRoundLevelsWithWhatIsInTheGround) {
  auto plot = sampled(41, 41, [](double x, double y) { return 20 + 30 * std::hypot(x, y); });
  plot.title = "a & b";
  plot.unit = "C";
  plot.circles = {{0.2, 0.1, 0.3, true}};
  plot.boxes = {{-0.5, -0.5, 0.5, 0.5}};
  plot.dashed = {33};
  auto const svg = contour_plot(plot);
  for (auto const* text :
       {">25</text>", ">60</text>", ">33</text>", "stroke-dasharray", "<circle", "a &amp; b", "0.5 m"})
    EXPECT_NE(svg.find(text), std::string::npos) << text << "\n" << svg.substr(0, 2000);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  for (double& v : plot.values) v = 7;  // the same everywhere
  plot.dashed.clear();
  EXPECT_EQ(contour_plot(plot).find("stroke-linecap"), std::string::npos);
}

}  // namespace
}  // namespace tessera::io
