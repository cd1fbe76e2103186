// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/phased_cells.hpp"
#include "ca/stepwise/paper.hpp"
#include "ca/stepwise/random_sweeps.hpp"

namespace tessera::ca::paper {

/// How a phase went: steps or sweeps that changed something, and the cells that this rank computed in sweeps. Those of steps are among
/// the cell updates of PhasedCells.
struct Progress {
  std::int64_t steps = 0, cell_updates = 0;
};

/// In which order the cells of a step are updated; `first_sweep` keeps the random orders of phases apart.
struct Order {
  Update update = Update::synchronous;
  core::Random random;
  std::uint32_t first_sweep = 1;
};

/// Takes a phase until no cell changes anywhere, all cells at once or in a random order; the halos are current in the end. Collective.
template <int q, class R>
Progress until_still(PhasedCells<R>& cells, Order const& order) {
  if (order.update == Update::synchronous) return {cells.template until_still<q>().steps, 0};
  RandomSweeps sweeps(cells.template stage<q>(), cells.state().first(), cells.next().first(),
                      cells.around(cells.template depth<q>).halo(), order.random, order.first_sweep);
  std::int64_t const steps = sweeps.until_still();
  return {steps, sweeps.cell_updates()};
}

}  // namespace tessera::ca::paper
