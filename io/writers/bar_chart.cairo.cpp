// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/bar_chart.hpp"

#include "io/pictures/canvas.cairo.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::io {
namespace {

using detail::Canvas, detail::faint, detail::gap, detail::ink, detail::line_height, detail::margin, detail::text_size,
    detail::title_size;

constexpr std::size_t most_rows = 600;
constexpr double plot_width = 720;

/// Means of `step` neighbours.
std::vector<double> thinned(std::vector<double> const& x, std::size_t step) {
  std::vector<double> result;
  for (std::size_t at = 0; at < x.size(); at += step) {
    auto const end = std::min(at + step, x.size());
    result.push_back(std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(at),
                                     x.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                     static_cast<double>(end - at));
  }
  return result;
}

void draw_axis(Canvas& canvas, double x, double top, double height, double longest) {
  for (double const value : ticks(0, longest, 8)) {
    double const at = std::floor(x + plot_width * value / longest) + 0.5;
    canvas.line(colours::light_grey, at, top, at, top + height);
    canvas.text(ink, at - 4, top + height + line_height - 4, readable(value));
  }
}

void draw_legend(Canvas& canvas, BarChart const& chart, double x, double y) {
  for (auto const& part : chart.parts) {
    canvas.fill(part.colour, x, y, 18, 18);
    canvas.frame(ink, x, y, 18, 18);
    double const mean =
        std::accumulate(part.values.begin(), part.values.end(), 0.0) / static_cast<double>(part.values.size());
    canvas.text(ink, x + 27, y + 13, fmt::format("{}: {} {} on average", part.name, readable(mean), chart.unit));
    y += 1.25 * line_height;
  }
}

}  // namespace

void draw_bars(std::string const& file, BarChart const& chart) {
  core::expect(!chart.parts.empty() && !chart.parts[0].values.empty(), "a chart has a part and a row at least");
  std::size_t const all = chart.parts[0].values.size(), step = (all + most_rows - 1) / most_rows;
  std::vector<std::vector<double>> values;
  for (auto const& part : chart.parts) {
    core::expect(part.values.size() == all, "the parts of a chart have equally many rows");
    values.push_back(thinned(part.values, step));
  }
  std::size_t const rows = values[0].size();
  double longest = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (auto const& part : values) sum += part[r];
    longest = std::max(longest, sum);
  }
  if (!(longest > 0)) longest = 1;

  double const row_height = std::clamp(std::floor(600.0 / static_cast<double>(rows)), 1.0, 28.0);
  double const height = row_height * static_cast<double>(rows), label = 70, side = 300;
  double const top = margin + title_size + gap, x = margin + label;
  double const legend = 1.25 * line_height * static_cast<double>(chart.parts.size());
  Canvas canvas(x + plot_width + gap + side + margin, top + std::max(height, legend) + 2 * line_height + margin);
  canvas.text(ink, margin, margin + title_size - 3, fmt::format("{} [{}]", chart.title, chart.unit), title_size, true);
  draw_axis(canvas, x, top, height, longest);
  // as many names as there is room for
  auto const every = static_cast<std::size_t>(std::ceil(line_height / row_height));
  double const space = row_height >= 6 ? 2 : 0;
  for (std::size_t r = 0; r < rows; ++r) {
    double const y = top + row_height * static_cast<double>(r);
    if (r % every == 0)
      canvas.text(ink, margin, y + std::min(row_height, line_height) / 2 + 5,
                  fmt::format("{} {}", chart.row_name, r * step));
    double at = x;
    for (std::size_t p = 0; p < values.size(); ++p) {
      double const width = plot_width * values[p][r] / longest;
      canvas.fill(chart.parts[p].colour, at, y + space / 2, width, row_height - space);
      at += width;
    }
  }
  canvas.frame(ink, x, top, plot_width, height);
  draw_legend(canvas, chart, x + plot_width + gap, top);
  if (step > 1)
    canvas.text(faint, margin, top + std::max(height, legend) + 2 * line_height,
                fmt::format("each bar is the mean of {} {}s", step, chart.row_name));
  canvas.write(file);
}

}  // namespace tessera::io
