// SPDX-License-Identifier: Apache-2.0
#include "ca/pores/pores.hpp"
#include "run/models/percolation/analysis.hpp"

#include <cmath>
#include <limits>

namespace tessera::run::percolation::analyses {

/// How wide the pore space is: on each occupied cell the diameter of the largest ball that fits in and holds it.
class Thickness final : public Analysis {
 public:
  static constexpr char const* help = "thickness yes;    of constant/percolationProperties: on each occupied cell the "
                                      "diameter of the largest ball that fits between\n"
                                      "                  empty cells and holds it (Hildebrand and Ruegsegger): field "
                                      "thickness, postProcessing/poreSizes.csv,\n"
                                      "                  meanThickness, thicknessDeviation, largestThickness; in the "
                                      "unit of the grid. Square or cubic, cells of one width";
  void read(core::Dictionary& properties, Settings const& settings) override {
    expect_cubes(properties, settings, "thickness");
    keeps_ = !settings.input.ensemble;
  }
  std::vector<std::string> fields() const override { return {"thickness"}; }
  double bytes() const override { return 24; }

  void look(Subject const& subject, Findings& findings) override {
    auto const found = ca::local_thickness(pores(subject));
    double cells = 0, mean = 0, largest = 0;
    for (auto const& [square, count] : found.counts) {
      largest = diameter(subject.medium, square);
      cells += static_cast<double>(count);
      mean += static_cast<double>(count) * largest;
    }
    mean /= cells;
    double variance = 0;
    for (auto const& [square, count] : found.counts)
      variance += static_cast<double>(count) * std::pow(diameter(subject.medium, square) - mean, 2);
    findings.add("meanThickness", mean);  // of no cells: not a number
    findings.add("thicknessDeviation", std::sqrt(variance / cells));
    findings.add("largestThickness", cells > 0 ? largest : std::numeric_limits<double>::quiet_NaN());
    if (!keeps_) return;
    if (subject.settings.keeps("thickness"))
      findings.more.push_back(
          diameters(subject.medium, found.squares,
                    {.name = "thickness", .description = "diameter of the largest ball over the cell", .units = "m"}));
    FoundTable table{"poreSizes", {"diameter", "cells", "share", "shareUpTo"}, {}};
    double up_to = 0;
    for (auto const& [square, count] : found.counts) {
      up_to += static_cast<double>(count);
      table.rows.push_back({diameter(subject.medium, square), static_cast<double>(count),
                            static_cast<double>(count) / cells, up_to / cells});
    }
    findings.tables.push_back(std::move(table));
  }

 private:
  bool keeps_ = true;
};

[[maybe_unused]] static bool const added =
    add_analysis<Thickness>("thickness", "diameter of the largest ball over each occupied cell: pore sizes");

}  // namespace tessera::run::percolation::analyses
