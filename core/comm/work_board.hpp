// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/root_numbers.hpp"

namespace tessera::core {

/// Who has which of the tasks 0 .. n - 1 in work, and since when, for ranks that all may look at it at any time: a rank that
/// has nothing to do may begin a task a second time that another is late with. One attempt counts: the first that ends well;
/// one that failed only where no other is in work. No member is collective.
class WorkBoard {
 public:
  struct InWork {
    std::int64_t task;
    int by;          ///< a rank
    double running;  ///< [s]
  };
  struct Measured {
    std::int64_t task;
    int by;
    double seconds;
    bool operator==(Measured const&) const = default;
  };
  struct View {
    std::vector<InWork> in_work;     ///< of other ranks, that may be begun a second time
    std::vector<Measured> measured;  ///< the last few tasks of each rank
    bool over = true;                ///< all ranks have left
  };

  /// How many numbers it takes on the root.
  static std::int64_t numbers(Comm const& comm, std::int64_t n);
  /// These are those of `numbers` from `first` on, which were made just now, on all ranks: clocks are compared by that moment.
  /// `works`: this rank takes tasks; the others have left.
  WorkBoard(Comm const& comm, RootNumbers& numbers, std::int64_t first, std::int64_t n, bool works);

  /// This rank begins a task.
  void begin(std::int64_t task);
  /// This rank begins a task a second time; false: it may not, as another has, or it ended meanwhile.
  bool begin_copy(std::int64_t task);
  /// This rank's attempt has ended, begun as `copy` or not. Whether it counts.
  bool end(std::int64_t task, bool copy, bool failed);
  /// What this rank has begun gave nothing.
  void give_up();
  /// Whether another attempt of a task that this rank has in work has ended well.
  bool is_done(std::int64_t task) const;
  /// This rank takes no further tasks, but for copies.
  void leave();
  View read() const;

  /// What runs for less is not begun a second time [s].
  static constexpr double least_running = 0.1;

 private:
  std::int64_t state(std::int64_t task) const { return first_ + task; }
  std::int64_t slot(int rank) const { return first_ + n_ + rank * slot_size(); }
  std::int64_t slot_size() const { return 3 + 2 * kept_; }
  std::int64_t now() const;
  /// Whether an attempt that has ended counts. `asks`: it may not be the only one; one that is need not wait for an answer.
  bool judge(std::int64_t task, bool asks, bool failed);

  RootNumbers& numbers_;
  std::int64_t first_, n_, kept_;
  int rank_, ranks_;
  std::int64_t origin_ = 0;                ///< [ns] of this rank's clock
  std::int64_t begun_ = 0, measured_ = 0;  ///< [ns] from then: its attempt; tasks that it has told of
};

}  // namespace tessera::core
