// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "partition/rebalance.hpp"
#include "run/balance/decompose.hpp"

#include <array>
#include <optional>
#include <utility>

namespace tessera::run {

/// Looks within the first step: after which iteration the next one is, and what came out at the one before.
struct Look {
  int last = 0, from = 0, at = 1;
  double own = 0;               // time of this rank's work up to `from` [s]
  std::vector<double> seconds;  // of an iteration, on each rank
};

/// Keeps ranks of unequal or changing speed busy alike while a run goes on.
///
/// Each rank's own work (compute and halo of the session's clock: waits, sums and files left out) is measured over windows of
/// steps. Where ranks share cores (core::measure_crowding) it is what the rank ran, times the ranks a core: its share of
/// the core when all have work. Wall time would not do: with steps shorter than the scheduler's time slice a rank's turn
/// comes as a wait, so that each seems as fast as if it were alone. Time in foreign libraries, whose waits are not known,
/// is taken to be shared like the rank's own work. When tiles should move, the application is told the new owners, moves
/// its fields (core::migrate) and says so. The first time all tiles are shared out anew, as if the speeds had been known
/// before; later the fewest move. Results do not change. At the end the speeds are kept in
/// postProcessing/speeds.json: the next run of the case on the same hosts begins with them.
class LoadBalance {
 public:
  /// As system/balanceDict asks, which `decompose` has read:
  ///   rebalance  auto | yes | no;   auto (default): unless owners or processorWeights are given by hand
  ///   threshold  0.05;              imbalance (slowest rank over mean, less 1) that is left alone
  ///   moveCost   SECONDS;           what moving tiles takes, until a move was measured; default 0.05 and the set-up
  /// `setup_seconds`: what the application does anew when tiles move, besides moving fields. Collective.
  LoadBalance(Session& session, Decomposition const& parts, double setup_seconds = 0);

  /// To be asked within the first step, after `done` of about `expected` iterations; `steps_to_come` with this one. True
  /// where it is to be given up: tiles should lie elsewhere, where `wanted` says. Ranks are compared over two equal numbers
  /// of iterations of 0.03 s and more. Collective.
  bool within_first_step(int done, double expected, double steps_to_come);
  /// Whether the next step is one to ask in.
  bool looks_within_step() const { return look_.has_value(); }
  std::vector<int> wanted() { return std::exchange(wanted_, std::nullopt).value(); }

  /// To be asked after every step: the new owners of the tiles, or nothing. `steps_to_come`: how many at most. Collective.
  std::optional<std::vector<int>> after_step(double steps_to_come);
  /// Tiles lie where after_step or `wanted` said; moving began at `begin` by the session's clock. Collective.
  void moved(std::vector<int> owners, double begin);

  /// For work that does not depend on tiles: the layout of other tiles, where they pay now that the last window showed
  /// ranks that are unequal. The application moves its fields there instead of doing what after_step said, and tells it to
  /// `retiled`. Collective.
  std::unique_ptr<core::Layout> better_tiles(double steps_to_come);
  void retiled(core::Layout const& layout, double begin);

  /// `balance` of the report: moves, tiles moved, the imbalance at the last measurement, and in `windows` that of each one
  /// with the steps it covers and the tiles moved after it; and keeps the speeds. Collective.
  void finish(core::Report& report) const;

 private:
  /// So far [s]: own work, what passed in foreign libraries, and steps as a whole with their waits.
  struct Spent {
    double own = 0, foreign = 0, steps = 0;
  };
  Spent spent() const;
  /// Time of a step on each rank in the window that ends; nothing where it tells too little. Collective.
  std::vector<double> measure();
  void begin_window();
  /// New owners after a window of steps, or nothing.
  std::optional<std::vector<int>> decide(std::array<std::int64_t, 2> steps, std::vector<double> const& seconds,
                                         double steps_to_come, bool long_enough);
  /// The owners that the partitioner gives for the speeds found; those of the balancer where they are much better.
  std::vector<int> shared_anew(std::vector<int> owners) const;
  void after_move(int tiles, double begin);

  Session& session_;
  std::shared_ptr<core::Grid const> grid_;
  bool active_ = false, share_anew_ = false, window_ended_ = false;
  std::optional<Look> look_;  // none: nothing more to find out
  std::optional<std::vector<int>> wanted_;
  int retiled_ = 0;
  std::optional<partition::Balancer> balancer_;
  std::vector<int> owners_;
  std::int64_t step_ = 0, window_begin_ = 0, window_ = 3;
  Spent begin_;
  double window_seconds_ = 0.1, crowding_ = 1;
  double move_seconds_ = 0;                 // of the last move
  std::optional<double> settling_seconds_;  // of the first step after it, until its cost is known
  bool first_after_move_ = false;
  int tiles_moved_ = 0;
  double slowest_ = 0;                // rank in the last window [s a step]
  std::vector<double> first_window_;  // times that the second window confirms
  struct Window {
    std::int64_t begin, end;  // steps
    double imbalance;
    int tiles_moved;
  };
  std::vector<Window> history_;
};

/// Speeds of the ranks [cells/s] that an earlier run of the case on so many ranks kept; on the same hosts where these are
/// the ranks of the session. Empty where there are none. Collective.
std::vector<double> kept_speeds(Session& session, int ranks);

}  // namespace tessera::run
