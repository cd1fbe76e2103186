// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/layout.hpp"
#include "core/grid/pinned.hpp"
#include "solvers/dic/wavefront.hpp"

#include <Kokkos_Core.hpp>
#include <array>
#include <vector>

namespace tessera::solvers {

/// What comes to a tile on one axis in a wavefront by kernels, and where its own edge goes.
struct TileEdge {
  enum class From { nowhere, tile, rank };  ///< a tile of this rank writes it into the halo itself
  From comes = From::nowhere;
  core::Count in = -1;   ///< where values of another rank lie
  int slot = -1;         ///< of the tile behind, if it is of this rank
  core::Count out = -1;  ///< where values for another rank go; -1: there is none behind, or of this rank
};

/// The edges of this rank's tiles for a wavefront by kernels: tiles of this rank write into each other's halo on the device; what
/// comes from other ranks or goes to them is copied, for all tiles of a turn at once.
class WaveEdges {
 public:
  WaveEdges(core::Layout const& layout, std::array<bool, 3> const& has, Wavefront* order);

  /// As a kernel has them.
  struct Seen {
    TileEdge const* of;  ///< of slot and axis at 3 slot + axis
    double* values;      ///< from and for other ranks
    bool has[3];         ///< whether the grid has faces across an axis
  };
  Seen seen() const { return {of_.data(), device_.data(), {has_[0], has_[1], has_[2]}}; }

  core::Tiles const& tiles(int turn) const { return turns_[turn].tiles; }
  void receive(int turn);  ///< what came for the tiles of a turn goes to the device
  void send(int turn);     ///< and what they hand on to other ranks from there

 private:
  struct Turn {
    core::Tiles tiles;
    core::Count first, middle, last;  // of the values: what comes, then what goes
  };
  void copy(core::Count first, core::Count last, bool to_device);

  std::array<bool, 3> has_;
  Wavefront* order_;
  std::vector<Turn> turns_;
  std::vector<TileEdge> edges_;
  Kokkos::View<TileEdge*> of_;
  Kokkos::View<double*> device_;
  core::PinnedView<double> host_;
};

}  // namespace tessera::solvers
