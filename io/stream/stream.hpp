// SPDX-License-Identifier: Apache-2.0
#pragma once
// Both directions walk the same chunks of the region in the order of the file. Every rank knows the owners of all tiles,
// so it knows what of a chunk goes which way in a tree, and how long each message is, without being told.
#include "core/grid/field.hpp"
#include "io/files/bits.hpp"
#include "io/stream/chunks.hpp"
#include "io/stream/routers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tessera::io::detail {

/// What the root knows of a file and all need to know.
struct Plan {
  core::Box region;
  std::int64_t top_down = 0, bytes = 1;  // bytes: of one cell, in the file or in the field, whichever is more
  std::int64_t packed = 0;               // cells travel as bits, which stand for
  std::array<double, 2> values{};        // these, which the field's type holds

  Chunks chunks(core::Grid const& grid) const {
    if (packed != 0) return {grid, region, top_down != 0, 1, 8 * router_settings().chunk};
    return {grid, region, top_down != 0, static_cast<std::size_t>(bytes), router_settings().chunk};
  }
  friend bool operator==(Plan const&, Plan const&) = default;
};

/// The root's plan on all ranks. Collective.
inline Plan agreed(core::Comm const& comm, Plan plan) {
  comm.broadcast(plan);
  return plan;
}

/// A rank's place in the tree of one root.
struct Place {
  int root;
  std::vector<int> parent, children;  // parent: one rank, none for the root
  std::vector<int> ways;              // see RouterTree

  Place(RouterTree const& tree, int root, int rank) : root(root), children(tree.children(rank)), ways(tree.ways(rank)) {
    if (rank != root) parent.push_back(tree.parent(rank));
  }
};

/// One rank's view of a stream: which of a chunk's cells are its own, and which belong to ranks below each child.
template <class T>
class Stream {
 public:
  Stream(core::Layout const& layout, Plan const& plan)
      : layout_(layout),
        comm_(layout.comm()),
        region_(plan.region),
        packed_(plan.packed != 0),
        chunks_(plan.chunks(layout.grid())) {}

 protected:
  using Box = core::Box;
  using Count = core::Count;
  using Chunk = Chunks::Chunk;

  core::Layout const& layout_;
  core::Comm comm_;
  Box region_;
  bool packed_;
  Chunks chunks_;

  std::size_t cells_of_row(Box const& piece) const { return static_cast<std::size_t>(piece.hi.i - piece.lo.i); }
  /// Where a piece begins in the rows of the region.
  std::size_t column(Box const& piece) const { return static_cast<std::size_t>(piece.lo.i - region_.lo.i); }
  /// Bytes that a row of a piece has on its way. Bits go with the others of their byte, so that nobody has to shift them.
  std::size_t bytes_of_row(Box const& piece) const {
    return packed_ ? bytes_of_bits(column(piece), cells_of_row(piece)) : cells_of_row(piece) * sizeof(T);
  }
  /// Bytes of a chunk for this rank (`all`: and for those below it) and for each child.
  struct Share {
    std::size_t all = 0;
    std::vector<std::size_t> below;
  };
  Share share(Place const& place, Chunk const& chunk) const {
    Share share{0, std::vector<std::size_t>(place.children.size())};
    chunks_.for_each_piece(chunk, [&](int tile, Box const& piece) {
      int const to = way(place, tile);
      if (to < 0) return;
      std::size_t const bytes = static_cast<std::size_t>(piece.hi.j - piece.lo.j) * bytes_of_row(piece);
      share.all += bytes;
      if (to > 0) share.below[static_cast<std::size_t>(to) - 1] += bytes;
    });
    return share;
  }
  /// Calls f(way, tile, piece, j, bytes of the row) for each row of a tile that this rank owns or hands on.
  template <class F>
  void for_each_row(Place const& place, Chunk const& chunk, F const& f) const {
    chunks_.for_each_piece(chunk, [&](int tile, Box const& piece) {
      int const to = way(place, tile);
      if (to < 0) return;
      auto const bytes = bytes_of_row(piece);
      for (Count j = piece.lo.j; j < piece.hi.j; ++j) f(to, tile, piece, j, bytes);
    });
  }
  /// A row of a piece of one of this rank's tiles.
  core::RowPiece row_piece(int tile, Box const& piece, Count j) const {
    Box const box = layout_.grid().tile_box(tile);
    return {layout_.slot(tile), static_cast<int>(piece.lo.k - box.lo.k), static_cast<int>(j - box.lo.j),
            static_cast<int>(piece.lo.i - box.lo.i), static_cast<int>(piece.hi.i - piece.lo.i)};
  }
  /// The reader's or writer's offset of a row of a tile among the rows of the region that it holds.
  Count offset(Chunk const& chunk, Box const& piece, Count j) const {
    return chunks_.offset(chunk, {piece.lo.i, j, piece.lo.k}) + (chunk.lo - region_.lo.i);
  }

 private:
  int way(Place const& place, int tile) const { return place.ways[layout_.owner(tile)]; }
};

}  // namespace tessera::io::detail
