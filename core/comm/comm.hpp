// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// the C interface only: MPI's old C++ bindings are slow to compile and full of warnings
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace tessera::core {

using Bytes = std::vector<std::byte>;
/// Messages on their way; Comm::wait_all ends them.
using Requests = std::vector<MPI_Request>;

/// What messages between two ranks are told apart by: each conversation has its own.
enum class Tag : int {
  halo = 1,
  halo_window,
  multigrid_down,
  multigrid_up,
  multigrid_tiles,
  exchange,
  migrate,
  rank_joins,
  clusters,
  chunks,
  link,
  tasks,
  wavefront,  ///< and every number behind it: one for each edge of a tile
};
constexpr Tag operator+(Tag tag, int n) { return static_cast<Tag>(static_cast<int>(tag) + n); }

template <class T>
concept Copyable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// A group of ranks that talk to each other: a thin value over an MPI communicator (not owned).
/// All members are collective unless they say otherwise. Failing MPI calls end the program (MPI's default handler).
class Comm {
 public:
  explicit Comm(MPI_Comm handle = MPI_COMM_WORLD);
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool root() const { return rank_ == 0; }
  MPI_Comm handle() const { return handle_; }

  std::int64_t sum(std::int64_t x) const;
  std::int64_t min(std::int64_t x) const;
  std::int64_t max(std::int64_t x) const;
  double min(double x) const;
  double max(double x) const;
  void max(std::span<double> x) const;  ///< in place
  bool any(bool x) const { return max(static_cast<std::int64_t>(x)) != 0; }
  void sum(std::span<std::int64_t> x) const;  ///< in place
  /// One value a rank, on every rank.
  template <Copyable T>
  requires(!std::is_same_v<T, bool>)  // a vector of bool has no bytes of its own
      std::vector<T> gather(T const& x)
  const {
    std::vector<T> all(size_);
    gather_bytes(std::as_bytes(std::span(&x, 1)), std::as_writable_bytes(std::span(all)));
    return all;
  }
  /// Rank r has filled bytes places[r] .. places[r] + counts[r] - 1 of `data`; afterwards all ranks have all of them.
  void gather_in_place(std::byte* data, std::vector<int> const& counts, std::vector<int> const& places) const;
  void broadcast(Bytes& data, int root = 0) const;
  void broadcast(std::string& text, int root = 0) const;
  void broadcast(std::vector<std::string>& texts, int root = 0) const;
  template <Copyable T>
  void broadcast(T& x, int root = 0) const {
    broadcast_bytes(std::as_writable_bytes(std::span(&x, 1)), root);
  }
  template <Copyable T>
  void broadcast(std::vector<T>& x, int root = 0) const {
    std::size_t n = x.size();
    broadcast(n, root);
    x.resize(n);
    broadcast_bytes(std::as_writable_bytes(std::span(x)), root);
  }
  void barrier() const;

  /// Sends one block of bytes to each rank named and returns what other ranks sent here, by sender.
  /// No rank need know who will write to it. Blocks may be empty and may be larger than 2 GiB.
  std::map<int, Bytes> exchange(std::map<int, Bytes> const& outgoing) const;
  /// All blocks in rank order on the root, nothing elsewhere.
  std::vector<Bytes> gather_to_root(Bytes const& mine) const;

  /// Point to point, not collective. Messages above 2 GiB are cut in pieces of 1 GiB.
  void send(int to, std::span<std::byte const> data, Tag tag) const;
  void receive(int from, std::span<std::byte> data, Tag tag) const;
  /// A block of any size, which only the sender need know.
  void send_block(int to, Bytes const& data, Tag tag) const;
  Bytes receive_block(int from, Tag tag) const;
  void start_send(int to, std::span<std::byte const> data, Tag tag, Requests& requests) const;
  void start_receive(int from, std::span<std::byte> data, Tag tag, Requests& requests) const;
  /// One message of at most 2 GiB, empty ones, too, which is under way until its receiver takes it.
  void start_handing(int to, std::span<std::byte const> data, Tag tag, Requests& requests) const;
  /// A message of at most 2 GiB from any rank. take_one: one that has come, or nothing; wait_for_one: the next to come.
  std::optional<Bytes> take_one(Tag tag) const;
  Bytes wait_for_one(Tag tag) const;
  /// Lets MPI work on messages that are on their way: large ones need it while their ranks compute.
  void progress() const;
  static void wait_all(Requests& requests);

 private:
  void gather_bytes(std::span<std::byte const> mine, std::span<std::byte> all) const;
  void broadcast_bytes(std::span<std::byte> data, int root) const;
  MPI_Comm handle_;
  int rank_ = 0, size_ = 1;
};

/// Appends the bytes of a trivially copyable value, or of a span of them.
template <class T>
void append(Bytes& bytes, std::span<T const> values) {
  auto const raw = std::as_bytes(values);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}
template <class T>
void append(Bytes& bytes, T const& value) {
  append(bytes, std::span<T const>(&value, 1));
}

/// Reads values back in the order they were appended.
class ByteReader {
 public:
  explicit ByteReader(Bytes const& bytes) : bytes_(bytes) {}
  bool done() const { return at_ == bytes_.size(); }
  template <class T>
  T take() {
    T value;
    take(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  void take(std::span<T> values) {
    auto const raw = std::as_writable_bytes(values);
    copy(raw);
  }

 private:
  void copy(std::span<std::byte> to);
  Bytes const& bytes_;
  std::size_t at_ = 0;
};

}  // namespace tessera::core
