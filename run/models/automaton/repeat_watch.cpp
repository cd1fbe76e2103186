// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/repeat_watch.hpp"

namespace tessera::run::automaton {

bool RepeatWatch::go_on(Stepping& stepping, std::int64_t generation, int phase, std::int64_t repeats) {
  constexpr double long_enough = 10, patience = 5, between_looks = 0.1;
  double const now = session_.clock.now();
  if (repeats == 0) {
    began_ = looked_ = now;
    tells_after_ = long_enough;
    end_wanted_.reset();
  }
  if (now - looked_ < between_looks) return true;
  looked_ = now;
  if (now - began_ > tells_after_) {
    session_.log.line("Generation {}: phase {} has not come to rest after {} repeats", generation, phase, repeats);
    tells_after_ *= 2;
  }
  if (!end_wanted_ && stepping.asked_to_end()) end_wanted_ = now;
  return !end_wanted_ || now - *end_wanted_ < patience;
}

}  // namespace tessera::run::automaton
