// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/dic/substitution.hpp"
#include "solvers/preconditioner.hpp"

#include <memory>
#include <string>

namespace tessera::solvers::preconditioners {

/// How the pivots of an incomplete Cholesky factor are formed.
struct Pivots {
  double fill = 0;          ///< share of the dropped fill that is added to the pivots
  double perturbation = 0;  ///< the diagonal is raised by this share first
};

/// Diagonal incomplete Cholesky preconditioner (OpenFOAM's `DIC`).
///
/// Approximates A = L + D + L^T by M = (L + D*) D*^-1 (D* + L^T), with
///   d*_i = a_ii - sum over neighbours j < i of a_ij^2 / d*_j,
/// i in natural (row) order. On a 5- or 7-point stencil this is IC(0).
///
/// apply: z = M^-1 r on owned cells; r [W], z [K]. z's halo is working space.
/// Cost: two passes, about 90 B a cell in 2-D (double, streamed). Sequential along a row and from tile to tile.
/// Keys: `scope`  global (default): natural order over the whole grid, by a wavefront over tiles: the same bits for all
///                tiles, ranks and owners, and the iterations of serial OpenFOAM;
///                tile: each tile alone, no waiting for other ranks, but more iterations the smaller the tiles are.
/// Couplings across a periodic side are left out of M, as OpenFOAM leaves out cyclic patches: M stays symmetric and
/// positive definite.
/// Throws core::Error if some d*_i <= 0 or is not a number (A is no M-matrix), naming cell and value.
///
/// Source: Meijerink & van der Vorst 1977, Math. Comp. 31:148; OpenFOAM's DICPreconditioner.
class Dic : public Preconditioner {
 public:
  static constexpr char const* help = "scope global | tile;   default global: natural order over the whole grid";
  Dic(StencilMatrix const& matrix, core::Dictionary& settings);
  void apply(core::Field<double>& r, core::Field<double>& z) const override;
  std::unique_ptr<FusedPcg> fused() const override;

  bool global() const { return up_.order() != nullptr; }
  /// 1 / d*.
  core::Field<double> const& reciprocal_pivots() const { return reciprocal_; }

 protected:
  /// With pivots of another kind; `name` is for messages.
  Dic(StencilMatrix const& matrix, bool global, Pivots const& pivots, std::string const& name);

 private:
  void factor(Pivots const& pivots);

  StencilMatrix const& matrix_;
  std::string name_;
  Substitution up_, down_;
  core::Field<double> reciprocal_;
};

}  // namespace tessera::solvers::preconditioners
