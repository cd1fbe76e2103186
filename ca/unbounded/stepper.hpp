// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera::ca::unbounded {

/// What a tile is kept in: 64 cells of a bit, or 8 of a byte. All words of a tile without life are 0.
using Word = std::uint64_t;

/// A tile and the eight round it, row by row from the lower left one; nullptr where there is nothing.
using Nine = std::array<Word const*, 9>;

/// What computes the tiles of a plane: squares of `side` cells, from a tile and the eight round it.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual core::Count side() const = 0;  ///< cells, a multiple of 64
  virtual int words() const = 0;         ///< of a tile, row by row from below
  virtual int depth() const = 0;         ///< generations at once, at most: no cell looks beyond the nine tiles
  virtual int states() const = 0;        ///< 0 .. states() - 1
  virtual bool alternates() const { return false; }  ///< whether odd generations have a rule of their own
  /// The tile in the middle of each of the nines, so many generations later: `next` has words() words for each. `odd`: what the nines are of.
  virtual void advance(std::span<Nine const> nines, bool odd, int generations, Word* next) = 0;
  virtual std::uint8_t get(Word const* tile, int i, int j) const = 0;
  virtual void set(Word* tile, int i, int j, std::uint8_t state) const = 0;
};

/// The stepper of a rule: on words for rules such as B3/S23 and B03/S23, and for any other rule by its automaton on a small grid.
/// Throws core::Error at the entry `rule` of `properties` for another rule of which cells are born where nothing lives (B0), and for
/// one that is not for planes of finitely many states without chance.
std::unique_ptr<Stepper> make_stepper(std::string const& rule, core::Dictionary& properties);
std::unique_ptr<Stepper> make_automaton_stepper(std::string const& rule, core::Dictionary& properties);
/// nullptr where the rule is none of two states by numbers of neighbours.
std::unique_ptr<Stepper> make_word_stepper(std::string const& rule);

/// What is known of a rule of the plane. Throws core::Error at the entry `rule` for any other.
KnownRule rule_of_planes(std::string const& rule, core::Dictionary& properties);

}  // namespace tessera::ca::unbounded
