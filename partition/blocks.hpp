// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "partition/partitioner.hpp"

#include <array>

namespace tessera::partition {

/// Parts per axis, `n (2 2 1);`, as `simple` and `hierarchical` take it. Without the entry the ranks are factored so
/// that parts are as square as can be.
class Blocks {
 public:
  /// `coeffs`: the sub-dictionary (`simpleCoeffs`, `hierarchicalCoeffs`) or nullptr.
  explicit Blocks(core::Dictionary* coeffs);
  /// Parts per axis for this grid. Throws core::Error if their product is not `ranks`.
  std::array<int, 3> parts(core::Grid const& grid, int ranks) const;

 private:
  std::array<int, 3> parts_{0, 0, 0};
  std::string where_;
};

/// `<method>Coeffs` or `coeffs`, nullptr if neither is given.
core::Dictionary* coeffs(core::Dictionary& dictionary, std::string const& method);

}  // namespace tessera::partition
