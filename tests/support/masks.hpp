// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/support/automata.hpp"
#include "tests/support/percolation_reference.hpp"

namespace tessera::tests {

/// A mask as a field on a layout of the same grid.
inline std::unique_ptr<core::Field<std::uint8_t>> field_of(Mask const& mask, core::Layout const& layout) {
  auto field = std::make_unique<core::Field<std::uint8_t>>("mask", layout, 1);
  for_each_cell(*field, [&](core::Index x, std::uint8_t& value) {
    value = mask.at(static_cast<int>(x.i), static_cast<int>(x.j));
  });
  return field;
}

inline Mask mask_of(core::Field<std::uint8_t>& field) {
  auto const cells = field.layout().grid().cells();
  Mask m(static_cast<int>(cells[0]), static_cast<int>(cells[1]));
  m.cells = collect(field);
  return m;
}

}  // namespace tessera::tests
