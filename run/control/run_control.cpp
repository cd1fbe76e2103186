// SPDX-License-Identifier: Apache-2.0
#include "run/control/run_control.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::run {
namespace {

enum Flag : unsigned {
  terminated = 1,
  user = 2,
  write_now = 4,
  no_write_now = 8,
  next_write = 16,
  clock_write = 32,
  clock_checkpoint = 64,
  called_back = 128
};

constexpr char const* no_result = "a call back";

/// What a stopAt asks for.
unsigned flags_of(std::string const& stop_at) {
  return stop_at == "writeNow"     ? write_now
         : stop_at == "noWriteNow" ? no_write_now
         : stop_at == "nextWrite"  ? next_write
                                   : 0u;
}

}  // namespace

RunControl::RunControl(Session& session, io::foam::Control const& control, double time, double origin)
    : session_(session),
      control_(control),
      agree_(session.comm),
      begin_time_(time),
      origin_(origin),
      time_(time),
      file_(session.files.path("system/controlDict")) {
  watch_ = session.comm.root() && control.modifiable;
  if (watch_) text_ = session_.files.text_here(file_);
  if (by_time()) passed_ = count(time);
}

unsigned RunControl::stop_in_file() {
  if (!watch_ || session_.clock.now() - looked_ < 1) return file_asks_;
  looked_ = session_.clock.now();
  try {
    auto const text_of = [this](std::string const& path) { return session_.files.text_here(path); };
    std::string text = text_of(file_);
    if (text == text_) return file_asks_;
    text_ = std::move(text);
    auto const dictionary = core::Dictionary::parse(text_, file_, text_of);
    auto const stop = dictionary.get_choice("stopAt", {"endTime", "writeNow", "noWriteNow", "nextWrite"}, "endTime");
    file_asks_ = flags_of(stop);
  } catch (core::Error const& error) {
    session_.log.line("{}; the run goes on as before", error.what());
  }
  return file_asks_;
}

/// Which of the asked flags this rank knows of.
unsigned RunControl::asks() {
  int const signal = core::SignalCatcher::caught();
  unsigned mine = signal == SIGTERM ? terminated : signal == SIGUSR1 ? user : 0u;
  mine |= stop_in_file();
  if (session_.called_back && session_.called_back()) mine |= called_back;
  return mine;
}

unsigned RunControl::flags() {
  unsigned mine = asks();
  if (!session_.comm.root()) return mine;
  double const seconds = session_.clock.now() - begin_;
  bool const by_cpu = control_.write_control == "cpuTime";
  if (by_cpu || control_.write_control == "clockTime") {
    double const elapsed = by_cpu ? session_.clock.processor() - cpu_begin_ : seconds;
    if (writes_.over(elapsed, control_.write_interval)) mine |= clock_write;
  }
  if (checkpoint_seconds_ > 0 && checkpoints_.over(seconds, checkpoint_seconds_)) mine |= clock_checkpoint;
  return mine;
}

bool RunControl::due(std::int64_t step, double time) const {
  double const every = control_.write_interval;
  if (every <= 0 || control_.write_control == "none") return false;
  if (control_.write_control == "timeStep") return std::fmod(static_cast<double>(step), every) == 0;
  return by_time() && (count(time) > passed_ || std::isinf(count(time)));
}

bool RunControl::by_time() const { return control_.write_control == "runTime" && control_.write_interval > 0; }

double RunControl::count(double time) const {
  // as in OpenFOAM a time counts where the next multiple of the interval is less than half a step away
  bool const meets = control_.adjust_time_step && control_.meets_write_times;
  double const half = control_.delta_t && !meets ? (time > time_ ? time - time_ : *control_.delta_t) / 2 : 0;
  return std::floor((time - origin_ + half) / control_.write_interval + 1e-9);
}

std::int64_t RunControl::steps_to_due(std::int64_t step) const {
  constexpr std::int64_t far = std::int64_t{1} << 62;
  double const every = control_.write_interval;
  if (every <= 0 || every >= static_cast<double>(far) || (!by_time() && control_.write_control != "timeStep"))
    return far;
  double const since = std::fmod(static_cast<double>(step) - (by_time() ? origin_ : 0), every);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(every - since));
}

RunControl::Decision RunControl::after(std::int64_t step, double time, bool last, bool ask) {
  unsigned agreed = ask ? agree_(flags()) : 0u;
  if (time != begin_time_) agreed |= flags_of(control_.stop_at);
  at_next_write_ = at_next_write_ || (agreed & next_write) != 0;
  Decision decision{due(step, time) || (agreed & clock_write) != 0, false, (agreed & clock_checkpoint) != 0};
  if (by_time()) passed_ = std::max(passed_, count(time));
  time_ = time;
  set_reason(agreed);
  if (reason_.empty() && at_next_write_ && decision.write) reason_ = "stopAt nextWrite";
  decision.stop = last || !reason_.empty();
  // the end that was planned writes only where the case writes at all
  if (decision.stop)
    decision.write = reason_.empty() ? decision.write || control_.write_control != "none"
                                     : reason_ != "stopAt noWriteNow" && reason_ != no_result;
  return decision;
}

void RunControl::set_reason(unsigned agreed) {
  if ((agreed & called_back) != 0)
    reason_ = no_result;
  else if ((agreed & (terminated | user)) != 0)
    reason_ = (agreed & terminated) != 0 ? "SIGTERM" : "SIGUSR1";
  else if ((agreed & (write_now | no_write_now)) != 0)
    reason_ = (agreed & write_now) != 0 ? "stopAt writeNow" : "stopAt noWriteNow";
}

bool RunControl::asked_to_end(bool done) {
  asked_ |= asks();
  if (done) asked_ |= flags_of(control_.stop_at);
  return asked_ != 0;
}

void RunControl::end() {
  unsigned agreed = 0;
  for (unsigned const flag : {terminated, user, write_now, no_write_now, next_write, called_back})
    if (session_.comm.any((asked_ & flag) != 0)) agreed |= flag;
  set_reason(agreed);
  if (reason_.empty() && (agreed & next_write) != 0) reason_ = "stopAt nextWrite";
}

}  // namespace tessera::run
