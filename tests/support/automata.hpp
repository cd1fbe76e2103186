// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "core/grid/field.hpp"
#include "core/grid/sweep.hpp"
#include "tests/support/layouts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tessera::tests {

/// A layout by tile shape and owners; the grid lives with it.
inline std::unique_ptr<core::Layout> make_layout(core::Grid::Shape cells, core::Grid::Shape tile,
                                                 std::array<bool, 3> periodic = {}, std::vector<int> owners = {}) {
  auto grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, tile, periodic));
  core::Comm const world;
  if (owners.empty()) owners = core::block_owners(grid->tiles(), world.size());
  return std::make_unique<core::Layout>(grid, std::move(owners), world);
}

/// Sets a 2-D field from a picture, one string a row, top row first; `#` is 1, anything else 0. `at` is the picture's
/// lower left cell.
inline void draw(core::Field<std::uint8_t>& field, std::vector<std::string> const& picture, core::Index at = {}) {
  auto const rows = static_cast<core::Count>(picture.size());
  for_each_cell(field, [&](core::Index x, std::uint8_t& value) {
    core::Count const i = x.i - at.i, j = x.j - at.j;
    if (i < 0 || j < 0 || j >= rows) return;
    auto const& row = picture[rows - 1 - j];
    if (i < static_cast<core::Count>(row.size())) value = row[i] == '#';
  });
}

/// The whole field on every rank, in raster order.
template <class T>
std::vector<T> collect(core::Field<T> const& field) {
  std::vector<std::int64_t> all(field.layout().grid().total(), 0);
  for_each_cell(
      field, [&](core::Index x, T value) { all[field.layout().grid().number(x)] = static_cast<std::int64_t>(value); });
  field.layout().comm().sum(all);
  return std::vector<T>(all.begin(), all.end());
}

/// The same of a field of integers of any type.
inline std::vector<std::int64_t> collect_any(core::FieldBase& field) {
  return core::visit(field, [](auto& typed) {
    auto const values = collect(typed);
    return std::vector<std::int64_t>(values.begin(), values.end());
  });
}

/// What work_ahead(depth) gives between fixed and periodic sides: on devices more than 1 for words alone, and not where a tile
/// goes round the grid with cells beside its last whole word.
inline int generations_at_once(int depth, ca::Automaton const& automaton, core::Grid const& grid) {
  if (core::on_host) return depth;
  auto const planes = automaton.words().size();
  bool const round_itself = grid.periodic(0) && grid.tile()[0] >= grid.cells()[0] && grid.cells()[0] % 64 != 0;
  return planes == 0 || round_itself ? 1 : std::min(depth, planes == 1 ? 32 : 8);
}

/// The inverse of draw, for rows of a 2-D field of 0 and 1.
inline std::vector<std::string> picture(core::Field<std::uint8_t>& field) {
  auto const cells = field.layout().grid().cells();
  auto const all = collect(field);
  std::vector<std::string> rows;
  for (core::Count j = cells[1] - 1; j >= 0; --j) {
    std::string row;
    for (core::Count i = 0; i < cells[0]; ++i) row += all[j * cells[0] + i] ? '#' : '.';
    rows.push_back(row);
  }
  return rows;
}

inline core::Field<std::uint8_t>& bytes(ca::Automaton& automaton) {
  return dynamic_cast<core::Field<std::uint8_t>&>(automaton.state());
}

}  // namespace tessera::tests
