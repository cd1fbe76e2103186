// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>

namespace tessera::core {

/// Makes this process slower, to try how a run fares on unequal machines: every sweep takes `factor` times as long, from
/// `after` seconds on. Set by the environment variable TESSERA_SLOWDOWN="RANK:FACTOR[:AFTER],..." when the runtime
/// starts. Results do not change. For tests and studies.
struct Slowdown {
  double factor = 1, after = 0;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};
Slowdown& slowdown();

/// Reads the text for one rank. Throws core::Error for one that is malformed.
Slowdown read_slowdown(char const* text, int rank);

/// One sweep: waits at its end as the slowdown asks.
class Sweep {
 public:
  Sweep() : slow_(slowdown().factor > 1), begin_(slow_ ? Clock::now() : Clock::time_point()) {}
  ~Sweep() {
    if (slow_) wait();
  }
  Sweep(Sweep const&) = delete;
  Sweep& operator=(Sweep const&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  void wait() const;
  bool slow_;
  Clock::time_point begin_;
};

}  // namespace tessera::core
