// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/routers.hpp"
#include "io/together.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::io::detail {

/// Chunks that a rank may have on their way down: enough that it need not wait for a neighbour whose core is taken for a
/// moment.
inline constexpr std::size_t under_way = 3;

/// In front of every message: the number of the chunk that follows it, or how the stream ended.
struct Header {
  static constexpr std::int64_t at_end = -1, at_failure = -2;
  std::int64_t chunk = at_end;
  std::int64_t kind = Failure::none, text = 0;  // of a failure: its kind, and the bytes of its text, which follow
};

/// Messages of one chunk from this rank to its neighbours in the tree, at most one to each. A message counts as under way
/// until its receiver takes it, so nobody runs ahead of a slow neighbour and fills its memory.
class Outgoing {
 public:
  Outgoing(core::Comm const& comm, std::vector<int> to);
  /// Waits until the chunk before has gone, and makes room for bytes[n] to the n-th neighbour (0: no message).
  void begin(std::int64_t chunk, std::vector<std::size_t> const& bytes);
  void put(std::size_t n, void const* from, std::size_t bytes);
  void send();
  void wait();
  std::size_t held() const;

 private:
  core::Comm comm_;
  std::vector<int> to_;
  std::vector<core::Bytes> message_;
  std::vector<std::size_t> filled_;
  std::vector<MPI_Request> requests_;
};

/// The other end.
class Incoming {
 public:
  Incoming(core::Comm const& comm, std::vector<int> from);
  /// Starts to receive bytes[n] from the n-th neighbour (0: no message).
  void begin(std::vector<std::size_t> const& bytes);
  void wait();
  /// Of the message from the n-th neighbour; for an end or a failure nothing else has come.
  Header header(std::size_t n) const;
  /// The next bytes of it.
  std::byte const* take(std::size_t n, std::size_t bytes);
  std::size_t held() const;

 private:
  core::Comm comm_;
  std::vector<int> from_;
  std::vector<core::Bytes> message_;
  std::vector<std::size_t> taken_;
  std::vector<MPI_Request> requests_;
};

/// Ends a stream: how it went for the root is passed down the tree, and its failure is thrown on all ranks. `come`: the
/// header of a failure that this rank has met already. Collective.
void conclude(core::Comm const& comm, Failure const& mine, Header const* come = nullptr);

/// Notes that a stream of so many chunks has ended, and how many bytes this rank held.
void count_stream(std::int64_t chunks);
void count_held(std::size_t bytes);

}  // namespace tessera::io::detail
