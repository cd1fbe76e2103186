// SPDX-License-Identifier: Apache-2.0
#include "run/log.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace tessera::run {

Log::Log(bool speaking) : speaking_(speaking), terminal_(speaking && isatty(STDOUT_FILENO)) {}

void Log::write(std::string const& text) {
  if (!speaking_) return;
  if (holding_) return held_.push_back(text);
  if (status_shown_) std::fputs("\r\x1b[K", stdout);
  status_shown_ = false;
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void Log::hold() {
  holding_ = true;
  held_.clear();
}

void Log::release() {
  holding_ = false;
  for (auto const& text : held_) write(text);
  held_.clear();
}

void Log::status(std::string const& text) {
  if (!terminal_ || holding_) return;
  std::fputs(("\r\x1b[K" + text).c_str(), stdout);
  std::fflush(stdout);
  status_shown_ = true;
}

Progress::Progress(Log& log, std::string what, std::int64_t total, double cells_a_step)
    : log_(log),
      what_(std::move(what)),
      total_(total),
      cells_(cells_a_step) {}

void Progress::done(std::int64_t steps) {
  if (!log_.speaking()) return;
  auto const now = Clock::now();
  double const seconds = std::chrono::duration<double>(now - begin_).count();
  double const steps_rate = seconds > 0 ? static_cast<double>(steps) / seconds : 0;
  std::string const rate =
      cells_ > 0 ? engineering(cells_ * steps_rate) + "cells/s" : engineering(steps_rate) + what_ + "/s";
  double const share = total_ > 0 ? static_cast<double>(steps) / static_cast<double>(total_) : 1;
  double const left = share > 0 ? seconds * (1 - share) / share : 0;
  auto const text = [&] {
    if (total_ <= 0) return fmt::format("{} {}, {}", what_, steps, rate);
    return fmt::format("{} {} of {} ({:.0f} %), {}, {} left", what_, steps, total_, 100 * share, rate, duration(left));
  };
  if (log_.terminal()) {
    if (std::chrono::duration<double>(now - shown_).count() < 0.2) return;
    shown_ = now;
    log_.status(text());
  } else if (total_ > 0 && steps * 10 / total_ > tenth_) {
    tenth_ = steps * 10 / total_;
    log_.write(text());
  }
}

std::string engineering(double x) {
  static constexpr char const* prefix[] = {"", "k", "M", "G", "T", "P"};
  int n = 0;
  while (std::abs(x) >= 999.5 && n < 5) {
    x /= 1000;
    ++n;
  }
  return fmt::format("{:.3g} {}", x, prefix[n]);
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  auto const s = static_cast<std::int64_t>(seconds);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{:02}:{:02}", s / 60, s % 60);
}

}  // namespace tessera::run
