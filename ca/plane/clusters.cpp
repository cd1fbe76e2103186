// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/kernels.hpp"
#include "ca/parts/labels.hpp"
#include "ca/plane/work.hpp"

#include <algorithm>
#include <map>

namespace tessera::ca {

using components::Id;
using components::TileComponents;
using percolation::Flag;
using percolation::Place;

void Percolator::Work::find_clusters(core::FieldView<std::uint8_t const> const& cells,
                                     PercolationOptions const& options) {
  std::vector<std::int64_t> sites(cells_.size());
  for_each_tile("clusters", [&](int slot, std::size_t q) {
    Place const here = place(slot, 0);
    BitTile& bits = cells_[q];
    components::pack(cells, layout_.info(slot), slot, 1, bits);
    for (int r = 0; r < bits.rows(); ++r)
      for (int w = 0; w < bits.words; ++w) bits.row(r)[w] &= here.inner(r, w);
    sites[q] = components::count(bits);
    TileComponents& tile = components_[q];
    components::find_components(bits, false, components::Measure::first_and_cells, tile);
    here.next_to_bars([&](int r, int x0, int x1, Flag flag) { flag_components(bits, tile, r, x0, x1, flag); });
    components::list_borders(bits, layout_.info(slot), grid_, tile, seam_tiles_[q]);
  });
  seams_.join(seam_tiles_, components::Meet::beside_4);
  result_.occupation = static_cast<double>(sum(sites)) / static_cast<double>(interior(grid_).cells());
  result_.clusters = components::count_components(components_, seams_, layout_.comm());
  std::int64_t largest = 0;
  for (TileComponents const& tile : components_)
    for (Id c = 0; c < tile.count(); ++c)
      if (tile.border[c] == 0) largest = std::max<std::int64_t>(largest, tile.cells[c]);
  seams_.for_each_component_here([&](components::Record const& whole) { largest = std::max(largest, whole.cells); });
  result_.largest_cluster = layout_.comm().max(largest);
  if (options.sizes) count_sizes();
  write_clusters(options);
}

void Percolator::Work::write_clusters(PercolationOptions const& options) {
  std::vector<std::int64_t> sites(cells_.size()), whole(cells_.size());  // whole: spanning clusters within one tile
  auto const spanning = options.spanning ? result_.spanning->host() : core::FieldView<std::uint8_t>{};
  for_each_tile("cluster masks", [&](int slot, std::size_t q) {
    static thread_local std::vector<std::uint8_t> flags, chosen;
    TileComponents const& tile = components_[q];
    components::whole_flags(tile, seams_, slot, flags);
    chosen.resize(flags.size());
    for (std::size_t c = 0; c < flags.size(); ++c) {
      chosen[c] = flags[c] == percolation::both;
      if (chosen[c]) sites[q] += tile.cells[c];
      whole[q] += chosen[c] && tile.border[c] == 0;
    }
    if (options.spanning || options.dangling || options.articulation || options.clusters)
      percolation::select(cells_[q], tile, chosen, spanning_[q]);
    if (options.spanning) components::unpack(spanning_[q], spanning, slot);
  });
  std::vector<std::int64_t> sums{0, 0};
  for (std::size_t q = 0; q < sites.size(); ++q) {
    sums[0] += sites[q];
    sums[1] += whole[q];
  }
  seams_.for_each_component_here([&](components::Record const& all) { sums[1] += all.flags == percolation::both; });
  layout_.comm().sum(sums);
  result_.spanning_sites = sums[0];
  result_.spanning_clusters = sums[1];
  result_.spans = result_.spanning_sites > 0;
  if (!options.label) return;
  core::visit(*result_.label, [&]<class Label>(core::Field<Label>& field) {
    if constexpr (std::is_same_v<Label, std::int32_t> || std::is_same_v<Label, std::int64_t>) {
      auto const labels = field.host();
      for_each_tile("labels", [&](int slot, std::size_t q) {
        static thread_local std::vector<Label> first;
        components::first_cells(components_[q], layout_.info(slot), grid_, seams_, slot, first);
        components::write_labels(cells_[q], components_[q], first, labels, slot);
      });
    }
  });
}

void Percolator::Work::count_sizes() {
  // nearly all clusters are small: those are counted by size, the others listed
  constexpr std::int64_t small = 1024;
  std::vector<std::int64_t> counts(small, 0), large;
  auto const add = [&](std::int64_t cells) {
    if (cells < small)
      ++counts[cells];
    else
      large.push_back(cells);
  };
  for (TileComponents const& tile : components_)
    for (Id c = 0; c < tile.count(); ++c)
      if (tile.border[c] == 0) add(tile.cells[c]);
  seams_.for_each_component_here([&](components::Record const& whole) { add(whole.cells); });

  layout_.comm().sum(counts);
  core::Bytes message;
  core::append(message, std::span<std::int64_t const>(large));
  core::Bytes all;
  for (core::Bytes const& bytes : layout_.comm().gather_to_root(message))
    all.insert(all.end(), bytes.begin(), bytes.end());
  layout_.comm().broadcast(all);
  large.resize(all.size() / sizeof(std::int64_t));
  core::ByteReader(all).take(std::span<std::int64_t>(large));
  std::sort(large.begin(), large.end());

  for (std::int64_t cells = 1; cells < small; ++cells)
    if (auto const n = counts[cells]; n > 0) result_.sizes.push_back({cells, n});
  for (std::int64_t cells : large) {
    if (result_.sizes.empty() || result_.sizes.back().cells != cells) result_.sizes.push_back({cells, 0});
    ++result_.sizes.back().clusters;
  }
}

}  // namespace tessera::ca
