// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/waiting.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <vector>

namespace tessera::core {

/// Work in rows of which each needs the one before it, up to a place a little further on: threads run through rows one
/// behind the other. Rows may fall into parts, of which each needs the one before it in its row: a thread then keeps to one
/// part of all rows, so that what it leaves for the next row stays in its cache. The values that come out are those of one row
/// after the other.
class Pipeline {
 public:
  static constexpr int done = std::numeric_limits<int>::max();

  /// Calls work(row) once for each row, 0 .. rows - 1. Rows begin in this order; each reports `reach` as it goes on, and
  /// waits for what it needs of earlier rows alone (`wait_for`), so that any number of threads comes to the end. `cells`:
  /// of all rows.
  template <class F>
  void run(char const* label, int rows, Count cells, F const& work) {
    run(label, rows, 1, std::min(host_threads_for(cells), rows), cells, [&](int row, int) { work(row); });
  }
  /// The same by parts, a thread each: calls work(row, part) once the part before it in the row has ended.
  template <class F>
  void run_in_parts(char const* label, int rows, int parts, Count cells, F const& work) {
    run(label, rows, parts, parts, cells, work);
  }
  /// What the row has done up to this place may be read by others now.
  void reach(int row, int place) { rows_[row].place.store(place, std::memory_order_release); }
  /// Waits until a row has reached a place. Returns how far it has come. The row before the first one is done.
  int wait_for(int row, int place) {
    if (row < 0) return done;
    int at = done;
    wait(row, parts_, [&] { return (at = rows_[row].place.load(std::memory_order_acquire)) >= place; });
    return at;
  }

 private:
  struct alignas(64) Row {
    std::atomic<int> place{0}, ended{0};  // ended: parts
  };
  struct alignas(64) Part {
    std::atomic<int> next{0};  // row
    std::atomic<bool> has_thread{false};
  };

  template <class F>
  void run(char const* label, int rows, int parts, int threads, Count cells, F const& work) {
    if (static_cast<int>(rows_.size()) < rows) rows_ = std::vector<Row>(static_cast<std::size_t>(rows));
    for (Row& row : rows_) row.place = row.ended = 0;
    if (parts != parts_) parts_of_rows_ = std::vector<Part>(static_cast<std::size_t>(parts_ = parts));
    for (Part& part : parts_of_rows_) part.next = 0, part.has_thread = false;
    work_ = std::cref(work);
    for_each_by_threads(label, threads, cells, [&](Count thread) {
      int const part = static_cast<int>(thread) % parts;
      parts_of_rows_[part].has_thread = true;
      while (take(part, rows - 1)) {
      }
    });
    work_ = nullptr;
  }
  /// Runs the next row of a part unless that is behind the last one wanted.
  bool take(int part, int last) {
    auto& next = parts_of_rows_[part].next;
    int row = next.load();
    do {
      if (row > last) return false;
    } while (!next.compare_exchange_weak(row, row + 1));
    wait(row, part, [&] { return rows_[row].ended.load(std::memory_order_acquire) >= part; });
    work_(row, part);
    rows_[row].ended.store(part + 1, std::memory_order_release);
    if (part + 1 == parts_) reach(row, done);
    return true;
  }
  /// For what the first parts of a row do. Where a part has no thread (the backend may give fewer than it was asked for), the
  /// thread that waits runs it up to this row.
  template <class There>
  void wait(int row, int parts, There const& there) {
    if (there()) return;
    for (int part = 0; part < parts; ++part)
      if (!parts_of_rows_[part].has_thread)
        while (take(part, row)) {
        }
    wait_politely(there);
  }

  std::vector<Row> rows_;
  int parts_ = 0;  // of a row
  std::vector<Part> parts_of_rows_;
  std::function<void(int, int)> work_;
};

}  // namespace tessera::core
