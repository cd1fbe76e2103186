// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/stream/routers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::io::detail {

/// Chunks that a rank may have on their way down: enough that it need not wait for a neighbour whose core is taken for a
/// moment.
inline constexpr std::size_t under_way = 3;

/// In front of every message: the number of the chunk that follows it. `whole` is 0 where nothing follows: the rank that
/// reads has failed, or there are only zeros.
struct Header {
  std::int64_t chunk = 0, whole = 1;
};

/// Messages of one chunk from this rank to neighbours in a tree, at most one to each. A message counts as under way
/// until its receiver takes it, so nobody runs ahead of a slow neighbour and fills its memory.
class Outgoing {
 public:
  explicit Outgoing(core::Comm const& comm) : comm_(comm) {}
  /// Waits until the chunk before has gone, and makes room for bytes[n] to the rank to[n] (0: no message).
  void begin(std::int64_t chunk, std::vector<int> const& to, std::vector<std::size_t> const& bytes);
  void put(std::size_t n, void const* from, std::size_t bytes);
  void send();
  /// Sends the headers alone, which say that nothing follows.
  void send_empty();
  void wait();
  std::size_t held() const { return buffer_.size(); }

 private:
  struct Message {
    int to;
    std::size_t begin, filled, end;  // in the buffer
  };
  void start(Message const& message, std::size_t bytes);

  core::Comm comm_;
  core::Bytes buffer_;  // of all messages, the largest so far
  std::vector<Message> messages_;
  core::Requests requests_;
};

/// The other end.
class Incoming {
 public:
  explicit Incoming(core::Comm const& comm) : comm_(comm) {}
  /// Starts to receive bytes[n] from the rank from[n] (0: no message).
  void begin(std::vector<int> const& from, std::vector<std::size_t> const& bytes);
  void wait();
  Header header(std::size_t n) const;
  /// The next bytes of the message from the n-th neighbour, if it is whole.
  std::byte const* take(std::size_t n, std::size_t bytes);
  std::size_t held() const { return buffer_.size(); }

 private:
  struct Message {
    std::size_t begin, taken, end;
  };
  core::Comm comm_;
  core::Bytes buffer_;
  std::vector<Message> messages_;
  core::Requests requests_;
};

/// Notes that a stream of so many chunks has ended, and how many bytes this rank held.
void count_stream(std::int64_t chunks);
void count_held(std::size_t bytes);

}  // namespace tessera::io::detail
