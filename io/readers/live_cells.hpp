// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"

#include <array>
#include <cstdint>
#include <functional>

namespace tessera::io {

/// What a RowSource may be besides: one that knows its cells that are not 0 without going through its rows, which may be far
/// more than anybody can go through.
class LiveCells {
 public:
  virtual ~LiveCells() = default;
  /// Calls f(i, j, state) for each cell that is not 0, in any order; i, j from the lower left corner of the rows, y upwards.
  virtual void for_live_cells(std::function<void(core::Count, core::Count, std::uint8_t)> const& f) const = 0;
  /// Where the lower left corner lies on the plane, y upwards.
  virtual std::array<core::Count, 2> corner() const = 0;
};

}  // namespace tessera::io
