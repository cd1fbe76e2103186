// SPDX-License-Identifier: Apache-2.0
#include "ca/table/rule_file.hpp"

#include "ca/table/lines.hpp"
#include "ca/table/transitions.hpp"

#include <fmt/format.h>
#include <optional>

namespace tessera::ca::table {
namespace {

/// @TREE: a node a line, its level (1: the cell itself) and branches for all states, numbers of the nodes before it.
RuleFile read_tree(Lines& lines) {
  std::map<std::string, int> sizes;
  std::optional<RuleFile> rule;
  std::vector<std::pair<int, int>> nodes;  // level, node of the tree
  for (std::string_view line; lines.next(line);) {
    if (auto const equals = line.find('='); equals != line.npos) {
      sizes[std::string(Lines::words(line.substr(0, equals), " \t").front())] = lines.number(line.substr(equals + 1));
      continue;
    }
    int const states = sizes["num_states"], neighbours = sizes["num_neighbors"];
    if (!rule) {
      if (states < 2 || states > 256 || (neighbours != 4 && neighbours != 8))
        lines.fail("expected num_states=2 .. 256 and num_neighbors=4 or 8 in front of the nodes");
      rule.emplace(RuleFile{neighbours == 4 ? Around::four : Around::eight, Tree(states, neighbours + 1)});
    }
    auto const words = Lines::words(line, " \t");
    int const level = lines.number(words[0]);
    if (level < 1 || level > neighbours + 1 || static_cast<int>(words.size()) != states + 1)
      lines.fail(fmt::format("expected a level 1 .. {} and {} branches", neighbours + 1, states));
    std::vector<int> branches;
    for (std::size_t n = 1; n < words.size(); ++n) {
      int const to = lines.number(words[n]);
      bool const fits =
          level == 1 ? to < states
                     : to < static_cast<int>(nodes.size()) && nodes[static_cast<std::size_t>(to)].first == level - 1;
      if (!fits)
        lines.fail(fmt::format("found {}, expected {}", to,
                               level == 1 ? fmt::format("a state 0 .. {}", states - 1)
                                          : fmt::format("a node of level {} above", level - 1)));
      branches.push_back(level == 1 ? to : nodes[static_cast<std::size_t>(to)].second);
    }
    nodes.emplace_back(level, rule->tree.node(neighbours + 1 - level, branches));
  }
  if (!rule || nodes.back().first != rule->tree.cells())
    lines.fail("expected nodes up to one of the level of the first cell");
  rule->tree.set_root(nodes.back().second);
  return std::move(*rule);
}

/// @COLORS: `STATE R G B`, or `R G B R G B`, from which to which the states above 0 go.
void read_colours(Lines& lines, int states, Colours& colours) {
  for (std::string_view line; lines.next(line);) {
    std::vector<int> numbers;
    for (auto const word : Lines::words(line, " \t")) {
      if (word[0] < '0' || word[0] > '9') break;
      numbers.push_back(lines.number(word));
      if (numbers.back() > 255) lines.fail(fmt::format("found {}, expected 0 .. 255", numbers.back()));
    }
    auto const colour = [](int r, int g, int b) {
      return Pixel{static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b)};
    };
    if (numbers.size() == 4) colours[numbers[0]] = colour(numbers[1], numbers[2], numbers[3]);
    if (numbers.size() != 6) continue;
    int const steps = std::max(states - 2, 1);
    for (int s = 1; s < states; ++s) {
      auto const between = [&](std::size_t n) { return numbers[n] + (numbers[n + 3] - numbers[n]) * (s - 1) / steps; };
      colours[s] = colour(between(0), between(1), between(2));
    }
  }
}

std::map<std::string, RuleFile, std::less<>>& added_rules() {
  static std::map<std::string, RuleFile, std::less<>> all;
  return all;
}

}  // namespace

RuleFile read_rule_file(std::string_view text, std::string const& source) {
  Lines lines(text, source);
  std::optional<RuleFile> rule;
  std::vector<Icons> icons;
  for (std::string section; lines.next_section(section);) {
    if (!rule && section == "@TABLE") rule.emplace(read_table(lines));
    if (!rule && section == "@TREE") rule.emplace(read_tree(lines));
    if (rule && section == "@COLORS") read_colours(lines, rule->tree.states(), rule->colours);
    if (section == "@ICONS") icons = read_icons(lines);
  }
  if (!rule) throw core::Error(source, 0, "has no rule, expected a section @TABLE or @TREE");
  rule->icons = std::move(icons);
  return std::move(*rule);
}

void share_looks(std::string const& name, std::string_view text, std::string const& source) {
  RuleFile& rule = added_rules().at(name);
  bool const lacks_colours = rule.colours.empty(), lacks_icons = rule.icons.empty();
  Lines lines(text, source);
  for (std::string section; lines.next_section(section);) {
    if (lacks_colours && section == "@COLORS") read_colours(lines, rule.tree.states(), rule.colours);
    if (lacks_icons && section == "@ICONS") rule.icons = read_icons(lines);
  }
}

void add_rule_file(std::string const& name, std::string_view text, std::string const& source) {
  added_rules().insert_or_assign(name, read_rule_file(text, source));
}
RuleFile const* rule_file(std::string_view name) {
  auto const found = added_rules().find(name);
  return found == added_rules().end() ? nullptr : &found->second;
}

}  // namespace tessera::ca::table
