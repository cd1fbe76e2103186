// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/heat_steps.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tessera::run::heat {

Step Steps::first() const {
  Step step{begin_.step, begin_.time, begin_.time, begin_.dt, false, begin_.base_time};
  if (control_.adjust_time_step) step.sum = begin_.time;
  for (auto n = begin_.base_step; !control_.adjust_time_step && n < begin_.step; ++n) step.sum += step.dt;
  step.last = at_end(step);
  return step;
}

long Steps::last_number() const {
  // steps are counted from the base, the last one is not before the beginning
  long const left = control_.steps(begin_.base_time);
  return left > std::numeric_limits<long>::max() - begin_.base_step ? left : begin_.base_step + left;
}

bool Steps::at_end(Step const& step) const {
  return control_.adjust_time_step ? step.time >= *control_.end_time - 1e-9 * step.dt : step.number >= last_number();
}

double Steps::count_after(Step const& step, double wanted) const {
  return control_.adjust_time_step ? (*control_.end_time - step.time) / wanted
                                   : static_cast<double>(last_number() - step.number);
}

double Steps::fitted(double time, double dt) const {
  double target = *control_.end_time;  // or infinite
  if (control_.meets_write_times) {
    double const interval = control_.write_interval, since = time - control_.start_time;
    target = std::min(target, control_.start_time + (std::floor(since / interval + 1e-9) + 1) * interval);
  }
  // two steps ahead, so that what is met there leaves no small one behind
  double const ahead = time + 2 * std::min(dt, control_.max_delta_t);
  if (end_) {
    double const met = end_(time, std::min(target, ahead));
    if (met < ahead) target = met;
  }
  double const left = target - time;
  if (std::isinf(left)) return std::min(dt, control_.max_delta_t);
  return left / std::max(1.0, std::ceil(left / std::min(dt, control_.max_delta_t) - 1e-9));
}

Step Steps::after(Step const& step, double wanted) const {
  bool const adjust = control_.adjust_time_step;
  Step next{step.number + 1, step.time, step.time, step.dt, false, step.sum};
  if (adjust) next.dt = fitted(next.before, wanted);
  next.time =
      adjust ? next.before + next.dt : begin_.base_time + static_cast<double>(next.number - begin_.base_step) * next.dt;
  next.sum += next.dt;
  if (!(next.time > next.before))
    throw core::RunError(
        fmt::format("time {}: a deltaT of {:.3g} s is lost in rounding", control_.time_name(next.before), next.dt));
  next.last = at_end(next);
  return next;
}

}  // namespace tessera::run::heat
