// SPDX-License-Identifier: Apache-2.0
// Rules that compute several cells at once against the same rules cell by cell, to the last bit.
#include "ca/rule.hpp"
#include "tests/support/automata.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tessera::ca::rules {

/// Members of both types and an array; all neighbours, and what is the same for all cells.
template <int D>
struct Mixture {
  template <template <class> class Of>
  struct Members {
    Of<double> heat;
    Of<std::uint8_t> kind;
    Of<double> flow[2];
    static constexpr auto fields = names("heat", "kind", many<2>("flow"));
  };
  static constexpr auto stencil = core::moore<D>();
  template <class C, class N>
  KOKKOS_FORCEINLINE_FUNCTION static C next(C const& c, N const& near) {
    auto const west = near(-1), corner = near(1, D > 1 ? -1 : 0, D > 2 ? 1 : 0);
    double const moment = static_cast<double>(near.step() + near.phase() + near.cells().i);
    C to;
    to.heat = select(west.kind != 0, 0.5 * (c.heat + corner.flow[1]), c.heat - 0.25 * west.heat + moment);
    to.kind = select(to.heat > corner.heat, west.kind, c.kind);
    auto const there = near.template get<3>(-1, D > 1 ? 1 : 0) + 1e-3;
    bool const none = near.none();  // of kind: then nothing is to be chosen
    to.flow[0] = none ? there : select(c.kind != 0, c.flow[0], there);
    to.flow[1] = none ? c.flow[1] : select(near.template get<1>(1) != 0, 0.3 * c.heat, c.flow[1]);
    return to;
  }
};
template <int D>
struct BySeveralAtOnce {
  template <template <class> class Of>
  using Cells = typename Mixture<D>::template Members<Of>;
  using State = Cells<One>;
  static constexpr auto stencil = Mixture<D>::stencil;
  static constexpr std::size_t sparse = 1;  // kind
  template <class C, class N>
  KOKKOS_FORCEINLINE_FUNCTION C operator()(C const& c, N const& near) const {
    return Mixture<D>::next(c, near);
  }
};
template <int D>
struct ByOnes {
  using State = typename Mixture<D>::template Members<One>;
  static constexpr auto stencil = Mixture<D>::stencil;
  static constexpr std::size_t sparse = 1;  // kind
  KOKKOS_FUNCTION State operator()(State c, Near<ByOnes> near) const { return Mixture<D>::next(c, near); }
};
static_assert(BySeveral<BySeveralAtOnce<2>> == (cells_at_once > 1) && !BySeveral<ByOnes<2>>);

template <int D>
bool add_mixtures() {
  auto const name = [](char const* stem) { return std::string(stem) + static_cast<char>('0' + D); };
  return add_rule<BySeveralAtOnce<D>>(name("eights"), "test") && add_rule<ByOnes<D>>(name("ones"), "test") &&
         add_rule<Phases<BySeveralAtOnce<D>, BySeveralAtOnce<D>>>(name("eightsTwice"), "test") &&
         add_rule<Phases<ByOnes<D>, ByOnes<D>>>(name("onesTwice"), "test");
}
[[maybe_unused]] static bool const mixtures_added = add_mixtures<1>() && add_mixtures<2>() && add_mixtures<3>();

}  // namespace tessera::ca::rules

namespace tessera::tests {

using core::Count;
using core::Index;

struct Trial {
  int dimensions;
  core::Grid::Shape cells, tile;
  std::array<bool, 3> around;
  int owners, depth, steps;
  std::string twice;  ///< or nothing
  unsigned rare = 3;  ///< one of so many cells is of the sparse kind
};

/// From random states both rules make the same ones, and count the same changes.
void check(Trial const& t) {
  core::Comm const world;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(t.cells, t.tile, t.around));
  auto const owners = owner_tables(*grid, world.size());
  core::Layout const layout(grid, owners[static_cast<std::size_t>(t.owners) % owners.size()], world);
  std::vector<std::unique_ptr<ca::Automaton>> both;
  for (std::string const stem : {"eights", "ones"}) {
    auto properties = core::Dictionary::parse(t.around[0] ? "" : "boundary { left fixed 1; }", "p");
    auto const rule = fmt::format("{}{}{}", stem, t.twice, t.dimensions);
    auto& automaton = *both.emplace_back(ca::make_automaton(rule, properties, layout));
    automaton.work_ahead(t.depth);
    std::uint32_t seed = 1;
    for (core::FieldBase* const base : automaton.fields())
      core::visit(*base, [&, n = ++seed]<class T>(core::Field<T>& field) {
        for_each_cell(field, [&](Index x, T& value) {
          auto const draw = core::Random::philox({{static_cast<std::uint32_t>(grid->number(x)), n, 0, 0}}, 1, 2).x[0];
          value = std::is_same_v<T, double> ? static_cast<T>(draw * 0x1.0p-32) : static_cast<T>(draw % t.rare == 1);
        });
      });
  }
  auto const where = fmt::format("{} cells, tile {}, depth {}, steps {}, {} {}", fmt::join(t.cells, " "),
                                 fmt::join(t.tile, " "), t.depth, t.steps, t.dimensions, t.twice);
  for (int s = 0; s < t.steps; ++s) ASSERT_EQ(both[0]->step(), both[1]->step()) << where;
  auto const got = both[0]->fields(), expected = both[1]->fields();
  for (std::size_t q = 0; q < got.size(); ++q) ASSERT_EQ(core::hash(*got[q]), core::hash(*expected[q])) << where;
}

TEST(SeveralCells, AreThoseOfOneAtATimeBeyondTheCaches) {
  for (std::array<bool, 3> const around : {std::array{true, true, true}, std::array{false, false, true}}) {
    check({.dimensions = 2,
           .cells = {917, 800, 1},
           .tile = {460, 400, 1},
           .around = around,
           .owners = 0,
           .depth = 1,
           .steps = 3,
           .twice = "Twice",
           .rare = 500});
    check({.dimensions = 3,
           .cells = {107, 83, 80},
           .tile = {107, 40, 80},
           .around = around,
           .owners = 1,
           .depth = 1,
           .steps = 3,
           .twice = ""});
  }
}

/// Random grids, sides, tiles, owners, depths and states.
TEST(SeveralCells, AreThoseOfOneAtATime) {
  std::mt19937 random(11);  // the same on all ranks
  auto const pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  for (int trial = 0; trial < 60; ++trial) {
    Trial t{.dimensions = pick(1, 3),
            .cells = {1, 1, 1},
            .tile = {1, 1, 1},
            .around = {},
            .owners = trial,
            .depth = pick(1, 3),
            .steps = pick(1, 7),
            .twice = pick(0, 1) == 0 ? "Twice" : "",
            .rare = trial % 2 == 0 ? 3u : 60u};
    for (std::size_t a = 0; a < static_cast<std::size_t>(t.dimensions); ++a) {
      t.cells[a] = pick(3, a == 0 ? 60 : 9);
      t.tile[a] = pick(3, a == 0 ? 40 : 9);
      t.around[a] = pick(0, 1) == 0;
    }
    check(t);
  }
}

}  // namespace tessera::tests
