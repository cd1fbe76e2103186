// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

#include <fmt/format.h>

namespace tessera::ca::rules {

/// Explicit heat conduction, dT/dt = a laplace(T), as a rule on states of double precision:
///   T' = T + a deltaT sum over axes of (T_left - 2 T + T_right) / dx^2.
/// Entries: `diffusivity` a [m2/s], `deltaT` [s]; dx is the grid's spacing [m], equal along an axis.
/// Throws core::Error if deltaT exceeds the limit of stability 1 / (2 a (1/dx^2 + 1/dy^2 + 1/dz^2)), naming it.
/// Order: first in time, second in space. Cost: 16 B and 3 D + 1 operations a cell.
/// Source: Courant, Friedrichs & Lewy 1928, Math. Ann. 100:32.
template <int D>
class Heat {
 public:
  using State = double;
  static constexpr auto stencil = core::von_neumann<D>();

  explicit Heat(RuleContext& context) {
    core::Dictionary& in = context.properties;
    double const a = in.get_positive<double>("diffusivity"), dt = in.get_positive<double>("deltaT");
    double sum = 0;
    for (int axis = 0; axis < D; ++axis) {
      if (!context.grid().axis(axis).uniform())
        in.fail("rule", fmt::format("rule 'heat' expects equal cells along {}, but they are graded", "xyz"[axis]));
      double const dx = context.grid().axis(axis).width(0);
      sum += 1 / (dx * dx);
      weight_[axis] = a * dt / (dx * dx);
    }
    double const limit = 1 / (2 * a * sum);
    if (dt > limit)
      in.fail(
          "deltaT",
          fmt::format("deltaT is {} s, expected at most {} s, the limit of stability 1 / (2 a sum 1/dx^2)", dt, limit));
  }

  KOKKOS_FUNCTION double operator()(double centre, Near<Heat> near) const {
    double change = weight_[0] * ((near(-1) - centre) + (near(1) - centre));
    if constexpr (D > 1) change += weight_[1] * ((near(0, -1) - centre) + (near(0, 1) - centre));
    if constexpr (D > 2) change += weight_[2] * ((near(0, 0, -1) - centre) + (near(0, 0, 1) - centre));
    return centre + change;
  }

 private:
  double weight_[D];
};

constexpr char const* heat_help = R"(
constant/automatonProperties
    diffusivity 1e-5;            of heat [m2/s]
    deltaT    0.1;               of a generation [s], at most 1 / (2 diffusivity (1/dx^2 + 1/dy^2 + 1/dz^2))
Both must be there. dx is the width of the grid's cells [m], equal along an axis: `origin` and `size` of system/gridDict. Field: state,
the temperature, of double precision.)";

/// One name for the three dimensions: that of the grid.
static std::unique_ptr<Automaton> make_heat(RuleContext& context) {
  auto const cells = context.grid().cells();
  if (cells[2] > 1) return make_synchronous<Heat<3>>(context);
  if (cells[1] > 1) return make_synchronous<Heat<2>>(context);
  return make_synchronous<Heat<1>>(context);
}

[[maybe_unused]] static bool const added =
    Rules::add("heat", "explicit heat conduction, dT/dt = a laplace(T)", &make_heat, heat_help);

}  // namespace tessera::ca::rules
