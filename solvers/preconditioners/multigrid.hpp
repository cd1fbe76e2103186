// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/multigrid/hierarchy.hpp"
#include "solvers/multigrid/redistribution.hpp"
#include "solvers/preconditioner.hpp"

#include <memory>
#include <optional>

namespace tessera::solvers::preconditioners {

/// Black-box multigrid as a preconditioner: one symmetric cycle from zero.
///
///   z = smooth(r);  e = coarse(P^T (r - A z));  z = smooth(z + P e),
/// with interpolation P from the matrix, Galerkin matrices P^T A P, and the same steps of the smoother in reverse order
/// after the correction, so that z = M^-1 r with M symmetric and positive definite.
///
/// Which lines of cells a level removes follows the grid and the conductivities (choose_lines), not tiles: square cells
/// are coarsened by two, stretched and graded ones first where they are thin. Work is done on slabs of whole lines
/// (Slab), to which fields on tiles of any owners are copied; levels of at most 8192 cells are held by every rank.
/// Grids of one, two or three dimensions and periodic axes are treated alike. Iterations of PCG hardly depend on the
/// mesh, on jumps of the coefficients in bodies some cells thick, or on grading. They grow where strong structures are
/// thinner than about four cells or touch at corners (percolation, random single cells), which no choice of lines can
/// follow: algebraic multigrid is the cure there.
///
/// set_up makes the levels in double, apply gives z = M^-1 r on owned cells in double; r [W], z [K]. The bits depend
/// neither on ranks and owners nor on tiles. PCG calls neither, but takes a form of its own in single precision, with
/// levels of its own (methods::PcgMultigrid).
/// Keys: `sweeps 2`          steps of the smoother before and after, 1 to 3;
///       `cycle auto`        V, W, or auto: V, in 3-D W, and W from where 10 iterations reduce the residual by less than
///                           160;
///       `precision single`  of the cycle and the vectors of PCG, whose solution and true residual are double anyway;
///                           where single precision does not carry, PCG goes on in double.
/// Memory in single precision in 2-D: 12 B a cell for the matrix, 8 for weights, 19 for coarse levels; during the set-up
/// 77 B, of which the rest then holds the vectors. Throws core::Error if a diagonal entry is not positive; levels throw
/// it if the coarsest matrix is not positive definite. If all row sums are zero (no boundary value anywhere, steady) the matrix is
/// singular, and the coarsest level fixes the mean.
///
/// Source: Dendy 1982, J. Comput. Phys. 48:366; Tatebe 1993 (multigrid as preconditioner of conjugate gradients).
class Multigrid final : public Preconditioner {
 public:
  static constexpr char const* help =
      "sweeps 2;           steps of the smoother before and after the coarse correction, 1 to 3\n"
      "cycle auto;         V | W | auto\n"
      "precision single;   single | double: of the cycle";
  struct Settings {
    int sweeps = 2;
    std::optional<multigrid::Cycle> cycle = {};  ///< none: auto
    bool single = true;                          ///< precision
  };
  Multigrid(StencilMatrix const& matrix, Settings const& settings);
  Multigrid(StencilMatrix const& matrix, core::Dictionary& settings);
  void set_up() override;
  void apply(core::Field<double>& r, core::Field<double>& z) const override;
  std::unique_ptr<FusedPcg> fused() const override;

  StencilMatrix const& matrix() const { return matrix_; }
  multigrid::Redistribution const& redistribution() const { return redistribution_; }
  bool single() const { return settings_.single; }
  /// The cycle that the settings name; with auto the one to start with.
  multigrid::Cycle cycle() const { return cycle_; }
  bool automatic() const { return !settings_.cycle; }

  /// New levels in precision T, on the device as far as they can work there, if wanted. Collective.
  template <class T>
  std::unique_ptr<multigrid::Hierarchy<T>> make_levels(bool device = false) const;

 private:
  StencilMatrix const& matrix_;
  multigrid::Redistribution redistribution_;
  Settings settings_;
  multigrid::Cycle cycle_;
  std::unique_ptr<multigrid::Hierarchy<double>> levels_;  // apply's
};

}  // namespace tessera::solvers::preconditioners
