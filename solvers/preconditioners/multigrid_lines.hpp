// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/preconditioners/multigrid_level.hpp"

#include <algorithm>
#include <vector>

namespace tessera::solvers::multigrid {

/// Which lines of cells across one axis a coarser level keeps.
///
/// A tile of n lines keeps (n + 1) / 2, so that the lattice of tiles stays as it is, and a removed line lies between
/// two kept ones (or at the border of the grid). An even tile removes the lines 0, 2, 4, ...; there the choice does not
/// depend on tiles. An odd tile must keep two lines side by side (the first of them may be the last of the tile
/// before): 0, 2, ... are removed below the `split` and split + 1, split + 3, ... above it, and the split is where the
/// gap between the two is largest. So narrow gaps are merged on the next level, and no two lines stay close together
/// while all others move apart, which a point smoother would not bear. For the same reason a tile before a last tile of
/// one line, which stays, removes its own last line where the gap between them is narrow.
/// An axis of one or two cells stays.
class Lines {
 public:
  Lines(Level const& level, int axis);
  bool coarsened() const { return coarsened_; }
  core::Count coarse_cells() const;
  core::Count coarse_tile() const { return coarsened_ ? (tile_ + 1) / 2 : tile_; }
  /// Positions of the kept lines.
  std::vector<core::Count> kept() const;

  /// Along one tile, which starts at line `first` of the level:
  struct Along {
    bool coarsened = false;
    int fine = 0, coarse = 0;   ///< lines
    int cut = 0, shift = 0;     ///< kept line c is 2 c + shift below the cut, 2 c + shift - 1 from it on
    std::vector<int> position;  ///< of the kept lines -1 .. coarse, at [line + 1], counted from the tile's first line
    std::vector<int> below;     ///< kept lines of the tile below each line 0 .. fine - 1
    std::vector<bool> removed;  ///< lines -1 .. fine, at [line + 1]; false outside the grid
    int at(int line) const { return position[static_cast<std::size_t>(line + 1)]; }
    bool is_removed(int line) const { return removed[static_cast<std::size_t>(line + 1)]; }
  };
  Along along(core::Count first) const;

 private:
  /// Lines of parity `first` are removed below the split, the others from it on.
  struct Pattern {
    core::Count first, split;
  };
  core::Count lines_in(core::Count first) const { return std::min(tile_, cells_ - first); }
  core::Count gap(core::Count line) const;
  Pattern pattern(core::Count first) const;
  bool removed(core::Count line) const;
  core::Count cells_, tile_, finest_;
  bool periodic_, coarsened_;
  std::vector<core::Count> positions_;
  std::vector<bool> removed_;
};

}  // namespace tessera::solvers::multigrid
