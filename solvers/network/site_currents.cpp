// SPDX-License-Identifier: Apache-2.0
// Currents cell by cell, from a potential: see solvers/conduction.hpp.
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"
#include "solvers/conduction.hpp"
#include "solvers/network/gathered.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::solvers {
namespace detail {

constexpr bool conducts(double potential) { return potential > 0.5 * no_potential; }

/// The bonds of the cells of a potential: its halo is exchanged.
class BondCurrents {
 public:
  BondCurrents(core::Field<double>& potential, Electrodes const& electrodes, std::vector<core::Index> const& neighbours)
      : layout_(potential.layout()),
        electrodes_(electrodes),
        steps_(network::steps_within(layout_.grid(), neighbours)) {
    core::Halo(layout_, network::depth_of(steps_), core::Reach::all).exchange(potential);
    u_ = std::as_const(potential).host();
    if (electrodes.inlet_mask != nullptr) in_ = electrodes.inlet_mask->host();
    if (electrodes.outlet_mask != nullptr) out_ = electrodes.outlet_mask->host();
  }

  /// Calls f(conductance, difference of potential, dk, dj, di) for the bonds of a cell to others, f of the electrodes' bonds
  /// with steps of 0.
  template <class F>
  void of(int s, int k, int j, int i, F const& f) const {
    double const here = u_(s, k, j, i);
    if (!conducts(here)) return;
    for (core::Index const& step : steps_)
      for (int const sign : {1, -1}) {
        int const dk = sign * static_cast<int>(step.k), dj = sign * static_cast<int>(step.j),
                  di = sign * static_cast<int>(step.i);
        if (!within(s, k + dk, j + dj, i + di)) continue;
        double const other = u_(s, k + dk, j + dj, i + di);
        if (conducts(other)) f(1.0, here - other, dk, dj, di);
      }
    auto const at = layout_.info(s).global(k, j, i);
    if (electrodes_.inlet_mask != nullptr ? in_(s, k, j, i) != 0 : electrodes_.inlet.contains(at))
      f(electrodes_.bond, 1 - here, 0, 0, 0);
    if (electrodes_.outlet_mask != nullptr ? out_(s, k, j, i) != 0 : electrodes_.outlet.contains(at))
      f(electrodes_.bond, here, 0, 0, 0);
  }

 private:
  /// Whether there is such a cell: halo cells outside an open side hold anything.
  bool within(int s, int k, int j, int i) const {
    auto const& grid = layout_.grid();
    auto const x = layout_.info(s).global(k, j, i);
    auto const n = grid.cells();
    return (grid.periodic(0) || (x.i >= 0 && x.i < n[0])) && (grid.periodic(1) || (x.j >= 0 && x.j < n[1])) &&
           (grid.periodic(2) || (x.k >= 0 && x.k < n[2]));
  }

  core::Layout const& layout_;
  Electrodes const& electrodes_;
  std::vector<core::Index> steps_;
  core::FieldView<double const> u_;
  core::FieldView<std::uint8_t const> in_{}, out_{};
};

}  // namespace detail

SiteCurrents site_currents(core::Field<double>& potential, Electrodes const& electrodes,
                           std::vector<core::Index> const& neighbours) {
  core::Layout const& layout = potential.layout();
  auto const field = [&](char const* name, char const* description) {
    return std::make_unique<core::Field<double>>(
        core::FieldInfo{.name = name, .description = description, .units = "1"}, layout, 0);
  };
  SiteCurrents result{field("flux", "current through a site at unit difference of potential"),
                      field("dissipation", "of the bonds of a site; their sum is the conductance")};
  detail::BondCurrents const bonds(potential, electrodes, neighbours);
  core::for_each_on_host(
      "site currents", layout,
      [&, flux = result.flux->host(), heat = result.dissipation->host()](int s, int k, int j, int i) {
        double all = 0, dissipated = 0;
        bonds.of(s, k, j, i, [&](double g, double difference, int dk, int dj, int di) {
          double const share = dk == 0 && dj == 0 && di == 0 ? 1 : 0.5;
          all += g * std::abs(difference);
          dissipated += share * g * difference * difference;
        });
        flux(s, k, j, i) = 0.5 * all;
        heat(s, k, j, i) = dissipated;
      });
  return result;
}

double largest_current_outside(core::Field<double>& potential, core::Field<std::uint8_t> const& mask,
                               Electrodes const& electrodes, std::vector<core::Index> const& neighbours) {
  core::Layout const& layout = potential.layout();
  int const depth = network::depth_of(neighbours);
  core::Field<std::uint8_t> inside("inside", layout, depth);
  core::for_each_on_host("inside", layout, [&, from = mask.host(), to = inside.host()](int s, int k, int j, int i) {
    to(s, k, j, i) = from(s, k, j, i) != 0;
  });
  core::Halo(layout, depth, core::Reach::all).exchange(inside);
  detail::BondCurrents const bonds(potential, electrodes, neighbours);
  double largest = 0;
  core::for_own_cells(layout, [&, in = std::as_const(inside).host()](int s, int k, int j, int i) {
    bool const here = in(s, k, j, i) != 0;
    bonds.of(s, k, j, i, [&](double g, double difference, int dk, int dj, int di) {
      if (!here || in(s, k + dk, j + dj, i + di) == 0) largest = std::max(largest, g * std::abs(difference));
    });
  });
  return layout.comm().max(largest);
}

}  // namespace tessera::solvers
