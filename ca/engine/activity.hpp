// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/halo.hpp"

namespace tessera::ca {

/// Which tiles rest. A tile that some generations left as it was, as they left all tiles that it sees, will be left so by as
/// many again, and by any multiple: it need not be computed. So patterns with any period that divides their number rest.
/// A byte a tile, told to the ranks around once in so many generations.
class Activity {
 public:
  /// Tiles of a layout of cells that see `reach` cells far.
  Activity(core::Layout const& layout, int reach);
  /// How many generations, at most so many, the oscillators of soups rest in: their periods are 2, 3, then 5 and 15.
  static constexpr int restful(int most) { return most < 6 ? most : most - most % (most < 30 ? 6 : 30); }

  /// Everything may move from now on.
  void wake();
  /// So many generations come now, at most the reach. Collective.
  void begin(int generations);
  /// Whether a tile need not be computed.
  bool rests(int slot) const;
  /// Whether a tile is other than before these generations.
  void moved(int slot, bool is_other) { moved_.host()(slot, 0, 0, 0) = is_other; }

 private:
  core::Layout layout_;  // of tiles, each a cell
  core::Field<std::uint8_t> moved_;
  core::Halo halo_;
  int generations_ = 0;  // of the last time; 0: all moves
};

}  // namespace tessera::ca
