// SPDX-License-Identifier: Apache-2.0
#include "ca/pores/paths.hpp"
#include "core/grid/exact_sum.hpp"
#include "core/grid/sweep.hpp"
#include "run/models/percolation/analysis.hpp"

#include <cmath>
#include <limits>

namespace tessera::run::percolation::analyses {

/// Paths in straight lines between the centres of cells that share a face, an edge or a corner.
class Geodesic final : public Analysis {
 public:
  static constexpr char const* help = "geodesic yes;     of constant/percolationProperties: lengths of paths through "
                                      "occupied cells from the inlet, in straight lines\n"
                                      "                  between cells that share a face, an edge or a corner (26 "
                                      "neighbours, 8 in one layer; whatever the lattice),\n"
                                      "                  in the unit of the grid: shortestGeodesic; between opposite "
                                      "sides geodesicTortuosity: the mean over the cells\n"
                                      "                  of the outlet that are reached, over the straight distance. "
                                      "Field geodesic (-1: not reached) on request";
  void read(core::Dictionary& properties, Settings const& settings) override {
    if (settings.lattice.name == "triangular")
      properties.fail_entry("geodesic",
                            "is yes, expected no: lengths are those of lattice square or cubic, not triangular");
    expect_ends(properties, settings, "geodesic");
  }
  bool wants_ends() const override { return true; }
  std::vector<std::string> fields() const override { return {"geodesic"}; }
  double bytes() const override { return 22; }

  void look_across(Subject const& subject, Crossing const& crossing, Ends const& ends, Crossed& found) override {
    core::Layout const& layout = subject.occupied.layout();
    core::Field<std::uint8_t> open("open", layout, 0);
    core::for_each_on_host("open", layout,
                           [from = subject.occupied.host(), to = open.host(),
                            inside = Inside(subject.medium, layout)](int s, int k, int j, int i) {
                             to(s, k, j, i) = from(s, k, j, i) != 0 && inside(s, k, j, i);
                           });
    auto const lengths = ca::path_lengths(open, *ends.inlet, ca::make_lattice("cubic", 26));
    core::ExactSum sum;
    std::int64_t reached = 0;
    double least = std::numeric_limits<double>::infinity();
    core::for_own_cells(layout, [&, length = lengths.host(), out = ends.outlet->host()](int s, int k, int j, int i) {
      double const x = length(s, k, j, i);
      if (out(s, k, j, i) == 0 || std::isinf(x)) return;
      sum.add(x);
      ++reached;
      least = std::min(least, x);
    });
    core::ExactSum::all_reduce(layout.comm(), {&sum, 1});
    reached = layout.comm().sum(reached);
    least = layout.comm().min(least);
    constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
    found.add("shortestGeodesic", reached > 0 ? least : undefined);
    if (crossing.axis >= 0) {
      core::Count const cells = along(subject.medium.bounds.shape(), crossing.axis);
      double const straight = static_cast<double>(cells - 1) * width(subject.medium, crossing.axis);
      found.add("geodesicTortuosity",
                reached > 0 && straight > 0 ? sum.round() / static_cast<double>(reached) / straight : undefined);
    }
    if (subject.settings.input.ensemble || !subject.settings.keeps("geodesic")) return;
    auto field = std::make_unique<core::Field<float>>(
        core::FieldInfo{.name = "geodesic", .description = "length of the shortest path from the inlet", .units = "m"},
        layout, 0);
    core::for_each_on_host("geodesic", layout,
                           [&, from = lengths.host(), to = field->host()](int s, int k, int j, int i) {
                             double const x = from(s, k, j, i);
                             to(s, k, j, i) = std::isinf(x) ? -1.0F : static_cast<float>(x);
                           });
    found.more.push_back(std::move(field));
  }
};

[[maybe_unused]] static bool const added =
    add_analysis<Geodesic>("geodesic", "shortest paths in straight lines between cells: geodesic tortuosity");

}  // namespace tessera::run::percolation::analyses
