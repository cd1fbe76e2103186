// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/case.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::run {

/// A case with fewer cells and steps than it has: by settings, the case stays as it is.
class Scaled {
 public:
  explicit Scaled(Case& files);

  double steps() const { return steps_; }  ///< of the case; 1 where it has none that could be shortened
  bool has_steps() const { return !steps_key_.empty(); }
  bool has_cells() const { return !cells_key_.empty(); }  ///< the grid can be made smaller
  /// Settings for so many steps at most.
  std::vector<std::string> with_steps(double steps) const;
  /// Settings for about this share of the cells along each axis that has more than one.
  std::vector<std::string> with_cells(double share) const;

 private:
  double steps_ = 1, begin_ = 0, delta_ = 1;
  std::string steps_key_, cells_key_;
  std::vector<std::string> words_;   ///< of the entry that has the cells
  std::vector<std::size_t> counts_;  ///< where they stand in it
};

}  // namespace tessera::run
