// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/model.hpp"
#include "tests/support/written_case.hpp"

namespace tessera::tests {

/// A clock that stands still until it is told otherwise: time that passes, and work of this rank.
class HandClock final : public run::Clock {
 public:
  double now() const override { return now_; }
  double processor() const override { return worked_; }
  std::array<double, core::part_count> parts(bool) const override {
    std::array<double, core::part_count> seconds{};
    seconds[static_cast<std::size_t>(core::Part::compute)] = worked_;
    seconds[static_cast<std::size_t>(core::Part::idle)] = now_ - worked_;
    return seconds;
  }
  void pass(double seconds) { now_ += seconds; }
  void work(double seconds) {
    now_ += seconds;
    worked_ += seconds;
  }

 private:
  double now_ = 0, worked_ = 0;
};

/// A written case as a run of it sees it, by a clock of its own.
struct OpenCase {
  explicit OpenCase(WrittenCase const& written, std::vector<std::string> const& settings = {})
      : files(written.path().string(), settings, core::Comm()) {}
  run::Case files;
  run::Log log{core::Comm().root()};
  HandClock clock;
  run::Session session{core::Comm(), files, log, false, {}, clock};
};

}  // namespace tessera::tests
