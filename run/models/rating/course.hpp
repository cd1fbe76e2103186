// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/circuits.hpp"
#include "run/models/rating/modes.hpp"

namespace tessera::run::rating {

/// What a course in time is made of.
struct InTime {
  Site const& site;
  Responses const& responses;  ///< of the steady section: which heat is which load
  Modes const& modes;
};

/// Cables through time, from a steady state on. Losses over a step are those at the mean of the temperatures that it begins
/// and ends with.
class Course {
 public:
  Course(InTime const& of, State start);

  /// So many seconds later, with these currents of the circuits.
  State const& step(std::vector<double> const& currents, double seconds);
  State const& state() const { return state_; }

 private:
  InTime of_;
  Modes::Amplitudes x_;
  State state_;
};

/// Sets the losses at the mean of two temperatures of a state.
void set_losses_between(Site const& site, State const& before, State const& after, State& mean);

}  // namespace tessera::run::rating
