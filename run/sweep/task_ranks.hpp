// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/run.hpp"
#include "run/sweep/axes.hpp"

#include <functional>
#include <map>

namespace tessera::run {

/// On how many ranks each task of a sweep runs:
///   ranks 4;                               all on so many
///   ranks "L > 256 ? 4 : 1";               an expression over the axes
///   ranks { memory 2e9; cells 1e6; most 8; }   as many as it takes until none has more bytes or cells
/// In the second and third case a power of two, at most the run's ranks.
class TaskRanks {
 public:
  /// What a task needs, from the case: see task_memory.
  using Needs = std::function<Memory(Point const&)>;
  /// Reads `ranks`. `ranks`: those of the run. Throws core::Error.
  TaskRanks(core::Dictionary& dictionary, Axes const& axes, int ranks);

  /// Of all tasks alike; 0 where they differ.
  int alike() const { return alike_; }
  /// Of a task. `needs` is asked for once for all samples of one kind, where it matters. Throws core::Error.
  int of(Point const& point, Needs const& needs);

 private:
  double wanted(Point const& point, Needs const& needs) const;

  Axes const& axes_;
  int alike_ = 1, run_ranks_;
  std::string expression_, origin_;
  double memory_ = 0, cells_ = 0;  ///< a rank may have [B], []; 0: any
  int most_ = 0;
  std::map<Point, int> known_;  ///< by points without their sample
};

}  // namespace tessera::run
