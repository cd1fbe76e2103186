// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/times.hpp"

namespace tessera::run {

/// The time that a run goes by [s]: what its decisions (when to write, to save, to move tiles) look at. A test gives one of
/// its own and need not wait.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Since some moment.
  virtual double now() const;
  /// That this process ran.
  virtual double processor() const;
  /// Of each core::Part so far; `on_core`: what this thread really ran.
  virtual std::array<double, core::part_count> parts(bool on_core) const;
  /// The machine's.
  static Clock const& real();
};

}  // namespace tessera::run
