// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/course.hpp"

namespace tessera::run::rating {

void set_losses_between(Site const& site, State const& before, State const& after, State& mean) {
  for (std::size_t n = 0; n < mean.cables.size(); ++n) {
    auto const &a = before.cables[n], &b = after.cables[n];
    auto& s = mean.cables[n];
    s.conductor = (a.conductor + b.conductor) / 2;
    for (std::size_t m = 0; m < s.metal.size(); ++m) s.metal[m] = (a.metal[m] + b.metal[m]) / 2;
  }
  set_losses(site, mean);
}

Course::Course(InTime const& of, State start) : of_(of), state_(std::move(start)) {
  auto const heat = state_.heat(of_.responses);
  x_ = of_.modes.steady(heat);
  set_temperatures(of_.site, of_.responses.cables, of_.modes.rises(x_, heat), state_);
}

State const& Course::step(std::vector<double> const& currents, double seconds) {
  State next = state_;
  next.currents = currents;
  Modes::Amplitudes x;
  constexpr int most = 50;
  for (int iteration = 0; iteration < most; ++iteration) {
    State mean = next;
    set_losses_between(of_.site, state_, next, mean);
    auto const heat = mean.heat(of_.responses);
    x = x_;
    of_.modes.advance(x, heat, seconds);
    if (set_temperatures(of_.site, of_.responses.cables, of_.modes.rises(x, heat), next) < 1e-7) break;
  }
  x_ = std::move(x);
  state_ = std::move(next);
  return state_;
}

}  // namespace tessera::run::rating
