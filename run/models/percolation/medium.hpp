// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/percolation/settings.hpp"

#include <memory>
#include <optional>

namespace tessera::run::percolation {

/// The grid of a medium with its frame, and the boxes of cells that count. Its automatic tiles are for so many threads of
/// all ranks that work on it (core::workers), unless currents are asked for: their bits depend on them.
struct Medium {
  Medium(Settings const& settings, int workers);

  std::shared_ptr<core::Grid const> grid;
  core::Box interior;  ///< cells of the medium, without a frame
  core::Box input;     ///< cells of the medium as it was given: without an added frame, with one inside
  core::Box output;    ///< cells of the results: with the frame where it lies inside
  core::Box
      numbered;  ///< cells whose raster numbers the random draw takes: of the grid, without a frame of `frame none`
  Places places;
  core::Count sites = 0;  ///< of the medium, without a frame
  core::Count bonds = 0;  ///< where they are drawn

  // where the case names a region, once it is laid
  std::shared_ptr<RegionCells const> region;
  core::Box bounds;  ///< of the cells that count: the interior, or the box of the region

  /// Lays the region on a layout: what counts is its cells from then on. Nothing without one. Collective.
  void lay_region(Settings const& settings, core::Layout const& layout);
  /// Cells of its mask; nullptr without a region.
  core::Field<std::uint8_t> const* inside() const { return region ? &region->inside : nullptr; }
  /// Sets the cells of a mask to 0 where there is neither a site nor a bond.
  void leave_out(core::Field<std::uint8_t>& mask) const;
  /// The mean section across an axis: cells of the medium over its layers.
  double area(int axis) const {
    return static_cast<double>(sites) / static_cast<double>(core::along(bounds.shape(), axis));
  }
};

/// Whether cells of own tiles count: those of the interior, and of the region where there is one. For the host.
class Inside {
 public:
  /// On the region's layout.
  Inside(Medium const& medium, core::Layout const& layout);
  bool operator()(int s, int k, int j, int i) const {
    return region_ ? (*region_)(s, k, j, i) != 0 : box_.contains(layout_.info(s).global(k, j, i));
  }

 private:
  core::Layout const& layout_;
  core::Box box_;
  std::optional<core::FieldView<std::uint8_t const>> region_;
};

/// A field for the medium, all 0, with the halo that the plane methods exchange.
core::Field<std::uint8_t> make_occupied(Settings const& settings, core::Layout const& layout);

/// Draws a random medium into the interior, and its region: the same bits on any ranks and tiles.
void draw(Medium const& medium, double probability, core::Random random, core::Field<std::uint8_t>& occupied);

/// Streams the file into the interior, and its region, of which limits and ranges are; returns how it was read. Collective.
core::Report::Json load(Medium const& medium, MaskInput const& file, core::Field<std::uint8_t>& occupied);

/// A layout of the whole grid on this rank alone.
std::unique_ptr<core::Layout> alone(std::shared_ptr<core::Grid const> grid);

}  // namespace tessera::run::percolation
