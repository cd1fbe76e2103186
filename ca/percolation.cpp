// SPDX-License-Identifier: Apache-2.0
#include "ca/percolation.hpp"

#include "ca/labels.hpp"
#include "ca/percolation/blocks.hpp"
#include "core/sweep.hpp"

#include <fmt/format.h>

namespace tessera::ca {
namespace percolation {

/// One run of percolate. Stages hand over what the next one needs and free the rest.
class Percolation {
 public:
  Percolation(core::Field<std::uint8_t>& occupied, PercolationOptions const& options)
      : occupied_(occupied),
        options_(options),
        layout_(occupied.layout()),
        grid_(layout_.grid()),
        black_(static_cast<std::size_t>(layout_.tiles())),
        connected_(black_.size()) {}

  PercolationResult run() {
    read_medium();
    find_clusters();
    if (options_.spanning) result_.spanning = make_field("spanning", "clusters that join bar to bar");
    if (options_.backbone) result_.backbone = make_field("backbone", "cells on some path from bar to bar");
    if (options_.articulation)
      result_.articulation = make_field("articulation", "cells whose removal cuts cells off the bars");
    if (options_.red) result_.red = make_field("red", "cells whose removal ends the spanning");
    if (result_.spans) {
      write_spanning();
      find_faces();
      find_backbone();
    }
    return std::move(result_);
  }

 private:
  template <class F>
  void for_each_tile(char const* label, F const& f) {
    core::for_each_tile_on_host(label, layout_, [&](int slot) { f(slot, static_cast<std::size_t>(slot)); });
  }
  Place place(int slot) const { return Place(grid_, layout_.info(slot), options_.direction); }
  template <class T = std::uint8_t>
  std::unique_ptr<core::Field<T>> make_field(char const* name, char const* description) {
    return std::make_unique<core::Field<T>>(core::FieldInfo{name, description, "1", {}}, layout_, 0);
  }
  std::int64_t sum(std::vector<std::int64_t> const& by_tile) const {
    std::int64_t total = 0;
    for (auto n : by_tile) total += n;
    return layout_.comm().sum(total);
  }

  void read_medium();
  void find_clusters();
  void write_spanning();
  void find_faces();
  void find_backbone();

  core::Field<std::uint8_t>& occupied_;
  PercolationOptions const& options_;
  core::Layout const& layout_;
  core::Grid const& grid_;
  PercolationResult result_;
  std::vector<BitTile> black_;      ///< with bars; what is outside the grid is black
  std::vector<BitTile> connected_;  ///< cells of clusters that touch a bar
  std::vector<BitTile> spanning_;
  std::vector<Edges> edges_;
};

void Percolation::read_medium() {
  core::Halo(layout_).exchange(occupied_);
  auto const cells = std::as_const(occupied_).host();
  std::vector<std::int64_t> sites(black_.size()), wrong(black_.size());
  for_each_tile("pack", [&](int slot, std::size_t q) {
    core::TileInfo const& info = layout_.info(slot);
    components::AtSide const outside(grid_, info);
    BitTile& black = black_[q];
    components::pack(cells, info, slot, outside, 1, black);

    Place const here = place(slot);
    std::int64_t bar_cells = 0, bar_black = 0, side_black = 0;
    for (int r = 1; r <= info.nj; ++r)
      for (int w = 0; w < black.words; ++w) {
        Word const bars = ~here.inner(r, w) & black.own(w);
        bar_cells += std::popcount(bars);
        bar_black += std::popcount(bars & black.row(r)[w]);
        sites[q] += std::popcount(black.row(r)[w] & here.inner(r, w) & black.own(w));
      }
    here.sides([&](int r, int x0, int x1, Flag) {
      for (int x = x0; x <= x1; ++x) side_black += (here.inner(r, x >> 6) >> (x & 63) & 1) != 0 && black.test(r, x);
    });
    wrong[q] = bar_cells - bar_black + side_black;

    for (int w = 0; w < black.words; ++w) {
      if (outside.bottom) black.row(0)[w] = black.valid(w);
      if (outside.top) black.row(info.nj + 1)[w] = black.valid(w);
    }
    for (int r = 0; r < black.rows(); ++r) {
      if (outside.left) black.set(r, 0, true);
      if (outside.right) black.set(r, info.ni + 1, true);
    }
  });
  if (auto const n = sum(wrong); n > 0)
    throw core::Error(fmt::format(
        "the medium has {} cells of its frame in the wrong colour, expected black bars and white sides", n));
  result_.occupation = static_cast<double>(sum(sites)) / static_cast<double>(interior(grid_).cells());
}

void Percolation::find_clusters() {
  std::vector<components::TileComponents> tiles(black_.size());
  std::vector<components::SeamTile> seam_tiles(black_.size());
  std::vector<BitTile> bits(black_.size());
  for_each_tile("clusters", [&](int slot, std::size_t q) {
    Place const here = place(slot);
    components::AtSide const outside(grid_, layout_.info(slot));
    bits[q] = black_[q];
    for (int r = 0; r < bits[q].rows(); ++r) {
      for (int w = 0; w < bits[q].words; ++w) bits[q].row(r)[w] &= here.inner(r, w);
      if (outside.left) bits[q].set(r, 0, false);
      if (outside.right) bits[q].set(r, bits[q].ni + 1, false);
    }
    for (int w = 0; w < bits[q].words; ++w) {
      if (outside.bottom) bits[q].row(0)[w] = 0;
      if (outside.top) bits[q].row(bits[q].nj + 1)[w] = 0;
    }
    components::find_components(bits[q], false, components::Measure::first_and_cells, layout_.info(slot), grid_,
                                tiles[q]);
    here.next_to_bars([&](int r, int x0, int x1, Flag flag) { flag_components(bits[q], tiles[q], r, x0, x1, flag); });
    components::list_borders(bits[q], tiles[q], seam_tiles[q]);
  });
  components::Seams seams(layout_);
  seams.join(seam_tiles);
  result_.clusters = components::count_components(tiles, seams, layout_.comm());
  result_.largest_cluster = components::largest_component(tiles, seams, layout_.comm());

  if (options_.label) result_.label = make_field<std::int64_t>("label", "1 + smallest cell number of the cluster");
  auto const labels = options_.label ? result_.label->host() : core::FieldView<std::int64_t>{};
  spanning_.resize(black_.size());
  std::vector<std::int64_t> sites(black_.size());
  for_each_tile("cluster masks", [&](int slot, std::size_t q) {
    auto const flags = whole_flags(tiles[q], seams, slot);
    std::vector<std::uint8_t> at_bar(flags.size()), at_both(flags.size());
    for (std::size_t c = 0; c < flags.size(); ++c) {
      at_bar[c] = flags[c] != 0;
      at_both[c] = flags[c] == both;
      if (at_both[c]) sites[q] += tiles[q].record[c].cells;
    }
    select(bits[q], tiles[q], at_bar, connected_[q]);
    if (options_.spanning) select(bits[q], tiles[q], at_both, spanning_[q]);
    if (options_.label) {
      std::vector<std::int64_t> value(tiles[q].count());
      for (Id c = 0; c < tiles[q].count(); ++c)
        value[c] = tiles[q].border[c] == 0 ? tiles[q].record[c].first
                                           : seams.record(seams.root(slot, tiles[q].border[c] - 1)).first;
      components::write_labels(bits[q], tiles[q], value, labels, slot);
    }
  });
  result_.spanning_sites = sum(sites);
  result_.spans = result_.spanning_sites > 0;
}

void Percolation::write_spanning() {
  if (!options_.spanning) return;
  auto const out = result_.spanning->host();
  for_each_tile("spanning", [&](int slot, std::size_t q) { write_mask(spanning_[q], out, slot); });
  spanning_.clear();
}

void Percolation::find_faces() {
  // Dead ends are taken away first: all their edges are bridges, so live edges and split cells stay as they are. No cell
  // of a dead end touches two faces, so none is red, and the cells that touch both outer faces are the same.
  std::vector<BitTile> pruned(black_.size()), white(black_.size());
  std::vector<components::TileComponents> faces(black_.size());
  std::vector<components::SeamTile> seam_tiles(black_.size());
  for_each_tile("white clusters", [&](int slot, std::size_t q) {
    pruned[q] = black_[q];
    prune(pruned[q]);
    white[q].shape(pruned[q].ni, pruned[q].nj);
    for (int r = 0; r < white[q].rows(); ++r)
      for (int w = 0; w < white[q].words; ++w) white[q].row(r)[w] = ~pruned[q].row(r)[w] & white[q].valid(w);
    components::find_components(white[q], true, components::Measure::none, layout_.info(slot), grid_, faces[q]);
    place(slot).sides([&](int r, int x0, int x1, Flag flag) { flag_components(white[q], faces[q], r, x0, x1, flag); });
    components::list_borders(white[q], faces[q], seam_tiles[q]);
  });
  components::Seams seams(layout_);
  seams.join(seam_tiles);

  edges_.resize(black_.size());
  std::vector<std::int64_t> red(black_.size()), articulation(black_.size());
  std::vector<std::uint8_t> crossed(black_.size(), 0);
  auto const red_field = options_.red ? result_.red->host() : core::FieldView<std::uint8_t>{};
  auto const articulation_field =
      options_.articulation ? result_.articulation->host() : core::FieldView<std::uint8_t>{};
  for_each_tile("classify", [&](int slot, std::size_t q) {
    auto const flags = whole_flags(faces[q], seams, slot);
    for (auto flag : flags) crossed[q] |= flag == both;
    BitTile cells;
    auto const keep_connected = [&] {
      for (std::size_t n = 0; n < cells.bits.size(); ++n) cells.bits[n] &= connected_[q].bits[n];
    };
    if (red_cells(white[q], faces[q], flags, black_[q], cells)) {
      keep_connected();
      red[q] = count_own(cells);
      if (options_.red) write_mask(cells, red_field, slot);
    }
    auto const code = components::codes(faces[q], seams, slot);
    std::vector<Id> face(faces[q].of.size());
    for (std::size_t run = 0; run < face.size(); ++run) face[run] = code[faces[q].of[run]];
    classify(pruned[q], faces[q].runs, face, edges_[q]);

    articulation_cells(black_[q], edges_[q], cells);
    keep_connected();
    articulation[q] = count_own(cells);
    if (options_.articulation) write_mask(cells, articulation_field, slot);
  });
  bool any_crossed = false;
  for (auto c : crossed) any_crossed = any_crossed || c != 0;
  core::expect(!layout_.comm().any(any_crossed), "black and white clusters cross each other");
  result_.red_sites = sum(red);
  result_.articulation_sites = sum(articulation);
  connected_.clear();
}

void Percolation::find_backbone() {
  std::vector<Nodes> nodes(black_.size());
  std::vector<components::SeamTile> seam_tiles(black_.size());
  for_each_tile("nodes", [&](int slot, std::size_t q) {
    join_nodes(black_[q], edges_[q], place(slot), nodes[q], seam_tiles[q]);
  });
  components::Seams seams(layout_);
  seams.join(seam_tiles);

  std::vector<std::int64_t> sites(black_.size());
  auto const out = options_.backbone ? result_.backbone->host() : core::FieldView<std::uint8_t>{};
  for_each_tile("backbone", [&](int slot, std::size_t q) {
    std::vector<std::uint8_t> in(nodes[q].flags.size());
    for (std::size_t c = 0; c < in.size(); ++c) {
      auto const flags =
          nodes[q].border[c] == 0 ? nodes[q].flags[c] : seams.record(seams.root(slot, nodes[q].border[c] - 1)).flags;
      in[c] = options_.definition == Definition::D2 ? flags == both : flags != 0;
    }
    BitTile cells;
    mark(edges_[q], nodes[q], in, cells);
    sites[q] = count_own(cells);
    if (options_.backbone) write_mask(cells, out, slot);
  });
  result_.backbone_sites = sum(sites);
}

}  // namespace percolation

namespace {

void check_grid(core::Grid const& grid) {
  auto const n = grid.cells();
  if (n[0] < 3 || n[1] < 3 || n[2] != 1)
    throw core::Error(fmt::format(
        "percolation runs on 2-D grids of 3 x 3 cells or more, frame included, but the grid has {} x {} x {}", n[0],
        n[1], n[2]));
}

}  // namespace

core::Box interior(core::Grid const& grid) {
  auto const n = grid.cells();
  return {{1, 1, 0}, {n[0] - 1, n[1] - 1, 1}};
}

namespace detail {
struct FrameCell {
  core::FieldView<std::uint8_t> field;
  core::TileInfo const* info;
  core::Count nx, ny;
  Direction direction;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    bool const end_x = x.i == 0 || x.i == nx - 1, end_y = x.j == 0 || x.j == ny - 1;
    if (direction == Direction::y ? end_y : end_x)
      field(slot, k, j, i) = 1;
    else if (end_x || end_y)
      field(slot, k, j, i) = 0;
  }
};
}  // namespace detail

void frame(core::Field<std::uint8_t>& occupied, Direction direction) {
  core::Grid const& grid = occupied.layout().grid();
  check_grid(grid);
  core::Tiles const& tiles = occupied.layout().all();
  core::for_each("frame", tiles,
                 detail::FrameCell{occupied.view(), tiles.info.data(), grid.cells()[0], grid.cells()[1], direction});
}

PercolationResult percolate(core::Field<std::uint8_t>& occupied, PercolationOptions const& options) {
  check_grid(occupied.layout().grid());
  core::Timed const timed(core::Part::compute);
  return percolation::Percolation(occupied, options).run();
}

}  // namespace tessera::ca
