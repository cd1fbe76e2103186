// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/rulestring.hpp"

#include <optional>
#include <string>

namespace tessera::ca::unbounded {

/// What is taken from even and from odd generations of a plane without end: rules under which nothing is born where nothing lives.
struct PlaneRules {
  Rulestring even, odd;
  bool blinks = false;  ///< the plane far away: the two differ
};
/// Where cells are born of nothing (B0) all of the empty plane is, and what is kept of a cell is whether it differs from the plane far
/// away, as Golly has it. Where cells among living ones survive, too, that plane lives for ever, and is taken to from the beginning: one
/// rule for what differs from it. Else it blinks, dead in even generations: two rules in turn. Of two states.
PlaneRules plane_rules(Rulestring const& rule);
/// The same of a word; nothing where it is no rulestring of two states.
std::optional<PlaneRules> plane_rules(std::string const& word);

}  // namespace tessera::ca::unbounded
