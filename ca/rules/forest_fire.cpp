// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

namespace tessera::ca::rules {

/// Trees (1) grow on empty ground (0) and burn (2) where one of the four beside them does, or lightning strikes; what burnt is empty.
/// Source: B. Drossel & F. Schwabl 1992, Phys. Rev. Lett. 69:1629.
struct ForestFire {
  static constexpr int states = 3;
  static constexpr bool random = true;
  static constexpr auto stencil = core::von_neumann<2>();
  double growth = 0.01, lightning = 1e-4;
  void parameters(Parameters& in) {
    in("growth", growth, {0, 1}, "probability that a tree comes up on empty ground in a generation");
    in("lightning", lightning, {0, 1}, "probability that it strikes a tree");
  }
  KOKKOS_FUNCTION State operator()(State centre, Near<ForestFire> near) const {
    if (centre == 2) return 0;
    double const draw = near.uniform();
    if (centre == 0) return draw < growth ? 1 : 0;
    return near.count(2) > 0 || draw < lightning ? 2 : 1;
  }
};
[[maybe_unused]] static bool const forest_fire_added =
    add_rule<ForestFire>("forestFire", "trees that grow, burn and grow again");

}  // namespace tessera::ca::rules
