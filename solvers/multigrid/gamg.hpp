// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/preconditioner.hpp"

namespace tessera::solvers {

/// What OpenFOAM's keys of GAMG ask of the levels of `multigrid`, on which GAMG stands here:
///
///   nPreSweeps 0, nPostSweeps 2, nFinestSweeps 2, maxPreSweeps 4, maxPostSweeps 4
///       smoothing steps after the coarse correction, on all levels alike: the larger of pre + post and finest, at most 3.
///       Cycles here are symmetric, so as many go before it.
///   nVcycles 1            as a preconditioner: cycles an application (OpenFOAM's default is 2)
///   scaleCorrection yes   as a solver: corrections are scaled to the least energy
///
/// These are checked, but what they choose among exists here in one form only:
///   smoother              one of OpenFOAM's; levels have Jacobi's with Chebyshev's weights, symmetric and parallel
///   agglomerator faceAreaPair | algebraicPair, mergeLevels, cacheAgglomeration
///                         a level has half the lines of cells along each axis it coarsens, chosen by the matrix; levels
///                         are kept as long as the matrix is
///   nCellsInCoarsestLevel, directSolveCoarsest
///                         coarsening ends with at most some hundred cells, which are solved directly
///   interpolateCorrection interpolation always comes from the matrix
/// Level multipliers, processorAgglomerator and coarsestLevelCorr are refused as unknown entries.
struct GamgControls {
  explicit GamgControls(core::Dictionary& dictionary);
  /// Multigrid with so many steps: one cycle.
  std::unique_ptr<Preconditioner> make_cycle(StencilMatrix const& matrix) const;

  int sweeps;

  static constexpr char const* help =
      "smoother NAME; nPreSweeps 0; nPostSweeps 2; nFinestSweeps 2; maxPreSweeps 4; maxPostSweeps 4;\n"
      "   smoothing steps a level and cycle, the larger of pre + post and finest; half of them before the coarse "
      "correction\n"
      "agglomerator faceAreaPair; mergeLevels 1; cacheAgglomeration yes; nCellsInCoarsestLevel 10; directSolveCoarsest "
      "no;\n"
      "interpolateCorrection no;   checked; levels are those of multigrid";
};

}  // namespace tessera::solvers
