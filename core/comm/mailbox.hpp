// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace tessera::core {

/// A number in memory that the ranks of a node share, on a cache line of its own. One rank sets it, others wait for it.
class SharedNumber {
 public:
  static constexpr std::size_t bytes = 64;
  SharedNumber() = default;
  /// `at`: zero, the first time.
  explicit SharedNumber(std::byte* at) : value_(reinterpret_cast<std::uint64_t*>(at)) {}

  /// A rank that sees the new value also sees what this rank wrote before.
  void set(std::uint64_t value) const;
  /// Waits until the number is at least `value`: politely (waiting.hpp), while MPI works on messages.
  void wait_for(std::uint64_t value) const;
  /// The same, counted as idle if it has to wait. If not it costs nothing: switching the stopwatch takes a call of the
  /// kernel on ranks that share a core.
  void idle_until(std::uint64_t value) const;

 private:
  std::uint64_t* value_ = nullptr;
};

/// Two buffers in memory that the ranks of a node share, used alternately, and the number of the last round written: how a
/// rank hands values to others of its node, round by round.
///
/// Round n takes the buffer of round n - 2. The writer must know that all have read that one; how it knows is told by those
/// who use mailboxes: HaloWindow, WavefrontWindow, Node.
class Mailbox {
 public:
  /// Of a mailbox with buffers of `size` bytes.
  static constexpr std::size_t bytes(std::size_t size) { return SharedNumber::bytes + 2 * whole_lines(size); }
  Mailbox() = default;
  /// `start`: so many bytes, aligned to 64, of which the first 64 are zero at first.
  Mailbox(std::byte* start, std::size_t size) : written(start), start_(start), stride_(whole_lines(size)) {}

  SharedNumber written;  ///< the last round
  std::byte* buffer(std::uint64_t round) const { return start_ + SharedNumber::bytes + round % 2 * stride_; }

 private:
  static constexpr std::size_t whole_lines(std::size_t size) { return (size + 63) / 64 * 64; }
  std::byte* start_ = nullptr;
  std::size_t stride_ = 0;
};

}  // namespace tessera::core
