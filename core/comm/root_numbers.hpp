// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <span>

namespace tessera::core {

/// Numbers in the root's memory that any rank reads and changes at any time, while the root does something else. All are 0 at
/// first. Made and destroyed collectively; that takes MPI milliseconds. The other members are not collective.
class RootNumbers {
 public:
  RootNumbers(Comm const& comm, std::int64_t n);
  ~RootNumbers();
  RootNumbers(RootNumbers const&) = delete;
  RootNumbers& operator=(RootNumbers const&) = delete;

  MPI_Win window() const { return window_; }
  /// On the root: the numbers. What other ranks are to see, or have changed, is there after MPI_Win_sync.
  std::int64_t* memory() const { return memory_; }

  /// Adds to a number and waits for what it was.
  std::int64_t add(std::int64_t at, std::int64_t number);
  /// The same begun; the number and `before` stay where they are until the request is complete.
  void start_adding(std::int64_t at, std::int64_t const& number, std::int64_t& before, MPI_Request& request) const;
  /// Adds to a number, some time soon.
  void post_addition(std::int64_t at, std::int64_t number) const;
  /// Overwrites numbers from `at` on, some time soon, one by one. These no rank may add to.
  void post(std::int64_t at, std::span<std::int64_t const> numbers) const;
  /// Waits until what this rank has posted is there for all.
  void flush() const { MPI_Win_flush(0, window_); }
  /// `n` numbers from `at` on, each as it stood at some moment of the call.
  std::vector<std::int64_t> read(std::int64_t at, std::int64_t n) const;

 private:
  std::int64_t* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace tessera::core
