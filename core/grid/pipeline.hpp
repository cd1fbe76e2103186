// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/waiting.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

namespace tessera::core {

/// Work in rows of which each needs the one before it, up to a place a little further on: threads run through rows one
/// behind the other. The values that come out are those of one row after the other.
class Pipeline {
 public:
  static constexpr int done = std::numeric_limits<int>::max();

  /// Calls work(row) once for each row, 0 .. rows - 1. Rows begin in this order; each reports `reach` as it goes on, and
  /// waits for what it needs of earlier rows alone (`wait_for`), so that any number of threads comes to the end. `cells`:
  /// of all rows.
  template <class F>
  void run(char const* label, int rows, Count cells, F const& work) {
    if (static_cast<int>(rows_.size()) < rows) rows_ = std::vector<Row>(static_cast<std::size_t>(rows));
    for (Row& row : rows_) row.place.store(0, std::memory_order_relaxed);
    std::atomic<int> next{0};
    int const threads = std::min(host_threads_for(cells), rows);
    for_each_by_threads(label, threads, cells, [&](Count) {
      for (int row; (row = next.fetch_add(1)) < rows;) {
        work(row);
        reach(row, done);
      }
    });
  }
  /// What the row has done up to this place may be read by others now.
  void reach(int row, int place) { rows_[row].place.store(place, std::memory_order_release); }
  /// Waits until a row has reached a place. Returns how far it has come. The row before the first one is done.
  int wait_for(int row, int place) const {
    if (row < 0) return done;
    int at = rows_[row].place.load(std::memory_order_acquire);
    if (at < place) wait_politely([&] { return (at = rows_[row].place.load(std::memory_order_acquire)) >= place; });
    return at;
  }

 private:
  struct alignas(64) Row {
    std::atomic<int> place{0};
  };
  std::vector<Row> rows_;
};

}  // namespace tessera::core
