// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace tessera::core {

/// A sum of doubles without rounding: a fixed-point number as wide as the range of double (Kulisch's long accumulator).
///
/// Integer addition is associative, so the rounded result has the same bits in any order of terms and on any number of
/// ranks; one reduction of 568 bytes replaces gathering the terms. Adding costs about 3 ns, so tiles are summed in
/// plain double first (in a fixed order) and only their sums are added here.
/// Infinities and NaN are counted apart and come out as in IEEE arithmetic.
///
/// Source: Kulisch & Miranker 1986, The arithmetic of the digital computer, SIAM Review 28(1).
class ExactSum {
 public:
  void add(double x);
  void add(ExactSum const& other);
  /// The sum rounded once to the nearest double.
  double round() const;

  /// Sums each entry over all ranks, in place; collective.
  static void all_reduce(Comm const& comm, std::span<ExactSum> sums);

 private:
  static constexpr int limbs = 68;  // 32 bits each, carries kept in the upper half
  void carry();
  std::array<std::int64_t, limbs + 3> limb_{};  // then the numbers of NaN, +inf, -inf
  std::int64_t terms_ = 0;                      // since the last carry
};

}  // namespace tessera::core
