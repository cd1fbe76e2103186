// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/expression/description.hpp"
#include "ca/table/rule_file.hpp"

#include <optional>
#include <string>

namespace tessera::ca::expression {

/// A rule of few states as what is faster than formulas: a rulestring where two states depend on the number of neighbours, such as
/// B3/S23, and else the table of all neighbourhoods.
struct Finite {
  std::string rulestring;
  std::optional<table::Tree> tree;
  table::Around around = table::Around::eight;
};

/// Nothing for rules that are more: with several phases or fields, with numbers of their own, with random numbers, positions or the
/// generation, that look further than the eight cells round a cell or off the plane, that do not say how many states they have or have
/// more than 2^21 neighbourhoods, or none of whose states may follow on one of these.
std::optional<Finite> as_finite(Description const& rule, std::array<core::Count, 3> const& cells);

/// What becomes of the entry `rule { ... }` of automatonProperties, in words: B3/S23, a table of so many states, or formulas.
std::string form(core::Dictionary& properties, std::array<core::Count, 3> const& cells);

}  // namespace tessera::ca::expression
