// SPDX-License-Identifier: Apache-2.0
#include "ca/rule.hpp"

namespace tessera::ca::rules {

/// Grains on a cell, and how often it has toppled in this generation.
struct Pile {
  std::int32_t grains, toppled;
  static constexpr auto fields = names("grains", "toppled");
};

/// One grain a generation, on a cell drawn at random.
struct DropGrain {
  using State = Pile;
  static constexpr bool random = true;
  static constexpr auto stencil = core::alone<2>();
  KOKKOS_FUNCTION Pile operator()(Pile pile, Near<DropGrain> near) const {
    core::Index const x = near.position(), n = near.cells();
    bool const here = x.i == static_cast<core::Count>(near.common(0) * static_cast<double>(n.i)) &&
                      x.j == static_cast<core::Count>(near.common(1) * static_cast<double>(n.j));
    return {pile.grains + (here ? 1 : 0), 0};
  }
};

/// A cell of 4 grains or more gives one to each of its four neighbours; what goes over a side is lost.
struct ToppleToRest {
  using State = Pile;
  static constexpr bool until_still = true;
  static constexpr auto stencil = core::von_neumann<2>();
  static constexpr auto quantities = names("size", "area");
  static constexpr char const* help =
      "A generation is a grain and the avalanche that it starts. Fields grains, toppled (in this generation).\n"
      "size: topplings of the avalanche. area: cells that toppled.";
  KOKKOS_FUNCTION Pile operator()(Pile pile, Near<ToppleToRest> near) const {
    std::int32_t const topples = pile.grains >= 4 ? 1 : 0;
    std::int32_t const given =
        (near.get<0>(-1) >= 4) + (near.get<0>(1) >= 4) + (near.get<0>(0, -1) >= 4) + (near.get<0>(0, 1) >= 4);
    return {pile.grains - 4 * topples + given, pile.toppled + topples};
  }
  double quantity(int n, Pile pile, Near<ToppleToRest>) const {
    return n == 0 ? pile.toppled : pile.toppled > 0 ? 1 : 0;
  }
};

/// The abelian sandpile driven slowly: a grain falls when all is at rest.
/// Source: P. Bak, C. Tang & K. Wiesenfeld 1987, Phys. Rev. Lett. 59:381; D. Dhar 1990, Phys. Rev. Lett. 64:1613.
[[maybe_unused]] static bool const avalanches_added = add_rule<Phases<DropGrain, ToppleToRest>>(
    "avalanches", "a sandpile: a grain a generation, and all that topples by it");

}  // namespace tessera::ca::rules
