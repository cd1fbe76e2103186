// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/preconditioners/multigrid_stream.hpp"

#include <optional>

namespace tessera::solvers::multigrid {

/// The passes of conjugate gradients over the finest level, with the first and last part of multigrid's cycle in them:
///
///   A  r -= alpha w, |r|_1;  smoothing from zero, residual, restriction
///      (coarse levels)
///   B  interpolation, smoothing: z = M^-1 r;  (r, z)
///   C  x += alpha p;  p = z + beta p, w = A p, (p, w)
///
/// r, z, p and w are in precision T, x in double. Sums are of rows, added exactly. In two dimensions each pass runs once
/// over the rows (Stream); `streamed` says no to that, for comparison.
template <class T>
class Finest {
 public:
  explicit Finest(Hierarchy<T>& levels, bool streamed = true);

  Slab const& slab() const { return level_.slab(); }
  Array<T>& r() { return level_.r; }
  Array<double>& x() { return x_; }
  std::size_t bytes() const;

  /// p = w = 0; x = value.
  void start(double x);
  /// |r|_1 of r - alpha w, which r becomes.
  double update(T alpha);
  /// Pass A. Returns |r|_1.
  double update_and_descend(T alpha);
  /// The levels between.
  void coarse(Cycle how);
  /// Pass B. Returns (r, z).
  double ascend();
  /// Pass C. Returns (p, w).
  double direction(T alpha, T beta);
  /// x += alpha p
  void finish(T alpha);

  /// Sums of r, |r| and the row sums.
  std::array<double, 3> balance();
  /// r -= c m
  void subtract_row_sums(T c);
  /// For singular matrices: takes the mean out of r or z.
  void remove_mean(Array<T>& a);
  void remove_mean_of_r() { remove_mean(level_.r); }

 private:
  Hierarchy<T>& levels_;
  Level<T>& level_;
  Array<T> p_, w_;
  Array<double> x_;
  std::optional<Stream<T>> stream_;
};

}  // namespace tessera::solvers::multigrid
