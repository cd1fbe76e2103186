// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"

#include <memory>
#include <string>

namespace tessera::ca::unbounded {

/// A rule's own automaton on squares of cells that are computed at once. What comes in from beyond a square's sides is wrong,
/// and gets as many cells far as the rule looks in the generations that are taken.
class Blocks {
 public:
  /// So many squares of width x width cells, all 0. Throws core::Error for a rule that is not known.
  Blocks(std::string const& rule, core::Count width, int squares);

  /// Throws core::Error at the entry `rule` of `properties` for a rule that is not for planes of finitely many states without chance,
  /// and for one by which cells are born where nothing lives (B0). All cells must be 0.
  void check(core::Dictionary& properties);
  int states() const { return static_cast<int>(automaton_->states()); }
  core::Count width() const { return layout_.grid().tile()[0]; }
  int squares() const { return layout_.tiles(); }

  void step(int generations);
  /// A row of a square, to be set before steps or looked at after them.
  std::uint8_t* row(int square, core::Count j);
  std::uint8_t const* look(int square, core::Count j);

 private:
  std::string rule_;
  core::Dictionary properties_;
  core::Layout layout_;
  std::unique_ptr<Automaton> automaton_;
};

}  // namespace tessera::ca::unbounded
