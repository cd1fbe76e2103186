// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

#include <array>

namespace tessera::ca::rules {

/// Velocities of a lattice by their components, opposite ones in pairs: 1 and 2, 3 and 4 ...; weights by the number of
/// components that are not 0.
struct Plane9 {
  static constexpr int dimensions = 2, size = 9;
  static constexpr int c[size][3] = {{0, 0, 0}, {1, 0, 0},   {-1, 0, 0}, {0, 1, 0}, {0, -1, 0},
                                     {1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};
  static constexpr double weights[] = {4.0 / 9, 1.0 / 9, 1.0 / 36};
  static constexpr auto momenta = names("mass", "momentumX", "momentumY", "permeability");
  static constexpr auto flow = names("pressure", "velocityX", "velocityY");
};
struct Space19 {
  static constexpr int dimensions = 3, size = 19;
  static constexpr int c[size][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                     {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                     {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                     {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};
  static constexpr double weights[] = {1.0 / 3, 1.0 / 18, 1.0 / 36};
  static constexpr auto momenta = names("mass", "momentumX", "momentumY", "momentumZ", "permeability");
  static constexpr auto flow = names("pressure", "velocityX", "velocityY", "velocityZ");
};

/// Flow of a fluid by the lattice Boltzmann method with two relaxation times. A cell holds the populations f_q that leave it with
/// velocity c_q, less those of rest at density 1 (w_q): 0 is rest. In a step it takes in those that left its neighbours
/// towards it; where the neighbour is solid its own come back, as from a wall halfway between the two. Then, with
///   rho = sum f_q (less 1),   j = sum c_q f_q + F / 2,   f+- = (f_q +- f_-q) / 2,
///   e+_q = w_q (rho + 9/2 (c_q.j)^2 - 3/2 j^2),   e-_q = 3 w_q c_q.j,   1 / omega+ = 3 nu + 1/2,
///   f_q' = f_q - omega+ (f+ - e+) - omega- (f- - e-)
///          + (1 - omega-/2) 3 w_q c_q.F + (1 - omega+/2) 3 w_q (3 (c_q.j) (c_q.F) - j.F).
/// (1/omega+ - 1/2)(1/omega- - 1/2) is `magic`: walls lie halfway for any viscosity, and the flow between two that follow the lattice is
/// exact, with 3/16. `inertia no;` leaves out what is quadratic in j: Stokes flow, linear in F. Solid cells stay as they are.
/// Quantities, sums over the fluid cells: mass less 1 a cell; momentum; nu j.F / F^2 over the number of all cells, which is the
/// permeability along F, in squares of a cell's edge.
/// Cost: reads and writes 8 size + 1 bytes a cell, some 11 size operations.
/// Source: I. Ginzburg, F. Verhaeghe & D. d'Humieres 2008, Commun. Comput. Phys. 3:427 (two relaxation times, 3/16); Z. Guo, C. Zheng
/// & B. Shi 2002, Phys. Rev. E 65:046308 (force); X. He & L.-S. Luo 1997, J. Stat. Phys. 88:927 (density in the equilibrium).
template <class L>
struct LatticeBoltzmann {
  static constexpr int dimensions = L::dimensions, size = L::size;
  template <template <class> class Of>
  struct Cells {
    using Number = Of<double>;
    Of<std::uint8_t> solid;
    Number f[size];
    static constexpr auto fields = names("solid", many<size>("f"));
  };
  using State = Cells<One>;
  static constexpr int states = 2;
  static constexpr bool directed = true;
  static constexpr std::size_t sparse = 0;  // solid
  static constexpr bool sparse_stays = true;
  static constexpr auto stencil = [] {
    core::Stencil<size - 1> all{{}, 1, dimensions};
    for (int q = 1; q < size; ++q) all.offsets[q - 1] = {L::c[q][0], L::c[q][1], L::c[q][2]};
    return all;
  }();
  /// Solids all round, of a population those cells that it comes from.
  static constexpr core::Reach reach(int field) {
    if (field > 0) return from_where(field - 1);
    auto all = core::Reach::none;
    for (int q = 0; q < size; ++q) all = all | from_where(q);
    return all;
  }
  static constexpr auto quantities = L::momenta;
  static constexpr auto derived = L::flow;

  double viscosity = 1.0 / 6, magic = 3.0 / 16;
  std::array<double, dimensions> force{};
  bool inertia = true;
  double even = 1, odd = 1, quadratic = 1;         ///< omega+, omega-; 0 or 1
  double half_even = 0, half_odd = 0, square = 0;  ///< omega+/2, omega-/2; of (c_q.j)^2
  double power[size / 2]{}, push[size / 2]{};      ///< of c_q.F, in e and in o, by pairs of velocities
  void parameters(Parameters& in) {
    in("viscosity", viscosity, {1e-6, 1e6}, "kinematic, in cells and steps");
    in("force", force, "on the mass of a cell");
    in("magic", magic, {1e-6, 1e6}, "of the relaxation times: 3/16, walls halfway");
    in("inertia", inertia, "no: Stokes flow");
    even = 1 / (3 * viscosity + 0.5);
    odd = 1 / (magic / (3 * viscosity) + 0.5);
    quadratic = inertia ? 1 : 0;
    half_even = 0.5 * even;
    half_odd = 0.5 * odd;
    square = 4.5 * quadratic * even;
    for (int p = 0; p < size / 2; ++p) {
      double cf = 0;
      for (int a = 0; a < dimensions; ++a) cf += L::c[2 * p + 1][a] * force[a];
      power[p] = 9 * quadratic * (1 - half_even) * cf;
      push[p] = 3 * weight(2 * p + 1) * (1 - half_odd) * cf;
    }
  }

  template <class N>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(N const& near) const {
    // mostly all is fluid: then no population comes back, and those that leave the cell need not be read
    constexpr std::make_index_sequence<size / 2> pairs;
    return near.none() ? collide<false>(near, pairs) : collide<true>(near, pairs);
  }
  KOKKOS_FUNCTION State operator()(State, Near<LatticeBoltzmann> const& near) const { return (*this)(near); }
  double quantity(int n, State c, Near<LatticeBoltzmann> near) const {
    if (c.solid != 0) return 0;
    if (n <= dimensions) return moment(n, c);
    double along = 0, square = 0;
    for (int a = 0; a < dimensions; ++a) {
      along += moment(1 + a, c) * force[a];
      square += force[a] * force[a];
    }
    auto const cells = near.cells();
    return square > 0 ? viscosity * along / (square * static_cast<double>(cells.i * cells.j * cells.k)) : 0;
  }
  /// The pressure above that of rest; the velocity.
  double derive(int n, State c) const { return c.solid != 0 ? 0 : n == 0 ? moment(0, c) / 3 : moment(n, c); }

 private:
  static constexpr core::Reach from_where(int q) { return core::Reach::of({-L::c[q][0], -L::c[q][1], -L::c[q][2]}); }
  /// Of a fluid cell the density, less 1; the momentum along an axis. Populations have got all of a step's force, the fluid is halfway.
  double moment(int n, State const& c) const {
    double sum = 0;
    for (int q = 0; q < size; ++q) sum += n == 0 ? c.f[q] : L::c[q][n - 1] * c.f[q];
    return n == 0 ? sum : sum - force[n - 1] / 2;
  }
  static constexpr double weight(int q) {
    return L::weights[(L::c[q][0] != 0) + (L::c[q][1] != 0) + (L::c[q][2] != 0)];
  }
  template <int factor, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T add(T sum, T x) {
    if constexpr (factor == 0)
      return sum;
    else
      return factor > 0 ? sum + x : sum - x;
  }
  /// c_q.v
  template <std::size_t q, class T>
  KOKKOS_FORCEINLINE_FUNCTION static T along(T const* v) {
    T sum = add<L::c[q][1]>(add<L::c[q][0]>(T{}, v[0]), v[1]);
    if constexpr (dimensions == 3) sum = add<L::c[q][2]>(sum, v[2]);
    return sum;
  }
  /// Whether the cell is solid that the population q comes from.
  template <std::size_t q, class N>
  KOKKOS_FORCEINLINE_FUNCTION static auto solid_before(N const& near) {
    return near.template get<0>(-L::c[q][0], -L::c[q][1], -L::c[q][2]);
  }
  /// The population q of the cell itself.
  template <std::size_t q, class N>
  KOKKOS_FORCEINLINE_FUNCTION static auto own(N const& near) {
    return near.template get<1 + q>(0);
  }
  /// The population that comes in.
  template <bool walls, std::size_t q, class N>
  KOKKOS_FORCEINLINE_FUNCTION static auto from(N const& near) {
    auto const there = near.template get<1 + q>(-L::c[q][0], -L::c[q][1], -L::c[q][2]);
    if constexpr (!walls)
      return there;
    else
      return select(solid_before<q>(near) != 0, own<(q % 2 == 1 ? q + 1 : q - 1)>(near), there);
  }
  template <int a, class C, std::size_t... p>
  KOKKOS_FORCEINLINE_FUNCTION static typename C::Number momentum(C const& s, std::index_sequence<p...>) {
    typename C::Number sum{};
    ((sum = add<L::c[2 * p + 1][a]>(sum, s.f[2 * p + 1] - s.f[2 * p + 2])), ...);
    return sum;
  }
  /// What is the same for all velocities.
  template <class T>
  struct Moments {
    T common, j[3];  ///< omega+ (rho - 3/2 j^2) - (1 - omega+/2) 3 j.F; the momentum
  };
  template <std::size_t p, class C, class T = typename C::Number>
  KOKKOS_FORCEINLINE_FUNCTION void relax(C& s, Moments<T> const& m) const {
    constexpr std::size_t q = 2 * p + 1;
    constexpr double w = weight(q);
    T const cj = along<q>(m.j);
    T const e = half_even * (s.f[q] + s.f[q + 1]) - w * (m.common + cj * (square * cj + power[p]));
    T const o = half_odd * (s.f[q] - s.f[q + 1]) - (3 * w * odd * cj + push[p]);
    s.f[q] = s.f[q] - (e + o);
    s.f[q + 1] = s.f[q + 1] - (e - o);
  }
  /// The next state, where there are `walls` by the neighbours' word, and where there are none.
  template <bool walls, class N, std::size_t... p, class C = typename N::Cells, class T = typename C::Number>
  KOKKOS_FORCEINLINE_FUNCTION C collide(N const& near, std::index_sequence<p...> pairs) const {
    C s;
    s.solid = near.template get<0>(0);
    s.f[0] = own<0>(near);
    ((s.f[2 * p + 1] = from<walls, 2 * p + 1>(near), s.f[2 * p + 2] = from<walls, 2 * p + 2>(near)), ...);
    Moments<T> m{};
    T rho = s.f[0];
    ((rho = rho + (s.f[2 * p + 1] + s.f[2 * p + 2])), ...);
    m.j[0] = momentum<0>(s, pairs) + 0.5 * force[0];
    m.j[1] = momentum<1>(s, pairs) + 0.5 * force[1];
    T squares = m.j[0] * m.j[0] + m.j[1] * m.j[1], work = m.j[0] * force[0] + m.j[1] * force[1];
    if constexpr (dimensions == 3) {
      m.j[2] = momentum<2>(s, pairs) + 0.5 * force[2];
      squares = squares + m.j[2] * m.j[2];
      work = work + m.j[2] * force[2];
    }
    m.common = even * (rho - 1.5 * quadratic * squares) - 3 * quadratic * (1 - half_even) * work;
    constexpr double w = weight(0);
    s.f[0] = s.f[0] - (even * s.f[0] - w * m.common);
    (relax<p>(s, m), ...);
    if constexpr (walls) {
      auto const solid = s.solid != 0;
      s.f[0] = select(solid, own<0>(near), s.f[0]);
      ((s.f[2 * p + 1] = select(solid, own<2 * p + 1>(near), s.f[2 * p + 1]),
        s.f[2 * p + 2] = select(solid, own<2 * p + 2>(near), s.f[2 * p + 2])),
       ...);
    }
    return s;
  }
};

[[maybe_unused]] static bool const lattice_boltzmann_added =
    add_rule<LatticeBoltzmann<Plane9>>("D2Q9",
                                       "a fluid in the plane by the lattice Boltzmann method: flow, permeability") &&
    add_rule<LatticeBoltzmann<Space19>>("D3Q19",
                                        "a fluid in space by the lattice Boltzmann method: flow, permeability");

}  // namespace tessera::ca::rules
