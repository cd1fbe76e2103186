// SPDX-License-Identifier: Apache-2.0
#include "ca/plane/work.hpp"

#include <algorithm>

namespace tessera::ca {

using parts::Id;
using parts::TileParts;
using percolation::both;
using percolation::Flag;
using percolation::Place;

void Percolator::Work::find_clusters(core::FieldView<std::uint8_t const> const& cells,
                                     PercolationOptions const& options) {
  Lattice const lattice = make_lattice("square", 4);
  for_each_tile("clusters", [&](int slot, std::size_t q) {
    Place const here = place(slot, 0);
    TileParts& tile = tiles_[q];
    BitTile& bits = tile.bits;
    parts::pack(cells, layout_.info(slot), slot, 1, bits);
    for (int r = 0; r < bits.rows(); ++r)
      for (int w = 0; w < bits.words; ++w) bits.row(r)[w] &= here.inner(r, w);
    parts::find_parts(tile, 1, lattice, parts::Measure::first_and_cells);
    here.next_to_bars([&](int r, int x0, int x1, Flag flag) { flag_parts(tile, r, x0, x1, flag); });
    parts::list_borders(tile, grid_, layout_.info(slot), lattice);
  });
  joins_.join(tiles_, lattice);

  std::int64_t largest = 0, clusters = 0, sites = 0, spanning_clusters = 0, spanning_sites = 0;
  parts::Sizes sizes;
  parts::for_each_whole(tiles_, joins_, [&](std::int64_t n, std::uint64_t flags) {
    largest = std::max(largest, n);
    ++clusters;
    sites += n;
    spanning_clusters += flags == both;
    spanning_sites += flags == both ? n : 0;
    if (options.sizes) sizes.add(n);
  });
  std::vector<std::int64_t> sums{clusters, sites, spanning_clusters, spanning_sites};
  layout_.comm().sum(sums);
  result_.clusters = sums[0];
  result_.occupation = static_cast<double>(sums[1]) / static_cast<double>(interior(grid_).cells());
  result_.spanning_clusters = sums[2];
  result_.spanning_sites = sums[3];
  result_.spans = result_.spanning_sites > 0;
  result_.largest_cluster = layout_.comm().max(largest);
  if (options.sizes) result_.sizes = sizes.counts(layout_.comm());
  write_clusters(options);
}

void Percolator::Work::write_clusters(PercolationOptions const& options) {
  if (options.spanning || options.dangling || options.articulation || options.clusters) {
    auto const spanning = options.spanning ? result_.spanning->host() : core::FieldView<std::uint8_t>{};
    for_each_tile("cluster masks", [&](int slot, std::size_t q) {
      static thread_local std::vector<std::uint8_t> chosen;
      whole_flags(slot, chosen);
      for (std::uint8_t& flags : chosen) flags = flags == both;
      parts::select(tiles_[q], chosen, spanning_[q]);
      if (options.spanning) parts::unpack(spanning_[q], layout_.info(slot), spanning, slot);
    });
  }
  if (!options.label) return;
  core::visit(*result_.label, [&]<class Label>(core::Field<Label>& field) {
    if constexpr (std::is_same_v<Label, std::int32_t> || std::is_same_v<Label, std::int64_t>) {
      auto const labels = field.host();
      for_each_tile("labels", [&](int slot, std::size_t q) {
        static thread_local std::vector<Label> first;
        parts::first_cells(tiles_[q], layout_.info(slot), grid_, joins_, slot, first);
        parts::write_labels(tiles_[q], layout_.info(slot), first, labels, slot);
      });
    }
  });
}

}  // namespace tessera::ca
