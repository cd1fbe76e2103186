// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "core/random.hpp"

#include <cstdint>

namespace tessera::ca {

/// The number of a cell in a box, along x first: the one that random states are drawn for.
KOKKOS_FUNCTION inline std::uint64_t number_in(core::Box const& box, core::Index const& x) {
  core::Index const n = box.shape(), at = x - box.lo;
  return static_cast<std::uint64_t>((at.k * n.j + at.j) * n.i + at.i);
}

/// Sets each cell to 1 with probability `p` and to 0 otherwise, by a draw for (seed, sample, cell number in the grid):
/// the same states on any ranks, tiles and device. Halos are left alone.
void fill_random(core::Field<std::uint8_t>& field, double p, core::Random random);

/// The same for the cells of `region` only; the others are left alone.
void fill_random(core::Field<std::uint8_t>& field, double p, core::Random random, core::Box const& region);

/// The same where cells have their numbers in the box `numbered`, which holds those of `region`.
void fill_random(core::Field<std::uint8_t>& field, double p, core::Random random, core::Box const& region,
                 core::Box const& numbered);

}  // namespace tessera::ca
