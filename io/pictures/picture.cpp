// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/picture.hpp"

#include "core/error.hpp"
#include "core/grid/rows.hpp"
#include "core/times.hpp"
#include "io/stream/sum_up.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <variant>

namespace tessera::io {
namespace {

using core::Box;
using core::Count;

/// Cells [first, last) of one pixel along an axis.
struct Cells {
  Count first, last;
};

/// Which cells the pixels of one axis show: those with their centres in the pixel, or the one at the pixel's centre.
std::vector<Cells> cells_of_pixels(core::Axis const& axis, Count lo, Count hi, Count pixels) {
  double const origin = axis.face(lo), length = axis.face(hi) - origin;
  auto const edge = [&](Count p) { return origin + length * static_cast<double>(p) / static_cast<double>(pixels); };
  std::vector<Cells> result(pixels);
  Count next = lo;
  for (Count p = 0; p < pixels; ++p) {
    Count const first = next;
    while (next < hi && (axis.centre(next) < edge(p + 1) || p + 1 == pixels)) ++next;
    auto& cells = result[p];
    cells = {first, next};
    if (first < next) continue;
    double const centre = 0.5 * (edge(p) + edge(p + 1));
    Count const cell = std::clamp<Count>(axis.faces_up_to(centre) - 1, lo, hi - 1);
    cells = {cell, cell + 1};
  }
  return result;
}

/// The plane of cells shown and the pixels that show it.
struct Plane {
  Box region;
  std::vector<Cells> x, y;

  Plane(core::Grid const& grid, PictureStyle const& style) {
    region = style.region.empty() ? grid.box() : core::intersect(style.region, grid.box());
    core::expect(!region.empty(), "a picture shows at least one cell");
    Count const k = style.layer < 0 ? (region.lo.k + region.hi.k - 1) / 2 : style.layer;
    core::expect(region.lo.k <= k && k < region.hi.k, "the layer shown lies in the grid");
    region.lo.k = k;
    region.hi.k = k + 1;
    auto const [nx, ny] = size(grid, style);
    x = cells_of_pixels(grid.axis(0), region.lo.i, region.hi.i, nx);
    y = cells_of_pixels(grid.axis(1), region.lo.j, region.hi.j, ny);
  }
  std::size_t pixels() const { return x.size() * y.size(); }
  /// Pixels of a cell along both axes; 0 where that is not one number.
  std::size_t pixels_a_cell() const {
    core::Index const n = region.shape();
    auto const nx = static_cast<std::size_t>(n.i), ny = static_cast<std::size_t>(n.j), each = x.size() / nx;
    return each > 0 && x.size() == each * nx && y.size() == each * ny ? each : 0;
  }
  /// Where a pixel lies in its cell of each x each pixels, counted row by row from the top.
  std::size_t in_cell(std::size_t pixel, std::size_t each) const {
    return (each - 1 - pixel / x.size() % each) * each + pixel % x.size() % each;
  }
  Count cells_in(std::size_t p, std::size_t q) const { return (x[p].last - x[p].first) * (y[q].last - y[q].first); }

  /// Calls f(k, j), local to the tile, for the rows that a tile shows.
  template <class F>
  void for_each_row(Box const& tile, F const& f) const {
    Box const part = core::intersect(tile, region);
    for (Count j = part.lo.j; j < part.hi.j && !part.empty(); ++j)
      f(static_cast<int>(part.lo.k - tile.lo.k), static_cast<int>(j - tile.lo.j));
  }
  /// Calls f(pixel, local i of the first and of the last + 1 cell) for what such a row shows in each pixel.
  template <class F>
  void for_each_pixel(Box const& tile, int j, F const& f) const {
    Count const row = tile.lo.j + j, lo = std::max(tile.lo.i, region.lo.i), hi = std::min(tile.hi.i, region.hi.i);
    auto const ends_before = [](Cells const& c, Count i) { return c.last <= i; };
    auto const from_x = std::lower_bound(x.begin(), x.end(), lo, ends_before);
    auto const from_y = std::lower_bound(y.begin(), y.end(), row, ends_before);
    for (auto q = from_y; q != y.end() && q->first <= row; ++q)
      for (auto p = from_x; p != x.end() && p->first < hi; ++p)
        f(static_cast<std::size_t>(q - y.begin()) * x.size() + static_cast<std::size_t>(p - x.begin()),
          static_cast<int>(std::max(p->first, lo) - tile.lo.i), static_cast<int>(std::min(p->last, hi) - tile.lo.i));
  }

 private:
  /// As many pixels as the narrowest cells ask for, within width x height, a whole number a cell where cells are equal.
  std::array<Count, 2> size(core::Grid const& grid, PictureStyle const& style) const {
    auto const narrowest = [&](int a, Count lo, Count hi) {
      double width = std::numeric_limits<double>::infinity();
      for (Count i = lo; i < hi; ++i) width = std::min(width, grid.axis(a).width(i));
      return width;
    };
    double const lx = grid.axis(0).face(region.hi.i) - grid.axis(0).face(region.lo.i);
    double const ly = grid.axis(1).face(region.hi.j) - grid.axis(1).face(region.lo.j);
    double const cell = std::min(narrowest(0, region.lo.i, region.hi.i), narrowest(1, region.lo.j, region.hi.j));
    // pixels a metre, and a narrowest cell
    double scale = std::min(static_cast<double>(style.width) / lx, static_cast<double>(style.height) / ly);
    if (scale * cell >= 1) scale = std::floor(scale * cell * (1 + 1e-12)) / cell;
    auto const pixels = [&](double length, Count most) {
      return std::clamp<Count>(std::llround(length * scale), 1, most);
    };
    return {pixels(lx, style.width), pixels(ly, style.height)};
  }
};

/// Rows of the plane turned round: pictures begin at the top.
std::size_t from_top(Plane const& plane, std::size_t pixel) {
  std::size_t const width = plane.x.size(), row = pixel / width;
  return (plane.y.size() - 1 - row) * width + pixel % width;
}

Raster empty_raster(Plane const& plane) {
  Raster raster;
  raster.width = static_cast<Count>(plane.x.size());
  raster.height = static_cast<Count>(plane.y.size());
  return raster;
}

/// Smallest and largest finite value of the cells shown, on all ranks; {0, 1} where there is none.
template <class T>
std::array<double, 2> extremes(core::Field<T> const& field, Plane const& plane) {
  core::Layout const& layout = field.layout();
  core::RowReader rows(field);
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    Box const tile = layout.grid().tile_box(layout.info(slot).tile), part = core::intersect(tile, plane.region);
    plane.for_each_row(tile, [&](int k, int j) {
      T const* const row = rows.row(slot, k, j);
      for (Count i = part.lo.i - tile.lo.i; i < part.hi.i - tile.lo.i; ++i) {
        auto const value = static_cast<double>(row[i]);
        if (!std::isfinite(value)) continue;
        lo = std::min(lo, value);
        hi = std::max(hi, value);
      }
    });
  }
  lo = layout.comm().min(lo);
  hi = layout.comm().max(hi);
  return lo <= hi ? std::array{lo, hi} : std::array{0.0, 1.0};
}

constexpr double fine = 1 << 20;  // steps between lo and hi: values are summed as integers, so in any order alike

}  // namespace

Raster rasterize(core::FieldBase const& field, PictureStyle const& style) {
  core::Timed const timed(core::Part::io);
  Palette const& colours_of = palette(style.palette);
  core::Layout const& layout = field.layout();
  Plane const plane(layout.grid(), style);
  std::vector<std::int64_t> sums(2 * plane.pixels());  // values, and number of them
  std::span<std::int64_t> const values(sums.data(), plane.pixels()),
      counts(sums.data() + plane.pixels(), plane.pixels());
  Raster raster = empty_raster(plane);
  core::visit(field, [&]<class T>(core::Field<T> const& f) {
    auto const range = extremes(f, plane);
    // fmin and fmax pass over NaN
    raster.lo = std::isnan(style.lo) ? std::fmin(range[0], style.least_lo) : style.lo;
    raster.hi = std::isnan(style.hi) ? std::fmax(range[1], style.least_hi) : style.hi;
    double const wanted = raster.hi > raster.lo ? fine / (raster.hi - raster.lo) : 0;
    double const scale = std::isfinite(wanted) ? wanted : 0;  // values as near as denormal numbers are one colour
    core::RowReader rows(f);
    for (int slot = 0; slot < layout.tiles(); ++slot) {
      Box const tile = layout.grid().tile_box(layout.info(slot).tile);
      plane.for_each_row(tile, [&](int k, int j) {
        T const* const row = rows.row(slot, k, j);
        plane.for_each_pixel(tile, j, [&](std::size_t pixel, int first, int last) {
          for (int i = first; i < last; ++i) {
            double const x = (static_cast<double>(row[i]) - raster.lo) * scale;
            if (!std::isfinite(x)) continue;
            values[pixel] += static_cast<std::int64_t>(std::clamp(x, 0.0, fine));
            ++counts[pixel];
          }
        });
      });
    }
  });
  detail::sum_up(layout.comm(), std::span(sums));
  if (!layout.comm().root()) return raster;
  raster.pixels.resize(plane.pixels());
  for (std::size_t pixel = 0; pixel < plane.pixels(); ++pixel) {
    double const mean =
        counts[pixel] > 0 ? static_cast<double>(values[pixel]) / static_cast<double>(counts[pixel]) / fine : 0;
    raster.pixels[from_top(plane, pixel)] = counts[pixel] > 0 ? colours_of[std::lround(255 * mean)] : colours::grey;
  }
  return raster;
}

namespace {

/// The rows of a kind of cells.
class MaskRows {
 public:
  explicit MaskRows(Category const& kind) : value_(kind.value) {
    core::visit(*kind.mask, [&]<class T>(core::Field<T> const& f) { rows_.emplace(core::RowReader(f)); });
  }
  /// Writes `category` to cells of a row where it is.
  void overlay(int slot, int k, int j, std::uint8_t category, std::span<std::uint8_t> row) {
    std::visit(
        [&]<class T>(core::RowReader<T>& rows) {
          T const* const values = rows.row(slot, k, j);
          bool const one_value = !std::isnan(value_);
          T const wanted = one_value ? static_cast<T>(value_) : T{0};
          for (std::size_t i = 0; i < row.size(); ++i) row[i] = (values[i] == wanted) == one_value ? category : row[i];
        },
        *rows_);
  }

 private:
  double value_;
  std::optional<std::variant<core::RowReader<std::uint8_t>, core::RowReader<std::int32_t>,
                             core::RowReader<std::int64_t>, core::RowReader<float>, core::RowReader<double>>>
      rows_;
};

/// Red, green and blue in one number, which sums of up to `most_summed` colours fit into, too.
std::uint64_t joined(Colour c) { return c.r | std::uint64_t{c.g} << 21 | std::uint64_t{c.b} << 42; }
constexpr int most_summed = (1 << 21) / 256;

}  // namespace

Raster rasterize(std::span<Category const> categories, Colour background, PictureStyle const& style) {
  core::Timed const timed(core::Part::io);
  core::expect(!categories.empty() && categories.size() < 255, "a picture of masks has 1 to 254 of them");
  core::Layout const& layout = categories[0].mask->layout();
  Plane const plane(layout.grid(), style);
  std::vector<std::uint64_t> table{joined(background)};
  for (auto const& category : categories) table.push_back(joined(category.colour));
  std::size_t const each = plane.pixels_a_cell();
  std::vector<std::vector<std::uint64_t>> icons(table.size());  // none, or as many pixels as a cell has
  for (std::size_t n = 0; n < categories.size(); ++n)
    if (each > 1 && categories[n].icon.size() == each * each)
      for (Colour const colour : categories[n].icon) icons[n + 1].push_back(joined(colour));
  bool const has_icons = std::any_of(icons.begin(), icons.end(), [](auto const& icon) { return !icon.empty(); });
  std::vector<MaskRows> masks(categories.begin(), categories.end());
  std::vector<std::int64_t> sums(3 * plane.pixels()), cells(table.size());
  std::vector<std::uint8_t> top;  // of a row: the last category that each cell belongs to, + 1
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    Box const tile = layout.grid().tile_box(layout.info(slot).tile), part = core::intersect(tile, plane.region);
    plane.for_each_row(tile, [&](int k, int j) {
      top.assign(static_cast<std::size_t>(tile.shape().i), 0);
      for (std::size_t n = 0; n < masks.size(); ++n)
        masks[n].overlay(slot, k, j, static_cast<std::uint8_t>(n + 1), top);
      for (std::size_t n = 1; n < cells.size(); ++n)
        cells[n] += std::count(top.begin() + (part.lo.i - tile.lo.i), top.begin() + (part.hi.i - tile.lo.i),
                               static_cast<std::uint8_t>(n));
      plane.for_each_pixel(tile, j, [&](std::size_t pixel, int first, int last) {
        auto const add = [&](std::uint64_t sum) {
          for (std::size_t channel = 0; channel < 3; ++channel)
            sums[3 * pixel + channel] += static_cast<std::int64_t>(sum >> 21 * channel & ((1u << 21) - 1));
        };
        if (has_icons)  // a pixel is of one cell then
          if (auto const& icon = icons[top[static_cast<std::size_t>(first)]]; !icon.empty())
            return add(icon[plane.in_cell(pixel, each)]);
        for (int i = first; i < last;) {
          std::uint64_t sum = 0;
          for (int const end = std::min(last, i + most_summed); i < end; ++i)
            sum += table[top[static_cast<std::size_t>(i)]];
          add(sum);
        }
      });
    });
  }
  detail::sum_up(layout.comm(), std::span(sums));
  detail::sum_up(layout.comm(), std::span(cells));
  Raster raster = empty_raster(plane);
  if (!layout.comm().root()) return raster;
  for (std::size_t n = 1; n < cells.size(); ++n)
    raster.shares.push_back(static_cast<double>(cells[n]) / static_cast<double>(plane.region.cells()));
  raster.pixels.resize(plane.pixels());
  for (std::size_t pixel = 0; pixel < plane.pixels(); ++pixel) {
    Count const n = plane.cells_in(pixel % plane.x.size(), pixel / plane.x.size());
    auto const mean = [&](std::size_t channel) {
      return static_cast<std::uint8_t>((sums[3 * pixel + channel] + n / 2) / n);
    };
    raster.pixels[from_top(plane, pixel)] = {mean(0), mean(1), mean(2)};
  }
  return raster;
}

std::vector<double> ticks(double lo, double hi, int most) {
  if (!(hi > lo) || most < 2) return {lo};
  constexpr double countable = 0x1p50;  // beyond, lo / step is no whole number that n + 1 differs from
  double const power = std::pow(10.0, std::floor(std::log10((hi - lo) / most)));
  for (double const factor : {1.0, 2.0, 5.0, 10.0, 20.0}) {
    double const step = factor * power, first = std::ceil(lo / step - 1e-9), last = std::floor(hi / step + 1e-9);
    if (!(std::abs(first) < countable && std::abs(last) < countable && std::isfinite(step))) break;
    if (last - first + 1 > most) continue;
    if (last < first) break;
    std::vector<double> result;
    for (int n = 0; n <= static_cast<int>(last - first); ++n) result.push_back((first + n) * step);
    return result;
  }
  return {lo, hi};
}

std::vector<std::string> labels(std::vector<double> const& values) {
  std::vector<std::string> result;
  for (double const value : values) result.push_back(readable(value));
  auto const alike = [&] {
    for (std::size_t n = 1; n < values.size(); ++n)
      if (result[n] == result[n - 1] && values[n] != values[n - 1]) return true;
    return false;
  };
  for (int digits = 6; digits <= 17 && alike(); ++digits)
    for (std::size_t n = 0; n < values.size(); ++n) result[n] = fmt::format("{:.{}g}", values[n], digits);
  return result;
}

std::string readable(double value) {
  double const size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e5 || size < 1e-3) return fmt::format("{:.3g}", value);
  return fmt::format("{:.4g}", value) == fmt::format("{:.5g}", value) ? fmt::format("{:.4g}", value)
                                                                      : fmt::format("{:.5g}", value);
}

}  // namespace tessera::io
