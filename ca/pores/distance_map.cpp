// SPDX-License-Identifier: Apache-2.0
#include "ca/pores/distance_map.hpp"

#include "core/grid/migrate.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace tessera::ca {
namespace {

using core::Count;
using core::Field;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Lines along one axis: each value g(i) becomes the least over q of (x_i - x_q)^2 + g(q).
class Lines {
 public:
  explicit Lines(core::Axis const& axis) : periodic_(axis.periodic), length_(axis.length()) {
    // equal cells by their number: places of faces are rounded
    bool const equal = axis.uniform();
    double const width = length_ / static_cast<double>(axis.cells());
    for (Count i = 0; i < axis.cells(); ++i)
      x_.push_back(equal ? width * static_cast<double>(i) : axis.centre(i) - axis.centre(0));
    values_.resize(x_.size());
    envelope_.resize(periodic_ ? 3 * x_.size() : x_.size());
  }
  void transform(double* line, Count stride) {
    auto const n = static_cast<Count>(x_.size());
    for (Count i = 0; i < n; ++i) values_[i] = line[i * stride];
    top_ = 0;
    if (periodic_) add_all(-length_);
    add_all(0);
    if (periodic_) add_all(length_);
    if (top_ == 0) return;
    std::size_t at = 0;
    for (Count i = 0; i < n; ++i) {
      while (at + 1 < top_ && envelope_[at + 1].from < x_[i]) ++at;
      double const d = x_[i] - envelope_[at].x;
      line[i * stride] = d * d + envelope_[at].value;
    }
  }

 private:
  /// (x - place)^2 + value, the lowest from `from` to that of the next.
  struct Parabola {
    double x, value, from;
  };
  void add_all(double shift) {
    for (std::size_t q = 0; q < x_.size(); ++q)
      if (values_[q] < infinity) add(x_[q] + shift, values_[q]);
  }
  void add(double x, double value) {
    double from = -infinity;
    while (top_ > 0) {
      Parabola const& last = envelope_[top_ - 1];
      from = ((value + x * x) - (last.value + last.x * last.x)) / (2 * (x - last.x));
      if (from > last.from) break;
      --top_;
    }
    envelope_[top_++] = {x, value, from};  // the first is never taken off
  }

  bool periodic_;
  double length_;
  std::vector<double> x_, values_;
  std::vector<Parabola> envelope_;
  std::size_t top_ = 0;
};

/// Tiles that are whole along an axis, of about 64 Ki cells, and as many as there are threads of all ranks.
core::Grid::Shape shape_of_lines(core::Grid const& grid, std::size_t axis, int workers) {
  auto const cells = grid.cells();
  core::Grid::Shape tile{1, 1, 1};
  Count const lines = grid.total() / cells[axis];
  Count left = std::clamp((Count{1} << 16) / cells[axis], Count{1}, std::max(Count{1}, lines / (4 * Count{workers})));
  for (std::size_t a = 0; a < 3; ++a) {
    tile[a] = a == axis ? cells[a] : std::min(cells[a], left);
    if (a != axis) left = std::max(Count{1}, left / tile[a]);
  }
  return tile;
}

/// All lines of a layout whose tiles are whole along the axis.
void transform_lines(Field<double>& field, int axis) {
  core::Layout const& layout = field.layout();
  core::for_each_tile_on_host("distances along lines", layout, [&, values = field.host(), axis](int slot) {
    core::TileInfo const& tile = layout.info(slot);
    Lines lines(layout.grid().axis(axis));
    Count const stride = axis == 0 ? 1 : axis == 1 ? values.row_stride : values.layer_stride;
    for (int k = 0; k < (axis == 2 ? 1 : tile.nk); ++k)
      for (int j = 0; j < (axis == 1 ? 1 : tile.nj); ++j)
        for (int i = 0; i < (axis == 0 ? 1 : tile.ni); ++i) lines.transform(&values(slot, k, j, i), stride);
  });
}

}  // namespace

Field<double> distance_map(Field<std::uint8_t> const& mask) {
  core::Layout const& layout = mask.layout();
  core::Grid const& grid = layout.grid();
  Field<double> result({.name = "distance", .description = "to the nearest cell of mask 0", .units = "m"}, layout, 0);
  core::for_each_on_host("mask", layout, [from = mask.host(), to = result.host()](int s, int k, int j, int i) {
    to(s, k, j, i) = from(s, k, j, i) == 0 ? 0 : infinity;
  });
  int const workers = core::workers(layout.comm());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid.thin(static_cast<int>(axis))) continue;
    auto const lined = std::make_shared<core::Grid const>(grid.with_tile(shape_of_lines(grid, axis, workers)));
    core::Layout const whole(lined, core::block_owners(lined->tiles(), layout.comm().size()), layout.comm());
    Field<double> along("distance", whole, 0);
    core::migrate(result, along);
    transform_lines(along, static_cast<int>(axis));
    core::migrate(along, result);
  }
  core::for_each_on_host(
      "root", layout, [to = result.host()](int s, int k, int j, int i) { to(s, k, j, i) = std::sqrt(to(s, k, j, i)); });
  return result;
}

}  // namespace tessera::ca
