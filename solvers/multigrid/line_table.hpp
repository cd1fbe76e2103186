// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/multigrid/lines.hpp"
#include "solvers/multigrid/slab.hpp"

namespace tessera::solvers::multigrid {

/// The lines along an axis of two levels as kernels see them, by their numbers in the slabs of the two.
struct LinesView {
  int const* at;                    ///< of kept lines, from the one before the slab's first to the one behind its last
  int const* below;                 ///< kept lines before a fine one, as far as arrays go, and one further
  unsigned char const* is_removed;  ///< of the same fine lines
  int first, end;                   ///< there are the kept lines first <= n < end
  int around;                       ///< fine lines of an inner periodic axis; 0: of any other
  bool coarsened, beside_itself;
  KOKKOS_FUNCTION bool removed(int line) const { return is_removed[line] != 0; }
  KOKKOS_FUNCTION bool exists(int n) const { return n >= first && n < end; }
  /// Where arrays have a kept line, which exists.
  KOKKOS_FUNCTION int held(int n) const { return beside_itself ? 0 : n; }
  /// A line one beyond the end of an inner periodic axis, from the other side: neighbours of ghost cells are not held there.
  KOKKOS_FUNCTION int inside(int line) const { return around > 0 ? (line + around) % around : line; }
};

/// What they look at, where the slab of the finer level lies.
class LineTable {
 public:
  LineTable(Slab const& fine, Slab const& coarse, int axis, Lines const& lines);
  LinesView view() const {
    return {at_.data() + 1, below_.data() + beyond, removed_.data() + beyond, first_, end_, around_, coarsened_, beside_itself_};
  }

 private:
  static constexpr int beyond = Slab::depth + 1;
  Table<int> at_, below_;
  Table<unsigned char> removed_;
  int first_, end_, around_;
  bool coarsened_, beside_itself_;
};

}  // namespace tessera::solvers::multigrid
