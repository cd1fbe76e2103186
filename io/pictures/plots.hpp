// SPDX-License-Identifier: Apache-2.0
// Plots as SVG elements, for a page of HTML: text and axes in the page's own colour (currentColor).
#pragma once
#include "io/pictures/bar_chart.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// Curves over a number, a mark at each point.
struct LinePlot {
  struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points;  ///< by rising x; finite
    bool dashed = false;                            ///< a limit, without marks
  };
  std::string title, x_name, y_name;
  std::vector<Curve> curves;
  bool may_be_logarithmic = false;  ///< along x, where numbers above 0 reach over a factor 50 and more
};

/// Axes begin at 0, a logarithmic one at its least number. At most eight curves have colours of their own, more take the colours anew.
std::string line_plot(LinePlot const& plot);

/// The chart's rows are named by `labels`, one each, in the place of numbers.
std::string bar_plot(BarChart const& chart, std::vector<std::string> const& labels);

/// A text as HTML and SVG have it.
std::string escaped(std::string const& text);

}  // namespace tessera::io
