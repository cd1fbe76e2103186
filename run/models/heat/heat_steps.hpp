// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/heat/heat_case.hpp"

#include <functional>
#include <utility>

namespace tessera::run::heat {

struct Step {
  std::int64_t number = 0;
  double before = 0, time = 0, dt = 0;  ///< [s]
  bool last = false;
  double sum = 0;  ///< the time as OpenFOAM has it, who adds up dt: functions of time are those of its rounding [s]
};

/// The times at which steps end. Where dt is constant, time n is a multiple of it from where the run began; otherwise a
/// whole number of equal steps meets the next time that must be met, and the sum is the time.
class Steps {
 public:
  /// How far from a time, up to another, one step may go.
  using End = std::function<double(double time, double until)>;
  /// Both must outlive the object; the control's start time and precision may change. `end`: of steps that are adjusted, besides
  /// write times and the end of the run; nothing: wherever that is.
  Steps(io::foam::Control const& control, Begin const& begin, End end = {})
      : control_(control),
        begin_(begin),
        end_(std::move(end)) {}

  /// The one that the run goes on from.
  Step first() const;
  /// The step after another, `wanted` long where dt is adjusted. Throws core::RunError where it would be lost in rounding.
  Step after(Step const& step, double wanted) const;
  /// How many steps follow another, where the next ones are `wanted` long.
  double count_after(Step const& step, double wanted) const;

 private:
  long last_number() const;
  bool at_end(Step const& step) const;
  double fitted(double time, double dt) const;

  io::foam::Control const& control_;
  Begin const& begin_;
  End end_;
};

}  // namespace tessera::run::heat
