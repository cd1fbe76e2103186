// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/multigrid/level.hpp"
#include "solvers/multigrid/line_table.hpp"

#include <array>
#include <vector>

namespace tessera::solvers::multigrid {

/// Interpolation P between a level and the next coarser one, and restriction, its transpose.
///
/// P takes its weights from the matrix (black-box multigrid). A removed cell lies on removed lines in a set S of
/// directions; the matrix is summed over the other directions, and the equation of the cell, without right-hand side,
/// is solved for it in terms of the kept cells and of the cells on fewer removed lines. The row sum (mass, boundary)
/// counts only where it is not small against the weakest side (Dendy's rule). Stored as the weights of each kept cell
/// at its up to 8 (26) neighbours: 2 (3.25) numbers a fine cell.
///
/// Source: Alcouffe, Brandt, Dendy & Painter 1981, SIAM J. Sci. Stat. Comput. 2:430; Dendy 1982, J. Comput. Phys.
/// 48:366.
template <class T>
class Transfer {
 public:
  using AllLines = std::array<Lines, 3>;
  /// The two lie in the same place; on the device `restrict_to` and `interpolate` take arrays on it.
  Transfer(Slab const& fine, Slab const& coarse, AllLines lines);
  template <class U>
  static Transfer from(Transfer<U>& other);

  Slab const& coarse() const { return coarse_; }
  Lines const& lines(int axis) const { return lines_[axis]; }
  /// Weights of the kept cells at the offset of this number; empty where all are zero.
  Array<T> const& weights(int number) const { return weights_[number]; }
  Neighbourhood const& around() const { return around_; }  ///< of the fine level
  std::size_t bytes() const;
  /// r = P^T t on the rank's part of the coarse level; t is known one line beyond the fine lines.
  void restrict_to(Array<T>& r, Array<T> const& t) const;
  /// A row of r from the rows of t around the kept line: `t_row(k, j)` gives a row of the fine level.
  template <class Rows>
  void restrict_row(T* r, int coarse_k, int coarse_j, Rows const& t_row) const {
    core::Count const z = lines(2).at(global(coarse_, 2, coarse_k)), y = lines(1).at(global(coarse_, 1, coarse_j));
    T const* rows[9] = {};
    for (int oz = -1; oz <= 1; ++oz)
      for (int oy = -1; oy <= 1; ++oy)
        if ((oz == 0 || lines(2).removed(z + oz)) && (oy == 0 || lines(1).removed(y + oy)))
          rows[3 * oz + oy + 4] = t_row(local(fine_, 2, z + oz), local(fine_, 1, y + oy));
    add_rows(r, rows, coarse_k, coarse_j);
  }
  /// z += P e on `extra` lines beyond the own ones.
  void interpolate(Array<T> const& e, Array<T>& z, int extra) const;
  /// The same for one row of the fine level.
  void interpolate_row(Array<T> const& e, T* z, int k, int j) const;

 private:
  struct RowWeights {
    T const *before, *at, *after;
  };
  void add_rows(T* r, T const* const (&rows)[9], int coarse_k, int coarse_j) const;
  RowWeights row_weights(int oz, int oy, int k, int j) const;
  void gather_row(T* out, T const* in, RowWeights const& w) const;
  void scatter_row(T* out, T const* e, RowWeights const& w) const;
  /// Numbers of lines in the level, from those in the slab, and back.
  core::Count global(Slab const& slab, int axis, int line) const {
    return axis == slab.outer() ? line + slab.first() : line;
  }
  int local(Slab const& slab, int axis, core::Count line) const {
    return static_cast<int>(axis == slab.outer() ? line - slab.first() : line);
  }
  struct Sources;
  Sources sources(int axis, int line) const;
  template <template <class, bool> class Kernel>
  void on_device(char const* label, Slab const& of, Range range, Array<T> const& from, Array<T>& to) const;

  Slab fine_, coarse_;
  Neighbourhood around_;
  AllLines lines_;
  std::vector<int> columns_;  // of the fine level, of the kept columns
  /// Kept columns c, c + 1 ..., which lie at i, i + step ... of the fine level, step 1 or 2.
  struct Run {
    int c, i, count, step;
  };
  std::vector<Run> runs_;
  /// Removed columns at i, those between columns of one run left out, and how many are kept before them.
  struct Removed {
    int c, i;
  };
  std::vector<Removed> removed_;
  void find_runs();
  std::vector<Array<T>> weights_;
  std::array<LineTable, 3> tables_;

  template <class U>
  friend class Transfer;
  friend class Weights;
  friend class Galerkin;
};

/// With weights from the matrix. Collective.
Transfer<double> make_transfer(Level<double> const& fine, Slab const& coarse, Transfer<double>::AllLines lines);

/// The Galerkin matrix P^T A P of 3, 9 or 27 points. Collective.
Level<double> galerkin(Level<double> const& fine, Transfer<double> const& transfer);

}  // namespace tessera::solvers::multigrid
