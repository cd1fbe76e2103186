// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::io::detail {

/// A region of the grid cut into chunks of whole rows in the order of a file (layer by layer, rows upwards or downwards
/// in a layer), or of parts of a row where a row alone is larger than a chunk may be. Equal on all ranks.
class Chunks {
 public:
  /// `rows` of the region from `first` in the order of the file, columns lo .. hi of the grid.
  struct Chunk {
    core::Count first, rows, lo, hi;
    core::Count cells() const { return rows * (hi - lo); }
  };

  /// `most`: bytes of a chunk, of `bytes` a cell.
  Chunks(core::Grid const& grid, core::Box const& region, bool top_down, std::size_t bytes, std::size_t most)
      : grid_(grid),
        region_(region),
        tile_(grid.tile()),
        top_down_(top_down) {
    if (region.empty()) return;
    auto const cells = std::max<core::Count>(1, static_cast<core::Count>(most / bytes));
    width_ = std::min(cells, region.hi.i - region.lo.i);
    parts_ = (region.hi.i - region.lo.i + width_ - 1) / width_;
    all_rows_ = (region.hi.j - region.lo.j) * (region.hi.k - region.lo.k);
    rows_ = parts_ > 1 ? 1 : std::min(all_rows_, cells / width_);
  }

  core::Count count() const { return rows_ == 0 ? 0 : (all_rows_ + rows_ - 1) / rows_ * parts_; }
  /// Chunks that a row is cut into.
  core::Count parts() const { return parts_; }
  Chunk chunk(core::Count n) const {
    core::Count const first = n / parts_ * rows_, lo = region_.lo.i + n % parts_ * width_;
    return {first, std::min(rows_, all_rows_ - first), lo, std::min(lo + width_, region_.hi.i)};
  }

  /// Calls f(tile, its cells in the chunk) in the order in which cells travel: all within one layer and row of tiles
  /// before the next, from left to right.
  template <class F>
  void for_each_piece(Chunk const& chunk, F const& f) const {
    core::Count const height = region_.hi.j - region_.lo.j;
    for (core::Count row = chunk.first, end = chunk.first + chunk.rows; row < end;) {
      core::Count const k = region_.lo.k + row / height, j = j_of(row);
      core::Count const bottom = std::max(j / tile_[1] * tile_[1], region_.lo.j);
      core::Count const top = std::min((j / tile_[1] + 1) * tile_[1], region_.hi.j);
      core::Count const rows = std::min(top_down_ ? j + 1 - bottom : top - j, end - row);
      core::Count const low = top_down_ ? j + 1 - rows : j;
      for (core::Count it = chunk.lo / tile_[0]; it * tile_[0] < chunk.hi; ++it)
        f(grid_.tile_number({it, j / tile_[1], k / tile_[2]}),
          core::Box{{std::max(chunk.lo, it * tile_[0]), low, k},
                    {std::min(chunk.hi, (it + 1) * tile_[0]), low + rows, k + 1}});
      row += rows;
    }
  }

  /// Place of a cell among the chunk's cells in the order of the file.
  core::Count offset(Chunk const& chunk, core::Index const& x) const {
    core::Count const height = region_.hi.j - region_.lo.j;
    core::Count const row = (x.k - region_.lo.k) * height + (top_down_ ? region_.hi.j - 1 - x.j : x.j - region_.lo.j);
    return (row - chunk.first) * (chunk.hi - chunk.lo) + (x.i - chunk.lo);
  }

 private:
  core::Count j_of(core::Count row) const {
    core::Count const r = row % (region_.hi.j - region_.lo.j);
    return top_down_ ? region_.hi.j - 1 - r : region_.lo.j + r;
  }

  core::Grid const& grid_;
  core::Box region_;
  core::Grid::Shape tile_;
  bool top_down_;
  core::Count width_ = 0, parts_ = 1, rows_ = 0, all_rows_ = 0;
};

}  // namespace tessera::io::detail
