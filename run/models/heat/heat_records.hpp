// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/report.hpp"
#include "io/files/table.hpp"
#include "io/foam/sources.hpp"
#include "solvers/heat/stepper.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::run::heat {

/// What a run writes down at each step, and sums up in its report:
///   postProcessing/T.csv        time, min, max, mean, iterations
///   postProcessing/balance.csv  time, in_PATCH ..., held, produced, stored, error [W]
/// Rows are on disk when a step has been added.
class HeatRecords {
 public:
  /// `patches`: of each number in HeatBalance::in the patch's name, empty where no heat passes. On the root `folder`
  /// gets the tables; a run that goes on keeps their rows of times before `resume_at`.
  HeatRecords(core::Comm const& comm, std::string const& folder, std::vector<std::string> patches, double resume_at);

  /// Collective.
  void add(double time, double dt, solvers::StepResult const& result, solvers::Range const& range,
           solvers::HeatBalance const& balance);
  void reject() { ++rejected_; }

  long steps() const { return static_cast<long>(iterations_.size()); }
  bool converged() const { return converged_; }
  double average_iterations() const;
  /// Fills `solvers.T` and `results`; `range`: of T at the end; `followed`: how often the solver went on with another matrix
  /// instead of being set up. Collective.
  void report(core::Report& report, solvers::Range const& range, double setup_seconds, int setups, int followed) const;

 private:
  /// Heat in through each patch, by the order of patch_names_.
  std::vector<double> by_patch(solvers::HeatBalance const& balance) const;

  core::Comm comm_;
  std::vector<std::string> patches_;
  std::vector<std::string> patch_names_;
  std::unique_ptr<io::Table> history_, balance_table_;  // on the root
  std::vector<int> iterations_, outer_;
  std::vector<double> residuals_;
  std::string solver_, preconditioner_;
  double solve_seconds_ = 0, solve_compute_ = 0, worst_balance_ = 0, smallest_dt_ = 0, largest_dt_ = 0;
  solvers::HeatBalance balance_;
  int rejected_ = 0;
  bool converged_ = true;
};

}  // namespace tessera::run::heat
