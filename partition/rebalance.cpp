// SPDX-License-Identifier: Apache-2.0
#include "partition/rebalance.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace tessera::partition {
namespace {

/// Largest over mean, less 1.
double imbalance_of(std::vector<double> const& seconds) {
  double const mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  return *std::max_element(seconds.begin(), seconds.end()) / mean - 1;
}

/// The tiles of the ranks and what they lack or have too much, while tiles move.
class Market {
 public:
  Market(TileGraph const& graph, std::vector<double> const& work, std::vector<int>& owners,
         std::vector<double> const& share)
      : graph_(graph),
        work_(work),
        owners_(owners),
        share_(share),
        load_(loads(work, owners, static_cast<int>(share.size()))),
        tiles_(share.size()) {
    for (std::size_t t = 0; t < owners.size(); ++t) tiles_[owners[t]].push_back(static_cast<int>(t));
    for (int rank = 0; rank < static_cast<int>(share.size()); ++rank) by_fill_.insert({fill(rank), rank});
    receivers_ = by_fill_;
  }

  /// Moves one tile. False when no move makes the slower of giver and receiver faster.
  bool trade() {
    int const richest = by_fill_.rbegin()->second;
    while (!receivers_.empty()) {
      auto const [full, receiver] = *receivers_.begin();
      if (full >= by_fill_.rbegin()->first) return false;
      int const tile = best_tile(receiver, richest);
      if (tile >= 0) {
        give(tile, receiver);
        return true;
      }
      // ranks that give only get poorer: a receiver that finds no tile now will not find one later
      receivers_.erase(receivers_.begin());
    }
    return false;
  }

 private:
  /// How full a rank is: 1 with its share.
  double fill(int rank) const { return load_[at(rank)] / share_[at(rank)]; }
  double fill_with(int rank, double more) const { return (load_[at(rank)] + more) / share_[at(rank)]; }
  static std::size_t at(int n) { return static_cast<std::size_t>(n); }

  /// Cells by which the cut falls when `tile` goes to `receiver`.
  double gain(int tile, int receiver) const {
    double cells = 0;
    for (int e = graph_.first[at(tile)]; e < graph_.first[at(tile) + 1]; ++e) {
      int const other = owners_[at(graph_.neighbour[at(e)])];
      double const face = static_cast<double>(graph_.cells[at(e)]);
      cells += other == receiver ? face : other == owners_[at(tile)] ? -face : 0;
    }
    return cells;
  }

  bool helps(int tile, int receiver) const {
    int const giver = owners_[at(tile)];
    double const w = work_[at(tile)];
    return giver != receiver && tiles_[at(giver)].size() > 1 && fill(giver) > 1 &&
           std::max(fill_with(giver, -w), fill_with(receiver, w)) < fill(giver) * (1 - 1e-9);
  }

  /// A tile beside the receiver's own from a rank that has too much; else one of the richest rank's.
  int best_tile(int receiver, int richest) const {
    int best = -1;
    auto const consider = [&](int tile) {
      if (!helps(tile, receiver)) return;
      if (best < 0 || score(tile, receiver) > score(best, receiver)) best = tile;
    };
    for (int own : tiles_[at(receiver)])
      for (int e = graph_.first[at(own)]; e < graph_.first[at(own) + 1]; ++e) consider(graph_.neighbour[at(e)]);
    if (best < 0)
      for (int tile : tiles_[at(richest)]) consider(tile);
    return best;
  }
  /// Givers that are fuller first, then the shorter cut.
  double score(int tile, int receiver) const { return fill(owners_[at(tile)]) * 1e12 + gain(tile, receiver); }

  void give(int tile, int receiver) {
    int const giver = owners_[at(tile)];
    std::array<bool, 2> receives{};
    for (std::size_t n = 0; n < 2; ++n) {
      int const rank = n == 0 ? giver : receiver;
      by_fill_.erase({fill(rank), rank});
      receives[n] = receivers_.erase({fill(rank), rank}) > 0;
    }
    std::erase(tiles_[at(giver)], tile);
    tiles_[at(receiver)].push_back(tile);
    load_[at(giver)] -= work_[at(tile)];
    load_[at(receiver)] += work_[at(tile)];
    owners_[at(tile)] = receiver;
    for (std::size_t n = 0; n < 2; ++n) {
      int const rank = n == 0 ? giver : receiver;
      by_fill_.insert({fill(rank), rank});
      if (receives[n]) receivers_.insert({fill(rank), rank});
    }
  }

  TileGraph const& graph_;
  std::vector<double> const& work_;
  std::vector<int>& owners_;
  std::vector<double> const& share_;
  std::vector<double> load_;
  std::vector<std::vector<int>> tiles_;
  std::set<std::pair<double, int>> by_fill_;    ///< ranks, the neediest first
  std::set<std::pair<double, int>> receivers_;  ///< those of them that may find a tile yet
};

}  // namespace

std::vector<double> loads(std::vector<double> const& tile_work, std::vector<int> const& owners, int ranks) {
  std::vector<double> result(ranks);
  for (std::size_t t = 0; t < owners.size(); ++t) result[owners[t]] += tile_work[t];
  return result;
}

std::vector<int> move_tiles(TileGraph const& graph, std::vector<double> const& tile_work, std::vector<int> owners,
                            std::vector<double> const& share) {
  Market market(graph, tile_work, owners, share);
  // each tile moves once on average at most: more would be wandering
  for (std::size_t n = 0; n < owners.size() && market.trade(); ++n) {
  }
  return owners;
}

Balancer::Balancer(TileGraph graph, std::vector<double> tile_work, std::vector<int> owners, int ranks,
                   Settings settings)
    : graph_(std::move(graph)),
      tile_work_(std::move(tile_work)),
      owners_(std::move(owners)),
      settings_(settings),
      speeds_(static_cast<std::size_t>(ranks)),
      total_(std::accumulate(tile_work_.begin(), tile_work_.end(), 0.0)),
      move_seconds_(settings.first_move) {}

std::optional<std::vector<int>> Balancer::decide(std::vector<double> const& seconds, double steps_to_come,
                                                 bool long_enough) {
  core::expect(seconds.size() == speeds_.size(), "one time for each rank");
  auto const load = loads(tile_work_, owners_, static_cast<int>(speeds_.size()));
  for (std::size_t r = 0; r < speeds_.size(); ++r) speeds_[r].add(load[r], std::max(seconds[r], 1e-12));
  imbalance_ = imbalance_of(seconds);
  unequal_ = false;
  // imbalance that comes back after each move is noise, or a machine that changes faster than tiles move
  double const threshold = settings_.threshold * std::min(8, 1 << std::max(0, moves_in_row_ - 2));
  if (imbalance_ <= threshold) {
    moves_in_row_ = 0;
    suspected_ = false;
    return std::nullopt;
  }
  bool const believed = long_enough || suspected_ || imbalance_ > 5 * threshold;
  suspected_ = true;
  if (!believed) return std::nullopt;
  unequal_ = true;
  auto owners = move_tiles(graph_, tile_work_, owners_, shares());
  auto const predicted = predict(owners);
  predicted_ = imbalance_of(predicted);
  auto const present = predict(owners_);
  double const now = *std::max_element(present.begin(), present.end());
  double const then = *std::max_element(predicted.begin(), predicted.end());
  // a slow rank that lacks a tile hardly delays the fast ones: little to gain, but it can be had
  bool const gains = then <= now * (1 - 0.5 * settings_.threshold) || (then < now && predicted_ <= 0.5 * imbalance_);
  if (owners == owners_ || !gains) return std::nullopt;
  if ((now - then) * steps_to_come <= move_seconds_) return std::nullopt;
  return owners;
}

std::vector<double> Balancer::predict(std::vector<int> const& owners) const {
  auto seconds = loads(tile_work_, owners, static_cast<int>(speeds_.size()));
  for (std::size_t r = 0; r < seconds.size(); ++r) seconds[r] = speeds_[r].seconds(seconds[r]);
  return seconds;
}

void Balancer::retile(TileGraph graph, std::vector<double> tile_work, std::vector<int> owners) {
  graph_ = std::move(graph);
  tile_work_ = std::move(tile_work);
  owners_ = std::move(owners);
  predicted_ = imbalance_of(predict(owners_));
}

void Balancer::moved(std::vector<int> owners, double seconds) {
  owners_ = std::move(owners);
  unequal_ = false;
  predicted_ = imbalance_of(predict(owners_));
  move_seconds_ = seconds;
  ++moves_;
  ++moves_in_row_;
  suspected_ = false;
}

}  // namespace tessera::partition
