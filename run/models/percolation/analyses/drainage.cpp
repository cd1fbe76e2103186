// SPDX-License-Identifier: Apache-2.0
#include "ca/pores/pores.hpp"
#include "run/models/percolation/analysis.hpp"

#include <limits>

namespace tessera::run::percolation::analyses {

/// What a fluid that does not wet enters from the inlet, pressure by pressure.
class Drainage final : public Analysis {
 public:
  static constexpr char const* help =
      "drainage yes;     of constant/percolationProperties: a fluid that does not wet is pressed in from the inlet; "
      "balls of a diameter go\n"
      "                  as far as they are joined to it: field drainage (the diameter at which a cell is entered, 0: "
      "never),\n"
      "                  postProcessing/drainage.csv (saturation by diameter), breakthroughDiameter (of the largest "
      "ball that gets\n"
      "                  to the outlet), drainedShare (at the end). Square or cubic, cells of one width\n"
      "trapping no;      yes: what is cut off from the outlet is not entered any more: trappedSites";
  void read(core::Dictionary& properties, Settings const& settings) override {
    expect_cubes(properties, settings, "drainage");
    expect_ends(properties, settings, "drainage");
    trapping_ = properties.get_or<bool>("trapping", false);
    keeps_ = !settings.input.ensemble;
  }
  bool wants_ends() const override { return true; }
  std::vector<std::string> fields() const override { return {"drainage"}; }
  double bytes() const override { return 46; }

  void look_across(Subject const& subject, Crossing const&, Ends const& ends, Crossed& found) override {
    auto const drained = ca::drainage(pores(subject), {subject.settings.lattice, *ends.inlet, *ends.outlet, trapping_});
    std::int64_t open = 0;
    core::for_own_cells(subject.occupied.layout(),
                        [&, cells = subject.occupied.host(),
                         inside = Inside(subject.medium, subject.occupied.layout())](int s, int k, int j, int i) {
                          open += cells(s, k, j, i) != 0 && inside(s, k, j, i);
                        });
    auto const cells = static_cast<double>(subject.occupied.layout().comm().sum(open));
    double entered = 0;
    for (auto const& [square, count] : drained.invaded.counts) entered += static_cast<double>(count);
    found.add("breakthroughDiameter", drained.breakthrough > 0 ? diameter(subject.medium, drained.breakthrough)
                                                               : std::numeric_limits<double>::quiet_NaN());
    found.add("drainedShare", entered / cells);
    if (trapping_) found.count("trappedSites", drained.trapped);
    if (!keeps_) return;
    if (subject.settings.keeps("drainage"))
      found.more.push_back(
          diameters(subject.medium, drained.invaded.squares,
                    {.name = "drainage", .description = "diameter at which the cell is entered", .units = "m"}));
    FoundTable table{"drainage", {"diameter", "cells", "saturation"}, {}};
    double sum = 0;
    for (auto size = drained.invaded.counts.rbegin(); size != drained.invaded.counts.rend(); ++size) {
      sum += static_cast<double>(size->count);
      table.rows.push_back({diameter(subject.medium, size->size), static_cast<double>(size->count), sum / cells});
    }
    found.tables.push_back(std::move(table));
  }

 private:
  bool trapping_ = false, keeps_ = true;
};

[[maybe_unused]] static bool const added = add_analysis<Drainage>(
    "drainage", "what a fluid that does not wet enters from the inlet, by the diameter of balls");

}  // namespace tessera::run::percolation::analyses
