// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/field.hpp"
#include "core/report.hpp"
#include "run/input/mask_input.hpp"
#include "run/models/percolation/places.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera::run::percolation {

/// Which cells of a grid belong to the sample, as cases say it in `region { ... }`:
///   type cylinder; axis z; centre (x y); radius R;   cells whose middle is not farther than R from a line along the axis; by default
///                                                    through the middle of the grid, with the largest radius that fits
///   type box; from (x y z); to (x y z);              cells whose middle lies between, both included
///   type mask; file ...;                             cells that are occupied in a file: run/input/mask_input.hpp
/// and `outside nothing | solid;`. Places and lengths are in the unit of the grid's axes.
class Region {
 public:
  /// Reads the entries, for a grid of these axes. Throws core::Error with the place, also where no cell lies in a shape. Collective.
  Region(Session& session, core::Dictionary& entry, std::array<core::Axis, 3> const& axes);

  /// The axis along which a cylinder goes from end to end; -1: it is none.
  int cylinder() const { return cylinder_; }
  /// Whether cells outside bound the pores as solid does; else nothing is known of them.
  bool solid_outside() const { return solid_; }
  std::string const& type() const { return type_; }

  /// Writes 1 on the cells of the region, 0 elsewhere; how a mask was read, for the report. Collective.
  core::Report::Json mark(core::Field<std::uint8_t>& inside) const;
  /// Throws core::Error at the entry that says where the cells are.
  [[noreturn]] void fail(std::string_view message) const;
  Log& log() const { return *log_; }

 private:
  void read_cylinder(std::array<core::Axis, 3> const& axes);
  void read_box(std::array<core::Axis, 3> const& axes);

  std::string type_;
  int cylinder_ = -1;
  bool solid_ = false;
  std::optional<MaskInput> mask_;
  /// A cell (i, j, k) lies in a shape where part[0][i] + part[1][j] + part[2][k] is at most this.
  double most_ = 0;
  std::array<std::vector<double>, 3> part_;
  core::Dictionary* entry_;
  Log* log_;
};

/// The cells of a region on a layout.
struct RegionCells {
  /// Throws core::Error, naming the entry, where it has none. Collective.
  RegionCells(Region const& region, Places const& places, core::Layout const& layout);

  core::Field<std::uint8_t> inside;  ///< 1 on its sites
  core::Count sites = 0;
  core::Box box{};            ///< the smallest that holds them
  core::Report::Json report;  ///< type, sites, share of the grid, box, and how a mask was read
};

}  // namespace tessera::run::percolation
