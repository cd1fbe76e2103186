// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/plane/medium.hpp"

namespace tessera::ca::percolation {

/// The edges of a tile's black cells after the dead ones (bridges) are taken away, and the cells that belong to two
/// blocks. All in the bits of the tile with its ring; bars and what is beyond them count as black.
struct Edges {
  BitTile beside;   ///< live edge between bits x - 1 and x of row r; rows 1 .. nj, x = 1 .. ni + 1
  BitTile below;    ///< live edge between rows r - 1 and r at bit x; rows 1 .. nj + 1, own columns
  BitTile split_a;  ///< cell whose arms part into {left, below} and {right, above}
  BitTile split_b;  ///< cell whose arms part into {left, above} and {right, below}
};

/// Finds live edges and split cells from the faces beside each edge.
/// `face`: number of the white cluster of each white run of the tile, equal for runs of one cluster anywhere.
/// A pair of black cells beside an edge closes a square, a face of its own: such an edge is alive.
/// Cost: about 0.5 ns a cell near the threshold with wide vectors, 0.9 ns without.
void classify(BitTile const& black, parts::Runs const& white, std::vector<Id> const& face, Edges& edges);
void classify_portable(BitTile const& black, parts::Runs const& white, std::vector<Id> const& face, Edges& edges);
/// Only where parts::wide_kernels() says so.
void classify_wide(BitTile const& black, parts::Runs const& white, std::vector<Id> const& face, Edges& edges);

/// Own cells with at least two black neighbours in which one face fills two gaps. `out` has no ring.
void articulation_cells(BitTile const& black, Edges const& edges, BitTile& out);

/// Black cells whose eight neighbours hold cells of both outer white clusters (`flags` of each white part: the sides that
/// its cluster holds). Returns false, and leaves `out` alone, where the tile has no cell of one of them. `out` has
/// no ring.
bool red_cells(parts::TileParts const& faces, std::vector<std::uint8_t> const& flags, BitTile const& black,
               Place const& place, BitTile& out);

/// Nodes of a tile: chains of cells joined by live edges along a row; a split cell ends one chain and begins the next.
/// Numbered in raster order from 0; cells without live edges have none. Bars have no nodes: edges to them are flags.
struct Nodes {
  BitTile starts;                   ///< first cells of chains
  BitTile joined;                   ///< cells joined to the cell on their left
  std::vector<Id> before;           ///< nodes before a word
  std::vector<Id> of;               ///< component of each node
  std::vector<std::uint8_t> flags;  ///< of each component: bars it touches in this tile
  std::vector<Id> border;           ///< of each component: number among those that leave the tile + 1, or 0
};

/// Numbers the nodes, joins them by the live edges between rows, and lists what may go on in other tiles.
void join_nodes(BitTile const& black, Edges const& edges, Place const& place, Nodes& nodes, parts::Strips& strips);

/// The cells with a chosen node (`in` by component, 0 or 1). `out` has no ring.
void mark(Edges const& edges, Nodes const& nodes, std::vector<std::uint8_t> const& in, BitTile& out);

}  // namespace tessera::ca::percolation
