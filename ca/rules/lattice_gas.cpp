// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

namespace tessera::ca::rules {

/// What both gases share: a bit for each particle that leaves a cell, the next bit alone for a solid cell. In a generation a cell takes in the
/// particles that left its neighbours towards it, its own where the neighbour is solid (walls are halfway), and lets them collide.
/// Quantities, sums over all cells: particles, which are conserved as long as no side is left open; their momentum, too without walls.
template <class Gas, int N>
struct LatticeGas {
  static constexpr State solid = 1 << N;
  static constexpr int states = solid + 1;
  static constexpr bool directed = true;
  static constexpr auto quantities = names("particles", "momentumX", "momentumY");

  template <class View>
  KOKKOS_FORCEINLINE_FUNCTION static int arriving(int centre, View const& near) {
    return arriving(centre, near, std::make_integer_sequence<int, N>());
  }
  template <class View, int... q>
  KOKKOS_FORCEINLINE_FUNCTION static int arriving(int centre, View const& near, std::integer_sequence<int, q...>) {
    return (from<q>(centre, near) | ...);
  }
  /// The particle of direction q that comes in, as its bit.
  template <int q, class View>
  KOKKOS_FORCEINLINE_FUNCTION static int from(int centre, View const& near) {
    constexpr core::Offset c = Gas::c[q];
    int const there = near(-c.i, -c.j), back = centre >> (q + N / 2) % N;
    return (((there & solid) != 0 ? back : there >> q) & 1) << q;
  }
  static double quantity_of(int n, int centre) {
    double sum = 0;
    for (int q = 0; q < N; ++q)
      if ((centre & solid) == 0 && (centre >> q & 1) != 0) sum += n == 0 ? 1 : n == 1 ? Gas::x[q] : Gas::y[q];
    return sum;
  }
};

/// The lattice gas HPP: particles along four directions (right 1, up 2, left 4, down 8), of which two that meet head on turn by a
/// right angle. It keeps the momentum of each row and column for itself, so that it is no fluid.
/// Source: J. Hardy, Y. Pomeau & O. de Pazzis 1973, J. Math. Phys. 14:1746.
struct Hpp : LatticeGas<Hpp, 4> {
  static constexpr core::Offset c[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  static constexpr double x[] = {1, 0, -1, 0}, y[] = {0, 1, 0, -1};
  static constexpr auto stencil = core::von_neumann<2>();
  KOKKOS_FUNCTION State operator()(State centre, Near<Hpp> near) const {
    int const met = arriving(centre, near);
    int const after = met == 5 || met == 10 ? 15 - met : met;
    return (centre & solid) != 0 ? centre : static_cast<State>(after);
  }
  double quantity(int n, State centre, Near<Hpp>) const { return quantity_of(n, centre); }
};

/// The lattice gas FHP-I on the hexagonal lattice of the rulestrings (`B2/S34H`): cell (i, j) lies at x = i + j/2, y = sqrt(3)/2 j.
/// Particles along six directions, from right (1) against the clock (2, 4 .. 32). Two that meet head on turn by 60 degrees to one side or the
/// other at random, three that meet at 120 degrees turn back. Far above the mean free path it flows as a fluid.
/// Source: U. Frisch, B. Hasslacher & Y. Pomeau 1986, Phys. Rev. Lett. 56:1505.
struct Fhp : LatticeGas<Fhp, 6> {
  static constexpr core::Offset c[] = {{1, 0, 0}, {0, 1, 0}, {-1, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {1, -1, 0}};
  static constexpr double h = 0.86602540378443865, x[] = {1, 0.5, -0.5, -1, -0.5, 0.5}, y[] = {0, h, h, 0, -h, -h};
  static constexpr bool random = true;
  static constexpr core::Stencil<6> stencil{
      {{0, -1, 0}, {1, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {-1, 1, 0}, {0, 1, 0}}, 1, 2};
  KOKKOS_FUNCTION State operator()(State centre, Near<Fhp> near) const {
    if ((centre & solid) != 0) return centre;
    int met = arriving(centre, near);
    if (met == 21 || met == 42) met = 63 - met;
    if (met == 9 || met == 18 || met == 36)
      met = near.uniform() < 0.5 ? (met << 1 | met >> 5) & 63 : (met >> 1 | met << 5) & 63;
    return static_cast<State>(met);
  }
  double quantity(int n, State centre, Near<Fhp>) const { return quantity_of(n, centre); }
};

[[maybe_unused]] static bool const lattice_gas_added =
    add_rule<Hpp>("gasHPP", "a gas of particles along four directions, of which pairs turn") &&
    add_rule<Fhp>("gasFHP", "a gas of particles on the hexagonal lattice, which flows as a fluid");

}  // namespace tessera::ca::rules
