// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/multigrid/redistribution.hpp"
#include "solvers/multigrid/stream.hpp"

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
class CgPasses {
 public:
  explicit CgPasses(Hierarchy<T>& levels, bool streamed = true);

  Slab const& slab() const { return level_.slab(); }
  /// r = a field. Collective.
  void load(core::Field<double> const& field, Redistribution const& redistribution);
  std::size_t bytes() const;

  /// The finest level has other coefficients now.
  void renewed() { mass_ = sum(level_.row_sums()); }
  /// x = value. Alpha and beta of the first pass are zero, so that the p and w of before do not matter, if they are finite.
  void start(double x);
  /// p = w = 0, after a run that left them not finite.
  void forget();
  /// |r|_1 of r - alpha w, which r becomes.
  double update(T alpha);
  /// Pass A. Returns |r|_1.
  double update_and_descend(T alpha);
  /// The coarse levels, between passes A and B.
  void coarse(Cycle how);
  /// Pass B. Returns (r, z).
  double ascend();
  /// Pass C. Returns (p, w).
  double direction(T alpha, T beta);
  /// field += x + alpha p
  void add_to(core::Field<double>& field, T alpha, Redistribution const& redistribution) const;

  double sum_of_r() const { return sum(level_.r); }
  double sum_of_row_sums() const { return mass_; }
  /// r -= c m
  void subtract_row_sums(T c);
  /// For singular matrices: takes the mean out of r or z.
  void remove_mean(Array<T>& a);
  void remove_mean_of_r() { remove_mean(level_.r); }

 private:
  double sum(Array<T> const& a) const;

  Hierarchy<T>& levels_;
  Level<T>& level_;
  double mass_ = 0, start_ = 0;
  bool fresh_ = true;
  Array<T> p_;  // w takes the place of z, which is used up when w comes
  Array<double> x_;
  std::optional<Stream<T>> stream_;
};

}  // namespace tessera::solvers::multigrid
