// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <cstdint>
#include <vector>

namespace tessera::run::automaton {

/// What a field of an automaton comes to, over all cells of all ranks.
struct Measured {
  double min = 0, max = 0, mean = 0;
};
/// Without rounding but for one at the end: sums of tiles would depend on their shape. Collective.
Measured measure(core::FieldBase const& field);

/// Cells that are not 0. Collective.
std::int64_t population(core::FieldBase const& field);

/// Cells in each of the states 0 .. states - 1 of a field of bytes, states up to 256. Collective.
std::vector<std::int64_t> census(core::FieldBase const& field, std::int64_t states);

}  // namespace tessera::run::automaton
