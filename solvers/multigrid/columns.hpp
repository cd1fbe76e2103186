// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/multigrid/line_table.hpp"

#include <array>

namespace tessera::solvers::multigrid {

/// Columns of fine rows beside the kept ones at one offset along x, as kernels see them, and what goes with them. Rows are worked on
/// by blocks of kept columns.
struct ColumnsView {
  int const* column;         ///< by kept columns: where the one beside lies
  double const* beside;      ///< 1 where that one is removed, or the kept one itself
  double const *near, *far;  ///< 1 where the next kept column at this offset is one column away, or two
  unsigned char const *every_other, *any_near;  ///< by blocks: whether the columns lie two apart; whether any is near

  /// to_i = row[column_i] for the n columns of a block.
  template <int block>
  KOKKOS_FUNCTION void take(int b, std::size_t n, double const* row, double (&to)[block]) const {
    int const* const columns = column + b * block;
    if (every_other[b]) {
      double const* const first = row + columns[0];
      for (std::size_t i = 0; i < n; ++i) to[i] = first[2 * i];
    } else {
      for (std::size_t i = 0; i < n; ++i) to[i] = row[columns[i]];
    }
  }
};

/// Kept columns in block b of `kept` ones.
template <int block>
KOKKOS_FUNCTION std::size_t columns_in(int b, int kept) {
  int const left = kept - b * block;
  return block == 1 || left > block ? block : left;
}

/// What all rows of two levels share.
class Columns {
 public:
  Columns(Slab const& fine, Slab const& coarse, Lines const& lines);
  /// Kept cells of a row that one call of a kernel works on: on a host many, in vectors; on a device one.
  static constexpr int on_host = 256, on_device = 1;
  /// At the offset -1, 0 or 1.
  ColumnsView view(int offset) const { return at_[offset + 1].view(); }

 private:
  struct Offsets {
    Table<int> column;
    Table<double> beside, near, far;
    Table<unsigned char> every_other, any_near;
    ColumnsView view() const {
      return {column.data(), beside.data(), near.data(), far.data(), every_other.data(), any_near.data()};
    }
  };
  std::array<Offsets, 3> at_;
};

/// Calls row(b) for the blocks b of each row in the part of a coarse level, row = Kernel{values...}.row(k, j).
template <template <int> class Kernel, class... Values>
void for_each_block(char const* label, Slab const& coarse, Values const&... values) {
  if constexpr (!core::on_host)
    if (coarse.is_on_device()) return coarse.for_each_cell(label, coarse.part(), Kernel<Columns::on_device>{values...});
  Kernel<Columns::on_host> const kernel{values...};
  coarse.for_each_row(coarse.part(), [&](int k, int j) {
    auto const row = kernel.row(k, j);
    for (int b = 0; b * Columns::on_host < coarse.held(0); ++b) row(b);
  });
}

}  // namespace tessera::solvers::multigrid
