// SPDX-License-Identifier: Apache-2.0
// The lattice gases against particles that are moved one by one, and what they conserve.
#include "core/random.hpp"
#include "tests/support/automata.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tessera::tests {

using core::Count;
using core::Index;

/// A gas on a torus: every particle flies on its own, and comes back from a solid cell.
struct Gas {
  bool hexagonal;
  Count nx, ny;
  std::uint64_t seed;
  std::vector<int> cells = std::vector<int>(static_cast<std::size_t>(nx * ny));

  int directions() const { return hexagonal ? 6 : 4; }
  int solid() const { return 1 << directions(); }
  std::array<Count, 2> velocity(int q) const {
    constexpr std::array<std::array<Count, 2>, 6> six{{{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}}};
    constexpr std::array<std::array<Count, 2>, 4> four{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
    auto const n = static_cast<std::size_t>(q);
    return hexagonal ? six[n] : four[n];
  }
  int turned(int state, int by) const {
    int all = 0;
    for (int q = 0; q < directions(); ++q)
      if ((state >> q & 1) != 0) all |= 1 << (q + by + directions()) % directions();
    return all;
  }
  void step(std::int64_t generation) {
    std::vector<int> next(cells.size());
    for (Count n = 0; n < nx * ny; ++n) {
      int const state = cells[static_cast<std::size_t>(n)];
      if (state == solid()) next[static_cast<std::size_t>(n)] = state;
      for (int q = 0; q < directions() && state != solid(); ++q) {
        if ((state >> q & 1) == 0) continue;
        auto const [x, y] = velocity(q);
        auto const to = static_cast<std::size_t>((n / nx + y + ny) % ny * nx + (n % nx + x + nx) % nx);
        if (cells[to] == solid())
          next[static_cast<std::size_t>(n)] |= 1 << (q + directions() / 2) % directions();
        else
          next[to] |= 1 << q;
      }
    }
    for (std::size_t n = 0; n < next.size(); ++n) {
      int& s = next[n];
      if (s == solid()) continue;
      int particles = 0;
      for (int q = 0; q < directions(); ++q) particles += s >> q & 1;
      bool const symmetric = turned(s, hexagonal && particles == 3 ? 2 : directions() / 2) == s;
      if (!symmetric) continue;
      if (!hexagonal && particles == 2) s = turned(s, 1);
      if (hexagonal && particles == 3) s = turned(s, 1);
      if (hexagonal && particles == 2) {
        auto const draw = core::Random::philox(
            {{static_cast<std::uint32_t>(n), 0, static_cast<std::uint32_t>(generation), 0x80000000u}},
            static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
        s = turned(s, draw.x[0] < 0x80000000u ? 1 : -1);
      }
    }
    cells = next;
  }
};

std::unique_ptr<ca::Automaton> made(std::string const& rule, core::Layout const& layout, std::uint64_t seed) {
  auto properties = core::Dictionary::parse(rule == "gasFHP" ? fmt::format("seed {};", seed) : "", "p");
  return ca::make_automaton(rule, properties, layout);
}
void start(ca::Automaton& automaton, Gas const& gas) {
  for_each_cell(bytes(automaton), [&](Index x, std::uint8_t& value) {
    value = static_cast<std::uint8_t>(gas.cells[static_cast<std::size_t>(x.j * gas.nx + x.i)]);
  });
}

void check_gas(std::string const& rule, unsigned seed) {
  std::mt19937 random(seed);  // the same on all ranks
  auto const pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  core::Comm const world;
  for (int trial = 0; trial < 25; ++trial) {
    bool const hexagonal = rule == "gasFHP";
    Gas gas{.hexagonal = hexagonal, .nx = pick(4, 40), .ny = pick(4, 30), .seed = random()};
    for (auto& cell : gas.cells) cell = pick(0, 9) == 0 ? gas.solid() : pick(0, hexagonal ? 63 : 15);
    auto const grid = std::make_shared<core::Grid const>(
        core::Grid::unit({gas.nx, gas.ny, 1}, {pick(3, 20), pick(3, 20), 1}, {true, true, false}));
    auto const owners = owner_tables(*grid, world.size());
    core::Layout const layout(grid, owners[static_cast<std::size_t>(trial) % owners.size()], world);
    auto const automaton = made(rule, layout, gas.seed);
    automaton->work_ahead(pick(1, 4));
    start(*automaton, gas);
    int const steps = pick(1, 9);
    for (int s = 0; s < steps; ++s) automaton->step(), gas.step(s);
    auto const got = collect(bytes(*automaton));
    ASSERT_EQ(std::vector<int>(got.begin(), got.end()), gas.cells) << rule << " " << gas.nx << " x " << gas.ny;
  }
}

TEST(LatticeGas, HasNoMirrors) {
  core::Comm const world;
  for (auto const& [rule, boundary] : {std::pair<std::string, std::string>{"gasHPP", "top reflecting;"},
                                       {"gasFHP", "top reflecting;"},
                                       {"D2Q9", "top reflecting;"},
                                       {"D2Q9", "surface kleinBottle; mirrored x;"}}) {
    auto properties = core::Dictionary::parse("rule " + rule + "; boundary { " + boundary + " }", "p");
    auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({8, 8, 1}, {8, 8, 1}));
    core::Layout const layout(grid, core::block_owners(grid->tiles(), world.size()), world);
    std::string said;
    try {
      ca::make_automaton(rule, properties, layout);
    } catch (core::Error const& error) {
      said = error.what();
    }
    EXPECT_EQ(said.find("p:1: entry '"), 0u) << rule << ": " << said;
    EXPECT_NE(said.find("but this rule's cells move along directions"), std::string::npos) << rule << ": " << said;
  }
}

TEST(LatticeGas, HppIsThatOfParticlesMovedOneByOne) { check_gas("gasHPP", 1); }
TEST(LatticeGas, FhpIsThatOfParticlesMovedOneByOne) { check_gas("gasFHP", 2); }

TEST(LatticeGas, KeepsParticlesAndMomentumToTheLastBit) {
  for (std::string const rule : {"gasHPP", "gasFHP"}) {
    auto const layout = shuffled_layout({37, 26, 1}, {10, 7, 1}, {true, true, false});
    auto const automaton = made(rule, *layout, 3);
    Gas gas{.hexagonal = rule == "gasFHP", .nx = 37, .ny = 26, .seed = 3};
    std::mt19937 random(4);
    for (auto& cell : gas.cells) cell = static_cast<int>(random() % (gas.hexagonal ? 64 : 16));
    for (std::size_t n = 0; n < 300; ++n) gas.cells[n] |= 1;  // a stream
    start(*automaton, gas);
    auto const before = automaton->measure();
    EXPECT_EQ(automaton->states(), gas.solid() + 1);
    EXPECT_EQ(automaton->quantities(), (std::vector<std::string>{"particles", "momentumX", "momentumY"}));
    for (int s = 0; s < 50; ++s) {
      EXPECT_GT(automaton->step(), 0);
      EXPECT_EQ(automaton->measure(), before) << rule;
    }
    EXPECT_GT(before[1], 0);
  }
}

/// What is wrong with HPP: a row keeps its own momentum along x, for ever.
TEST(LatticeGas, HppKeepsTheMomentumOfEachRow) {
  auto const layout = shuffled_layout({30, 20, 1}, {8, 7, 1}, {true, true, false});
  auto const automaton = made("gasHPP", *layout, 1);
  Gas gas{.hexagonal = false, .nx = 30, .ny = 20, .seed = 1};
  std::mt19937 random(5);
  for (auto& cell : gas.cells) cell = static_cast<int>(random() % 16);
  start(*automaton, gas);
  auto const rows = [&] {
    std::vector<int> all(20);
    auto const cells = collect(bytes(*automaton));
    for (std::size_t n = 0; n < cells.size(); ++n) all[n / 30] += (cells[n] & 1) - (cells[n] >> 2 & 1);
    return all;
  };
  auto const before = rows();
  for (int s = 0; s < 40; ++s) automaton->step();
  EXPECT_EQ(rows(), before);
}

}  // namespace tessera::tests
