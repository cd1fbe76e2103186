// SPDX-License-Identifier: Apache-2.0
// Lines of equal value as SVG, for a page of HTML.
#pragma once
#include <string>
#include <vector>

namespace tessera::io {

/// A field in the plane by its values at places (x_i, y_j), between which it is linear along the sides of the rectangles.
struct ContourPlot {
  std::string title, unit;
  std::vector<double> x, y;                         ///< rising [m]
  std::vector<double> values;                       ///< [j * x.size() + i]; none: things alone are drawn
  double left = 0, right = 1, bottom = 0, top = 1;  ///< what is shown [m]
  struct Circle {
    double x, y, radius;
    bool filled = false;
  };
  struct Box {
    double left, bottom, right, top;
  };
  struct Text {
    double x, y;  ///< of its middle, at its foot
    std::string text;
  };
  std::vector<Circle> circles;
  std::vector<Box> boxes;
  std::vector<Text> texts = {};
  std::vector<double> levels = {};  ///< none: five to ten round ones
  std::vector<double> dashed = {};  ///< levels beside these
};

/// Levels are written at the highest place of their lines; a bar tells the scale.
std::string contour_plot(ContourPlot const& plot);

/// The pieces of the line on which the field has a value: x0, y0, x1, y1 each (marching squares; a saddle by the mean of its
/// corners).
struct Piece {
  double x0, y0, x1, y1;
};
std::vector<Piece> contour(ContourPlot const& plot, double level);

}  // namespace tessera::io
