// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/initial.hpp"
#include "ca/percolation.hpp"
#include "run/ensemble.hpp"
#include "tests/support/conduction.hpp"

#include <gtest/gtest.h>

using namespace tessera;

namespace tessera::tests {

/// Mean conductance of n x n sites at the threshold between bars, of samples that span, and what belongs to it.
struct CriticalMeans {
  run::Mean conductance, backbone;
};
CriticalMeans at_threshold(int n, int samples) {
  auto const layout = shuffled_layout({n + 2, n + 2, 1}, {0, 0, 0});
  core::Box const inside = ca::interior(layout->grid());
  solvers::Electrodes electrodes{.inlet = inside, .outlet = inside, .bond = 1};
  electrodes.inlet.hi.j = inside.lo.j + 1;
  electrodes.outlet.lo.j = inside.hi.j - 1;
  core::Field<std::uint8_t> occupied("occupied", *layout, 1);
  std::vector<double> conductances, backbones;
  for (std::uint32_t s = 0; s < static_cast<std::uint32_t>(samples); ++s) {
    ca::fill_random(occupied, 0.59274605079210, core::Random{2027, s}, inside);
    ca::frame(occupied, ca::Direction::y);
    auto const found = ca::percolate(occupied, {.definition = ca::Definition::D2, .label = false});
    if (!found.spans) continue;
    conductances.push_back(solvers::conduct(*found.backbone, electrodes, solvers::conduction_solver(0)).conductance);
    backbones.push_back(static_cast<double>(found.backbone_sites));
  }
  return {run::mean_of(conductances), run::mean_of(backbones)};
}

}  // namespace tessera::tests

// Means over spanning samples of an independent program (union-find, block search, conjugate gradients to 1e-10, another
// random generator), with their standard errors: n, conductance, backbone D2. Three standard errors of the difference.
TEST(Conductance, AtTheThresholdHasThePublishedAmplitudes) {
  struct Row {
    int n, samples;
    double conductance, conductance_error, backbone, backbone_error;
  };
  for (Row const row : {Row{32, 4000, 0.0474, 0.0006, 252.3, 2.4}, Row{64, 2000, 0.0250, 0.0003, 785, 8}}) {
    auto const found = tests::at_threshold(row.n, row.samples);
    EXPECT_NEAR(found.conductance.mean, row.conductance, 3 * std::hypot(found.conductance.error, row.conductance_error))
        << row.n;
    EXPECT_NEAR(found.backbone.mean, row.backbone, 3 * std::hypot(found.backbone.error, row.backbone_error)) << row.n;
  }
}
