// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/plots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace tessera::io {
namespace {

constexpr std::array series_colours{colours::blue,   colours::vermillion, colours::green, colours::purple,
                                    colours::orange, colours::sky_blue,   colours::grey,  Colour{120, 94, 240}};

std::string web(Colour c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

/// The distance between ticks of which four to eight reach from 0 to `most`: 1, 2 or 5 times a power of ten.
double tick(double most) {
  double const raw = most / 5, power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

std::string text(double x, double y, std::string const& words, char const* anchor = "middle", char const* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(words));
}

/// A rectangle of the plot and what its axes reach to.
struct Frame {
  double left, top, right, bottom, most_x, most_y;
  double least_x = 0;  ///< above 0: of a logarithmic axis
  double x(double value) const {
    double const share = least_x > 0 ? std::log(value / least_x) / std::log(most_x / least_x) : value / most_x;
    return left + share * (right - left);
  }
  double y(double value) const { return bottom - value / most_y * (bottom - top); }
};

/// Numbers at the lines of an axis: powers of ten where it is logarithmic, as many as have room for their
/// texts.
std::vector<double> ticks_along_x(Frame const& f) {
  std::vector<double> ticks;
  if (f.least_x <= 0) {
    for (double step = tick(f.most_x), n = 0; n * step <= f.most_x * 1.0001; ++n) ticks.push_back(n * step);
    return ticks;
  }
  int const first = static_cast<int>(std::ceil(std::log10(f.least_x) - 1e-9)),
            last = static_cast<int>(std::floor(std::log10(f.most_x) + 1e-9)), step = 1 + (last - first) / 7;
  for (int n = first; n <= last; n += step) ticks.push_back(std::pow(10, n));
  return ticks;
}

std::vector<double> ticks_along_y(double most) {
  std::vector<double> ticks;
  for (double step = tick(most), n = 0; n * step <= most * 1.0001; ++n) ticks.push_back(n * step);
  return ticks;
}
/// Room for these numbers on the left of a plot, and the axis' name beside them.
double room_for(std::vector<double> const& ticks) {
  std::size_t longest = 0;
  for (double const at : ticks) longest = std::max(longest, fmt::format("{:.6g}", at).size());
  return std::max(56.0, 32 + 7.0 * static_cast<double>(longest));
}

std::string grid(Frame const& f, bool along_x, bool along_y) {
  std::string svg;
  if (along_y)
    for (double const at : ticks_along_y(f.most_y)) {
      svg += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", f.left,
                         f.right, f.y(at), f.y(at));
      svg += text(f.left - 6, f.y(at) + 4, fmt::format("{:.6g}", at), "end");
    }
  if (along_x)
    for (double const at : ticks_along_x(f)) {
      svg += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", f.x(at),
                         f.x(at), f.top, f.bottom);
      svg += text(f.x(at), f.bottom + 16, fmt::format("{:.6g}", at));
    }
  return svg;
}

std::string whole(double width, double height, std::string const& title, std::string const& inside) {
  return fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"max-width:{0:.0f}px\" "
                     "role=\"img\">\n<title>{2}</title>\n{3}</svg>\n",
                     width, height, escaped(title), text(width / 2, 16, title, "middle", " class=\"title\"") + inside);
}

std::string curve(LinePlot::Curve const& one, std::string const& colour, Frame const& f) {
  std::string path, marks;
  for (auto const& [x, y] : one.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", f.x(x), f.y(y));
    if (!one.dashed)
      marks += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}: {:.6g}, {:.4g}</title></circle>\n",
          f.x(x), f.y(y), colour, escaped(one.name), x, y);
  }
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", path, colour,
                     one.dashed ? " stroke-dasharray=\"5 5\"" : "") +
         marks;
}

}  // namespace

std::string escaped(std::string const& text) {
  std::string safe;
  for (char c : text) switch (c) {
    case '&':
      safe += "&amp;";
      break;
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '"':
      safe += "&quot;";
      break;
    default:
      safe += c;
    }
  return safe;
}

std::string line_plot(LinePlot const& plot) {
  double least_x = std::numeric_limits<double>::infinity(), most_x = 0, most_y = 0;
  for (auto const& one : plot.curves)
    for (auto const& [x, y] : one.points) {
      least_x = std::min(least_x, x);
      most_x = std::max(most_x, x);
      most_y = std::max(most_y, y);
    }
  if (!(most_x > 0)) most_x = 1;
  if (!(most_y > 0)) most_y = 1;
  double const width = 480, legend = 18.0 * static_cast<double>(plot.curves.size()), height = 330 + legend;
  constexpr double wide = 50;
  bool const logarithmic = plot.may_be_logarithmic && least_x > 0 && most_x / least_x >= wide;
  double const top = most_y * 1.05, left = room_for(ticks_along_y(top));
  Frame const f = logarithmic ? Frame{left, 30, width - 20, 280, most_x * 1.2, top, least_x / 1.2}
                              : Frame{left, 30, width - 20, 280, most_x * 1.05, top};
  std::string svg = grid(f, true, true);
  svg += text((f.left + f.right) / 2, f.bottom + 36, plot.x_name);
  svg += text(14, (f.top + f.bottom) / 2, plot.y_name, "middle",
              fmt::format(" transform=\"rotate(-90 14 {:.1f})\"", (f.top + f.bottom) / 2).c_str());
  double y = f.bottom + 56;
  std::size_t n = 0;
  for (auto const& one : plot.curves) {
    std::string const colour = one.dashed ? "currentColor" : web(series_colours[n++ % series_colours.size()]);
    svg += curve(one, colour, f);
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" stroke-width=\"2\"{4}/>\n",
        f.left, f.left + 24, y - 4, colour, one.dashed ? " stroke-dasharray=\"5 5\"" : "");
    svg += text(f.left + 30, y, one.name, "start");
    y += 18;
  }
  return whole(width, height, plot.title, svg);
}

std::string bar_plot(BarChart const& chart, std::vector<std::string> const& labels) {
  auto const sum_of = [&](std::size_t row) {
    double sum = 0;
    for (auto const& part : chart.parts) sum += part.values[row];
    return sum;
  };
  double most = 0;
  std::size_t longest = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    most = std::max(most, sum_of(row));
    longest = std::max(longest, labels[row].size());
  }
  if (!(most > 0)) most = 1;
  double const row_height = 22, left = std::min(20 + 6.6 * static_cast<double>(longest), 420.0), width = left + 520;
  double const bottom = 30 + row_height * static_cast<double>(labels.size());
  Frame const f{left, 30, width - 40, bottom, most * 1.02, 1};
  std::string svg = grid(f, true, false);
  for (std::size_t row = 0; row < labels.size(); ++row) {
    double const y = f.top + row_height * static_cast<double>(row);
    double at = 0;
    svg += text(f.left - 6, y + 15, labels[row], "end");
    for (auto const& part : chart.parts) {
      double const value = part.values[row];
      if (!(value > 0)) continue;
      svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"16\" fill=\"{}\"><title>{}: {:.4g} "
                         "{}</title></rect>\n",
                         f.x(at), y + 3, f.x(value) - f.left, web(part.colour), escaped(part.name), value,
                         escaped(chart.unit));
      at += value;
    }
  }
  svg += text((f.left + f.right) / 2, bottom + 34, chart.unit);
  double x = left;
  for (auto const& part : chart.parts) {
    if (std::all_of(part.values.begin(), part.values.end(), [](double v) { return !(v > 0); })) continue;
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, bottom + 44,
                       web(part.colour));
    svg += text(x + 17, bottom + 54, part.name, "start");
    x += 34 + 7.0 * static_cast<double>(part.name.size());
  }
  return whole(width, bottom + 66, chart.title, svg);
}

}  // namespace tessera::io
