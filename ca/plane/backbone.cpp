// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/kernels.hpp"
#include "ca/plane/work.hpp"

#include <numeric>

namespace tessera::ca {

using parts::Id;
using parts::TileParts;
using parts::Word;
using percolation::both;
using percolation::Flag;
using percolation::Place;

namespace {

/// What lies outside the grid is black.
void close(parts::BitTile& black, parts::AtSide const& outside) {
  for (int w = 0; w < black.words; ++w) {
    if (outside.bottom) black.row(0)[w] = black.valid(w);
    if (outside.top) black.row(black.nj + 1)[w] = black.valid(w);
  }
  for (int r = 0; r < black.rows(); ++r) {
    if (outside.left) black.set(r, 0, true);
    if (outside.right) black.set(r, black.ni + 1, true);
  }
}

void keep_common(parts::BitTile& cells, parts::BitTile const& other) {
  for (std::size_t n = 0; n < cells.bits.size(); ++n) cells.bits[n] &= other.bits[n];
}

}  // namespace

void Percolator::Work::find_faces(core::FieldView<std::uint8_t const> const& cells) {
  // Dead ends are taken away first: all their edges are bridges, so live edges and split cells stay as they are. No cell
  // of a dead end touches two faces, so none is red, and the cells that touch both outer faces are the same.
  Lattice const lattice = make_lattice("square", 8);
  std::vector<std::int64_t> sites(black_.size());
  for_each_tile("white clusters", [&](int slot, std::size_t q) {
    core::TileInfo const& info = layout_.info(slot);
    parts::AtSide const outside(grid_, info);
    Place const here = place(slot, 1);
    TileParts& faces = tiles_[q];
    BitTile &black = black_[q], &pruned = pruned_[q], &white = faces.bits;
    parts::pack_with_ring(cells, info, slot, outside, 1, black);
    for (int r = 1; r <= black.nj; ++r)
      for (int w = 0; w < black.words; ++w)
        sites[q] += std::popcount(black.row(r)[w] & here.inner(r, w) & black.own(w));
    close(black, outside);
    pruned = black;
    percolation::prune(pruned);
    white.shape(pruned.ni, pruned.nj, 1);
    for (int r = 0; r < white.rows(); ++r)
      for (int w = 0; w < white.words; ++w) white.row(r)[w] = ~pruned.row(r)[w] & white.valid(w);
    parts::find_parts(faces, 1, lattice, parts::Measure::none);
    here.sides([&](int r, int x0, int x1, Flag flag) { flag_parts(faces, r, x0, x1, flag); });
    parts::list_borders(faces, strips_[q]);
  });
  joins_.join(strips_);
  result_.occupation = static_cast<double>(sum(sites)) / static_cast<double>(interior(grid_).cells());

  // black clusters join the bars exactly where no white one joins the sides
  bool crossed = false;
  parts::for_each_whole(tiles_, joins_, [&](std::int64_t, std::uint64_t flags) { crossed = crossed || flags == both; });
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
    TileParts& faces = tiles_[q];
    BitTile cells;
    if (options.red || options.clusters) {
      whole_flags(slot, flags);
      if (!red_cells(faces, flags, pruned_[q], place(slot, 1), cells)) cells.shape(black_[q].ni, black_[q].nj, 0);
      red[q] = parts::count(cells);
      if (options.red) parts::unpack(cells, layout_.info(slot), red_field, slot);
    }
    // one number for the parts of a white cluster: its own within the tile, above them those of joined ones
    code.resize(faces.count());
    std::iota(code.begin(), code.end(), Id{0});
    for (Id b = 0; b < faces.borders.size(); ++b) code[faces.borders[b]] = faces.count() + joins_.root(slot, b);
    parts::kernels().relabel(faces.of.data(), faces.runs.count(), code.data());
    classify(pruned_[q], faces.runs, faces.of, edges_[q]);
    if (options.articulation || options.clusters) {
      articulation_cells(black_[q], edges_[q], cells);
      keep_common(cells, spanning_[q]);
      articulation[q] = parts::count(cells);
      if (options.articulation) parts::unpack(cells, layout_.info(slot), articulation_field, slot);
    }
    join_nodes(pruned_[q], edges_[q], place(slot, 1), nodes_[q], strips_[q]);
  });
  result_.red_sites = sum(red);
  result_.articulation_sites = sum(articulation);
}

void Percolator::Work::find_backbone(PercolationOptions const& options) {
  joins_.join(strips_);

  std::vector<std::int64_t> sites(black_.size()), dangling(black_.size());
  auto const out = options.backbone ? result_.backbone->host() : core::FieldView<std::uint8_t>{};
  auto const dangling_field = options.dangling ? result_.dangling->host() : core::FieldView<std::uint8_t>{};
  for_each_tile("backbone", [&](int slot, std::size_t q) {
    static thread_local std::vector<std::uint8_t> in;
    static thread_local BitTile cells;
    percolation::Nodes const& nodes = nodes_[q];
    in.resize(nodes.flags.size());
    for (std::size_t c = 0; c < in.size(); ++c) {
      auto const flags = nodes.border[c] == 0 ? nodes.flags[c] : joins_.record(slot, nodes.border[c] - 1).flags;
      in[c] = options.definition == Definition::D2 ? flags == both : flags != 0;
    }
    mark(edges_[q], nodes, in, cells);
    sites[q] = parts::count(cells);
    if (options.backbone) parts::unpack(cells, layout_.info(slot), out, slot);
    if (!options.dangling && !options.clusters) return;
    for (std::size_t n = 0; n < cells.bits.size(); ++n) cells.bits[n] = spanning_[q].bits[n] & ~cells.bits[n];
    dangling[q] = parts::count(cells);
    if (options.dangling) parts::unpack(cells, layout_.info(slot), dangling_field, slot);
  });
  result_.backbone_sites = sum(sites);
  result_.dangling_sites = sum(dangling);
}

}  // namespace tessera::ca
