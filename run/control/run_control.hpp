// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/agreement.hpp"
#include "core/comm/signals.hpp"
#include "io/foam/control.hpp"
#include "run/model.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace tessera::run {

/// When a run in steps writes its results and whether it is to end early, from system/controlDict and from outside:
///   writeControl timeStep N | runTime t | clockTime s | cpuTime s;   the last two by the session's clock, on the root; the end writes, too
///   writeControl none                only what follows writes
///   SIGTERM, SIGUSR1                 write and end, with exit code 0
///   stopAt writeNow | noWriteNow | nextWrite;   in controlDict from the start (the first two then end the run after its
///                                    first step, as in OpenFOAM), or changed to this while the run goes on: the root
///                                    looks at the file once a second (runTimeModifiable yes, the default)
///   Session::called_back             end without a result
/// What one rank or the root alone knows is agreed on without waiting, so it comes true a step later.
class RunControl {
 public:
  /// `time`: that the run begins with, `origin`: from which writeControl runTime counts (where the first of the runs began
  /// that go on from each other). Both references must outlive it. Collective.
  RunControl(Session& session, io::foam::Control const& control, double time, double origin = 0);

  struct Decision {
    bool write = false, stop = false;
    bool checkpoint = false;  ///< of `checkpoint_every` seconds
  };
  /// From now on asks for a checkpoint in memory every so many seconds by the session's clock, on the root; 0: never.
  void checkpoint_every(double seconds) { checkpoint_seconds_ = seconds; }
  /// To be asked once after every step, which may be the last one for reasons of its own. What comes from outside is asked
  /// for where `ask` says so: ranks need not meet after steps whose work is put off. All ranks say the same. Collective.
  Decision after(std::int64_t step, double time, bool last, bool ask = true);

  /// For work in which ranks do not meet in steps (samples of an ensemble), and within long steps: whether this rank was asked to end it.
  /// What stood in controlDict from the start counts once something was `done`. Not collective.
  bool asked_to_end(bool done);
  /// At the end of such work: all ranks learn the reason, if one was asked. Collective.
  void end();

  /// Whether writeControl asks for results of a step, where that depends on step and time; before `after` is asked.
  bool due(std::int64_t step, double time) const;
  /// How many steps there are from one to the next of which `due` may say yes, where a step's time is its number.
  std::int64_t steps_to_due(std::int64_t step) const;

  /// Why the run ended early, "" if it did not.
  std::string const& reason() const { return reason_; }
  /// Whether it was a signal: the run is to go on some other time, unlike after stopAt.
  bool by_signal() const { return reason_.starts_with("SIG"); }

 private:
  /// Says once for every interval that has passed, or for several that passed since it was asked, that it is over.
  class Interval {
   public:
    bool over(double elapsed, double seconds) {
      double const now = std::floor(elapsed / seconds);
      return now > std::exchange(passed_, now) || std::isinf(now);
    }

   private:
    double passed_ = 0;
  };
  /// Intervals of writeControl runTime that are over at a time, the end of the step after `time_`.
  double count(double time) const;
  bool by_time() const;
  unsigned asks();
  unsigned flags();
  void set_reason(unsigned agreed);
  unsigned stop_in_file();

  Session& session_;
  io::foam::Control const& control_;
  core::SignalCatcher signals_;
  core::Agreement agree_;
  double begin_time_, origin_, time_;  ///< the last: of the step before
  double passed_ = 0;                  ///< intervals of writeControl runTime that were over at the last step
  double begin_ = session_.clock.now(), looked_ = begin_, cpu_begin_ = session_.clock.processor();
  Interval writes_, checkpoints_;  ///< of the root's clock
  double checkpoint_seconds_ = 0;
  std::string file_, text_, reason_;  ///< controlDict as it was last seen; on the root
  unsigned file_asks_ = 0, asked_ = 0;
  bool watch_ = false, at_next_write_ = false;
};

}  // namespace tessera::run
