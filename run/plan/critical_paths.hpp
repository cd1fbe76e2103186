// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/plan/samples.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::run {

class SampleRuns;

/// What the model says of a sample: its tiles are shared out over the ranks of one host line as in a run.
class SampleModel {
 public:
  /// `settings`: of the sample; `host`: all of its ranks.
  SampleModel(core::Comm const& comm, PlanOptions const& options, std::vector<std::string> const& settings,
              MachineLine const& host, partition::SpeedCurve curve);
  /// With this link between any two ranks.
  Prediction operator()(Work const& work, core::Link const& link) const;

 private:
  MachineFile machine_;
  partition::SpeedCurve curve_;
  Placement placement_;
  std::shared_ptr<core::Grid const> grid_;
  std::vector<int> owners_;
};

struct PathSamples {
  std::vector<double> sizes;  ///< cells, one or two, rising
  double steps;
  int most_ranks;
};
/// Paths of 2, 4 and 8 ranks, at most `most_ranks` but two at least: each by runs on an emulated cluster (core::Emulation) of as
/// many nodes, whose links take no time, whose links have a latency, and whose links have a bandwidth; what the model says
/// of these runs without a path is taken off. Of one size waiting is a share of computing, of two also a constant. Messages
/// grow with the logarithm of the cells. Throws core::RunError where a run fails.
std::vector<CriticalPath> critical_paths(core::Comm const& comm, PlanOptions const& options, SampleRuns& runs,
                                         Sampled& found, PathSamples const& samples);

}  // namespace tessera::run
