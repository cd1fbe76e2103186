// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/node.hpp"
#include "core/grid/index.hpp"

#include <vector>

namespace tessera::core {

/// The halo exchange of a rank with others of its node: each packs what it sends into a mailbox, where the others read it.
///
/// Nobody acknowledges what was read, since neighbours are neighbours of each other: a rank that packs round n has received
/// round n - 1 of all its neighbours, which they packed after reading this rank's round n - 2, whose buffer it takes.
class HaloWindow {
 public:
  /// Cells for a rank, from `send_at` on in this rank's buffer.
  struct Neighbour {
    int rank;
    Count send_at;
  };

  explicit HaloWindow(Node& node) : node_(node) {}
  ~HaloWindow() { node_.memory().release(piece_); }
  HaloWindow(HaloWindow const&) = delete;
  HaloWindow& operator=(HaloWindow const&) = delete;

  /// Makes buffers of so many cells of at most so many bytes, and finds those of the neighbours, which are on this
  /// node. False, on all ranks of the node, where the system has no room. To be called between rounds, collective on
  /// the node.
  bool open(std::vector<Neighbour> const& neighbours, Count cells, std::size_t element);

  /// Where to pack the next round.
  unsigned char* next() { return reinterpret_cast<unsigned char*>(mine_.buffer(round_ + 1)); }
  /// It is packed.
  void publish() { mine_.written.set(++round_); }
  /// What neighbour n has packed in the round published last, of cells of so many bytes; waits for it.
  unsigned char const* receive(std::size_t n, std::size_t element) const;

 private:
  struct Source {
    Mailbox box;
    std::size_t at;  // cells
  };

  Node& node_;
  SharedMemory::Piece piece_;
  Mailbox mine_;
  std::uint64_t round_ = 0;
  std::vector<Source> sources_;
};

}  // namespace tessera::core
