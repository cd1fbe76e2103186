// SPDX-License-Identifier: Apache-2.0
// Cells of several fields, rules in phases, and what a rule is told besides its neighbours, against loops over arrays.
#include "ca/rule.hpp"
#include "tests/support/automata.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tessera::ca::rules {

/// Fields of unlike types, so that the padding of their rows is not the same.
struct Mixed {
  double u;
  std::uint8_t kind;
  std::int64_t sum;
  float v;
  static constexpr auto fields = names("u", "kind", "sum", "v");
};

/// What becomes of a cell: neighbours by at(i, j, k), draws by uniform(k). `reach`: how far it looks.
struct Told {
  core::Index x, n;
  std::int64_t step;
  int phase;
};
template <int reach, class At, class Uniform>
KOKKOS_FUNCTION Mixed mix(At const& at, Uniform const& uniform, Told const& told) {
  Mixed c = at(0, 0, 0);
  double const draw = uniform(told.phase), other = uniform(5);
  if (reach == 0) {
    c.kind = static_cast<std::uint8_t>(c.kind + 3 + (draw < 0.3 ? 1 : 0));
    c.v = static_cast<float>(c.v * 0.5 + other);
    return c;
  }
  Mixed const left = at(-reach, 0, 0), up = told.n.j > 1 ? at(0, 1, 0) : at(1, 0, 0);
  c.u = 0.5 * c.u + 0.25 * left.u + 0.125 * up.v + other;
  c.kind = static_cast<std::uint8_t>(up.kind ^ (left.kind + told.phase));
  c.sum =
      c.sum + left.sum % 1000 + up.kind + static_cast<std::int64_t>(told.x.i + 3 * told.x.j + 7 * told.x.k) * told.step;
  c.v = static_cast<float>(draw < 0.5 ? left.u : up.v);
  return c;
}

template <int D, int reach>
struct Mixes {
  using State = Mixed;
  static constexpr bool random = true;
  static constexpr auto stencil = [] {
    if constexpr (reach == 0)
      return core::alone<D>();
    else
      return core::von_neumann<D, reach>();
  }();
  KOKKOS_FUNCTION Mixed operator()(Mixed const&, Near<Mixes> near) const {
    return mix<reach>(
        near, [&](int k) { return near.uniform(k); }, Told{near.position(), near.cells(), near.step(), near.phase()});
  }
};
/// One value in two phases, of which only every second cell moves in each.
struct Board {
  static constexpr auto stencil = core::von_neumann<2>();
  static constexpr bool random = true;
  KOKKOS_FUNCTION State operator()(State centre, Near<Board> near) const {
    if ((near.position().i + near.position().j + near.phase()) % 2 == 0) return centre;
    return near.uniform() < 0.2 * near.count(1) ? 1 : 0;
  }
};
/// Parameters, of which phases share one, and quantities of the second phase.
struct Grow {
  using State = double;
  static constexpr auto stencil = core::von_neumann<2>();
  double rate = 0.5;
  int most = 7;
  void parameters(Parameters& in) {
    in("rate", rate, {0, 1}, "how fast");
    in("most", most, "the end");
  }
  KOKKOS_FUNCTION double operator()(double centre, Near<Grow> near) const {
    return centre + rate * near(-1) < most ? centre + rate * near(-1) : most;
  }
};
struct Shrink {
  using State = double;
  static constexpr auto stencil = core::alone<2>();
  static constexpr auto quantities = names("first", "second");
  double rate = 0.5;
  void parameters(Parameters& in) { in("rate", rate, {0, 1}, "how fast"); }
  KOKKOS_FUNCTION double operator()(double centre, Near<Shrink>) const { return centre * (1 - rate / 8); }
  double quantity(int n, double centre, Near<Shrink> near) const {
    return n == 0 ? centre : static_cast<double>(near.position().i * near.step());
  }
};
[[maybe_unused]] static bool const cell_added =
    add_rule<Phases<Grow, Shrink>>("grows", "with parameters") &&
    add_rule<Mixes<2, 1>>("mixed_one", "several fields") &&
    add_rule<Phases<Mixes<2, 1>, Mixes<2, 0>, Mixes<2, 2>>>("mixed_plane", "several fields in three phases") &&
    add_rule<Phases<Mixes<1, 2>, Mixes<1, 1>>>("mixed_line", "the same on a line") &&
    add_rule<Phases<Mixes<3, 1>, Mixes<3, 0>>>("mixed_box", "the same in space") &&
    add_rule<Phases<Board, Board>>("board", "a checkerboard");

}  // namespace tessera::ca::rules

namespace tessera::tests {

using ca::rules::Mixed;
using core::Count;
using core::Index;

struct Value {
  core::FieldView<double const> state;
  KOKKOS_FUNCTION double operator()(int s, int k, int j, int i) const { return state(s, k, j, i); }
};

/// What lies beyond a side: a word of the case.
struct Sides {
  std::array<std::string, 6> word;
  std::string text() const {
    std::string all = "boundary {";
    for (std::size_t s = 0; s < 6; ++s) all += fmt::format(" {} {};", core::side_names[s], word[s]);
    return all + " }";
  }
};

/// States as arrays, stepped by loops.
struct Reference {
  Index n;
  std::vector<Mixed> cells;
  Sides sides;
  std::uint64_t seed;

  /// Where a cell comes from; a fixed value where it comes from beyond.
  Mixed at(Index x) const {
    Count* const along[3] = {&x.i, &x.j, &x.k};
    Count const size[3] = {n.i, n.j, n.k};
    for (int a = 2; a >= 0; --a) {  // corners: x first, then y over it, then z
      Count& p = *along[a];
      bool const high = p >= size[a];
      if (p >= 0 && !high) continue;
      std::string const& word = sides.word[static_cast<std::size_t>(2 * a + high)];
      Count const d = high ? p - size[a] : -p - 1;
      if (word == "periodic")
        p = (p % size[a] + size[a]) % size[a];
      else if (word == "open")
        p = high ? size[a] - 1 : 0;
      else if (word == "reflecting")
        p = high ? size[a] - 1 - d : d;
      else
        return {2, 2, 2, 2};
    }
    return cells[static_cast<std::size_t>((x.k * n.j + x.j) * n.i + x.i)];
  }
  template <int reach>
  void phase(std::int64_t step, int phase) {
    auto next = cells;
    for (Count k = 0; k < n.k; ++k)
      for (Count j = 0; j < n.j; ++j)
        for (Count i = 0; i < n.i; ++i) {
          Count const number = (k * n.j + j) * n.i + i;
          auto const near = [&](int di, int dj, int dk) { return at({i + di, j + dj, k + dk}); };
          auto const uniform = [&](int q) {
            auto const last =
                0x80000000u + static_cast<unsigned>(phase) * 0x1000000u + static_cast<unsigned>(q / 4) * 0x10000u;
            auto const block =
                core::Random::philox({{static_cast<std::uint32_t>(number), 0, static_cast<std::uint32_t>(step), last}},
                                     static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
            return block.x[q % 4] / 4294967296.0;
          };
          next[static_cast<std::size_t>(number)] = ca::rules::mix<reach>(near, uniform, {{i, j, k}, n, step, phase});
        }
    cells = next;
  }
  void step(std::string const& rule, std::int64_t step) {
    if (rule == "mixed_one") phase<1>(step, 0);
    if (rule == "mixed_plane") phase<1>(step, 0), phase<0>(step, 1), phase<2>(step, 2);
    if (rule == "mixed_line") phase<2>(step, 0), phase<1>(step, 1);
    if (rule == "mixed_box") phase<1>(step, 0), phase<0>(step, 1);
  }
};

/// Calls f(cell of the reference, values of it in the four fields).
template <class F>
void for_cells_of(ca::Automaton& automaton, F const& f) {
  auto const fields = automaton.fields();
  auto& u = dynamic_cast<core::Field<double>&>(*fields[0]);
  auto const kind = dynamic_cast<core::Field<std::uint8_t>&>(*fields[1]).host();
  auto const sum = dynamic_cast<core::Field<std::int64_t>&>(*fields[2]).host();
  auto const v = dynamic_cast<core::Field<float>&>(*fields[3]).host();
  auto const first = u.host();
  core::Layout const& layout = u.layout();
  core::for_own_cells(layout, [&](int s, int k, int j, int i) {
    f(static_cast<std::size_t>(layout.grid().number(layout.info(s).global(k, j, i))), first(s, k, j, i),
      kind(s, k, j, i), sum(s, k, j, i), v(s, k, j, i));
  });
}

/// Random grids, sides, tiles, owners and depths: all cells are those of the reference.
void check_random_cases(std::string const& rule, int dimensions, unsigned seed, int cases) {
  std::mt19937 random(seed);  // the same on all ranks
  auto const pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  core::Comm const world;
  for (int trial = 0; trial < cases; ++trial) {
    core::Grid::Shape cells{1, 1, 1}, tile{1, 1, 1};
    Sides sides;
    std::array<bool, 3> around{};
    char const* const words[] = {"fixed 2", "reflecting", "open"};
    bool const constant = pick(0, 1) == 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (static_cast<int>(a) < dimensions) {
        cells[a] = pick(5, dimensions == 1 ? 90 : dimensions == 2 ? 26 : 9);
        tile[a] = pick(3, 20);
        around[a] = pick(0, 1) == 0;
      }
      for (std::size_t high = 0; high < 2; ++high)
        sides.word[2 * a + high] = around[a] ? "periodic" : constant ? words[0] : words[pick(0, 2)];
    }
    auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, tile, around));
    auto const owners = owner_tables(*grid, world.size());
    core::Layout const layout(grid, owners[static_cast<std::size_t>(trial) % owners.size()], world);
    std::uint64_t const draws = (std::uint64_t{random()} << 32) + random();
    auto properties = core::Dictionary::parse(fmt::format("rule {}; seed {}; {}", rule, draws >> 1, sides.text()), "p");
    auto const automaton = ca::make_automaton(rule, properties, layout);
    ASSERT_EQ(automaton->seed(), draws >> 1);
    int const depth = pick(1, 4), steps = pick(1, 7), got = automaton->work_ahead(depth);
    bool const ahead = std::find_if(sides.word.begin(), sides.word.end(),
                                    [](auto const& w) { return w == "open" || w == "reflecting"; }) == sides.word.end();
    ASSERT_EQ(got, ahead && core::on_host ? depth : 1);

    Reference expected{{cells[0], cells[1], cells[2]}, {}, sides, draws >> 1};
    for (Count n = 0; n < grid->total(); ++n) {
      Mixed m;
      m.u = static_cast<double>(random() % 1000) / 7;
      m.kind = static_cast<std::uint8_t>(random());
      m.sum = static_cast<std::int64_t>(random()) << 20;
      m.v = static_cast<float>(random() % 100) / 3;
      expected.cells.push_back(m);
    }
    for_cells_of(*automaton, [&](std::size_t n, double& u, std::uint8_t& kind, std::int64_t& sum, float& v) {
      u = expected.cells[n].u, kind = expected.cells[n].kind, sum = expected.cells[n].sum, v = expected.cells[n].v;
    });
    std::int64_t const from = pick(0, 1) == 0 ? 0 : 1000;
    automaton->set_generation(from);
    for (int s = 0; s < steps; ++s) automaton->step(), expected.step(rule, from + s);
    std::int64_t wrong = 0;
    for_cells_of(*automaton, [&](std::size_t n, double u, std::uint8_t kind, std::int64_t sum, float v) {
      Mixed const& m = expected.cells[n];
      wrong += u != m.u || kind != m.kind || sum != m.sum || v != m.v;
    });
    ASSERT_EQ(world.sum(wrong), 0) << rule << " " << cells[0] << " x " << cells[1] << " x " << cells[2] << ", tile "
                                   << tile[0] << " x " << tile[1] << " x " << tile[2] << ", depth " << got << ", steps "
                                   << steps << ", " << sides.text();
  }
}

TEST(Cell, OfSeveralFieldsIsThatOfALoopOverArrays) { check_random_cases("mixed_one", 2, 1, 40); }
TEST(Cell, GoesThroughPhasesOfUnlikeReach) { check_random_cases("mixed_plane", 2, 2, 40); }
TEST(Cell, OfALineHasFieldsAndPhases) { check_random_cases("mixed_line", 1, 3, 40); }
TEST(Cell, InSpaceHasFieldsAndPhases) { check_random_cases("mixed_box", 3, 4, 25); }

TEST(Cell, OfAFieldOfBytesIsFixedAtWhatAByteHolds) {
  auto const layout = make_layout({20, 20, 1}, {0, 0, 0});
  auto properties = core::Dictionary::parse("boundary { left fixed 256; }", "p");
  EXPECT_THROW(ca::make_automaton("mixed_one", properties, *layout), core::Error);
}

TEST(Parameters, AreReadOrToldWithTheirDefaults) {
  std::string const help = ca::Rules::find("grows").help;
  for (char const* part : {"rate", "0.5;", "how fast, 0 .. 1", "most", "7;", "the end"})
    EXPECT_NE(help.find(part), std::string::npos) << help;
  EXPECT_EQ(help.find("rate"), help.rfind("rate")) << "once for both phases";
  EXPECT_EQ(help.find("seed"), std::string::npos) << "nothing is drawn";
  EXPECT_NE(ca::Rules::find("board").help.find("seed"), std::string::npos);
  EXPECT_NE(ca::Rules::find("mixed_one").help.find("Fields: u kind sum v"), std::string::npos);

  auto const layout = shuffled_layout({12, 9, 1}, {5, 4, 1});
  auto const after = [&](std::string const& entries) {
    auto properties = core::Dictionary::parse(entries + "boundary { left fixed 4; }", "p");
    auto const automaton = ca::make_automaton("grows", properties, *layout);
    automaton->step();
    return core::max("max", *layout, Value{dynamic_cast<core::Field<double>&>(automaton->state()).view()});
  };
  EXPECT_EQ(after(""), 0.5 * 4 * (1 - 0.5 / 8));
  EXPECT_EQ(after("rate 1; most 3;"), 3 * (1 - 1.0 / 8));
  EXPECT_THROW(after("rate 2;"), core::Error);
}

TEST(Quantities, AreSumsOverAllCells) {
  auto const layout = shuffled_layout({12, 9, 1}, {5, 4, 1});
  auto properties = core::Dictionary::parse("", "p");
  auto const automaton = ca::make_automaton("grows", properties, *layout);
  EXPECT_EQ(automaton->quantities(), (std::vector<std::string>{"first", "second"}));
  for_each_cell(dynamic_cast<core::Field<double>&>(automaton->state()), [](Index x, double& value) {
    value = x.i == 3 ? 1e300 : x.i == 4 ? -1e300 : 0.25;
  });
  automaton->set_generation(3);
  EXPECT_EQ(automaton->measure(), (std::vector<double>{0.25 * 90, 3.0 * 66 * 9})) << "nothing is rounded on the way";
}

TEST(Phases, OfOneValueChangeHalfTheBoardEach) {
  auto const layout = shuffled_layout({24, 18, 1}, {5, 7, 1}, {true, true, false});
  auto properties = core::Dictionary::parse("seed 9;", "p");
  auto board = ca::make_automaton("board", properties, *layout);
  for_each_cell(bytes(*board), [](Index x, std::uint8_t& value) { value = (x.i * x.j) % 3 == 0; });
  auto state = collect(bytes(*board));
  std::int64_t changed = 0;
  for (int phase = 0; phase < 2; ++phase) {
    auto const old = state;
    auto const at = [&](Count i, Count j) { return old[static_cast<std::size_t>((j + 18) % 18 * 24 + (i + 24) % 24)]; };
    for (Count j = 0; j < 18; ++j)
      for (Count i = 0; i < 24; ++i) {
        auto const n = static_cast<std::uint32_t>(j * 24 + i);
        auto const draw =
            core::Random::philox({{n, 0, 0, 0x80000000u + static_cast<unsigned>(phase) * 0x1000000u}}, 9, 0).x[0];
        int const alive = (at(i - 1, j) == 1) + (at(i + 1, j) == 1) + (at(i, j - 1) == 1) + (at(i, j + 1) == 1);
        if ((i + j + phase) % 2 != 0) state[n] = draw / 4294967296.0 < 0.2 * alive;
        changed += state[n] != old[n];
      }
  }
  EXPECT_EQ(board->step(), changed);
  EXPECT_EQ(collect(bytes(*board)), state);
}

}  // namespace tessera::tests
