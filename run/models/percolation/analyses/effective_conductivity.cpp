// SPDX-License-Identifier: Apache-2.0
#include "ca/clusters.hpp"
#include "core/grid/exact_sum.hpp"
#include "core/grid/sweep.hpp"
#include "run/models/percolation/analysis.hpp"
#include "solvers/conduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace tessera::run::percolation::analyses {

/// The conductivity of a medium whose cells all have one, by phase or by grey value.
class EffectiveConductivity final : public Analysis {
 public:
  static constexpr char const* help =
      "effectiveConductivity yes; of constant/percolationProperties: the conductivity of a medium whose cells all "
      "conduct,\n"
      "                  by their values in the file (of random media: 0 empty, 1 occupied), between opposite sides "
      "that "
      "are electrodes\n"
      "conductivities ((1 1.0) (2 0.05));   of the cells of a value; 0 is an insulator\n"
      "interpolate no;   yes: linear between the values listed, constant beyond; no: every value is to be listed\n"
      "solvers { effectiveConductivity { solver PCG; preconditioner DIC; tolerance 1e-8; maxIter 100000; } } of "
      "system/fvSolution:\n"
      "                  the solver of the whole grid; without: DIC up to 64 Ki cells, else multigrid; where "
      "conductivities\n"
      "                  differ by more than 1e4, the network of the cells on rank 0 (aggregation)\n"
      "Found: effectiveConductivity along each direction (between masks effectiveConductance), and bounds on it by the "
      "shares "
      "alone:\n"
      "wienerLower, wienerUpper (layers in series and in parallel), hashinShtrikmanLower, hashinShtrikmanUpper (media "
      "alike in "
      "all directions)";

  bool knows_tiles() const override { return true; }
  void read(core::Dictionary& properties, Settings const& settings) override {
    expect_cubes(properties, settings, "effectiveConductivity");
    expect_ends(properties, settings, "effectiveConductivity");
    table_ = properties.get<std::vector<std::array<double, 2>>>("conductivities");
    if (table_.empty()) properties.fail_entry("conductivities", "is empty, expected ((VALUE CONDUCTIVITY) ...)");
    for (auto const& [value, conductivity] : table_)
      if (!std::isfinite(value) || !std::isfinite(conductivity) || conductivity < 0)
        properties.fail_entry(
            "conductivities",
            fmt::format("holds ({} {}), expected a value and a conductivity of 0 or more", value, conductivity));
    std::ranges::sort(table_);
    for (std::size_t n = 1; n < table_.size(); ++n)
      if (table_[n][0] == table_[n - 1][0])
        properties.fail_entry("conductivities", fmt::format("holds {} twice", table_[n][0]));
    interpolate_ = properties.get_or<bool>("interpolate", false);
    properties_ = &properties;
    if (auto const* const entry = settings.solver(name)) solver_ = *entry;
    for (double const p : settings.input.probabilities)
      for (int const value : {0, 1})
        if (p != 1 - value && std::isnan(of(value))) refuse({true, static_cast<double>(value)});
  }
  bool wants_ends() const override { return true; }
  double bytes() const override { return 290; }

  /// The file is read once, row by row; where not all of it counts a field is laid out.
  void check(Session& session, Settings const& settings, Medium const& medium) override {
    if (!settings.input.file) return;
    Missing missing;
    if (!settings.region && medium.interior.cells() == medium.input.cells()) {
      settings.input.file->for_each_value(session.comm, [&](double value) { missing.look_at(value, of(value)); });
      session.comm.broadcast(missing);
    } else if (medium.grid->total() > most_cells_checked) {
      session.log.line("{}: not looked at whether each value that counts has a conductivity; a run does",
                       settings.input.file->name());
      return;
    } else {
      auto const layout = alone(medium.grid);
      Medium laid = medium;
      laid.lay_region(settings, *layout);
      core::Field<double> values("values", *layout, 0);
      settings.input.file->load_values(values, laid.input.lo);
      missing = conduct_by_value(laid, values);
    }
    if (missing.any) refuse(missing);
  }

  void look(Subject const& subject, Findings& findings) override {
    conductivity_ = values(subject);
    auto const missing = conduct_by_value(subject.medium, *conductivity_);
    if (missing.any) refuse(missing);
    add_bounds(subject.medium, findings);
  }

  void look_across(Subject const& subject, Crossing const& crossing, Ends const& ends, Crossed& found) override {
    Medium const& medium = subject.medium;
    core::Layout const& layout = subject.occupied.layout();
    // islands between insulators have no potential
    core::Field<std::uint8_t> conducts("conducts", layout, 0);
    core::for_each_on_host("conducts", layout,
                           [&, from = conductivity_->host(), to = conducts.host()](int s, int k, int j, int i) {
                             to(s, k, j, i) = from(s, k, j, i) > 0;
                           });
    bool const spatial = medium.grid->cells()[2] > 1, masks = crossing.axis < 0;
    auto const clusters =
        ca::find_clusters(conducts, {.lattice = ca::make_lattice(spatial ? "cubic" : "square", spatial ? 6 : 4),
                                     .inlet = ends.inlet.get(),
                                     .outlet = ends.outlet.get(),
                                     .connecting = true});
    double conductance = 0;
    if (clusters.connecting.clusters > 0) {
      core::Field<double> reached("reached", layout, 0);
      core::for_each_on_host("reached", layout,
                             [&, from = conductivity_->host(), in = clusters.connecting_mask->host(),
                              to = reached.host()](int s, int k, int j, int i) {
                               to(s, k, j, i) = in(s, k, j, i) != 0 ? from(s, k, j, i) : 0;
                             });
      solvers::Electrodes const electrodes{.inlet = ends.inlet_box,
                                           .outlet = ends.outlet_box,
                                           .inlet_mask = ends.masks ? ends.inlet.get() : nullptr,
                                           .outlet_mask = ends.masks ? ends.outlet.get() : nullptr,
                                           .bond = 2};
      auto result = solver_ ? solvers::conduct(reached, electrodes, *solver_, false, name)
                            : solvers::conduct(reached, electrodes, medium.sites, contrast_, name);
      conductance = result.conductance;
      std::ranges::move(result.solves, std::back_inserter(found.solves));
      std::ranges::move(result.notes, std::back_inserter(found.notes));
    }
    if (masks) {
      found.add("effectiveConductance", conductance);
      return;
    }
    auto const length = static_cast<double>(core::along(medium.bounds.shape(), crossing.axis));
    found.add("effectiveConductivity", conductance * length / medium.area(crossing.axis));
  }

 private:
  static constexpr char const* name = "effectiveConductivity";
  static constexpr core::Count most_cells_checked = core::Count{1} << 24;

  /// Values that have no conductivity: whether there are any, and the least that is a number.
  struct Missing {
    bool any = false;
    double least = std::numeric_limits<double>::infinity();
    void look_at(double value, double conductivity) {
      if (!std::isnan(conductivity)) return;
      any = true;
      if (!std::isnan(value)) least = std::min(least, value);
    }
  };
  [[noreturn]] void refuse(Missing const& missing) const {
    properties_->fail_entry(
        "conductivities",
        std::isinf(missing.least)
            ? std::string("has no conductivity for cells that are not a number; expected a file without")
            : fmt::format("has none for the value {} of the medium, expected all values, or interpolate yes",
                          missing.least));
  }
  /// Makes conductivities of the values of cells that count, 0 of the others. Collective.
  Missing conduct_by_value(Medium const& medium, core::Field<double>& values) const {
    core::Layout const& layout = values.layout();
    Missing missing;
    core::for_own_cells(layout, [&, to = values.host(), inside = Inside(medium, layout)](int s, int k, int j, int i) {
      double& here = to(s, k, j, i);
      double const found = inside(s, k, j, i) ? of(here) : 0;
      missing.look_at(here, found);
      here = found;
    });
    return {layout.comm().any(missing.any), layout.comm().min(missing.least)};
  }

  /// The conductivity of cells of a value; NaN: there is none.
  double of(double value) const {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (std::isnan(value)) return none;
    auto const after = std::ranges::lower_bound(table_, value, {}, [](auto const& row) { return row[0]; });
    if (after != table_.end() && (*after)[0] == value) return (*after)[1];
    if (!interpolate_) return none;
    if (after == table_.begin()) return table_.front()[1];
    if (after == table_.end()) return table_.back()[1];
    double const x0 = (*(after - 1))[0], y0 = (*(after - 1))[1], x1 = (*after)[0], y1 = (*after)[1];
    return y0 + (y1 - y0) * ((value - x0) / (x1 - x0));
  }

  /// Bounds of all media with these shares of conductivities: layers, and Hashin & Shtrikman's of media that are alike in all
  /// d directions, (mean of 1 / (s + (d - 1) s0))^-1 - (d - 1) s0 with the least and the largest conductivity as s0.
  void add_bounds(Medium const& medium, Findings& findings) {
    core::Layout const& layout = conductivity_->layout();
    auto const v = std::as_const(*conductivity_).host();
    Inside const inside(medium, layout);
    double least = std::numeric_limits<double>::infinity(), most = 0, conducts = least;
    core::for_own_cells(layout, [&](int s, int k, int j, int i) {
      if (!inside(s, k, j, i)) return;
      double const here = v(s, k, j, i);
      least = std::min(least, here);
      most = std::max(most, here);
      if (here > 0) conducts = std::min(conducts, here);
    });
    least = layout.comm().min(least);
    most = layout.comm().max(most);
    contrast_ = most / layout.comm().min(conducts);
    int axes = 0;  // of the medium: the grid may have a frame round it
    for (int a = 0; a < 3; ++a) axes += core::along(medium.input.shape(), a) > 1 ? 1 : 0;
    double const d = std::max(axes, 1) - 1, n = static_cast<double>(medium.sites);
    core::ExactSum sums[4];
    core::for_own_cells(layout, [&](int s, int k, int j, int i) {
      if (!inside(s, k, j, i)) return;
      double const here = v(s, k, j, i);
      sums[0].add(here);
      sums[1].add(1 / here);
      sums[2].add(1 / (here + d * least));
      sums[3].add(1 / (here + d * most));
    });
    core::ExactSum::all_reduce(layout.comm(), sums);
    findings.add("wienerLower", n / sums[1].round());
    findings.add("wienerUpper", sums[0].round() / n);
    findings.add("hashinShtrikmanLower", n / sums[2].round() - d * least);
    findings.add("hashinShtrikmanUpper", most > 0 ? n / sums[3].round() - d * most : 0);
  }

  std::vector<std::array<double, 2>> table_;  ///< value and conductivity, by value
  bool interpolate_ = false;
  core::Dictionary const* properties_ = nullptr;
  std::optional<core::Dictionary> solver_;             ///< that the case names
  double contrast_ = 1;                                ///< of the largest conductivity to the least that is not 0
  std::unique_ptr<core::Field<double>> conductivity_;  ///< of the medium looked at; 0 in a frame
};

[[maybe_unused]] static bool const added = add_analysis<EffectiveConductivity>(
    "effectiveConductivity", "of a medium whose cells all conduct, by phase or grey value");

}  // namespace tessera::run::percolation::analyses
