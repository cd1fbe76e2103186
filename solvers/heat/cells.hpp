// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/boxes.hpp"
#include "core/grid/field.hpp"

namespace tessera::solvers::heat {

/// Some cells of a layout, as boxes inside tiles: rows of a mask's cells, or all tiles. Work on them costs as much as they
/// are many. Memory: 72 B a row of cells.
class Cells {
 public:
  using Mask = core::Field<std::uint8_t>;
  /// All own cells of the rank.
  explicit Cells(core::Layout const& layout);
  /// Own cells where the mask is not 0.
  explicit Cells(Mask const& mask);

  core::Layout const& layout() const { return *layout_; }
  Kokkos::View<core::BoxCopy const*> const& boxes() const { return boxes_; }
  /// Cells on this rank; `at` of for_each_in_boxes counts up to it.
  core::Count count() const { return count_; }

 private:
  void add(std::vector<core::BoxCopy>& boxes, int slot, std::array<int, 3> from, std::array<int, 3> n);

  core::Layout const* layout_;
  Kokkos::View<core::BoxCopy const*> boxes_;
  core::Count count_ = 0;
};

/// The cell of a box, as a field's view takes it.
template <class V>
KOKKOS_INLINE_FUNCTION decltype(auto) cell(V const& view, core::BoxCopy const& box, int k, int j, int i) {
  return view(box.from_slot, box.from[2] + k, box.from[1] + j, box.from[0] + i);
}

}  // namespace tessera::solvers::heat
