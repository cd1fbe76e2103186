// SPDX-License-Identifier: Apache-2.0
#include "ca/clusters.hpp"

#include "ca/parts/kernels.hpp"
#include "core/comm/binary_tree.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <unordered_map>

namespace tessera::ca {

using clusters::Flag;
using clusters::Id;
using clusters::TileClusters;
using components::Record;

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
  return grid.periodic(axis) ? flags & clusters::wraps(axis) : clusters::spans(flags, axis);
}
bool connects(std::uint64_t flags) { return (flags & Flag::inlet) != 0 && (flags & Flag::outlet) != 0; }

/// Counts of this rank, added up over ranks at the end.
class Tally {
 public:
  explicit Tally(core::Grid const& grid) : grid_(grid), small_(4096, 0) {}

  void add(std::int64_t cells, std::uint64_t flags) {
    ++clusters_;
    sites_ += cells;
    largest_ = std::max(largest_, cells);
    if (cells < static_cast<std::int64_t>(small_.size()))
      ++small_[cells];
    else
      ++big_[cells];
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
    result.sizes = histogram(comm);
  }

 private:
  static void count(ClusterCount& clusters, std::int64_t cells) {
    ++clusters.clusters;
    clusters.sites += cells;
  }

  /// Added up the tree over the ranks: no rank sees more than the sizes that a group has.
  std::vector<SizeCount> histogram(core::Comm const& comm) const {
    std::map<std::int64_t, std::int64_t> all(big_.begin(), big_.end());
    for (std::size_t n = 0; n < small_.size(); ++n)
      if (small_[n] != 0) all[static_cast<std::int64_t>(n)] = small_[n];
    core::BinaryTree const tree(comm.rank(), comm.size());
    for (auto const& child : tree.children) {
      core::Bytes const bytes = comm.receive_block(child.rank, tag);
      core::ByteReader in(bytes);
      while (!in.done()) {
        auto const entry = in.take<SizeCount>();
        all[entry.size] += entry.count;
      }
    }
    std::vector<SizeCount> sizes;
    for (auto const& [size, n] : all) sizes.push_back({size, n});
    if (tree.parent >= 0) {
      core::Bytes message;
      core::append(message, std::span<SizeCount const>(sizes));
      comm.send_block(tree.parent, message, tag);
    }
    comm.broadcast(sizes);
    return sizes;
  }

  static constexpr core::Tag tag = core::Tag::clusters;
  core::Grid const& grid_;
  std::int64_t clusters_ = 0, sites_ = 0, largest_ = 0;
  std::vector<std::int64_t> small_;
  std::unordered_map<std::int64_t, std::int64_t> big_;
  std::array<ClusterCount, 3> axes_;
  ClusterCount connecting_;
};

template <class Label>
void write_labels(TileClusters const& tile, core::TileInfo const& info, std::vector<Label> const& value,
                  core::FieldView<Label> const& labels, int slot) {
  static thread_local std::vector<Label> scratch;
  scratch.resize(static_cast<std::size_t>(tile.bits.words) * 32 + 64);
  for (int r = 0; r < tile.bits.nj; ++r) {
    components::Word const* const starts = tile.runs.starts.data() + tile.runs.word(r, 0);
    Id const* const of = tile.of.data() + tile.runs.begin_of_row(r);
    Label* const out = labels.row(slot, r / info.nj, r % info.nj);
    if constexpr (sizeof(Label) == 4)
      components::kernels().write_row_32(tile.bits.row(r), starts, info.ni, of, value.data(), scratch.data(), out);
    else
      components::kernels().write_row_64(tile.bits.row(r), starts, info.ni, of, value.data(), scratch.data(), out);
  }
}

/// Writes 1 on the runs of the chosen parts, 0 elsewhere.
void write_mask(TileClusters const& tile, core::TileInfo const& info, std::vector<std::uint8_t> const& chosen,
                core::FieldView<std::uint8_t> const& mask, int slot) {
  static thread_local std::vector<int> scratch;
  for (int r = 0; r < tile.bits.nj; ++r) {
    std::uint8_t* const out = mask.row(slot, r / info.nj, r % info.nj);
    std::fill_n(out, info.ni, std::uint8_t{0});
    components::for_each_run(tile.bits, tile.runs, r, scratch, [&](Id run, int begin, int end) {
      if (chosen[tile.of[run]]) std::fill(out + begin, out + end + 1, std::uint8_t{1});
    });
  }
}

}  // namespace

ClusterFinder::ClusterFinder(core::Layout const& layout)
    : layout_(layout),
      tiles_(static_cast<std::size_t>(layout.tiles())),
      joins_(layout) {}

void ClusterFinder::run(core::Field<std::uint8_t> const& occupied, ClusterOptions const& options,
                        ClusterResult& result) {
  check(layout_, occupied, options);
  core::Timed const timed(core::Part::compute);
  clusters::Ports ports;
  if (options.inlet != nullptr) ports = {options.inlet->host(), options.outlet->host()};
  auto const cells = occupied.host();
  core::for_each_tile_on_host("parts of clusters", layout_, [&](int slot) {
    clusters::find_parts(cells, options.occupied, ports, layout_.grid(), layout_.info(slot), slot, options.lattice,
                         tiles_[slot]);
  });
  joins_.join(tiles_, options.lattice);
  count(result);
  write_fields(options, result);
}

std::size_t ClusterFinder::bytes() const {
  std::size_t sum = joins_.bytes();
  for (TileClusters const& tile : tiles_) sum += tile.bytes();
  return sum;
}

void ClusterFinder::count(ClusterResult& result) const {
  Tally tally(layout_.grid());
  for (TileClusters const& tile : tiles_)
    for (Id part = 0; part < tile.count(); ++part)
      if (tile.border[part] == 0) tally.add(tile.cells[part], tile.flags[part]);
  joins_.for_each_counted([&](Record const& record) { tally.add(record.cells, record.flags); });
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
      TileClusters const& tile = tiles_[slot];
      std::vector<Label> value(tile.count() + std::size_t{16});
      for (Id part = 0; part < tile.count(); ++part)
        value[part] = static_cast<Label>(tile.border[part] == 0
                                             ? clusters::grid_number(grid, layout_.info(slot), tile.first[part]) + 1
                                             : joins_.record(slot, tile.border[part] - 1).first);
      write_labels(tile, layout_.info(slot), value, view, slot);
    });
  };
  auto const write_chosen = [&](char const* name, std::unique_ptr<core::Field<std::uint8_t>>& mask,
                                auto const& belongs) {
    if (mask == nullptr || &mask->layout() != &layout_)
      mask = std::make_unique<core::Field<std::uint8_t>>(name, layout_, 0);
    auto const view = mask->host();
    core::for_each_tile_on_host("masks of clusters", layout_, [&](int slot) {
      TileClusters const& tile = tiles_[slot];
      std::vector<std::uint8_t> chosen(tile.count());
      for (Id part = 0; part < tile.count(); ++part)
        chosen[part] =
            belongs(tile.border[part] == 0 ? tile.flags[part] : joins_.record(slot, tile.border[part] - 1).flags);
      write_mask(tile, layout_.info(slot), chosen, view, slot);
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
