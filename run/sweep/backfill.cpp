// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/backfill.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace tessera::run {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Ranks as they are given away.
class Ranks {
 public:
  explicit Ranks(std::vector<RankState> ranks) : ranks_(std::move(ranks)) {}

  int count() const { return static_cast<int>(ranks_.size()); }
  int node(int first) const { return at(first).node; }
  bool free(int first, int width) const {
    for (int r = first; r < first + width; ++r)
      if (!at(r).free) return false;
    return true;
  }
  /// When a block is expected to be free.
  double until(int first, int width) const {
    double last = 0;
    for (int r = first; r < first + width; ++r) last = std::max(last, at(r).free ? 0 : at(r).until);
    return last;
  }
  /// Free ranks of the block of twice the size around a block: what taking it breaks up.
  int around(int first, int width) const {
    int const begin = first / (2 * width) * 2 * width, end = std::min(begin + 2 * width, count());
    int many = 0;
    for (int r = begin; r < end; ++r) many += at(r).free ? 1 : 0;
    return many;
  }
  void take(int first, int width, double until) {
    for (int r = first; r < first + width; ++r) ranks_[static_cast<std::size_t>(r)] = {false, until, node(r)};
  }

 private:
  RankState const& at(int r) const { return ranks_[static_cast<std::size_t>(r)]; }
  std::vector<RankState> ranks_;
};

/// Ranks that are kept for a task, from a time on.
struct Reservation {
  int first, width;
  double from;
  bool leaves(int other, int others_width, double until) const {
    bool const apart = other + others_width <= first || first + width <= other;
    return apart || until <= from;
  }
};

class Backfill {
 public:
  Backfill(std::vector<Waiting> const& waiting, std::vector<RankState> ranks, std::vector<int> last_read, double now)
      : waiting_(waiting),
        ranks_(std::move(ranks)),
        last_read_(std::move(last_read)),
        now_(now),
        begun_(waiting.size(), false) {}

  std::vector<Beginning> run() {
    for (std::size_t turn = 0; turn < waiting_.size(); ++turn) {
      // a block may go to another task of the same size, whose file lies there: then this one's turn comes again
      while (!begun_[turn]) {
        auto const block = block_for(turn);
        if (!block) {
          if (!reserved_) reserve(waiting_[turn].ranks);
          break;
        }
        begin(better_for(*block, turn), *block);
      }
    }
    return std::move(all_);
  }

 private:
  double end_of(Waiting const& task) const { return task.seconds >= 0 ? now_ + task.seconds : never; }
  bool lies_on(Waiting const& task, int node) const { return task.input >= 0 && node_of(task) == node; }
  int node_of(Waiting const& task) const { return last_read_[static_cast<std::size_t>(task.input)]; }

  /// A free block for a task, none where it has to wait.
  std::optional<int> block_for(std::size_t turn) const {
    Waiting const& task = waiting_[turn];
    std::optional<int> best;
    std::pair<bool, int> least;
    for (int first = 0; first + task.ranks <= ranks_.count(); first += task.ranks) {
      if (!ranks_.free(first, task.ranks)) continue;
      if (reserved_ && !reserved_->leaves(first, task.ranks, end_of(task))) continue;
      std::pair const cost(!lies_on(task, ranks_.node(first)), ranks_.around(first, task.ranks));
      if (best && !(cost < least)) continue;
      best = first;
      least = cost;
    }
    return best;
  }
  /// Which task shall have a block that was found for the one whose turn it is.
  std::size_t better_for(int block, std::size_t turn) const {
    Waiting const& task = waiting_[turn];
    int const node = ranks_.node(block);
    if (task.input < 0 || lies_on(task, node)) return turn;
    std::optional<std::size_t> unread;
    for (std::size_t other = turn; other < waiting_.size(); ++other) {
      Waiting const& one = waiting_[other];
      if (begun_[other] || one.ranks != task.ranks || one.input < 0 || one.seconds < task.seconds / 2) continue;
      if (reserved_ && !reserved_->leaves(block, one.ranks, end_of(one))) continue;
      if (lies_on(one, node)) return other;
      if (!unread && node_of(one) < 0) unread = other;
    }
    return unread.value_or(turn);
  }
  void begin(std::size_t place, int first) {
    Waiting const& task = waiting_[place];
    ranks_.take(first, task.ranks, end_of(task));
    if (task.input >= 0) last_read_[static_cast<std::size_t>(task.input)] = ranks_.node(first);
    begun_[place] = true;
    all_.push_back({place, first});
  }
  void reserve(int width) {
    for (int first = 0; first + width <= ranks_.count(); first += width)
      if (double const from = ranks_.until(first, width); !reserved_ || from < reserved_->from)
        reserved_ = Reservation{first, width, from};
  }

  std::vector<Waiting> const& waiting_;
  Ranks ranks_;
  std::vector<int> last_read_;
  double const now_;
  std::vector<bool> begun_;
  std::optional<Reservation> reserved_;
  std::vector<Beginning> all_;
};

}  // namespace

std::vector<Beginning> backfill(std::vector<Waiting> const& waiting, std::vector<RankState> ranks,
                                std::vector<int> last_read, double now) {
  return Backfill(waiting, std::move(ranks), std::move(last_read), now).run();
}

int largest_block(int ranks) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks))); }

}  // namespace tessera::run
