// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

namespace tessera::ca::rules {

/// Half a sweep of the Ising model: the cells of one colour of a checkerboard, which are no neighbours, are drawn anew given their
/// neighbours (heat bath), up with probability 1 / (1 + exp(-2 h / T)), h the sum of the four spins round a cell. Quantities:
/// energy [J], minus the sum over pairs of neighbours of the product of their spins; magnetisation, the sum of the spins.
/// Source: R. J. Glauber 1963, J. Math. Phys. 4:294.
struct Ising {
  static constexpr int states = 2;
  static constexpr bool random = true;
  static constexpr auto stencil = core::von_neumann<2>();
  static constexpr auto quantities = names("energy", "magnetisation");
  double temperature = 2, up[5] = {};
  void parameters(Parameters& in) {
    in("temperature", temperature, {1e-3, 1e6}, "k T / J");
    for (int n = 0; n < 5; ++n) up[n] = 1 / (1 + std::exp(-2 * (2 * n - 4) / temperature));
  }
  KOKKOS_FUNCTION State operator()(State centre, Near<Ising> near) const {
    if ((near.position().i + near.position().j + near.phase()) % 2 != 0) return centre;
    return near.uniform() < up[near.count(1)] ? 1 : 0;
  }
  double quantity(int n, State centre, Near<Ising> near) const {
    auto const spin = [](State s) { return s == 1 ? 1 : -1; };
    return n == 0 ? -spin(centre) * (spin(near(1)) + spin(near(0, 1))) : spin(centre);
  }
};
[[maybe_unused]] static bool const ising_added =
    add_rule<Phases<Ising, Ising>>("ising", "the Ising model of magnets, by a checkerboard");

}  // namespace tessera::ca::rules
