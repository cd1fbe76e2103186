// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/conduction.hpp"
#include "tests/support/conduction_reference.hpp"
#include "tests/support/layouts.hpp"

namespace tessera::tests {

/// A mask as a field of a layout of the same size.
inline core::Field<std::uint8_t> field_of(Mask const& mask, core::Layout const& layout) {
  core::Field<std::uint8_t> field("mask", layout, 0);
  auto const v = field.host();
  for (int s = 0; s < layout.tiles(); ++s) {
    auto const& t = layout.info(s);
    for (int j = 0; j < t.nj; ++j)
      for (int i = 0; i < t.ni; ++i) v(s, 0, j, i) = mask.at(static_cast<int>(t.i0) + i, static_cast<int>(t.j0) + j);
  }
  return field;
}

/// Electrodes at the lower and the upper end along y (along z in space).
inline solvers::Electrodes ends_of(core::Grid const& grid, double bond) {
  auto const n = grid.cells();
  if (n[2] > 1)
    return {.inlet = {{0, 0, 0}, {n[0], n[1], 1}}, .outlet = {{0, 0, n[2] - 1}, {n[0], n[1], n[2]}}, .bond = bond};
  return {.inlet = {{0, 0, 0}, {n[0], 1, 1}}, .outlet = {{0, n[1] - 1, 0}, {n[0], n[1], 1}}, .bond = bond};
}

/// Conductance of a plane mask from its first to its last row, on shuffled tiles.
inline solvers::Conduction conduct_mask(Mask const& mask, double bond, core::Grid::Shape tile = {0, 0, 0}) {
  auto const layout = shuffled_layout({mask.nx, mask.ny, 1}, tile);
  return solvers::conduct(field_of(mask, *layout), ends_of(layout->grid(), bond), solvers::conduction_solver(0));
}

/// '#' occupied, the first line on top.
inline Mask mask_of(std::vector<std::string> const& lines) {
  Mask m(static_cast<int>(lines.front().size()), static_cast<int>(lines.size()));
  for (int j = 0; j < m.ny; ++j)
    for (int i = 0; i < m.nx; ++i) m.at(i, j) = lines[m.ny - 1 - j][i] == '#';
  return m;
}

}  // namespace tessera::tests
