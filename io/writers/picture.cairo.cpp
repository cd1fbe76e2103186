// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/picture.hpp"
#include "core/error.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"
#include "io/pictures/canvas.cairo.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera::io {
namespace {

using core::Count;
using detail::Canvas, detail::faint, detail::gap, detail::ink, detail::line_height, detail::margin, detail::text_size,
    detail::title_size;

constexpr double bar_width = 18;
constexpr Count least_plot = 240;  // a smaller plot is enlarged, so that texts find room

/// A scratch canvas to measure texts with.
double width_of(std::string const& text, double size = text_size, bool bold = false) {
  return Canvas(1, 1).width_of(text, size, bold);
}

/// Unit of length that fits: its name and its size in metres.
std::pair<double, char const*> unit_of(double length) {
  for (auto const& unit : {std::pair{1e3, "km"}, {1.0, "m"}, {1e-3, "mm"}, {1e-6, "µm"}})
    if (length >= unit.first * 0.9999) return unit;
  return {1e-9, "nm"};
}

struct Extent {
  double lx, ly;  ///< [m]
  core::Index cells;
};

Extent extent_of(core::Grid const& grid, PictureStyle const& style) {
  core::Box const region = style.region.empty() ? grid.box() : style.region;
  auto const length = [&](int a, Count lo, Count hi) { return grid.axis(a).face(hi) - grid.axis(a).face(lo); };
  return {length(0, region.lo.i, region.hi.i), length(1, region.lo.j, region.hi.j), region.shape()};
}

std::string size_line(Extent const& extent, PictureStyle const& style) {
  if (!style.caption.empty()) return style.caption;
  std::string text = fmt::format("{} × {}{} cells", extent.cells.i, extent.cells.j,
                                 extent.cells.k > 1 ? fmt::format(" × {}", extent.cells.k) : "");
  auto const [unit, name] = unit_of(std::max(extent.lx, extent.ly));
  if (style.physical)
    text += fmt::format(",  {} × {} {}", readable(extent.lx / unit), readable(extent.ly / unit), name);
  return text;
}

/// Plot, title, size and scale bar; what is right of the plot is the caller's, who says how wide and high it is.
class Sheet {
 public:
  Sheet(Raster const& raster, Extent const& extent, PictureStyle const& style, double side_width, double side_height)
      : factor_(std::max<Count>(1, (least_plot + std::max(raster.width, raster.height) - 1) /
                                       std::max(raster.width, raster.height))),
        width_(static_cast<double>(raster.width * factor_)),
        height_(static_cast<double>(raster.height * factor_)),
        top_(margin + (style.title.empty() ? 0 : title_size + gap)),
        canvas_(
            std::max({margin + width_ + gap + side_width + margin, 2 * margin + width_of(style.title, title_size, true),
                      2 * margin + width_of(size_line(extent, style)) + 4}),
            top_ + std::max(height_, side_height) + gap + 2 * line_height + margin) {
    if (!style.title.empty()) canvas_.text(ink, margin, margin + title_size - 3, style.title, title_size, true);
    canvas_.image(raster, margin, top_, factor_);
    canvas_.frame(ink, margin, top_, width_, height_);
    scale_bar(extent, style);
    canvas_.text(faint, margin, below() + gap + 2 * line_height, size_line(extent, style));
  }
  Canvas& canvas() { return canvas_; }
  double right() const { return margin + width_ + gap; }
  double top() const { return top_; }
  double height() const { return height_; }

 private:
  double below() const { return top_ + height_; }
  /// About a quarter of the width, of a round length.
  void scale_bar(Extent const& extent, PictureStyle const& style) {
    double const length = style.physical ? extent.lx : static_cast<double>(extent.cells.i);
    double const power = std::pow(10.0, std::floor(std::log10(length / 4)));
    double bar = power;
    for (double const factor : {2.0, 5.0})
      if (factor * power <= length / 4) bar = factor * power;
    if (!style.physical) bar = std::max(1.0, bar);
    double const x = margin, y = below() + gap + 4, end = x + width_ * bar / length;
    canvas_.fill(ink, x, y, end - x, 3);
    canvas_.fill(ink, x, y - 3, 1, 9);
    canvas_.fill(ink, end - 1, y - 3, 1, 9);
    canvas_.text(ink, end + 8, y + 6,
                 style.physical ? fmt::format("{} {}", readable(bar / unit_of(bar).first), unit_of(bar).second)
                                : fmt::format("{} cell{}", readable(bar), bar == 1 ? "" : "s"));
  }

  Count factor_;
  double width_, height_, top_;
  Canvas canvas_;
};

void draw_bar(Sheet& page, Raster const& raster, Palette const& palette_of, std::string const& label) {
  Canvas& canvas = page.canvas();
  double const x = page.right(), top = page.top() + line_height, height = std::max(page.height() - line_height, 120.0);
  canvas.text(ink, x, page.top() + text_size - 2, label, text_size, true);
  for (int row = 0; row < static_cast<int>(height); ++row) {
    auto const level = static_cast<std::size_t>(255.0 * (1.0 - (row + 0.5) / height) + 0.5);
    canvas.fill(palette_of[level], x, top + row, bar_width, 1);
  }
  canvas.frame(ink, x, top, bar_width, std::floor(height));
  auto const values = ticks(raster.lo, raster.hi, std::clamp(static_cast<int>(height / 45), 3, 11));
  auto const names = labels(values);
  double const range = raster.hi - raster.lo;
  for (std::size_t n = 0; n < values.size(); ++n) {
    // the range of huge numbers may be none
    double const share = !(range > 0) ? 0.5 : std::isfinite(range) ? (values[n] - raster.lo) / range : n > 0;
    double const y = std::floor(top + (1 - share) * (height - 1)) + 0.5;
    canvas.line(ink, x + bar_width, y, x + bar_width + 5, y);
    canvas.text(ink, x + bar_width + 9, y + 4.5, names[n]);
  }
}

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.01 ? 3 : 1); }

void draw_legend(Sheet& page, std::vector<Category> const& shown, std::vector<double> const& shares) {
  Canvas& canvas = page.canvas();
  double const x = page.right();
  double y = page.top();
  for (std::size_t n = 0; n < shown.size(); ++n, y += (shares.empty() ? 1.25 : 2) * line_height) {
    canvas.fill(shown[n].colour, x, y, bar_width, bar_width);
    canvas.frame(ink, x, y, bar_width, bar_width);
    canvas.text(ink, x + bar_width + 9, y + 13, shown[n].name);
    if (!shares.empty()) canvas.text(faint, x + bar_width + 9, y + 13 + line_height - 4, percent(shares[n]), 11);
  }
}

}  // namespace

void draw_field(std::string const& file, core::FieldBase const& field, PictureStyle const& style) {
  Raster const raster = rasterize(field, style);
  core::Timed const timed(core::Part::io);
  on_root(field.layout().comm(), [&] {
    std::string const unit = style.unit.empty() ? field.info().units : style.unit;
    std::string const label = field.name() + (unit.empty() || unit == "1" ? "" : " [" + unit + "]");
    double width = width_of(label, text_size, true);
    for (auto const& name : labels(ticks(raster.lo, raster.hi, 11)))
      width = std::max(width, bar_width + 9 + width_of(name));
    Sheet page(raster, extent_of(field.layout().grid(), style), style, width, 120 + line_height);
    draw_bar(page, raster, palette(style.palette), label);
    page.canvas().write(file);
  });
}

void draw_masks(std::string const& file, std::span<Category const> categories, Category const& background,
                PictureStyle const& style) {
  Raster const raster = rasterize(categories, background.colour, style);
  core::Timed const timed(core::Part::io);
  core::Layout const& layout = categories[0].mask->layout();
  on_root(layout.comm(), [&] {
    // background first; each with its share of the cells
    std::vector<Category> shown{background};
    std::vector<double> shares{1};
    double width = width_of(background.name);
    for (std::size_t n = 0; n < categories.size(); ++n) {
      shown.push_back(categories[n]);
      shares.push_back(raster.shares[n]);
      shares[0] -= raster.shares[n];
      width = std::max(width, width_of(categories[n].name));
    }
    shares[0] = std::max(shares[0], 0.0);
    Sheet page(raster, extent_of(layout.grid(), style), style, bar_width + 9 + width,
               2 * line_height * static_cast<double>(shown.size()));
    if (!style.shares) shares.clear();
    draw_legend(page, shown, shares);
    page.canvas().write(file);
  });
}

}  // namespace tessera::io
