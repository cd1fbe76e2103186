// SPDX-License-Identifier: Apache-2.0
#include "ca/automaton.hpp"
#include "ca/engine/initial.hpp"
#include "ca/table/rule_file.hpp"
#include "tests/support/automata.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>
#include <map>

namespace tessera::tests {

/// Entries that rules with parameters require; a rule needs no others to start.
constexpr char const* parameters = "code 110; diffusivity 1; deltaT 0.1;";

/// What a case says to have a rule: its name, or a rulestring where rules of one name are many.
std::vector<std::string> words() {
  ca::table::add_rule_file(
      "Sample",
      "@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:rotate4reflect\nvar a={0,1,2}\nvar b=a\nvar c=a\n"
      "0,1,1,a,b,0,0,0,c,2\n1,1,a,b,0,0,0,c,0,0\n2,a,b,1,c,0,0,0,0,1\n",
      "Sample.rule");
  std::map<std::string, std::string> const strings{{"generations", "23/3/4"},
                                                   {"isotropic", "B2-a/S12"},
                                                   {"largerThanLife", "R3,C3,M1,S5..12,B6..11,NC"},
                                                   {"table", "Sample"}};
  std::vector<std::string> all;
  for (auto const& name : ca::Rules::names()) {
    auto const found = strings.find(name);
    all.push_back(found == strings.end() ? name : found->second);
    EXPECT_EQ(ca::known_rule(all.back())->name, name);
  }
  return all;
}

/// The entries of a case under the rule.
std::string entries(std::string const& name) {
  auto const rule = name == "expression"
                        ? std::string("{ expression \"(state + count(state > p)) % 2\"; parameters { p 0; } }")
                        : "\"" + name + "\";";
  return "rule " + rule + " " + parameters;
}

/// Sets any state from draws for the cell number: 0 or 1.
void start_at_random(core::FieldBase& state) {
  core::Random const random{11, 0};
  core::visit(state, [&]<class T>(core::Field<T>& field) {
    for_each_cell(field, [&](core::Index x, T& value) {
      value = static_cast<T>(random.uniform(static_cast<std::uint64_t>(field.layout().grid().number(x))) < 0.5);
    });
  });
}

/// The shape of grid a rule accepts: the first of a line, a square and a box.
core::Grid::Shape shape_for(std::string const& name) {
  for (core::Grid::Shape cells : {core::Grid::Shape{41, 29, 1}, {300, 1, 1}, {13, 11, 7}}) {
    auto properties = core::Dictionary::parse(entries(name), "p");
    auto const layout = make_layout(cells, {0, 0, 0});
    try {
      ca::make_automaton(name, properties, *layout);
      return cells;
    } catch (core::Error const&) {
    }
  }
  ADD_FAILURE() << name << " starts on no grid";
  return {0, 0, 0};
}

/// Of all fields.
std::string hash_of(ca::Automaton& automaton) {
  std::string all;
  for (auto const* field : automaton.fields()) all += core::hash(*field);
  return all;
}

/// Hash of the state and sum of changes after some steps.
std::pair<std::string, std::int64_t> outcome(std::string const& name, core::Layout const& layout) {
  auto const with = [&](std::string const& right) {
    auto properties = core::Dictionary::parse(entries(name) + " boundary { right " + right + "; top open; }", "p");
    return ca::make_automaton(name, properties, layout);
  };
  std::unique_ptr<ca::Automaton> automaton;
  try {
    automaton = with("reflecting");
  } catch (core::Error const& error) {  // of a rule whose cells move along directions
    EXPECT_NE(std::string(error.what()).find("along directions"), std::string::npos) << error.what();
    automaton = with("open");
  }
  start_at_random(automaton->state());
  std::int64_t changes = 0;
  for (int n = 0; n < 10; ++n) changes += automaton->step();
  EXPECT_EQ(automaton->generation(), 10);
  return {hash_of(*automaton), changes};
}

TEST(EveryRule, IsRegistered) {
  for (char const* name : {"heat", "life", "wolfram"}) EXPECT_TRUE(ca::Rules::contains(name)) << name;
}

TEST(EveryRule, GivesTheSameBitsForEveryTileSizeAndOwnerTable) {
  for (auto const& name : words()) {
    auto const cells = shape_for(name);
    std::pair<std::string, std::int64_t> expected;
    for (core::Grid::Shape tile : {core::Grid::Shape{0, 0, 0}, {16, 16, 16}, {64, 64, 64}, {5, 3, 2}}) {
      auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(cells, tile));
      core::Comm const world;
      for (auto const& owners : owner_tables(*grid, world.size())) {
        core::Layout const layout(grid, owners, world);
        auto const now = outcome(name, layout);
        if (expected.first.empty()) expected = now;
        EXPECT_EQ(now, expected) << name << ", tile " << tile[0];
      }
    }
    auto const one = make_layout(cells, {0, 0, 0}, {}, std::vector<int>(core::Grid::unit(cells).tiles(), 0));
    EXPECT_EQ(outcome(name, *one), expected) << name << ", all tiles on one rank";
  }
}

/// Hash after some steps, with a look at the state between them; `depth` generations at once.
std::string outcome_ahead(std::string const& name, core::Layout const& layout, int depth) {
  auto properties =
      core::Dictionary::parse(entries(name) + (layout.grid().periodic(0) ? "" : " boundary { left fixed 1; }"), "p");
  auto automaton = ca::make_automaton(name, properties, layout);
  if (depth > 1) {
    // Larger than Life, formulas and phases until nothing changes go one by one
    bool const one_by_one = name[0] == 'R' || name == "expression" || name == "avalanches";
    EXPECT_EQ(automaton->work_ahead(depth), one_by_one ? 1 : depth);
  }
  start_at_random(automaton->state());
  for (int n = 0; n < 5; ++n) automaton->step();
  std::string const between = hash_of(*automaton);
  for (int n = 0; n < 9; ++n) automaton->step();
  EXPECT_EQ(automaton->generation(), 14);
  return between + " " + hash_of(*automaton);
}

TEST(EveryRule, GivesTheSameBitsWhenItWorksAhead) {
  core::Comm const world;
  for (auto const& name : words()) {
    auto const cells = shape_for(name);
    for (bool const around : {false, true})
      for (core::Grid::Shape tile : {core::Grid::Shape{64, 64, 64}, {16, 16, 16}, {5, 3, 2}}) {
        auto const grid = std::make_shared<core::Grid const>(
            core::Grid::unit(cells, tile, {around, around && cells[1] > 1, around && cells[2] > 1}));
        core::Layout const first(grid, owner_tables(*grid, world.size())[0], world);
        std::string const expected = outcome_ahead(name, first, 1);
        for (int depth : {2, 3, 8})
          for (auto const& owners : owner_tables(*grid, world.size())) {
            core::Layout const layout(grid, owners, world);
            EXPECT_EQ(outcome_ahead(name, layout, depth), expected)
                << name << ", tile " << tile[0] << ", depth " << depth << (around ? ", periodic" : "");
          }
      }
  }
}

TEST(EveryRule, HasAOneLineDoc) {
  for (auto const& [name, entry] : ca::Rules::entries()) {
    EXPECT_FALSE(entry.doc.empty()) << name;
    EXPECT_EQ(entry.doc.find('\n'), std::string::npos) << name;
  }
}

}  // namespace tessera::tests
