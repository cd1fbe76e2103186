// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/exact_sum.hpp"
#include "core/grid/pipeline.hpp"
#include "solvers/algebra/fused_pcg.hpp"
#include "solvers/dic/skewed_tiles.hpp"
#include "solvers/dic/wavefront.hpp"
#include "solvers/preconditioners/dic.hpp"

#include <memory>
#include <vector>

namespace tessera::solvers::methods {

/// Conjugate gradients preconditioned by DIC (or MDIC) of global scope, the same algebra as Pcg in two passes over the
/// tiles and two reductions an iteration. With D the pivots, Lw and Ln the west and south conductances, f the faces:
///
///   backward, last cell to first:  z = (D - L^T)^-1 D q,  t = z + beta t,  tAt = sum m t^2 + sum f (difference of t)^2
///   forward, first cell to last:   x += alpha t,  r -= alpha A t (as face fluxes),  |r|_1,  q = (D - L)^-1 r,
///                                  rz = (r, M^-1 r) = sum q D q
///
/// z is never stored, and rz needs no z, so that beta is known before the backward pass. All terms of tAt are positive.
/// Both passes are wavefronts over tiles in natural order; in a tile eight rows run at a time (SkewedTiles). Edge values
/// of q (z) and t go from tile to tile in one message a face. On a single rank rows go through all tiles beside each other,
/// and strips of rows are shared over the threads, one strip a little behind the other; a strip follows another one of the
/// same tiles by a tile, since the sums of a tile have an order.
/// Cost: 80 B a cell and iteration where coefficients and pivots are uniform, 16 B more where pivots vary (as MDIC's
/// do), 48 B more where coefficients vary.
class PcgDic final : public FusedPcg {
 public:
  /// Whether this form exists: 2-D (one layer), no periodic axis, DIC of global scope.
  static bool can(StencilMatrix const& matrix, preconditioners::Dic const& dic);

  PcgDic(StencilMatrix const& matrix, preconditioners::Dic const& dic);

  Residual residual(core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r) override {
    return solvers::residual(matrix_, b, x, r);
  }
  void iterate(Controls const& controls, Residual const& residual, core::Field<double> const& b, core::Field<double>& x,
               core::Field<double>& r, Performance& p) override;

 private:
  struct Sums {
    double residual, rz;
  };
  double backward(double beta);
  Sums forward(double alpha);
  /// Of the tiles that a strip runs through.
  Lanes* sums_of(std::vector<Lanes>& sums, int b, int strip);
  void backward_block(int b, double beta, core::ExactSum& tat);
  void forward_block(int b, double alpha, core::ExactSum& residual, core::ExactSum& rz);

  StencilMatrix const& matrix_;
  core::Layout const& layout_;
  SkewedTiles tiles_;
  std::unique_ptr<Wavefront> up_, down_;  // none where the grid is one block
  core::Pipeline strips_;
  std::vector<Lanes> sums_, more_sums_;  // of each tile of the block at work: tAt; |r|_1 and rz
  // a row of a block with room for what a vector at its ends reads beyond: t and q (z) below or above the strip at work
  std::vector<double> t_row_, q_row_, t_above_;
};

}  // namespace tessera::solvers::methods
