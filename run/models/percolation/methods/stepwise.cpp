// SPDX-License-Identifier: Apache-2.0
#include "ca/stepwise/propagation.hpp"
#include "run/models/percolation/methods/plane_findings.hpp"

namespace tessera::run::percolation::methods {

/// By an automaton, all cells at once, step by step: what `plane` finds.
class Stepwise final : public Method {
 public:
  bool in_plane() const override { return true; }
  double bytes() const override { return 20; }
  void start(Settings const& settings, Medium const& medium, core::Layout const&) override {
    settings_ = &settings;
    medium_ = &medium;
  }
  Crossed cross(Query const& query) override {
    auto const options = plane_options(*settings_, query);
    ca::frame(query.occupied, options.direction);
    auto stepwise = ca::percolate_synchronously(query.occupied, options);
    auto const& steps = stepwise.steps;
    query.findings.add_steps(steps.total() + steps.clusters + steps.electrodes, stepwise.cell_updates);
    Crossed found = take(stepwise.result, *settings_, *medium_, query);
    found.count("steps.colours", steps.colours);
    found.count("steps.classification", steps.classification);
    found.count("steps.flood", steps.flood);
    found.count("steps.total", steps.total());
    return found;
  }

 private:
  Settings const* settings_ = nullptr;
  Medium const* medium_ = nullptr;
};

[[maybe_unused]] static bool const added = add_method<Stepwise>(
    "stepwise", "exact, by an automaton, step by step: square 4 from side to side, within a frame");

}  // namespace tessera::run::percolation::methods
