// SPDX-License-Identifier: Apache-2.0
#include "core/grid/grid.hpp"

#include "core/error.hpp"
#include "core/grid/tile_shape.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <ranges>
#include <utility>

namespace tessera::core {

bool Axis::uniform() const {
  if (faces_.empty()) return true;
  double const first = width(0);
  for (Count i = 1; i < cells(); ++i)
    if (std::abs(width(i) - first) > 1e-9 * first) return false;
  return true;
}

Axis Axis::make_uniform(Count cells, double origin, double length, bool periodic) {
  return make_graded(cells, origin, length, 1.0, periodic);
}

Axis Axis::make_graded(Count cells, double origin, double length, double expansion, bool periodic) {
  if (cells < 1) throw Error(fmt::format("an axis needs at least one cell, not {}", cells));
  if (!(length > 0)) throw Error(fmt::format("the length of an axis must be positive, not {}", length));
  if (!(expansion > 0)) throw Error(fmt::format("the expansion ratio must be positive, not {}", expansion));
  Axis axis;
  axis.periodic = periodic;
  axis.cells_ = cells;
  axis.origin_ = origin;
  axis.length_ = length;
  double const n = static_cast<double>(cells);
  double const ratio = cells > 1 ? std::pow(expansion, 1.0 / (n - 1)) : 1.0;
  if (std::abs(ratio - 1) < 1e-12) return axis;
  axis.faces_.resize(static_cast<std::size_t>(cells) + 1);
  for (Count f = 0; f <= cells; ++f) {
    // lambda(f) = (1 - ratio^f) / (1 - ratio^n)
    double const part = std::expm1(static_cast<double>(f) * std::log(ratio)) / std::expm1(n * std::log(ratio));
    axis.faces_[f] = origin + length * part;
  }
  axis.faces_.back() = origin + length;
  return axis;
}

Count Axis::faces_below(double x) const {
  auto const numbers = std::views::iota(Count{0}, cells_ + 1);
  return *std::ranges::partition_point(numbers, [&](Count i) { return face(i) < x; });
}

Count Axis::faces_up_to(double x) const {
  auto const numbers = std::views::iota(Count{0}, cells_ + 1);
  return *std::ranges::partition_point(numbers, [&](Count i) { return face(i) <= x; });
}

std::vector<double> Axis::faces(Count first, Count last) const {
  std::vector<double> result;
  result.reserve(last - first + 1);
  for (Count i = first; i <= last; ++i) result.push_back(face(i));
  return result;
}

namespace {

/// A shape for the axes that have none, and none larger than the grid.
Grid::Shape filled(Grid::Shape const& cells, Grid::Shape tile) {
  auto const automatic = choose_tile(TileUse::sums, cells);
  for (std::size_t a = 0; a < 3; ++a) tile[a] = std::min(tile[a] > 0 ? tile[a] : automatic[a], cells[a]);
  return tile;
}

}  // namespace

Grid::Grid(std::array<Axis, 3> axes, Shape tile) : axes_(std::move(axes)) {
  for (std::size_t a = 0; a < 3; ++a) cells_[a] = axes_[a].cells();
  if (auto const fault = fault_of(cells_, tile); !fault.empty()) throw Error(fault);
  tile_ = filled(cells_, tile);
  for (std::size_t a = 0; a < 3; ++a) lattice_[a] = (cells_[a] + tile_[a] - 1) / tile_[a];
  for (std::size_t s = 0; s < 6; ++s) patches_[s] = side_names[s];
}

std::string Grid::fault_of(Shape cells, Shape tile) {
  for (auto const n : tile)
    if (n < 0) return fmt::format("tile size {} is negative", n);
  tile = filled(cells, tile);
  double count = 1;
  for (std::size_t a = 0; a < 3; ++a) count *= std::ceil(static_cast<double>(cells[a]) / static_cast<double>(tile[a]));
  constexpr int most = std::numeric_limits<int>::max();
  if (count > most) return fmt::format("{:.0f} tiles are more than {}, expected larger ones", count, most);
  return "";
}

Grid Grid::with_tile(Shape tile) const {
  Grid result(axes_, tile);
  result.patches_ = patches_;
  return result;
}

Grid Grid::unit(Shape cells, Shape tile, std::array<bool, 3> periodic) {
  std::array<Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a)
    axes[a] = Axis::make_uniform(cells[a], 0.0, static_cast<double>(cells[a]), periodic[a]);
  return Grid(std::move(axes), tile);
}

Index Grid::tile_position(int tile) const {
  Count const t = tile;
  return {t % lattice_[0], t / lattice_[0] % lattice_[1], t / (lattice_[0] * lattice_[1])};
}

int Grid::tile_number(Index const& p) const { return static_cast<int>((p.k * lattice_[1] + p.j) * lattice_[0] + p.i); }

Box Grid::tile_box(int tile) const {
  Index const p = tile_position(tile);
  Index const lo{p.i * tile_[0], p.j * tile_[1], p.k * tile_[2]};
  return intersect({lo, {lo.i + tile_[0], lo.j + tile_[1], lo.k + tile_[2]}}, box());
}

int Grid::tile_of(Index const& c) const { return tile_number({c.i / tile_[0], c.j / tile_[1], c.k / tile_[2]}); }

}  // namespace tessera::core
