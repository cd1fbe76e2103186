// SPDX-License-Identifier: Apache-2.0
// The lattice Boltzmann rules against loops over arrays, to the last bit.
#include "ca/rule.hpp"
#include "tests/support/automata.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tessera::tests {

using core::Count;
using core::Index;

struct Velocity {
  int x, y, z;
  double weight;
};
/// In the order of the rule's fields.
std::vector<Velocity> lattice(int dimensions) {
  std::vector<Velocity> all{{0, 0, 0, dimensions == 2 ? 4.0 / 9 : 1.0 / 3}};
  auto const add = [&](int x, int y, int z, double w) {
    all.push_back({x, y, z, w});
    all.push_back({-x, -y, -z, w});
  };
  double const side = dimensions == 2 ? 1.0 / 9 : 1.0 / 18, edge = 1.0 / 36;
  add(1, 0, 0, side), add(0, 1, 0, side);
  if (dimensions == 3) add(0, 0, 1, side);
  add(1, 1, 0, edge), add(1, -1, 0, edge);
  if (dimensions == 3) add(1, 0, 1, edge), add(1, 0, -1, edge), add(0, 1, 1, edge), add(0, 1, -1, edge);
  return all;
}

/// A fluid as arrays.
struct Fluid {
  Index n;
  int dimensions;
  std::array<std::string, 6> sides;  ///< a word of the case for each
  double viscosity, magic, force[3];
  bool inertia;
  std::vector<Velocity> velocities = lattice(dimensions);
  std::vector<int> solid = std::vector<int>(static_cast<std::size_t>(n.i * n.j * n.k));
  std::vector<std::vector<double>> f =
      std::vector<std::vector<double>>(velocities.size(), std::vector<double>(solid.size()));

  std::size_t number(Index x) const { return static_cast<std::size_t>((x.k * n.j + x.j) * n.i + x.i); }
  std::size_t opposite(std::size_t q) const {
    auto const& c = velocities[q];
    for (std::size_t p = 0; p < velocities.size(); ++p)
      if (velocities[p].x == -c.x && velocities[p].y == -c.y && velocities[p].z == -c.z) return p;
    return 0;
  }

  /// The population q of a cell, or whether it is solid (q < 0), beyond the sides too.
  double at(Index x, int q) const {
    Count* const along[3] = {&x.i, &x.j, &x.k};
    Count const size[3] = {n.i, n.j, n.k};
    for (int a = 2; a >= 0; --a) {  // corners: x first, then y over it, then z
      Count& p = *along[a];
      bool const high = p >= size[a];
      if (p >= 0 && !high) continue;
      std::string const& word = sides[static_cast<std::size_t>(2 * a + high)];
      if (word == "fixed 1") return 1;
      if (word == "fixed 0") return 0;
      p = word == "periodic" ? (p + size[a]) % size[a] : high ? size[a] - 1 : 0;  // open
    }
    return q < 0 ? solid[number(x)] : f[static_cast<std::size_t>(q)][number(x)];
  }

  void step() {
    double const even = 1 / (3 * viscosity + 0.5), odd = 1 / (magic / (3 * viscosity) + 0.5), on = inertia ? 1 : 0;
    auto const dot = [](Velocity const& c, double const* v) { return 0.0 + c.x * v[0] + c.y * v[1] + c.z * v[2]; };
    auto next = f;
    for (Count k = 0; k < n.k; ++k)
      for (Count j = 0; j < n.j; ++j)
        for (Count i = 0; i < n.i; ++i) {
          Index const x{i, j, k};
          if (solid[number(x)] != 0) continue;
          std::vector<double> in(velocities.size());
          for (std::size_t q = 0; q < in.size(); ++q) {
            auto const& c = velocities[q];
            Index const from{i - c.x, j - c.y, k - c.z};
            in[q] = at(from, -1) != 0 ? f[opposite(q)][number(x)] : at(from, static_cast<int>(q));
          }
          double rho = in[0], momentum[3] = {};
          for (std::size_t q = 1; q < in.size(); q += 2) {
            rho += in[q] + in[q + 1];
            double const difference = in[q] - in[q + 1];
            momentum[0] += velocities[q].x * difference;
            momentum[1] += velocities[q].y * difference;
            momentum[2] += velocities[q].z * difference;
          }
          for (int a = 0; a < 3; ++a) momentum[a] += 0.5 * force[a];
          double square = 0, power = 0;
          for (int a = 0; a < 3; ++a) square += momentum[a] * momentum[a], power += momentum[a] * force[a];
          double const common = even * (rho - 1.5 * on * square) - 3 * on * (1 - 0.5 * even) * power;
          next[0][number(x)] = in[0] - (even * in[0] - velocities[0].weight * common);
          for (std::size_t q = 1; q < in.size(); q += 2) {
            double const w = velocities[q].weight, cj = dot(velocities[q], momentum), cf = dot(velocities[q], force);
            double const e = 0.5 * even * (in[q] + in[q + 1]) -
                             w * (common + cj * (4.5 * on * even * cj + 9 * on * (1 - 0.5 * even) * cf));
            double const o = 0.5 * odd * (in[q] - in[q + 1]) - (3 * w * odd * cj + 3 * w * (1 - 0.5 * odd) * cf);
            next[q][number(x)] = in[q] - (e + o);
            next[q + 1][number(x)] = in[q + 1] - (e - o);
          }
        }
    f = next;
  }
};

core::Field<double>& population(ca::Automaton& automaton, std::size_t q) {
  return dynamic_cast<core::Field<double>&>(*automaton.fields()[1 + q]);
}

/// Random grids, sides, tiles, owners, depths, solids and fluids: all populations are those of the arrays.
void check_random_fluids(int dimensions, unsigned seed, int cases) {
  std::mt19937 random(seed);  // the same on all ranks
  auto const pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  core::Comm const world;
  for (int trial = 0; trial < cases; ++trial) {
    core::Grid::Shape cells{1, 1, 1}, tile{1, 1, 1};
    std::array<bool, 3> around{};
    std::array<std::string, 6> sides;
    bool const constant = pick(0, 1) == 0;
    char const* const words[] = {"fixed 1", "fixed 0", "open"};
    std::string boundary = "boundary {";
    for (std::size_t a = 0; a < 3; ++a) {
      if (static_cast<int>(a) < dimensions) {
        cells[a] = pick(4, dimensions == 2 || a == 0 ? 25 : 11);
        tile[a] = pick(3, 16);
        around[a] = pick(0, 1) == 0;
      }
      for (std::size_t high = 0; high < 2; ++high) {
        auto& word = sides[2 * a + high];
        word = around[a] ? "periodic" : words[pick(0, constant ? 1 : 2)];
        boundary += fmt::format(" {} {};", core::side_names[2 * a + high], word);
      }
    }
    Fluid fluid{.n = {cells[0], cells[1], cells[2]},
                .dimensions = dimensions,
                .sides = sides,
                .viscosity = pick(1, 30) / 20.0,
                .magic = pick(0, 1) == 0 ? 0.1875 : pick(1, 9) / 12.0,
                .force = {pick(-3, 3) * 1e-3, pick(-3, 3) * 1e-3, dimensions == 3 ? pick(-3, 3) * 1e-3 : 0},
                .inertia = pick(0, 2) > 0};
    for (auto& cell : fluid.solid) cell = pick(0, 4) == 0;
    // and a box of solids
    Count const from = pick(0, 3), to = from + pick(8, 20), rows = pick(0, static_cast<int>(cells[1]));
    for (Count k = 0; k < cells[2]; ++k)
      for (Count j = 0; j < rows; ++j)
        for (Count i = from; i < std::min(to, cells[0]); ++i) fluid.solid[fluid.number({i, j, k})] = 1;
    for (auto& q : fluid.f)
      for (auto& value : q) value = pick(-100, 100) * 1e-5 / 3;

    auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, tile, around));
    auto const owners = owner_tables(*grid, world.size());
    core::Layout const layout(grid, owners[static_cast<std::size_t>(trial) % owners.size()], world);
    std::string const rule = dimensions == 2 ? "D2Q9" : "D3Q19";
    std::string const third = dimensions == 3 ? fmt::format(" {}", fluid.force[2]) : "";
    auto properties = core::Dictionary::parse(
        fmt::format("rule {}; viscosity {}; magic {}; force ({} {}{}); inertia {}; {} }}", rule, fluid.viscosity,
                    fluid.magic, fluid.force[0], fluid.force[1], third, fluid.inertia ? "yes" : "no", boundary),
        "p");
    auto const automaton = ca::make_automaton(rule, properties, layout);
    int const steps = pick(1, 6), got = automaton->work_ahead(pick(1, 3));
    for_each_cell(bytes(*automaton), [&](Index x, std::uint8_t& solid) {
      solid = static_cast<std::uint8_t>(fluid.solid[fluid.number(x)]);
    });
    auto const put = [&](double more) {
      for (std::size_t q = 0; q < fluid.f.size(); ++q) {
        for (auto& value : fluid.f[q]) value += more;
        for_each_cell(population(*automaton, q), [&](Index x, double& f) { f = fluid.f[q][fluid.number(x)]; });
      }
    };
    put(0);
    for (int s = 0; s < steps; ++s) automaton->step(), fluid.step();
    put(1e-5);  // solid cells as well, which stay so
    for (int s = 0; s < steps; ++s) automaton->step(), fluid.step();

    std::int64_t wrong = 0;
    for_each_cell(bytes(*automaton),
                  [&](Index x, std::uint8_t solid) { wrong += solid != fluid.solid[fluid.number(x)]; });
    for (std::size_t q = 0; q < fluid.f.size(); ++q)
      for_each_cell(population(*automaton, q), [&](Index x, double f) { wrong += f != fluid.f[q][fluid.number(x)]; });
    ASSERT_EQ(world.sum(wrong), 0) << rule << " " << cells[0] << " x " << cells[1] << " x " << cells[2] << ", tile "
                                   << tile[0] << " x " << tile[1] << " x " << tile[2] << ", depth " << got << ", steps "
                                   << steps << ", " << boundary;
  }
}

TEST(LatticeBoltzmann, InThePlaneIsThatOfLoopsOverArrays) { check_random_fluids(2, 1, 30); }
TEST(LatticeBoltzmann, InSpaceIsThatOfLoopsOverArrays) { check_random_fluids(3, 2, 20); }

TEST(LatticeBoltzmann, KeepsMassAndGainsTheForceAsMomentum) {
  for (int dimensions : {2, 3}) {
    auto const layout = shuffled_layout({14, 9, dimensions == 3 ? 7 : 1}, {5, 4, 3}, {true, true, dimensions == 3});
    std::string const rule = dimensions == 2 ? "D2Q9" : "D3Q19";
    auto properties =
        core::Dictionary::parse(dimensions == 2 ? "force (1e-3 -2e-3);" : "force (1e-3 -2e-3 3e-3);", "p");
    auto const automaton = ca::make_automaton(rule, properties, *layout);
    std::mt19937 random(5);
    auto const cells = layout->grid().total();
    std::vector<std::vector<double>> start(lattice(dimensions).size(), std::vector<double>(cells));
    for (auto& f : start)
      for (auto& value : f) value = static_cast<double>(random() % 1000) * 1e-6;
    for (std::size_t q = 0; q < start.size(); ++q)
      for_each_cell(population(*automaton, q), [&](Index x, double& f) { f = start[q][layout->grid().number(x)]; });
    auto const before = automaton->measure();
    for (int s = 0; s < 10; ++s) automaton->step();
    auto const after = automaton->measure();
    EXPECT_NEAR(after[0], before[0], 1e-12 * static_cast<double>(cells));
    for (int a = 0; a < dimensions; ++a) {
      double const force = (a == 1 ? -2 : a + 1) * 1e-3;
      EXPECT_NEAR(after[1 + a] - before[1 + a], 10 * force * static_cast<double>(cells),
                  1e-12 * static_cast<double>(cells));
    }
  }
}

TEST(LatticeBoltzmann, RefusesWhatNoFluidHas) {
  auto const layout = make_layout({12, 12, 1}, {0, 0, 0});
  for (char const* entry : {"viscosity 0;", "magic -1;", "force (1 2 3);", "boundary { left fixed 2; }"}) {
    auto properties = core::Dictionary::parse(entry, "p");
    EXPECT_THROW(ca::make_automaton("D2Q9", properties, *layout), core::Error) << entry;
  }
  EXPECT_NE(ca::Rules::find("D3Q19").help.find("force     (0 0 0);"), std::string::npos);
  EXPECT_NE(ca::Rules::find("D3Q19").help.find("f17 f18"), std::string::npos);
}

}  // namespace tessera::tests
