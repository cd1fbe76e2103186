// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/exact_sum.hpp"
#include "core/grid/sweep.hpp"
#include "io/foam/function_object.hpp"

#include <array>
#include <limits>
#include <vector>

namespace tessera::io::foam::functions {

/// Sums of K numbers a cell over the cells of a mask (nullptr: all) on all ranks: f(slot, k, j, i) gives them, on the
/// host. Each tile is summed in raster order and the tiles exactly, so the bits depend on the tile shape alone.
/// Collective.
template <std::size_t K, class F>
std::array<double, K> sum_cells(core::Layout const& layout, CellSets::Mask const* mask, F const& f) {
  auto const chosen = mask != nullptr ? mask->host() : core::FieldView<std::uint8_t const>{};
  std::vector<std::array<double, K>> parts(layout.tiles());
  core::for_each_on_host("sum cells", layout, [&](int slot, int k, int j, int i) {
    if (mask != nullptr && chosen(slot, k, j, i) == 0) return;
    std::array<double, K> const x = f(slot, k, j, i);
    for (std::size_t q = 0; q < K; ++q) parts[slot][q] += x[q];
  });
  std::array<core::ExactSum, K> totals;
  for (auto const& part : parts)
    for (std::size_t q = 0; q < K; ++q) totals[q].add(part[q]);
  core::ExactSum::all_reduce(layout.comm(), totals);
  std::array<double, K> result;
  for (std::size_t q = 0; q < K; ++q) result[q] = totals[q].round();
  return result;
}

/// A value and the number of its place.
struct Extreme {
  double value = std::numeric_limits<double>::infinity();
  core::Count place = std::numeric_limits<core::Count>::max();
  /// Smaller value first, then smaller number.
  bool before(Extreme const& other) const {
    return value < other.value || (value == other.value && place < other.place);
  }
};

/// The first by `before` of all ranks. Collective.
inline Extreme first_of_all(core::Comm const& comm, Extreme mine) {
  double const value = comm.min(mine.value);
  if (mine.value != value) mine.place = std::numeric_limits<core::Count>::max();
  return {value, comm.min(mine.place)};
}

}  // namespace tessera::io::foam::functions
