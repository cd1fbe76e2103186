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

/// Edge values of a wavefront between ranks of one node: a tile writes them into a mailbox, where the tile behind it reads
/// them.
///
/// Each rank counts the rounds that it has begun. A rank that has begun round n - 1 has ended round n - 2, and with it has
/// read what came then; so a writer of round n waits until the reader has begun round n - 1. All ranks run the same
/// rounds, so a reader always gets there.
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
  ~WavefrontWindow() { node_.memory().release(piece_); }
  WavefrontWindow(WavefrontWindow const&) = delete;
  WavefrontWindow& operator=(WavefrontWindow const&) = delete;

  /// The next round; all that came in the round before the last may be overwritten from now on.
  void begin() { begun_.set(++round_); }
  /// Where to write values of this round; waits until they may be.
  std::span<double> write(std::size_t out) const;
  /// They are written.
  void publish(std::size_t out) const { outs_[out].box.written.set(round_); }
  /// What was written in this round; waits for it.
  std::span<double const> read(std::size_t in) const;
  /// The same without waiting: zeros before the first round.
  std::span<double const> latest(std::size_t in) const { return values(ins_[in]); }

 private:
  struct Edge {
    core::Mailbox box;
    std::size_t values;
    core::SharedNumber begun;  // rounds, by the rank that reads
  };
  explicit WavefrontWindow(core::Node& node) : node_(node) {}
  std::span<double> values(Edge const& edge) const {
    return {reinterpret_cast<double*>(edge.box.buffer(round_)), edge.values};
  }
  void find_others(std::vector<Out> const& outs, std::vector<In> const& ins);

  core::Node& node_;
  core::SharedMemory::Piece piece_;  // begun_, then the mailboxes of outs_
  core::SharedNumber begun_;         // rounds, by this rank
  std::uint64_t round_ = 0;
  std::vector<Edge> outs_, ins_;
};

}  // namespace tessera::solvers
