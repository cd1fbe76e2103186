// SPDX-License-Identifier: Apache-2.0
#include "ca/clusters.hpp"

#include "core/error.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tessera::ca {

using parts::Id;
using parts::TileParts;

namespace {

void check(core::Layout const& layout, core::Field<std::uint8_t> const& occupied, ClusterOptions const& options) {
  core::expect(&occupied.layout() == &layout, "the cells lie on another layout than the cluster finder");
  core::expect(options.axis >= -1 && options.axis < 3, "an axis is 0, 1, 2, or -1 for any");
  auto const cells = layout.grid().cells();
  if (!options.lattice.spatial() && cells[2] > 1)
    throw core::Error(
        fmt::format("the {} lattice has one layer of cells, the grid {}; expected a grid of one layer, or "
                    "the cubic lattice",
                    options.lattice.name, cells[2]));
  if ((options.inlet == nullptr) != (options.outlet == nullptr))
    throw core::Error("clusters that connect need an inlet and an outlet, but only one of them is given");
  for (auto const* port : {options.inlet, options.outlet})
    core::expect(port == nullptr || &port->layout() == &layout,
                 "inlet or outlet lies on another layout than the cells");
  auto const tile = layout.grid().tile();
  if (static_cast<double>(tile[0]) * static_cast<double>(tile[1]) * static_cast<double>(tile[2]) >= 0x1p32)
    throw core::Error("a tile has 2^32 cells or more, expected smaller tiles");
}

/// The flags that count on this grid: sides of open axes, windings round periodic ones.
bool spans(core::Grid const& grid, std::uint64_t flags, int axis) {
  return grid.periodic(axis) ? flags & parts::wraps(axis) : parts::spans(flags, axis);
}
bool connects(std::uint64_t flags) { return (flags & parts::Flag::inlet) != 0 && (flags & parts::Flag::outlet) != 0; }

/// Counts of this rank, added up over ranks at the end.
class Tally {
 public:
  explicit Tally(core::Grid const& grid) : grid_(grid) {}

  void add(std::int64_t cells, std::uint64_t flags) {
    ++clusters_;
    sites_ += cells;
    largest_ = std::max(largest_, cells);
    sizes_.add(cells);
    if (flags == 0) return;
    for (int axis = 0; axis < 3; ++axis)
      if (spans(grid_, flags, axis)) count(axes_[axis], cells);
    if (connects(flags)) count(connecting_, cells);
  }

  /// Collective.
  void finish(core::Comm const& comm, ClusterResult& result) {
    std::vector<std::int64_t> sums{sites_, clusters_, connecting_.clusters, connecting_.sites};
    for (ClusterCount const& axis : axes_) sums.insert(sums.end(), {axis.clusters, axis.sites});
    comm.sum(sums);
    result.spanning = result.wrapping = {};
    result.sites = sums[0];
    result.clusters = sums[1];
    result.connecting = {sums[2], sums[3]};
    for (std::size_t a = 0; a < 3; ++a)
      (grid_.periodic(static_cast<int>(a)) ? result.wrapping : result.spanning)[a] = {sums[4 + 2 * a], sums[5 + 2 * a]};
    result.largest = comm.max(largest_);
    result.sizes = sizes_.counts(comm);
  }

 private:
  static void count(ClusterCount& clusters, std::int64_t cells) {
    ++clusters.clusters;
    clusters.sites += cells;
  }

  core::Grid const& grid_;
  std::int64_t clusters_ = 0, sites_ = 0, largest_ = 0;
  parts::Sizes sizes_;
  std::array<ClusterCount, 3> axes_;
  ClusterCount connecting_;
};

}  // namespace

ClusterFinder::ClusterFinder(core::Layout const& layout)
    : layout_(layout),
      tiles_(static_cast<std::size_t>(layout.tiles())),
      joins_(layout) {}

void ClusterFinder::run(core::Field<std::uint8_t> const& occupied, ClusterOptions const& options,
                        ClusterResult& result) {
  check(layout_, occupied, options);
  core::Timed const timed(core::Part::compute);
  auto const cells = occupied.host();
  core::FieldView<std::uint8_t const> inlet, outlet;
  if (options.inlet != nullptr) {
    inlet = options.inlet->host();
    outlet = options.outlet->host();
  }
  core::for_each_tile_on_host("parts of clusters", layout_, [&](int slot) {
    TileParts& tile = tiles_[slot];
    core::TileInfo const& info = layout_.info(slot);
    parts::pack(cells, info, slot, options.occupied, tile.bits);
    parts::find_parts(tile, info.nk, options.lattice, parts::Measure::first_and_cells);
    parts::flag_sides(tile, layout_.grid(), info, options.lattice);
    if (options.inlet != nullptr) {
      parts::flag_port(tile, inlet, info.nj, slot, parts::Flag::inlet);
      parts::flag_port(tile, outlet, info.nj, slot, parts::Flag::outlet);
    }
    parts::list_borders(tile, layout_.grid(), info, options.lattice);
  });
  joins_.join(tiles_, options.lattice);
  count(result);
  write_fields(options, result);
}

std::size_t ClusterFinder::bytes() const {
  std::size_t sum = joins_.bytes();
  for (TileParts const& tile : tiles_) sum += tile.bytes();
  return sum;
}

void ClusterFinder::count(ClusterResult& result) const {
  Tally tally(layout_.grid());
  parts::for_each_whole(tiles_, joins_, [&](std::int64_t cells, std::uint64_t flags) { tally.add(cells, flags); });
  tally.finish(layout_.comm(), result);
}

void ClusterFinder::write_fields(ClusterOptions const& options, ClusterResult& result) const {
  core::Grid const& grid = layout_.grid();
  auto const write_label = [&]<class Label>(Label) {
    auto* label = dynamic_cast<core::Field<Label>*>(result.label.get());
    if (label == nullptr || &label->layout() != &layout_)
      result.label = std::unique_ptr<core::FieldBase>(label = new core::Field<Label>("label", layout_, 0));
    auto const view = label->host();
    core::for_each_tile_on_host("labels", layout_, [&](int slot) {
      TileParts const& tile = tiles_[slot];
      static thread_local std::vector<Label> first;
      parts::first_cells(tile, layout_.info(slot), layout_.grid(), joins_, slot, first);
      parts::write_labels(tile, layout_.info(slot), first, view, slot);
    });
  };
  auto const write_chosen = [&](char const* name, std::unique_ptr<core::Field<std::uint8_t>>& mask,
                                auto const& belongs) {
    if (mask == nullptr || &mask->layout() != &layout_)
      mask = std::make_unique<core::Field<std::uint8_t>>(name, layout_, 0);
    auto const view = mask->host();
    core::for_each_tile_on_host("masks of clusters", layout_, [&](int slot) {
      TileParts const& tile = tiles_[slot];
      static thread_local std::vector<std::uint8_t> chosen;
      static thread_local parts::BitTile cells;
      chosen.resize(tile.count());
      for (Id part = 0; part < tile.count(); ++part) chosen[part] = belongs(tile.flags[part]);
      for (Id b = 0; b < tile.borders.size(); ++b) chosen[tile.borders[b]] = belongs(joins_.record(slot, b).flags);
      parts::select(tile, chosen, cells);
      parts::unpack(cells, layout_.info(slot), view, slot);
    });
  };

  if (!options.label)
    result.label.reset();
  else if (options.wide_labels || grid.total() > std::numeric_limits<std::int32_t>::max())
    write_label(std::int64_t{});
  else
    write_label(std::int32_t{});
  if (options.spanning)
    write_chosen("spanning", result.spanning_mask, [&](std::uint64_t flags) {
      if (options.axis >= 0) return spans(grid, flags, options.axis);
      return spans(grid, flags, 0) || spans(grid, flags, 1) || spans(grid, flags, 2);
    });
  else
    result.spanning_mask.reset();
  if (options.connecting)
    write_chosen("connecting", result.connecting_mask, connects);
  else
    result.connecting_mask.reset();
}

}  // namespace tessera::ca
