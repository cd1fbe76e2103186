// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/multigrid/coarsening.hpp"
#include "solvers/multigrid/transfer.hpp"

#include <memory>
#include <vector>

namespace tessera::solvers {
class StencilMatrix;
}

namespace tessera::solvers::multigrid {

class Redistribution;

/// V: every coarser level is visited once. W: twice, the second time for the residual of the first, which keeps the
/// cycle symmetric; it halves the iterations where thin strong structures contain no coarse cell, for 1.3 times the work
/// in 3-D and about twice the coarse work in 2-D. Where levels shrink more slowly, as on stretched meshes, whose cells are
/// merged along one axis, only levels with a third of the cells of the one visited twice before are: else the coarsest of
/// twenty levels would be visited half a million times a cycle.
enum class Cycle { v, w };

/// Levels of multigrid in precision T, from a matrix on slabs down to at most 100 cells, which are solved by a dense
/// inverse; one symmetric cycle from zero as z = M^-1 r.
///
/// The set-up is in double on all levels, whatever T is: a coarse operator formed in single precision loses the row sums
/// where conductances jump. Levels of at most 8192 cells, and levels with too few lines for the ranks, are held whole by
/// every rank. All arrays on the host lie in the pool of the finest level's slab. Where the finest level lies on the device the next
/// ones are formed and worked on there as far as they fit it (Slab::fits_device); the vectors of the first that does not are copied
/// across.
/// Exchanges: two a level and cycle, of the right side (3 lines) and of the solution (3).
template <class T>
class Hierarchy {
 public:
  /// `widths` are those of the cells. Collective. Throws core::Error if the matrix is not positive definite.
  Hierarchy(Level<double> finest, Widths widths, int sweeps);

  /// The finest level gets other coefficients, of which the coarser ones are not made: they and the interpolation stay. The
  /// cycle remains symmetric and positive definite for the new matrix, whatever they are: with S a half of the smoothing and C
  /// the coarse correction, 1 - S (1 - C A) S has only positive eigenvalues, since those of 1 - C A are at most 1.
  void renew_finest(StencilMatrix const& matrix, Redistribution const& redistribution);

  Level<T>& level(std::size_t n) { return stages_[n].level; }
  Level<T> const& level(std::size_t n) const { return stages_[n].level; }
  std::size_t levels() const { return stages_.size(); }
  Transfer<T> const& transfer(std::size_t n) const { return *stages_[n].transfer; }
  std::vector<T> const& weights() const { return weights_; }
  /// All row sums are zero: the constant is the kernel. The mean of the coarsest solution is tied.
  bool singular() const { return singular_; }
  std::size_t bytes() const;

  /// Vectors of the finest level are made when first needed; Stream needs no working space there.
  void allocate_finest(bool working_space);
  /// z of level n = M^-1 r of level n.
  void cycle(std::size_t n, Cycle how);
  /// The parts of a cycle: smoothing and restriction to r of the next level; interpolation from z there, and smoothing.
  void descend(std::size_t n);
  void ascend(std::size_t n);
  /// z of level n, three lines around included: one cycle, or two (Cycle).
  void coarse(std::size_t n, Cycle how);

 private:
  struct Stage {
    Level<T> level;
    std::unique_ptr<Transfer<T>> transfer;  // to the next level; the last has none
    Array<T> first, right;                  // of the first visit, in a W-cycle
    bool twice = false;                     // visited twice in one
    Array<T> r_there, z_there;              // on the device, of the first level that is not
  };
  void allocate_vectors();
  void invert(Level<double> const& level);
  void solve_directly(Level<T>& level) const;

  std::vector<Stage> stages_;
  std::vector<T> weights_;
  std::vector<T> inverse_;  // of the last level, row after row
  bool singular_ = false;
};

}  // namespace tessera::solvers::multigrid
