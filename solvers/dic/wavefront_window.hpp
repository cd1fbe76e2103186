// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/comm/node.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tessera::solvers {

/// Edge values of a wavefront between ranks of one node: a tile writes them where the tile behind it reads them.
///
/// An edge has two buffers, used alternately, and a counter of the rounds written. Each rank counts the rounds that it has
/// begun, with which it has read what came two rounds before: nobody writes round n for a rank that has not begun n - 1.
/// Runs follow each other on all ranks alike, so that it always does.
class WavefrontWindow {
 public:
  /// Values for a tile of another rank; `tag` tells the tile's edges apart, on the rank that they go to.
  struct Out {
    int rank;
    int tag;
    std::size_t values;
  };
  struct In {
    int rank;
    int tag;
  };

  /// Finds the edges of the other ranks, which must be on this node and name the same ones. Nothing on all ranks of the
  /// node where the system has no room. Collective on the node.
  static std::unique_ptr<WavefrontWindow> open(core::Node& node, std::vector<Out> const& outs,
                                               std::vector<In> const& ins);
  ~WavefrontWindow() { node_.memory().release(mine_); }
  WavefrontWindow(WavefrontWindow const&) = delete;
  WavefrontWindow& operator=(WavefrontWindow const&) = delete;

  /// The next round; all that came in the round before the last may be overwritten from now on.
  void begin() { core::Node::set(number(board_), ++round_); }
  /// Where to write values of this round; waits until they may be.
  std::span<double> write(std::size_t out) const;
  /// They are written.
  void publish(std::size_t out) const { core::Node::set(number(outs_[out].start), round_); }
  /// What was written in this round; waits for it.
  std::span<double const> read(std::size_t in) const;
  /// The same without waiting: zeros before the first round.
  std::span<double const> latest(std::size_t in) const { return values(ins_[in]); }

 private:
  struct Edge {
    std::byte* start;  // the counter, then both buffers
    std::size_t values;
    std::byte* reader;  // its rank's counter of rounds begun
  };
  explicit WavefrontWindow(core::Node& node) : node_(node) {}
  static std::size_t buffer_bytes(std::size_t values) { return (values * sizeof(double) + line - 1) / line * line; }
  static std::uint64_t* number(std::byte* at) { return reinterpret_cast<std::uint64_t*>(at); }
  std::span<double> values(Edge const& edge) const {
    return {reinterpret_cast<double*>(edge.start + line + round_ % 2 * buffer_bytes(edge.values)), edge.values};
  }
  void find_others(std::vector<Out> const& outs, std::vector<In> const& ins);
  static constexpr std::size_t line = 64;  // a counter has its own

  core::Node& node_;
  core::SharedMemory::Piece mine_;
  std::byte* board_ = nullptr;  // this rank's counter of rounds begun; its edges follow
  std::uint64_t round_ = 0;
  std::vector<Edge> outs_, ins_;
};

}  // namespace tessera::solvers
