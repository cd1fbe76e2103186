// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/unbounded/plane.hpp"
#include "run/balance/decompose.hpp"
#include "run/model.hpp"

#include <optional>
#include <string>

namespace tessera::run::automaton {

/// Cells of a plane without end in a box, as a field on a layout of that box, in its place: for snapshots, pictures and previews. The last
/// that was asked for is there. All members are collective but fits and parts.
class PlaneCells {
 public:
  explicit PlaneCells(Session& session) : session_(session) {}

  static constexpr double most = 1e9;  ///< cells of a box that is written or drawn
  /// Nothing, of a plane without life, does.
  static bool fits(std::optional<core::Box> const& box);
  /// Whether a grid, whose places are doubles, can lie where the box does.
  static bool has_place(core::Box const& box);

  /// A layout without a field; where the box has no place, at (0 0).
  void lay_out(core::Box const& box);
  core::FieldBase& take(ca::unbounded::Plane const& plane, core::Box const& box);
  /// All that lives, or one cell where nothing does. Throws core::RunError where that is too large.
  core::FieldBase& take_all(ca::unbounded::Plane const& plane);
  Decomposition const& parts() const { return parts_; }

  /// All that lives, to FOLDER/state.png; where that is too large, a line in the log.
  void draw(std::string const& folder, ca::unbounded::Plane const& plane, std::string const& rule,
            std::int64_t generation);

 private:
  Session& session_;
  Decomposition parts_;
  std::optional<core::Field<std::uint8_t>> field_;  // on the layout of parts_
};

}  // namespace tessera::run::automaton
