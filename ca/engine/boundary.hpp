// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/surface.hpp"
#include "core/case/dictionary.hpp"
#include "core/grid/halo.hpp"

#include <algorithm>
#include <array>

namespace tessera::ca {

/// What lies beyond a side of the grid.
///   `fixed VALUE`   cells of that state (default: fixed 0)
///   `periodic`      the cells of the opposite side
///   `reflecting`    the mirror image: cell -d is cell d - 1
///   `open`          the nearest cell of the grid continued
struct Condition {
  enum class Kind { fixed, periodic, reflecting, open };
  Kind kind = Kind::fixed;
  double value = 0;
  bool given = false;
  /// Whether what lies beyond changes with the cells of the grid at this side.
  bool copies() const { return kind == Kind::reflecting || kind == Kind::open; }
};

/// The conditions on the six sides, in the order of core::Side, from the sub-dictionary `boundary { left periodic;
/// right periodic; bottom fixed 0; top reflecting; }` of a case's properties; or the surface that they are joined to,
/// `boundary { surface torus; shift (7 0); }`.
struct Boundaries {
  std::array<Condition, 6> side;
  Surface surface;

  /// Throws core::Error for an unknown condition, when only one side of an axis says `periodic`, and for sides beside a
  /// surface.
  static Boundaries read(core::Dictionary& properties);
  /// Also checks them against the grid: its periodic axes need no entry, and contradictions are errors.
  static Boundaries read(core::Dictionary& properties, core::Grid const& grid);
  /// Whether cells outside the grid keep their values: all sides are fixed or periodic.
  bool constant() const {
    return !surface.joined() && std::all_of(side.begin(), side.end(), [](Condition const& c) {
      return c.kind == Condition::Kind::fixed || c.kind == Condition::Kind::periodic;
    });
  }
  /// Whether a side shows mirror images.
  bool mirrors() const {
    return std::any_of(side.begin(), side.end(),
                       [](Condition const& c) { return c.kind == Condition::Kind::reflecting; });
  }
  /// Throws core::Error if a fixed value is no whole number 0 .. last.
  void check_states(core::Dictionary& properties, int last) const {
    check_values(properties, 0, last, true, "a state");
  }
  /// Throws core::Error if numbers of a type cannot hold a fixed value.
  void check_fit(core::Dictionary& properties, core::Element element) const;
  /// Throws core::Error for a side that shows mirror images: for states with directions, which would have to turn, too.
  void refuse_mirrors(core::Dictionary& properties) const;

 private:
  void check_values(core::Dictionary& properties, double least, double most, bool whole, char const* what) const;
};

/// The axes that the case's `boundary` makes periodic: to be asked before the grid is built.
std::array<bool, 3> periodic_axes(core::Dictionary& properties);

namespace detail {
template <class T>
struct FillOutside {
  core::FieldView<T> field;
  T value;
  KOKKOS_FUNCTION void operator()(core::BoxCopy const& b, int k, int j, int i, core::Count) const {
    field(b.to_slot, b.to[2] + k, b.to[1] + j, b.to[0] + i) = value;
  }
};
}  // namespace detail

/// Sets the halo cells outside the grid of some tiles, axis by axis (x, y, z), each axis over the halos of those
/// before: corners are then those of the extended grid. To be applied after the halo exchange of these tiles, on all
/// ranks.
class HaloFill {
 public:
  HaloFill() = default;
  HaloFill(Boundaries const& sides, core::Layout const& layout, core::Tiles const& tiles, int depth);

  template <class T>
  void apply(core::Field<T>& field) const {
    for (Axis const& axis : axes_) {
      core::for_each_in_boxes("boundary copy", axis.copies, core::LocalCopy<T>{field.view()});
      for (auto const& fixed : axis.fixed)
        core::for_each_in_boxes("boundary fill", fixed.boxes,
                                detail::FillOutside<T>{field.view(), static_cast<T>(fixed.value)});
    }
    seams_.apply(field);
  }

 private:
  using Boxes = Kokkos::View<core::BoxCopy const*>;
  struct Fixed {
    Boxes boxes;
    double value = 0;
  };
  struct Axis {
    Boxes copies;
    std::array<Fixed, 2> fixed;
  };
  std::array<Axis, 3> axes_;
  Seams seams_;
};

}  // namespace tessera::ca
