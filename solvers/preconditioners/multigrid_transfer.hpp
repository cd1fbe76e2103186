// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/preconditioners/multigrid_level.hpp"
#include "solvers/preconditioners/multigrid_lines.hpp"

#include <array>
#include <memory>
#include <vector>

namespace tessera::solvers::multigrid {

/// Interpolation P between a level and the next coarser one, and restriction, its transpose.
///
/// P takes its weights from the matrix (black-box multigrid). A removed cell lies on removed lines in a set S of
/// directions; the matrix is summed over the other directions, and the equation of the cell, without right-hand side,
/// is solved for it in terms of the kept cells and of the cells on fewer removed lines. The row sum (mass, boundary)
/// counts only where it is not small against the weakest side (Dendy's rule). Stored as the weights of each kept cell
/// at its up to 8 (26) neighbours: 16 B a fine cell in 2-D.
///
/// Source: Alcouffe, Brandt, Dendy & Painter 1981, SIAM J. Sci. Stat. Comput. 2:430; Dendy 1982, J. Comput. Phys.
/// 48:366.
class Transfer {
 public:
  /// Whether the level can be coarsened by tiles: some axis has more than two cells, and none of these has tiles of
  /// one.
  static bool can(core::Grid const& grid);

  /// Collective. The entries are not kept.
  Transfer(Level const& fine, Entries const& entries);

  /// The Galerkin matrix P^T A P of 3, 9 or 27 points, on the coarse layout.
  CoarseMatrix galerkin(Entries const& entries);

  /// b = P^T r. The halos of r are filled.
  void restrict_to(core::Field<double>& b, core::Field<double> const& r) const;
  /// to = from + P e on owned cells; fills the halos of e. `to` may be `from`.
  void interpolate(core::Field<double>& e, core::Field<double> const& from, core::Field<double>& to) const;

  std::size_t bytes() const;

 private:
  std::array<Lines::Along, 3> along(int slot) const;
  void set_weights(Entries const& entries);
  /// Weight of the kept cell at this place of the coarse level, at the offset of this number.
  double weight(int number, core::Count place) const {
    if (number == around_.centre()) return 1;
    double const* const first = views_[static_cast<std::size_t>(number)].first;
    return first == nullptr ? 0 : first[place];
  }
  /// A term P_pc A_pq P_qn of the Galerkin product: A's entry `q` of the cell p, and the weight `number` of the kept
  /// neighbour n, `step` from c in memory.
  struct Term {
    int q, n, number;
    core::Count step;
  };
  /// By p. `apart` are the fine cells from a kept line to the one before and to the one after, along the axes.
  using Terms = std::vector<std::vector<Term>>;
  Terms terms(std::array<std::array<int, 2>, 3> const& apart) const;
  struct RowWeights {
    double const *before, *at, *after;
  };
  /// Weights of a row of kept cells at the cells of the fine row at this offset in z and y.
  RowWeights row_weights(int oz, int oy, int slot, int k, int j) const;

  core::Layout const* fine_;
  Neighbourhood around_;
  core::Grid::Shape finest_;
  std::array<Lines, 3> lines_;
  std::unique_ptr<core::Layout> coarse_layout_;  // handed over by galerkin
  core::Layout const* coarse_;
  std::unique_ptr<core::Halo> halo_;
  std::vector<core::Field<double>> weights_;
  std::vector<ConstView> views_;  // of the weights by number of the offset, on the coarse layout; none where all are 0
};

}  // namespace tessera::solvers::multigrid
