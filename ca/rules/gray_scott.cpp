// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

namespace tessera::ca::rules {

/// Two substances, of which v turns u into v where they meet, explicitly in steps of 1 on cells of size 1:
///   u' = u + Du laplace(u) - u v^2 + F (1 - u),   v' = v + Dv laplace(v) + u v^2 - (F + k) v.
/// Source: P. Gray & S. K. Scott 1984, Chem. Eng. Sci. 39:1087; J. E. Pearson 1993, Science 261:189.
struct GrayScott {
  struct State {
    double u, v;
    static constexpr auto fields = names("u", "v");
  };
  static constexpr auto stencil = core::von_neumann<2>();
  double du = 0.16, dv = 0.08, feed = 0.035, kill = 0.065;
  void parameters(Parameters& in) {
    in("feed", feed, {0, 1}, "F, what flows in and out");
    in("kill", kill, {0, 1}, "k, what becomes of v");
    in("Du", du, {0, 0.25}, "diffusion of u");
    in("Dv", dv, {0, 0.25}, "diffusion of v");
  }
  KOKKOS_FUNCTION State operator()(State c, Near<GrayScott> near) const {
    State const w = near(-1), e = near(1), s = near(0, -1), n = near(0, 1);
    double const reaction = c.u * c.v * c.v;
    return {c.u + du * ((w.u + e.u) + (s.u + n.u) - 4 * c.u) - reaction + feed * (1 - c.u),
            c.v + dv * ((w.v + e.v) + (s.v + n.v) - 4 * c.v) + reaction - (feed + kill) * c.v};
  }
};
[[maybe_unused]] static bool const gray_scott_added =
    add_rule<GrayScott>("grayScott", "two substances that react and diffuse: spots, stripes, waves");

}  // namespace tessera::ca::rules
