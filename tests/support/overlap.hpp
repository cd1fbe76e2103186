// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/delay.hpp"
#include "core/grid/layout.hpp"

#include <array>
#include <memory>

namespace tessera::tests {

/// Messages of this process take so long from now on, to the end of the scope.
class Delayed {
 public:
  explicit Delayed(double seconds) {
    core::delay() = core::Delay();
    core::delay().seconds = seconds;
  }
  ~Delayed() { core::delay() = core::Delay(); }
  Delayed(Delayed const&) = delete;
  Delayed& operator=(Delayed const&) = delete;
};

struct Hidden {
  double share;  ///< of the delays of all messages of all ranks
  long waits;    ///< for messages, on all ranks
};

/// How much of the messages' delay a step hides, where its work between posting and waiting is longer: the delay is four
/// tenths of the shortest work seen in steps before. Steps that a busy machine stretches hide more, not less.
template <class Step>
Hidden hidden_by(core::Comm const& world, Step const& step) {
  constexpr int steps = 12;
  double work = 0;
  {
    Delayed const hardly(1e-9);
    for (int n = 0; n < steps; ++n) step();
    work = world.min(core::delay().waits() > 0 ? core::delay().least_work() : 1e9);
  }
  Delayed const delayed(0.4 * work);
  for (int n = 0; n < steps; ++n) step();
  double flight = 0, visible = 0;
  for (double x : world.gather(core::delay().flight())) flight += x;
  for (double x : world.gather(core::delay().visible())) visible += x;
  return {flight > 0 ? 1 - visible / flight : 0, world.sum(core::delay().waits())};
}

/// Whole rows in blocks of six tiles a rank, so that most tiles of a rank touch no other rank.
inline std::unique_ptr<core::Layout> rows_of_tiles(core::Count n, core::Comm const& world) {
  core::Count const tiles = 6 * world.size();
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({n, 32 * tiles, 1}, {n, 32, 1}));
  return std::make_unique<core::Layout>(grid, core::block_owners(grid->tiles(), world.size()), world);
}

}  // namespace tessera::tests
