// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/index.hpp"

#include <array>
#include <functional>
#include <string>

namespace tessera::run::automaton {

/// What stands behind a rule and bounds the plane, as in Golly: `:T30,20` a torus of 30 x 20 cells, `:P30,20` a plane
/// with dead cells round it; 0 for an axis without end, whose cells are those that a pattern gets without bounds.
/// `:T30+7,20` is a torus whose row above the top is the bottom row moved 7 cells to the right, `:T30,20+7` one whose
/// sides are so joined; `:K30*,20` a Klein bottle, x mirrored over top and bottom, `:K30,20*` y over the sides (with +1
/// also shifted); `:C30,20` a cross-surface, `:S30` a sphere.
struct Bounds {
  char kind = ' ';  ///< T, P, K, C or S; a blank for none
  std::array<core::Count, 2> cells{}, shift{};
  std::array<bool, 2> mirrored{};  ///< of K

  /// Takes them off the end of a rule. Throws std::invalid_argument with what is wrong.
  static Bounds take(std::string& rule);

  bool along(std::size_t axis) const { return axis < 2 && cells[axis] > 0; }
  std::string text() const;
  /// Makes the sides of a torus periodic, and joins those of other surfaces. Throws core::Error where the properties
  /// have sides of their own.
  void set_sides(core::Dictionary& properties) const;
  /// The lower left corner of a pattern of so many cells in its middle, just where Golly puts it, along an axis.
  core::Count middle(std::size_t axis, core::Count size) const;

 private:
  /// Calls `fail` for what is no surface; writes shifts in Golly's canonical way.
  void check(std::function<void(std::string const&)> const& fail);
};

}  // namespace tessera::run::automaton
