// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <csignal>

namespace tessera::core {

/// While one lives, SIGTERM and SIGUSR1 (as batch systems send them before a job's time is over) are noted instead of
/// ending the process. One within another's life catches with it.
class SignalCatcher {
 public:
  SignalCatcher();
  ~SignalCatcher();
  SignalCatcher(SignalCatcher const&) = delete;
  SignalCatcher& operator=(SignalCatcher const&) = delete;

  /// The signal that came last in the life of the outermost one, 0 if none did.
  static int caught();

 private:
  struct sigaction terminate_, user_;  // what held before
};

}  // namespace tessera::core
