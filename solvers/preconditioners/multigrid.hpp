// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/preconditioner.hpp"
#include "solvers/preconditioners/multigrid_level.hpp"
#include "solvers/preconditioners/multigrid_transfer.hpp"

#include <memory>
#include <vector>

namespace tessera::solvers::preconditioners {

/// Black-box multigrid as a preconditioner: one symmetric V-cycle from zero.
///
///   z = smooth(r);  e = coarse(P^T (r - A z));  z = smooth(z + P e),
/// with interpolation P from the matrix, Galerkin matrices P^T A P, and the same steps of the smoother in reverse order
/// after the correction, so that z = M^-1 r with M symmetric and positive definite.
///
/// Each coarse level keeps the lattice of tiles and their owners, with half the cells along every axis of more than two
/// (Lines). When at most 2048 cells are left, every rank gets all of them in one tile, and goes on alone, each with the
/// same bits, down to at most 100 unknowns, which are solved by Cholesky's factors.
/// Iterations of PCG hardly depend on the mesh, nor on jumps of the coefficients in bodies some cells thick. They grow
/// with cells much longer than wide (six to ten times at 10 : 1), as full coarsening with a point smoother does. Grids of one, two or three
/// dimensions and periodic axes are treated alike.
///
/// apply: z = M^-1 r on owned cells; r [W], z [K]. z's halo is working space. The bits do not depend on ranks or
/// owners, nor on tiles as long as these have an even number of cells on every level before the gathering.
/// Keys: `sweeps 1`  steps of the smoother before and after; 2 saves one iteration in four, at more work in each.
/// Cost in 2-D with `sweeps 1`: 5 passes over the finest level, about 220 B a cell, and half as much again for all
/// others; four exchanges of halos a level. Set-up: about the time of twenty applications.
/// Memory: 16 B a cell on the finest level (1/D and the residual), 21 B for weights and 24 B for coarse matrices and
/// vectors, 61 B in all; with halos and padding of tiles 80 to 110 B. 40 B more during the set-up.
/// Traps: the fewer cells a tile has, the dearer the coarse levels; an axis with tiles of one cell cannot be coarsened
/// by tiles at all, and all cells are gathered then. Tiles of powers of two, 64 cells an axis and more, are best. Where
/// a strong body is a few cells thick, it is luck whether a coarse line meets it: odd tiles may cost half as many
/// iterations again.
/// Throws core::Error if a diagonal entry is not positive, or if the coarsest matrix is not positive definite. A matrix
/// without any row sum (no boundary value anywhere, steady) is singular: the mean of the coarsest correction is tied.
///
/// Source: Dendy 1982, J. Comput. Phys. 48:366; Tatebe 1993 (multigrid as preconditioner of conjugate gradients).
class Multigrid final : public Preconditioner {
 public:
  static constexpr char const* help = "sweeps 1;   steps of the smoother before and after the coarse correction";
  Multigrid(StencilMatrix const& matrix, core::Dictionary& settings);
  void apply(core::Field<double>& r, core::Field<double>& z) const override;

  /// Levels, the finest included, and what they hold on this rank.
  int levels() const { return static_cast<int>(stages_.size()); }
  std::size_t bytes() const;

 private:
  /// A level and the way to the next: by transfer, or by gathering to one tile; the last has neither.
  struct Stage {
    std::unique_ptr<multigrid::Level> level;
    std::unique_ptr<multigrid::Transfer> transfer;
    std::unique_ptr<core::Field<double>> b, x;  // none on the finest
  };

  void build(StencilMatrix const& matrix);
  void add(std::unique_ptr<multigrid::Level> level);
  void factor();
  void cycle(std::size_t at, core::Field<double> const& b, core::Field<double>& x) const;
  void solve_directly(core::Field<double> const& b, core::Field<double>& x) const;

  int sweeps_;
  std::vector<Stage> stages_;
  std::vector<double> factor_;  // lower triangle of Cholesky's factor of the last level, row after row
};

}  // namespace tessera::solvers::preconditioners
