// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/node.hpp"
#include "core/grid/index.hpp"

#include <cstdint>
#include <vector>

namespace tessera::core {

/// The halo exchange of a rank with others of its node: each packs what it sends where the others read it.
///
/// A rank has two buffers, used alternately, and a counter of the rounds that it has packed. Nobody needs to say what was
/// read: who packs round n has waited for its neighbours' round n - 1, which they packed after reading its round n - 2;
/// and neighbours are so in both ways.
class HaloWindow {
 public:
  /// Cells for a rank, from `send_at` on in this rank's buffer.
  struct Neighbour {
    int rank;
    Count send_at;
  };

  explicit HaloWindow(Node& node) : node_(node) {}
  ~HaloWindow() { node_.memory().release(mine_); }
  HaloWindow(HaloWindow const&) = delete;
  HaloWindow& operator=(HaloWindow const&) = delete;

  /// Makes buffers of so many cells of at most so many bytes, and finds those of the neighbours, which are on this
  /// node. False, on all ranks of the node, where the system has no room. To be called between rounds, collective on
  /// the node.
  bool open(std::vector<Neighbour> const& neighbours, Count cells, std::size_t element);

  /// Where to pack the next round.
  unsigned char* next() { return buffer(mine_start_, round_ + 1, stride_); }
  /// It is packed.
  void publish() { Node::set(reinterpret_cast<std::uint64_t*>(mine_start_), ++round_); }
  /// What neighbour n has packed in the round published last, of cells of so many bytes; waits for it.
  unsigned char const* receive(std::size_t n, std::size_t element) const;

 private:
  static unsigned char* buffer(std::byte* start, std::uint64_t round, std::size_t stride) {
    return reinterpret_cast<unsigned char*>(start) + line + round % 2 * stride;
  }
  static constexpr std::size_t line = 64;  // the counter has its own
  struct Source {
    std::byte* start;
    std::size_t stride;  // bytes
    std::size_t at;      // cells
  };

  Node& node_;
  SharedMemory::Piece mine_;
  std::byte* mine_start_ = nullptr;
  std::size_t stride_ = 0;
  std::uint64_t round_ = 0;
  std::vector<Source> sources_;
};

}  // namespace tessera::core
