// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace tessera::ca {

/// When an automaton has run long enough: `stop { generations 1000; }`, `stop { stable; }`, `stop { period; }`, or
/// several of them, of which the first to come true ends the run.
///   `generations N`   after N generations in all
///   `stable`          no cell changed in the last step
///   `period [N]`      the state equals that of 1 .. N steps before (default 2), by its hash
///   `when "..."`      is the business of who knows the numbers it is about: done() does not see it
/// Cost of `period`: a pass over the cells and a reduction a step.
class Stop {
 public:
  /// Throws core::Error if the dictionary names none of the four.
  explicit Stop(core::Dictionary& stop);

  /// To be asked once after every step with what step() returned (before the first step, with -1). Collective.
  bool done(Automaton& automaton, std::int64_t changed);
  /// The same of what is no Automaton: its generation, and its hash, which is asked for where `period` wants it.
  bool done(std::int64_t generation, std::int64_t changed, std::function<std::string()> const& hash);

  /// Whether done() wants to know how many cells changed in each step, or sees the state after each.
  bool watches() const { return stable_ || longest_ > 0; }

  /// What `period` remembers of the last states, as a text that a restart hands back before the first step.
  std::string history() const;
  void resume(std::string const& history);

  /// The generation after which it ends in any case; 0 if there is none.
  std::int64_t last() const { return generations_ > 0 ? generations_ : 0; }
  /// After done: "generations", "stable" or "period".
  std::string const& reason() const { return reason_; }
  /// 1 when stable, the period when one was found, 0 otherwise.
  std::int64_t period() const { return period_; }

 private:
  std::int64_t generations_ = -1, longest_ = 0, period_ = 0;
  bool stable_ = false;
  std::deque<std::string> hashes_;  // the latest in front
  std::string reason_;
};

}  // namespace tessera::ca
