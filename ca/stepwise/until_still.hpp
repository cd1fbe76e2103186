// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/stepwise/jacobi.hpp"
#include "ca/stepwise/paper.hpp"
#include "ca/stepwise/random_sweeps.hpp"

namespace tessera::ca::paper {

/// How a phase went: steps or sweeps that changed something, and the cells computed by this rank.
struct Progress {
  std::int64_t steps = 0, cell_updates = 0;
};

/// In which order the cells of a step are updated; `first_sweep` keeps the random orders of phases apart.
struct Order {
  Update update = Update::synchronous;
  core::Random random;
  std::uint32_t first_sweep = 1;
};

/// Steps of a rule on `state` until no cell changes anywhere; the halos of `state` are current in the end. `next` is a
/// second buffer. Collective.
template <class R>
Progress until_still(R const& rule, core::Field<StateOf<R>>& state, core::Field<StateOf<R>>& next, core::Halo& halo,
                     Order const& order) {
  Progress progress;
  if (order.update == Update::synchronous) {
    Jacobi steps(rule, state, next, halo);
    progress.steps = steps.until_still();
    progress.cell_updates = steps.cell_updates();
  } else {
    RandomSweeps sweeps(rule, state, next, halo, order.random, order.first_sweep);
    progress.steps = sweeps.until_still();
    progress.cell_updates = sweeps.cell_updates();
  }
  return progress;
}

}  // namespace tessera::ca::paper
