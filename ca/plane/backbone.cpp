// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/kernels.hpp"
#include "ca/plane/work.hpp"

namespace tessera::ca {

using components::Id;
using components::TileComponents;
using components::Word;
using percolation::both;
using percolation::Flag;
using percolation::Place;

namespace {

/// What lies outside the grid is black.
void close(components::BitTile& black, components::AtSide const& outside) {
  for (int w = 0; w < black.words; ++w) {
    if (outside.bottom) black.row(0)[w] = black.valid(w);
    if (outside.top) black.row(black.nj + 1)[w] = black.valid(w);
  }
  for (int r = 0; r < black.rows(); ++r) {
    if (outside.left) black.set(r, 0, true);
    if (outside.right) black.set(r, black.ni + 1, true);
  }
}

void keep_common(components::BitTile& cells, components::BitTile const& other) {
  for (std::size_t n = 0; n < cells.bits.size(); ++n) cells.bits[n] &= other.bits[n];
}

}  // namespace

void Percolator::Work::find_faces(core::FieldView<std::uint8_t const> const& cells) {
  // Dead ends are taken away first: all their edges are bridges, so live edges and split cells stay as they are. No cell
  // of a dead end touches two faces, so none is red, and the cells that touch both outer faces are the same.
  std::vector<std::int64_t> sites(black_.size());
  for_each_tile("white clusters", [&](int slot, std::size_t q) {
    core::TileInfo const& info = layout_.info(slot);
    components::AtSide const outside(grid_, info);
    Place const here = place(slot, 1);
    BitTile &black = black_[q], &pruned = pruned_[q], &white = white_[q];
    components::pack_with_ring(cells, info, slot, outside, 1, black);
    for (int r = 1; r <= black.nj; ++r)
      for (int w = 0; w < black.words; ++w)
        sites[q] += std::popcount(black.row(r)[w] & here.inner(r, w) & black.own(w));
    close(black, outside);
    pruned = black;
    percolation::prune(pruned);
    white.shape(pruned.ni, pruned.nj, 1);
    for (int r = 0; r < white.rows(); ++r)
      for (int w = 0; w < white.words; ++w) white.row(r)[w] = ~pruned.row(r)[w] & white.valid(w);
    TileComponents& faces = components_[q];
    components::find_components(white, true, components::Measure::none, faces);
    here.sides([&](int r, int x0, int x1, Flag flag) { flag_components(white, faces, r, x0, x1, flag); });
    components::list_borders(white, info, grid_, faces, seam_tiles_[q]);
  });
  seams_.join(seam_tiles_, components::Meet::in_ring);
  result_.occupation = static_cast<double>(sum(sites)) / static_cast<double>(interior(grid_).cells());

  // black clusters join the bars exactly where no white one joins the sides
  bool crossed = false;
  seams_.for_each_component_here([&](components::Record const& whole) { crossed = crossed || whole.flags == both; });
  for (TileComponents const& tile : components_)
    for (Id c = 0; c < tile.count() && !crossed; ++c) crossed = tile.border[c] == 0 && tile.flags[c] == both;
  bool const spans = !layout_.comm().any(crossed);
  core::expect(spans || !result_.spans, "black and white clusters cross each other");
  result_.spans = spans;
}

void Percolator::Work::find_nodes(PercolationOptions const& options) {
  std::vector<std::int64_t> red(black_.size()), articulation(black_.size());
  auto const red_field = options.red ? result_.red->host() : core::FieldView<std::uint8_t>{};
  auto const articulation_field = options.articulation ? result_.articulation->host() : core::FieldView<std::uint8_t>{};
  for_each_tile("nodes", [&](int slot, std::size_t q) {
    static thread_local std::vector<std::uint8_t> flags;
    static thread_local std::vector<Id> code;
    TileComponents& faces = components_[q];
    BitTile cells;
    if (options.red || options.clusters) {
      components::whole_flags(faces, seams_, slot, flags);
      if (!red_cells(white_[q], faces, flags, pruned_[q], place(slot, 1), cells))
        cells.shape(black_[q].ni, black_[q].nj, 0);
      red[q] = components::count(cells);
      if (options.red) components::unpack(cells, red_field, slot);
    }
    components::codes(faces, seams_, slot, code);
    components::kernels().relabel(faces.of.data(), faces.runs.count(), code.data());
    classify(pruned_[q], faces.runs, faces.of, edges_[q]);
    if (options.articulation || options.clusters) {
      articulation_cells(black_[q], edges_[q], cells);
      keep_common(cells, spanning_[q]);
      articulation[q] = components::count(cells);
      if (options.articulation) components::unpack(cells, articulation_field, slot);
    }
    join_nodes(pruned_[q], edges_[q], place(slot, 1), nodes_[q], seam_tiles_[q]);
  });
  result_.red_sites = sum(red);
  result_.articulation_sites = sum(articulation);
}

void Percolator::Work::find_backbone(PercolationOptions const& options) {
  seams_.join(seam_tiles_, components::Meet::in_ring);

  std::vector<std::int64_t> sites(black_.size()), dangling(black_.size());
  auto const out = options.backbone ? result_.backbone->host() : core::FieldView<std::uint8_t>{};
  auto const dangling_field = options.dangling ? result_.dangling->host() : core::FieldView<std::uint8_t>{};
  for_each_tile("backbone", [&](int slot, std::size_t q) {
    static thread_local std::vector<std::uint8_t> in;
    static thread_local BitTile cells;
    percolation::Nodes const& nodes = nodes_[q];
    in.resize(nodes.flags.size());
    for (std::size_t c = 0; c < in.size(); ++c) {
      auto const flags =
          nodes.border[c] == 0 ? nodes.flags[c] : seams_.record(seams_.root(slot, nodes.border[c] - 1)).flags;
      in[c] = options.definition == Definition::D2 ? flags == both : flags != 0;
    }
    mark(edges_[q], nodes, in, cells);
    sites[q] = components::count(cells);
    if (options.backbone) components::unpack(cells, out, slot);
    if (!options.dangling && !options.clusters) return;
    for (std::size_t n = 0; n < cells.bits.size(); ++n) cells.bits[n] = spanning_[q].bits[n] & ~cells.bits[n];
    dangling[q] = components::count(cells);
    if (options.dangling) components::unpack(cells, dangling_field, slot);
  });
  result_.backbone_sites = sum(sites);
  result_.dangling_sites = sum(dangling);
}

}  // namespace tessera::ca
