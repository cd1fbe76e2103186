// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/heat_records.hpp"

#include "io/files/together.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::run::heat {

HeatRecords::HeatRecords(core::Comm const& comm, std::string const& folder, std::vector<std::string> patches,
                         double resume_at)
    : comm_(comm),
      patches_(std::move(patches)) {
  for (auto const& name : patches_)
    if (!name.empty() && std::find(patch_names_.begin(), patch_names_.end(), name) == patch_names_.end())
      patch_names_.push_back(name);
  io::on_root(comm_, [&] {
    history_ = std::make_unique<io::Table>(
        folder + "/T.csv", std::vector<std::string>{"time", "min", "max", "mean", "iterations"}, resume_at);
    std::vector<std::string> columns{"time"};
    for (auto const& name : patch_names_) columns.push_back("in_" + name);
    for (char const* name : {"held", "produced", "stored", "error"}) columns.push_back(name);
    balance_table_ = std::make_unique<io::Table>(folder + "/balance.csv", columns, resume_at);
  });
}

std::vector<double> HeatRecords::by_patch(solvers::HeatBalance const& balance) const {
  std::vector<double> in(patch_names_.size(), 0.0);
  for (std::size_t s = 0; s < patches_.size(); ++s)
    for (std::size_t n = 0; n < in.size(); ++n)
      if (patches_[s] == patch_names_[n]) in[n] += balance.in[s];
  return in;
}

void HeatRecords::add(double time, double dt, solvers::StepResult const& result, solvers::Range const& range,
                      solvers::HeatBalance const& balance) {
  int total = 0;
  for (auto const& p : result.solves) {
    total += p.iterations;
    solve_seconds_ += p.seconds;
    solve_compute_ += p.compute;
  }
  auto const& last = result.solves.back();
  solver_ = last.solver;
  preconditioner_ = last.preconditioner;
  iterations_.push_back(total);
  outer_.push_back(result.outer);
  residuals_.push_back(last.final);
  converged_ = converged_ && result.converged();
  smallest_dt_ = steps() == 1 ? dt : std::min(smallest_dt_, dt);
  largest_dt_ = std::max(largest_dt_, dt);
  balance_ = balance;
  auto const in = by_patch(balance);
  double most = std::max({std::abs(balance.produced), std::abs(balance.stored), std::abs(balance.from_held)});
  for (double const w : in) most = std::max(most, std::abs(w));
  if (most > 0) worst_balance_ = std::max(worst_balance_, std::abs(balance.error()) / most);
  io::on_root(comm_, [&] {
    history_->row(std::array{time, range.min, range.max, range.mean, static_cast<double>(total)});
    std::vector<double> row{time};
    row.insert(row.end(), in.begin(), in.end());
    for (double const w : {balance.from_held, balance.produced, balance.stored, balance.error()}) row.push_back(w);
    balance_table_->row(row);
  });
}

double HeatRecords::average_iterations() const {
  double const total = std::accumulate(iterations_.begin(), iterations_.end(), 0.0);
  return iterations_.empty() ? 0 : total / static_cast<double>(iterations_.size());
}

void HeatRecords::report(core::Report& report, solvers::Range const& range, double setup_seconds, int setups,
                         int followed) const {
  double const total = std::accumulate(iterations_.begin(), iterations_.end(), 0.0);
  auto const computed = comm_.gather(solve_compute_);
  double const compute = std::accumulate(computed.begin(), computed.end(), 0.0) / comm_.size();
  auto& t = report["solvers"]["T"];
  t = {{"solver", solver_},
       {"preconditioner", preconditioner_},
       {"iterations", iterations_},
       {"averageIterations", average_iterations()},
       {"secondsPerIteration", total > 0 ? solve_seconds_ / total : 0},
       {"computePerIteration", total > 0 ? compute / total : 0},
       {"setupSeconds", setup_seconds},
       {"setups", setups},
       {"solveSeconds", solve_seconds_},
       {"finalResidual", residuals_},
       {"converged", converged_}};
  if (followed > 0) t["followed"] = followed;
  if (std::any_of(outer_.begin(), outer_.end(), [](int n) { return n > 1; })) t["outerIterations"] = outer_;
  if (rejected_ > 0 || smallest_dt_ < largest_dt_)
    report["deltaT"] = {{"smallest", smallest_dt_}, {"largest", largest_dt_}, {"rejected", rejected_}};
  report.results()["min"] = range.min;
  report.results()["max"] = range.max;
  report.results()["mean"] = range.mean;
  core::Report::Json sides = core::Report::Json::object();
  auto const in = by_patch(balance_);
  for (std::size_t n = 0; n < in.size(); ++n) sides[patch_names_[n]] = in[n];
  report.results()["balance"] = {{"in", sides},
                                 {"held", balance_.from_held},
                                 {"produced", balance_.produced},
                                 {"stored", balance_.stored},
                                 {"largestRelativeError", worst_balance_}};
}

}  // namespace tessera::run::heat
