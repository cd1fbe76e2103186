// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/index.hpp"

#include <array>
#include <string>

namespace tessera::run::automaton {

/// What stands behind a rule and bounds the plane, as in Golly: `:T30,20` a torus of 30 x 20 cells, `:P30,20` a plane with
/// dead cells round it; 0 for an axis without end, whose cells are those that a pattern gets without bounds.
struct Bounds {
  char kind = ' ';  ///< T or P; a blank for none
  std::array<core::Count, 2> cells{};

  /// Takes them off the end of a rule. Throws std::invalid_argument with what is wrong: shifts and the surfaces K, C and S
  /// are not computed.
  static Bounds take(std::string& rule);

  bool along(std::size_t axis) const { return axis < 2 && cells[axis] > 0; }
  std::string text() const;
  /// Makes the sides of a torus periodic. Throws core::Error where the properties have sides of their own.
  void set_sides(core::Dictionary& properties) const;
  /// The lower left corner of a pattern of so many cells in its middle, just where Golly puts it, along an axis.
  core::Count middle(std::size_t axis, core::Count size) const;
};

}  // namespace tessera::run::automaton
