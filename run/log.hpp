// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace tessera::run {

/// Lines for the user on standard output, from one rank; OpenFOAM's where it has one, so that foamLog reads them.
class Log {
 public:
  /// A rank that is not `speaking` says nothing.
  explicit Log(bool speaking);
  template <class... A>
  void line(fmt::format_string<A...> format, A&&... a) {
    write(fmt::format(format, std::forward<A>(a)...));
  }
  void write(std::string const& text);
  template <class Texts>
  void lines(Texts const& texts) {
    for (auto const& text : texts) write(text);
  }
  /// Keeps the lines from now on instead of showing them, those kept before forgotten; `release` shows them.
  void hold();
  void release();
  std::vector<std::string> const& held() const { return held_; }
  bool speaking() const { return speaking_; }
  bool terminal() const { return terminal_; }
  /// One line that is overwritten by the next output, on a terminal only.
  void status(std::string const& text);

 private:
  bool speaking_, terminal_, status_shown_ = false, holding_ = false;
  std::vector<std::string> held_;
};

/// How far a run is: on a terminal one line with share, rate and time left, renewed about five times a second; elsewhere
/// a line at every tenth. A total of 0 stands for unknown, cells of a step of 0 for steps that have none.
class Progress {
 public:
  Progress(Log& log, std::string what, std::int64_t total, double cells_a_step);
  void done(std::int64_t steps);

 private:
  using Clock = std::chrono::steady_clock;
  Log& log_;
  std::string what_;
  std::int64_t total_, tenth_ = 0;
  double cells_;
  Clock::time_point begin_ = Clock::now(), shown_ = begin_;
};

/// "1.23 G", "45.6 k": three digits with the prefix of the International System.
std::string engineering(double x);
/// "1:02:03", "02:03" or "3.4 s".
std::string duration(double seconds);

}  // namespace tessera::run
