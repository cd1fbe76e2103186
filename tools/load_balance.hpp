// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "partition/rebalance.hpp"
#include "tools/application.hpp"

#include <chrono>
#include <optional>

namespace tessera::tools {

/// Keeps ranks of unequal or changing speed busy alike while a run goes on.
///
/// Each rank's own work (Part::compute of core::times: waits, messages, sums and files left out) is measured over windows
/// of steps; when tiles should move, the application is told the new owners, moves its fields (core::migrate) and says so.
/// Results do not change. At the end the speeds are kept in postProcessing/speeds.json: the next run of the case on the
/// same hosts begins with them.
class LoadBalance {
 public:
  /// As system/balanceDict asks, which `decompose` has read:
  ///   rebalance  auto | yes | no;   auto (default): unless owners or processorWeights are given by hand
  ///   threshold  0.05;              imbalance (slowest rank over mean, less 1) that is left alone
  ///   moveCost   SECONDS;           what moving tiles takes, until a move was measured; default 0.05 and the set-up
  /// `setup_seconds`: what the application does anew when tiles move, besides moving fields. Collective.
  LoadBalance(Session& session, Decomposition const& parts, double setup_seconds = 0);

  /// To be asked after every step: the new owners of the tiles, or nothing. `steps_to_come`: how many at most. Collective.
  std::optional<std::vector<int>> after_step(double steps_to_come);
  /// Tiles lie where after_step wanted them; moving began at `begin`. Collective.
  void moved(std::vector<int> owners, std::chrono::steady_clock::time_point begin);

  /// `balance` of the report: moves, tiles moved, the imbalance at the last measurement; and keeps the speeds. Collective.
  void finish(core::Report& report) const;

 private:
  void begin_window();

  Session& session_;
  bool active_ = false;
  std::optional<partition::Balancer> balancer_;
  std::vector<int> owners_;
  std::int64_t step_ = 0, window_begin_ = 0, window_ = 3;
  double compute_begin_ = 0, window_seconds_ = 0.1;
  int tiles_moved_ = 0;
};

/// Speeds of the ranks [cells/s] that an earlier run of the case on so many ranks kept; on the same hosts where these are
/// the ranks of the session. Empty where there are none. Collective.
std::vector<double> kept_speeds(Session& session, int ranks);

}  // namespace tessera::tools
