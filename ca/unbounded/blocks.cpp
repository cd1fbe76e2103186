// SPDX-License-Identifier: Apache-2.0
#include "ca/unbounded/blocks.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::ca::unbounded {

Blocks::Blocks(std::string const& rule, core::Count width, int squares)
    : rule_(rule),
      properties_(core::Dictionary::parse("storage bytes;", "an unbounded plane")),
      layout_(std::make_shared<core::Grid const>(core::Grid::unit({width * squares, width, 1}, {width, width, 1})),
              std::vector<int>(static_cast<std::size_t>(squares), 0), core::Comm(MPI_COMM_SELF)),
      automaton_(make_automaton(rule, properties_, layout_)) {}

void Blocks::check(core::Dictionary& properties) {
  auto const fail = [&](std::string const& why) {
    properties.fail("rule", fmt::format("is '{}', {}: not for an unbounded plane", rule_, why));
  };
  auto const fields = automaton_->fields();
  bool const finite = fields.size() == 1 && fields[0]->element() == core::Element::uint8 && states() >= 2;
  if (!finite) fail("a rule whose states are not 0 .. 255 at most");
  if (automaton_->seed()) fail("a rule that draws random numbers");
  // nothing comes of nothing
  step(1);
  for (core::Count j = 0; j < width(); ++j)
    if (std::any_of(look(0, j), look(0, j) + width(), [](std::uint8_t state) { return state != 0; }))
      fail("of which cells are born where nothing lives (B0)");
}

void Blocks::step(int generations) {
  for (int g = 0; g < generations; ++g) automaton_->step();
}
std::uint8_t* Blocks::row(int square, core::Count j) {
  return static_cast<core::Field<std::uint8_t>&>(automaton_->state()).host().row(square, 0, static_cast<int>(j));
}
std::uint8_t const* Blocks::look(int square, core::Count j) {
  return static_cast<core::Field<std::uint8_t> const&>(automaton_->look()).host().row(square, 0, static_cast<int>(j));
}

}  // namespace tessera::ca::unbounded
