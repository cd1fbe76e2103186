// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"

#include <functional>

namespace tessera::run {

/// What a run needs [B], the program's own included.
struct Memory {
  double all = 0;      ///< ranks together, at their peaks
  double largest = 0;  ///< the rank that needs most
  double program = 0;  ///< a rank that has no cell
  double cells = 0;    ///< of the grid
};

/// What a rank has when it writes its results: so many bytes a cell, and what pictures and libraries take whatever the cells.
struct AtEnd {
  double bytes_a_cell = 0, others = 0;
};

/// Of work that needs so many bytes a cell, on ranks of which one has `largest_share` of the cells. The program's own is
/// what it takes up to here. The peak may be `at_end`, when less is left of the work.
Memory memory_of(double bytes_a_cell, core::Grid const& grid, double largest_share, int ranks,
                 AtEnd const& at_end = {});

/// Of a picture of a layer of the grid, while it is drawn (io/pictures/picture.hpp).
double picture_bytes(core::Grid const& grid);
/// What the libraries that write snapshots take when they write the first one.
inline constexpr double snapshot_bytes = 4e6;

/// Bytes a cell of a field on a grid's tiles: those of the element, halos and padding (core::Field).
double field_bytes(core::Grid const& grid, int halo, double element_bytes);

/// That of this machine, or what the process may have of it (ulimit -v) where that is less [B].
double node_memory();

/// How much more memory there is while `f` runs than before, at its peak, as the system counts it [B].
double measure_memory(std::function<void()> const& f);

}  // namespace tessera::run
