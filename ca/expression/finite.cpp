// SPDX-License-Identifier: Apache-2.0
#include "ca/expression/finite.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::ca::expression {
namespace {

/// What cells hold in the neighbourhoods from number `first` on; the digits of a number are the states, that of the cell asked last
/// being the lowest.
struct Neighbourhoods {
  int states, cells;
  std::int64_t first;

  KOKKOS_FUNCTION void load(Step const& step, double* to, int count) const {
    // in the order in which tables ask them: table::Around
    constexpr int eight_cells[9][2] = {{-1, 1}, {1, 1}, {-1, -1}, {1, -1}, {0, 1}, {-1, 0}, {1, 0}, {0, -1}, {0, 0}};
    int place = 0;
    while (eight_cells[place][0] != step.at[0] || eight_cells[place][1] != step.at[1]) ++place;
    std::int64_t weight = 1;
    for (int n = place; n < 8; ++n) weight *= states;
    for (int n = 0; n < count; ++n) to[n] = static_cast<double>((first + n) / weight % states);
  }
};

/// The next state in each neighbourhood; empty where one of them is none.
std::vector<int> next_states(Program const& program, int states, int cells, std::int64_t all) {
  constexpr int width = 128;
  std::vector<double> registers(static_cast<std::size_t>(program.registers) * width);
  Machine<width> const machine{registers.data()};
  Step const* const steps = program.steps.data();
  std::vector<int> result;
  result.reserve(static_cast<std::size_t>(all));
  machine.run(steps, steps + program.once, width, Neighbourhoods{states, cells, 0});
  for (std::int64_t first = 0; first < all; first += width) {
    int const count = static_cast<int>(std::min<std::int64_t>(width, all - first));
    machine.run(steps + program.once, steps + program.steps.size(), count, Neighbourhoods{states, cells, first});
    double const* const values = machine.at(program.results[0]);
    for (int n = 0; n < count; ++n) {
      if (!(values[n] >= 0 && values[n] < states && values[n] == std::floor(values[n]))) return {};
      result.push_back(static_cast<int>(values[n]));
    }
  }
  return result;
}

/// B3/S23 where the next of two states depends on the cell and the number of its neighbours; else nothing.
std::string by_counts(std::vector<int> const& next, int neighbours) {
  int known[2][9];
  std::fill_n(&known[0][0], 18, -1);
  for (std::size_t n = 0; n < next.size(); ++n) {
    int count = 0;
    for (int q = 1; q <= neighbours; ++q) count += static_cast<int>(n >> q & 1);
    int& there = known[n & 1][count];
    if (there >= 0 && there != next[n]) return {};
    there = next[n];
  }
  std::string born = "B", survives = "/S";
  for (int n = 0; n <= neighbours; ++n) {
    if (known[0][n] == 1) born += std::to_string(n);
    if (known[1][n] == 1) survives += std::to_string(n);
  }
  return born + survives + (neighbours == 4 ? "V" : "");
}

table::Tree tree_of(std::vector<int> next, int states, int cells) {
  table::Tree tree(states, cells);
  // from the cell asked last to the first: as many nodes as there are choices before
  for (int cell = cells - 1; cell >= 0; --cell) {
    std::vector<int> nodes;
    for (std::size_t n = 0; n < next.size(); n += static_cast<std::size_t>(states))
      nodes.push_back(tree.node(cell, std::span<int const>(next).subspan(n, static_cast<std::size_t>(states))));
    next = std::move(nodes);
  }
  tree.set_root(next.front());
  return tree;
}

}  // namespace

std::optional<Finite> as_finite(Description const& rule, std::array<core::Count, 3> const& cells) {
  if (rule.states == 0 || rule.fields[0].element != core::Element::uint8 || rule.phases.size() > 1 || rule.random ||
      rule.repeats || !rule.quantities.empty() || cells[2] > 1 || cells[1] == 1)
    return std::nullopt;
  Phase const& phase = rule.phases[0];
  if (phase.reach > 1) return std::nullopt;
  for (auto const& step : phase.program.steps)
    if (step.op == Op::position || step.op == Op::step) return std::nullopt;
  Finite result;
  result.around = phase.corners ? table::Around::eight : table::Around::four;
  int const asked = static_cast<int>(result.around);
  double const all = std::pow(rule.states, asked);
  if (all > 1 << 21) return std::nullopt;
  auto const next = next_states(phase.program, rule.states, asked, static_cast<std::int64_t>(all));
  if (next.empty()) return std::nullopt;
  if (rule.states == 2) result.rulestring = by_counts(next, asked - 1);
  if (result.rulestring.empty()) result.tree = tree_of(next, rule.states, asked);
  return result;
}

std::string form(core::Dictionary& properties, std::array<core::Count, 3> const& cells) {
  auto const rule = Description::read(properties.sub("rule"), cells);
  auto const finite = as_finite(rule, cells);
  if (finite && !finite->tree) return finite->rulestring;
  if (finite) return fmt::format("a table of {} states and {} cells", rule.states, static_cast<int>(finite->around));
  std::size_t operations = 0;
  for (auto const& phase : rule.phases) operations += phase.program.steps.size();
  return fmt::format("formulas of {} operations a cell", operations);
}

}  // namespace tessera::ca::expression
