// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/guard/case_lock.hpp"
#include "run/plan/fits.hpp"
#include "run/plan/plan.hpp"
#include "run/plan/scaled.hpp"
#include "run/study/apart.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::run {

/// What one run says of rounds: iterations of the solver, or steps where there are none.
struct Sample : Times {
  double cells = 0, steps = 1, rounds = 1;
  double messages = 0, bytes = 0, reductions = 0, streamed = 0, cut = 0;
  double imbalance = 0;      ///< of the cells: those of the fullest rank over the mean, less 1
  double peak = 0;           ///< memory [bytes]
  std::string unit, kernel;  ///< as Sampled has them
};

/// Runs of a case on this machine with fewer cells and steps than it has, each by an mpirun of its own in CASE/plan.
class SampleRuns {
 public:
  /// Takes the folder's lock. Throws as run_case where the case is wrong.
  SampleRuns(core::Comm const& comm, PlanOptions const& options, Log& log);

  struct Wanted {
    double cells;  ///< about so many
    double steps = 1;
    int ranks = 1;
    std::string nodes = {};                  ///< of each rank; empty: one for all
    std::string emulated = {};               ///< a core::EmulatedCluster; empty: none
    std::vector<std::string> settings = {};  ///< more than the plan's own
    int repeats = 1;                         ///< at least; the fastest counts
    bool writes = false;                     ///< what the case says
  };
  /// Throws core::RunError where the run fails.
  Sample operator()(Wanted const& wanted);
  std::vector<std::string> settings_of(Wanted const& wanted) const;

  std::array<double, 3> const& cells() const { return cells_; }  ///< of the case
  double across(double cells) const;                             ///< along each axis that has more than one
  Scaled const& scaled() const { return scaled_; }
  std::string const& folder() const { return folder_; }
  int cores() const { return apart_.cores(); }
  std::string const& program() const { return apart_.program(); }
  /// With these settings a solver takes so many iterations a step at most; empty: the case has no solver.
  std::vector<std::string> with_iterations(int most);
  /// A run with these settings stops soon: for the time of an iteration alone.
  std::vector<std::string> few_iterations();
  void clear() const { apart_.clear(); }

 private:
  Sample read(core::Report::Json const& report, int ranks);

  PlanOptions const& options_;
  Log& log_;
  Case files_;
  Scaled const scaled_;
  std::string folder_;
  CaseLock const lock_;  // of the samples' folder
  Apart const apart_;
  std::array<double, 3> cells_{1, 1, 1};
  int thick_ = 0, runs_ = 0;
};

}  // namespace tessera::run
