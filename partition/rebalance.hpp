// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "partition/partitioner.hpp"
#include "partition/speed.hpp"

#include <optional>
#include <string>

namespace tessera::partition {

/// New owners whose loads come near `share` (work a rank) with few tiles moved: tiles go one by one from ranks with too
/// much to ranks with too little, those first that border the receiver's tiles, as long as this makes the slowest of the
/// two faster. Every rank keeps a tile. The answer depends on the arguments alone.
/// Cost: for each tile moved, the tiles of two ranks and their neighbours are looked at.
std::vector<int> move_tiles(TileGraph const& graph, std::vector<double> const& tile_work, std::vector<int> owners,
                            std::vector<double> const& share);

/// Work of each rank's tiles.
std::vector<double> loads(std::vector<double> const& tile_work, std::vector<int> const& owners, int ranks);

/// Decides when tiles are to move, and which. Pure logic: fed with the same numbers on every rank it answers alike.
///
/// A window of steps gives for each rank the time of its own work, waits left out. Tiles move when
///   (time of a step now - predicted time of a step afterwards) x steps to come > time that moving takes,
/// with the time of moving measured at earlier moves (before the first one: `first_move`), and when the imbalance is
/// above `threshold` and half of it goes, or the gain is above the noise of the measured times. After a move the next
/// window only refreshes the speeds; if an imbalance comes back after each of several moves, the threshold rises
/// (damping).
class Balancer {
 public:
  struct Settings {
    double threshold = 0.05;   ///< max / mean of the ranks' times - 1 that is left alone
    double first_move = 0.05;  ///< [s] guess of what moving takes
  };
  Balancer(TileGraph graph, std::vector<double> tile_work, std::vector<int> owners, int ranks, Settings settings);

  /// `seconds`: of each rank's own work a step, in the window that just ended; `steps_to_come` after it (0: the window is
  /// only taken note of). Returns the new owners, or nothing where moving does not pay. Unless the window is `long_enough`
  /// to be believed, an imbalance below five times the threshold must show in two windows running.
  std::optional<std::vector<int>> decide(std::vector<double> const& seconds, double steps_to_come,
                                         bool long_enough = false);
  /// The owners of `decide` took over; moving took so long.
  void moved(std::vector<int> owners, double seconds);
  /// What moving takes, where more is known than `moved` was told.
  void set_cost_of_move(double seconds) { move_seconds_ = seconds; }

  /// Other tiles of the same work, dealt out by these owners; speeds and moves so far stay known.
  void retile(TileGraph graph, std::vector<double> tile_work, std::vector<int> owners);

  /// Work with which all ranks end together; after the first window.
  std::vector<double> shares() const { return equal_time_shares(speeds_, total_); }
  /// Times of a step that the speeds predict for owners.
  std::vector<double> predict(std::vector<int> const& owners) const;
  /// Whether the last window showed an imbalance that is believed.
  bool unequal() const { return unequal_; }
  double cost_of_move() const { return move_seconds_; }

  double imbalance() const { return imbalance_; }  ///< of the last window
  double predicted() const { return predicted_; }  ///< imbalance after the last decision's move
  int moves() const { return moves_; }
  std::vector<SpeedCurve> const& speeds() const { return speeds_; }

 private:
  TileGraph graph_;
  std::vector<double> tile_work_;
  std::vector<int> owners_;
  Settings settings_;
  std::vector<SpeedCurve> speeds_;
  double total_ = 0, imbalance_ = 0, predicted_ = 0, move_seconds_;
  int moves_ = 0, moves_in_row_ = 0;
  bool suspected_ = false;  // the last window showed an imbalance
  bool unequal_ = false;
};

}  // namespace tessera::partition
