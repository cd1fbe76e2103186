// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "ca/table/icons.hpp"
#include "ca/table/tree.hpp"

#include <map>
#include <string>
#include <string_view>

namespace tessera::ca::table {

/// The cells round a cell: four and itself, asked in the order n w e s c; eight and itself, nw ne sw se n w e s c.
enum class Around { four = 5, eight = 9 };

/// A rule of a finite number of states and cells.
struct RuleFile {
  Around around;
  Tree tree;
  Colours colours = {};           ///< red, green, blue of states for which the file has them
  std::vector<Icons> icons = {};  ///< of each size that the file has
};

/// Reads a rule as Golly keeps it: @TABLE or @TREE, whichever comes first, @COLORS and @ICONS.
/// A table has lines of states or variables in the order of its neighbourhood, then the next state, of which the first that
/// fits is taken; cells that none fits keep their state. A variable that stands more than once in a line is one state at all
/// of its places. Neighbourhoods vonNeumann (C N E S W), Moore (C N NE E SE S SW W NW), hexagonal (C N E SE S W NW) and
/// oneDimensional (C W E); all symmetries that Golly has for each.
/// Throws core::Error with `source` and line for what is wrong, and for a rule whose tree would take more than 1 GB.
/// Source: Golly's help, File Formats, "Rule format".
RuleFile read_rule_file(std::string_view text, std::string const& source);

/// From now on rules by this name are those of the file's text. Throws core::Error as read_rule_file does.
void add_rule_file(std::string const& name, std::string_view text, std::string const& source);
/// Gives the rule of that name the colours and the icons of another file, where it has none of its own.
void share_looks(std::string const& name, std::string_view text, std::string const& source);
/// A rule added by this name, or nullptr.
RuleFile const* rule_file(std::string_view name);

/// The automaton of a tree, laid out so that a core's cache holds it where that can be.
std::unique_ptr<Automaton> make_automaton(Around around, Tree const& tree, RuleContext& context);

}  // namespace tessera::ca::table
