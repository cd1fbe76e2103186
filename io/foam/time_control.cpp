// SPDX-License-Identifier: Apache-2.0
#include "io/foam/time_control.hpp"

#include "core/case/unsupported.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io::foam {

TimeControl::TimeControl(core::Dictionary const& dictionary, std::string const& prefix,
                         std::vector<std::string> const& kinds) {
  std::string const control = prefix + "Control", interval = prefix + "Interval";
  kind_ = dictionary.get_or<std::string>(control, kind_);
  if (std::find(kinds.begin(), kinds.end(), kind_) == kinds.end())
    dictionary.fail(control, core::unsupported_name(control, kind_, kinds));
  bool const in_steps =
      kind_ == "timeStep" || kind_ == "writeTime" || kind_ == "outputTime" || kind_ == "onEnd" || kind_ == "none";
  if (dictionary.contains(interval) || !in_steps) interval_ = dictionary.get_in<double>(interval, {0, 1e300});
  if (!in_steps && !(interval_ > 0))
    dictionary.fail(interval,
                    fmt::format("{} is {}, expected seconds above 0 with {} {}", interval, interval_, control, kind_));
  if (in_steps && interval_ != std::floor(interval_))
    dictionary.fail(interval, fmt::format("{} {} is no whole number of steps", interval, interval_));
  start_ = dictionary.get_or<double>("timeStart", start_);
  end_ = dictionary.get_or<double>("timeEnd", end_);
  if (end_ < start_) dictionary.fail("timeEnd", fmt::format("timeEnd {} is before timeStart {}", end_, start_));
}

bool TimeControl::due(StepTime const& now) {
  double const half = 0.5 * now.delta_t;
  if (now.time < start_ - half || now.time > end_ + half || kind_ == "none") return false;
  if (kind_ == "onEnd") return now.last;
  if (kind_ == "timeStep" || kind_ == "writeTime" || kind_ == "outputTime") {
    if (kind_ != "timeStep" && !now.writes) return false;
    // 0 and 1 both mean every time, as in OpenFOAM
    if (kind_ == "timeStep") return interval_ <= 1 || std::fmod(static_cast<double>(now.step), interval_) == 0;
    passed_ += 1;
    return interval_ <= 1 || std::fmod(passed_, interval_) == 0;
  }
  double const elapsed = kind_ == "cpuTime"     ? now.cpu_seconds
                         : kind_ == "clockTime" ? now.wall_seconds
                                                : now.since_start + half;
  double const count = std::floor(elapsed / interval_);
  if (std::isinf(count)) return true;  // an interval that no step is as short as
  if (!(count > passed_)) return false;
  passed_ = count;
  return true;
}

}  // namespace tessera::io::foam
