// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

namespace tessera::ca::rules {

/// The abelian sandpile: a cell of 4 grains or more gives one to each of its four neighbours; what goes over a side is lost. Grains
/// also fall at random, as long as the case says. Quantity: topplings of the generation that follows.
/// Source: P. Bak, C. Tang & K. Wiesenfeld 1987, Phys. Rev. Lett. 59:381; D. Dhar 1990, Phys. Rev. Lett. 64:1613.
struct Sandpile {
  using State = std::int32_t;
  static constexpr bool random = true;
  static constexpr auto stencil = core::von_neumann<2>();
  static constexpr auto quantities = names("topplings");
  double rain = 0;
  std::int64_t until = 0;
  void parameters(Parameters& in) {
    in("rain", rain, {0, 1}, "grains that fall on a cell in a generation, on average");
    in("rainUntil", until, "generation from which on none fall");
  }
  KOKKOS_FUNCTION State operator()(State grains, Near<Sandpile> near) const {
    State const given = (near(-1) >= 4) + (near(1) >= 4) + (near(0, -1) >= 4) + (near(0, 1) >= 4);
    State const fallen = near.step() < until && near.uniform() < rain ? 1 : 0;
    return grains - (grains >= 4 ? 4 : 0) + given + fallen;
  }
  double quantity(int, State grains, Near<Sandpile>) const { return grains >= 4 ? 1 : 0; }
};
[[maybe_unused]] static bool const sandpile_added =
    add_rule<Sandpile>("sandpile", "grains that topple over 4: avalanches of all sizes");

}  // namespace tessera::ca::rules
