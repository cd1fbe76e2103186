// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"

#include <limits>
#include <string>
#include <vector>

namespace tessera::io::foam {

/// A moment at the end of a time step.
struct StepTime {
  long step = 0;            ///< steps since the start of the run: 1 after the first
  double time = 0;          ///< [s]
  double since_start = 0;   ///< time since the start of the run [s]
  double delta_t = 1;       ///< of this step [s]
  bool writes = false;      ///< results are written at this step
  bool last = false;        ///< the run ends here
  double cpu_seconds = 0;   ///< of the root's processor so far; equal on all ranks
  double wall_seconds = 0;  ///< equal on all ranks
};

/// When something is due, as OpenFOAM's `writeControl` and `writeInterval` say:
///   timeStep            every `interval` steps
///   runTime, adjustable, adjustableRunTime   at the first step within half a step of each multiple of `interval` [s]
///                       since the start (whether steps are shortened to meet it is the application's business)
///   cpuTime, clockTime  every `interval` seconds of the processor or the wall clock
///   writeTime           whenever results are written (outputTime in old files)
///   onEnd               at the last step;  none: never
class TimeControl {
 public:
  TimeControl() = default;
  TimeControl(std::string kind, double interval) : kind_(std::move(kind)), interval_(interval) {}
  /// Reads `PREFIXControl` (one of `kinds`, by default timeStep) and `PREFIXInterval`, and with them `timeStart` and
  /// `timeEnd`, outside of which nothing is due. Throws core::Error with file and line.
  TimeControl(core::Dictionary const& dictionary, std::string const& prefix, std::vector<std::string> const& kinds);

  std::string const& kind() const { return kind_; }
  double interval() const { return interval_; }
  /// To be asked once a step, in the order of the steps: it counts the intervals that have passed.
  bool due(StepTime const& now);
  /// Intervals that have passed, and going on from there: what a restart keeps.
  double passed() const { return passed_; }
  void resume(double passed) { passed_ = passed; }

 private:
  std::string kind_ = "timeStep";
  double interval_ = 1;
  double start_ = -std::numeric_limits<double>::infinity(), end_ = std::numeric_limits<double>::infinity();
  double passed_ = 0;  // intervals
};

}  // namespace tessera::io::foam
