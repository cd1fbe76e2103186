// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/bounds.hpp"

#include "io/foam/mesh.hpp"

#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <stdexcept>

namespace tessera::run::automaton {

Bounds Bounds::take(std::string& rule) {
  Bounds bounds;
  auto const colon = rule.find(':');
  if (colon == std::string::npos) return bounds;
  std::string const suffix = rule.substr(colon);
  auto const fail = [&](std::string const& what) {
    throw std::invalid_argument(fmt::format("the rule '{}' bounds the plane by '{}', {}", rule, suffix, what));
  };
  bounds.kind = suffix.size() > 1 ? static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[1]))) : ' ';
  char const* at = suffix.data() + 2;
  char const* const end = suffix.data() + suffix.size();
  if (bounds.kind == 'K' || bounds.kind == 'C' || bounds.kind == 'S' || suffix.find_first_of("+-*") != suffix.npos)
    fail("expected :TX,Y or :PX,Y: Klein bottles, cross-surfaces, spheres and shifts are not computed");
  if (bounds.kind != 'T' && bounds.kind != 'P') fail("expected :TX,Y or :PX,Y");
  for (std::size_t axis = 0; axis < 2; ++axis) {
    auto const [next, code] = std::from_chars(at, end, bounds.cells[axis]);
    bool const ends = axis == 0 ? next != end && *next == ',' : next == end;
    if (code != std::errc() || !ends || bounds.cells[axis] < 0 || bounds.cells[axis] > io::foam::most_cells_along)
      fail("expected two numbers of cells, as in :T30,20");
    at = next + 1;
  }
  if (bounds.cells[0] == 0 && bounds.cells[1] == 0) bounds.kind = ' ';
  rule.resize(colon);
  return bounds;
}

std::string Bounds::text() const {
  return kind == ' ' ? std::string() : fmt::format(":{}{},{}", kind, cells[0], cells[1]);
}

void Bounds::set_sides(core::Dictionary& properties) const {
  if (kind == ' ') return;
  if (properties.contains("boundary"))
    properties.fail("boundary", fmt::format("the rule's '{}' says what is beyond the sides, expected no entry "
                                            "'boundary', or a rule without it",
                                            text()));
  char const* const x = kind == 'T' && along(0) ? "periodic" : "fixed 0";
  char const* const y = kind == 'T' && along(1) ? "periodic" : "fixed 0";
  properties.set("boundary", fmt::format("{{ left {}; right {}; bottom {}; top {}; }}", x, x, y, y), properties.name());
}

core::Count Bounds::middle(std::size_t axis, core::Count size) const {
  core::Count const first = cells[axis] / 2 - size / 2;
  return axis == 0 ? first : cells[axis] - size - first;
}

}  // namespace tessera::run::automaton
