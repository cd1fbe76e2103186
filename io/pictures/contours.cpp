// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/contours.hpp"

#include "io/pictures/palette.hpp"
#include "io/pictures/plots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io {
namespace {

/// 1, 2 or 5 times a power of ten, of which at most so many go into a length.
double round_step(double length, double most) {
  double const raw = length / most, power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

std::vector<double> levels_of(ContourPlot const& plot) {
  if (!plot.levels.empty() || plot.values.empty()) return plot.levels;
  auto const [low, high] = std::minmax_element(plot.values.begin(), plot.values.end());
  std::vector<double> result;
  if (!(*high > *low)) return result;
  double const step = round_step(*high - *low, 10);
  for (double n = std::ceil(*low / step); n * step < *high; ++n) result.push_back(n * step);
  return result;
}

/// From places to the picture.
struct View {
  ContourPlot const& plot;
  double scale, height;
  static constexpr double wide = 520, head = 26, foot = 34;
  explicit View(ContourPlot const& of)
      : plot(of),
        scale(wide / (of.right - of.left)),
        height((of.top - of.bottom) * scale) {}
  double x(double at) const { return (at - plot.left) * scale; }
  double y(double at) const { return head + (plot.top - at) * scale; }
  bool shows(double px, double py) const {
    return px >= plot.left && px <= plot.right && py >= plot.bottom && py <= plot.top;
  }
};

std::string colour_of(double share) {
  auto const& c = palette("viridis")[static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * 235)];
  return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
}

/// Numbers on lines, none over another.
class Labels {
 public:
  std::string add(double x, double y, double level) {
    std::string const text = fmt::format("{:.6g}", level);
    double const half = 4.0 * static_cast<double>(text.size());
    for (auto const& b : boxes_)
      if (std::abs(b[0] - x) < b[2] + half && std::abs(b[1] - y) < 12) return "";
    boxes_.push_back({x, y, half});
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x, y, text);
  }

 private:
  std::vector<std::array<double, 3>> boxes_;  // the middle, half the width
};

std::string line(View const& view, double level, std::string const& colour, bool dashed, Labels& labels) {
  std::string path;
  double best = -1e300, x = 0;
  for (Piece const& p : contour(view.plot, level)) {
    if (!view.shows(p.x0, p.y0) && !view.shows(p.x1, p.y1)) continue;
    path += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", view.x(p.x0), view.y(p.y0), view.x(p.x1), view.y(p.y1));
    if (view.shows(p.x0, p.y0) && p.y0 > best) {
      best = p.y0;
      x = p.x0;
    }
  }
  if (path.empty()) return "";
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-linecap=\"round\"{}/>\n",
                     path, colour, dashed ? " stroke-dasharray=\"4 3\"" : "") +
         (best > -1e300 ? labels.add(view.x(x), view.y(best) - 3, level) : "");
}

/// The sides of a box, as far as they are shown.
std::string outline(View const& view, ContourPlot::Box const& box) {
  auto const& plot = view.plot;
  double const left = std::max(box.left, plot.left), right = std::min(box.right, plot.right),
               bottom = std::max(box.bottom, plot.bottom), top = std::min(box.top, plot.top);
  if (left > right || bottom > top) return "";
  std::string path;
  for (double const y : {box.bottom, box.top})
    if (y == bottom || y == top) path += fmt::format("M{:.1f} {:.1f}H{:.1f}", view.x(left), view.y(y), view.x(right));
  for (double const x : {box.left, box.right})
    if (x == left || x == right) path += fmt::format("M{:.1f} {:.1f}V{:.1f}", view.x(x), view.y(bottom), view.y(top));
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".6\"/>\n", path);
}

std::string things(View const& view) {
  std::string svg;
  for (auto const& b : view.plot.boxes) svg += outline(view, b);
  for (auto const& c : view.plot.circles)
    svg += fmt::format(
        "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\" fill-opacity=\".5\" stroke=\"currentColor\" "
        "stroke-width=\".7\"/>\n",
        view.x(c.x), view.y(c.y), c.radius * view.scale, c.filled ? "currentColor" : "none");
  for (auto const& t : view.plot.texts)
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", view.x(t.x), view.y(t.y),
                       escaped(t.text));
  return svg;
}

}  // namespace

std::vector<Piece> contour(ContourPlot const& plot, double level) {
  std::vector<Piece> result;
  std::size_t const columns = plot.x.size();
  for (std::size_t j = 0; j + 1 < plot.y.size(); ++j)
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      // corners anticlockwise from the lower left
      std::array<std::array<double, 2>, 4> const at{{{plot.x[i], plot.y[j]},
                                                     {plot.x[i + 1], plot.y[j]},
                                                     {plot.x[i + 1], plot.y[j + 1]},
                                                     {plot.x[i], plot.y[j + 1]}}};
      std::array<double, 4> const v{plot.values[j * columns + i], plot.values[j * columns + i + 1],
                                    plot.values[(j + 1) * columns + i + 1], plot.values[(j + 1) * columns + i]};
      std::vector<std::array<double, 2>> ends;
      for (std::size_t n = 0; n < 4; ++n) {
        std::size_t const next = (n + 1) % 4;
        if ((v[n] < level) == (v[next] < level)) continue;
        double const share = (level - v[n]) / (v[next] - v[n]);
        ends.push_back({at[n][0] + share * (at[next][0] - at[n][0]), at[n][1] + share * (at[next][1] - at[n][1])});
      }
      if (ends.size() == 2) {
        result.push_back({ends[0][0], ends[0][1], ends[1][0], ends[1][1]});
      } else if (ends.size() == 4) {
        // the middle lies with the first corner: the lines cut off the other two
        bool const with_first = ((v[0] + v[1] + v[2] + v[3]) / 4 < level) == (v[0] < level);
        for (std::size_t n : {std::size_t{0}, std::size_t{2}}) {
          auto const &a = ends[n], &b = ends[(n + (with_first ? 1 : 3)) % 4];
          result.push_back({a[0], a[1], b[0], b[1]});
        }
      }
    }
  return result;
}

std::string contour_plot(ContourPlot const& plot) {
  View const view(plot);
  auto const levels = levels_of(plot);
  std::string inside = fmt::format("<text x=\"{:.0f}\" y=\"16\" text-anchor=\"middle\" class=\"title\">{}</text>\n",
                                   View::wide / 2, escaped(plot.title));
  inside +=
      fmt::format("<rect x=\"0\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"currentColor\" "
                  "stroke-opacity=\".3\"/>\n",
                  View::head, View::wide, view.height);
  Labels labels;
  for (std::size_t n = 0; n < levels.size(); ++n)
    inside += line(view, levels[n],
                   colour_of(static_cast<double>(n) / static_cast<double>(std::max<std::size_t>(1, levels.size() - 1))),
                   false, labels);
  for (double level : plot.dashed) inside += line(view, level, "#d55e00", true, labels);
  inside += things(view);
  double const bar = round_step(plot.right - plot.left, 5), low = View::head + view.height + 14;
  inside +=
      fmt::format("<path d=\"M2 {0:.1f}H{1:.1f}\" stroke=\"currentColor\" stroke-width=\"2\"/>\n<text x=\"{2:.1f}\" "
                  "y=\"{3:.1f}\">{4:.6g} m{5}</text>\n",
                  low, 2 + bar * view.scale, 10 + bar * view.scale, low + 4, bar,
                  plot.values.empty() ? "" : "; lines: " + escaped(plot.unit));
  return fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"max-width:{0:.0f}px\" "
                     "role=\"img\">\n<title>{2}</title>\n{3}</svg>\n",
                     View::wide, View::head + view.height + View::foot, escaped(plot.title), inside);
}

}  // namespace tessera::io
