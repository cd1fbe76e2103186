// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/driver.hpp"

#include <cstdint>
#include <optional>

namespace tessera::run::automaton {

/// Looks on while a phase is repeated until nothing changes: tells of one that takes long, and gives a run that is asked to end some
/// seconds to finish its generation.
class RepeatWatch {
 public:
  explicit RepeatWatch(Session& session) : session_(session) {}

  /// Whether this rank would repeat a phase once more in the step from a generation, after so many times: ca::Automaton::GoesOn.
  bool go_on(Stepping& stepping, std::int64_t generation, int phase, std::int64_t repeats);

 private:
  Session& session_;
  // seconds of the session's clock
  double began_ = 0, looked_ = 0, tells_after_ = 0;
  std::optional<double> end_wanted_;
};

}  // namespace tessera::run::automaton
