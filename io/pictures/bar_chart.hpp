// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/pictures/palette.hpp"

#include <string>
#include <vector>

namespace tessera::io {

/// Horizontal bars, one a row, each a stack of parts: where the time of every rank went.
struct BarChart {
  struct Part {
    std::string name;
    Colour colour;
    std::vector<double> values;  ///< one a row, >= 0
  };
  std::string title, unit;
  std::string row_name = "rank";  ///< rows are named by it and their number
  std::vector<Part> parts;        ///< from the left to the right
};

/// Draws a chart as PNG, with a legend that gives the mean of each part. More rows than 600 are drawn as means of as many
/// neighbours as are needed. Throws core::RunError when it cannot be written. One rank only.
void draw_bars(std::string const& file, BarChart const& chart);

}  // namespace tessera::io
