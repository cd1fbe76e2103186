// SPDX-License-Identifier: Apache-2.0
#include "core/grid/migrate.hpp"

#include "core/error.hpp"
#include "core/grid/rows.hpp"
#include "core/times.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace tessera::core {
namespace {

/// What an old and a new tile have in common.
struct Block {
  int old_tile, new_tile;
  Box box;
};

/// Blocks that go to or come from one rank, cut into pieces.
using Pieces = std::vector<std::vector<Block>>;

template <class T>
std::size_t bytes_of(Block const& block) {
  return static_cast<std::size_t>(block.box.cells()) * sizeof(T);
}

template <class T>
std::size_t bytes_of(std::vector<Block> const& piece) {
  return std::accumulate(piece.begin(), piece.end(), std::size_t{0},
                         [](std::size_t sum, Block const& block) { return sum + bytes_of<T>(block); });
}

template <class T>
void add(Pieces& pieces, Block const& block, std::size_t limit, std::size_t& filled) {
  if (pieces.empty() || filled >= limit) {
    pieces.emplace_back();
    filled = 0;
  }
  pieces.back().push_back(block);
  filled += bytes_of<T>(block);
}

/// Calls f(block) for all of them, by old tile, then by new tile.
template <class F>
void for_blocks(Grid const& before, Grid const& after, F const& f) {
  for (int tile = 0; tile < before.tiles(); ++tile) {
    Box const box = before.tile_box(tile);
    Index const first = after.tile_position(after.tile_of(box.lo));
    Index const last = after.tile_position(after.tile_of({box.hi.i - 1, box.hi.j - 1, box.hi.k - 1}));
    for (Count k = first.k; k <= last.k; ++k)
      for (Count j = first.j; j <= last.j; ++j)
        for (Count i = first.i; i <= last.i; ++i) {
          int const there = after.tile_number({i, j, k});
          f(Block{tile, there, intersect(box, after.tile_box(there))});
        }
  }
}

/// Calls f(piece) for the rows of a box, which lies in a tile.
template <class F>
void for_rows(Layout const& layout, int tile, Box const& box, F const& f) {
  int const slot = layout.slot(tile);
  Box const own = layout.grid().tile_box(tile);
  for (Count k = box.lo.k; k < box.hi.k; ++k)
    for (Count j = box.lo.j; j < box.hi.j; ++j)
      f(RowPiece{slot, static_cast<int>(k - own.lo.k), static_cast<int>(j - own.lo.j),
                 static_cast<int>(box.lo.i - own.lo.i), static_cast<int>(box.hi.i - box.lo.i)});
}

template <class T>
int move(Field<T> const& from, Field<T>& to, std::size_t limit) {
  Layout const &before = from.layout(), &after = to.layout();
  Comm const& comm = before.comm();
  RowReader source(from);
  RowWriter target(to);
  std::map<int, Pieces> out, in;
  std::map<int, std::size_t> filled_out, filled_in;
  int moved = 0;
  for_blocks(before.grid(), after.grid(), [&](Block const& block) {
    int const was = before.owner(block.old_tile), is = after.owner(block.new_tile);
    moved += was != is;
    if (was == is && is == comm.rank()) {
      Index const old_origin = before.grid().tile_box(block.old_tile).lo;
      Index const by = after.grid().tile_box(block.new_tile).lo - old_origin;
      int const slot = before.slot(block.old_tile);
      for_rows(after, block.new_tile, block.box, [&](RowPiece const& piece) {
        T const* const row = source({slot, static_cast<int>(piece.k + by.k), static_cast<int>(piece.j + by.j),
                                     static_cast<int>(piece.i + by.i), piece.n});
        target(piece, [&](T* cells) { std::copy_n(row, piece.n, cells); });
      });
    } else if (was == comm.rank()) {
      add<T>(out[is], block, limit, filled_out[is]);
    } else if (is == comm.rank()) {
      add<T>(in[was], block, limit, filled_in[was]);
    }
  });
  constexpr Tag tag = Tag::migrate;
  std::map<int, Bytes> outgoing, incoming;
  for (std::size_t round = 0;; ++round) {
    Requests requests;
    for (auto const& [rank, pieces] : in) {
      if (round >= pieces.size()) continue;
      incoming[rank].resize(bytes_of<T>(pieces[round]));
      comm.start_receive(rank, incoming[rank], tag, requests);
    }
    for (auto const& [rank, pieces] : out) {
      if (round >= pieces.size()) continue;
      Bytes& data = outgoing[rank];
      data.clear();
      data.reserve(bytes_of<T>(pieces[round]));
      for (Block const& block : pieces[round])
        for_rows(before, block.old_tile, block.box, [&](RowPiece const& piece) {
          append(data, std::span(source(piece), static_cast<std::size_t>(piece.n)));
        });
      comm.start_send(rank, data, tag, requests);
    }
    if (requests.empty()) break;
    Comm::wait_all(requests);
    for (auto const& [rank, pieces] : in) {
      if (round >= pieces.size()) continue;
      ByteReader reader(incoming[rank]);
      for (Block const& block : pieces[round])
        for_rows(after, block.new_tile, block.box, [&](RowPiece const& piece) {
          target(piece, [&](T* cells) { reader.take(std::span(cells, static_cast<std::size_t>(piece.n))); });
        });
    }
  }
  return moved;
}

}  // namespace

int migrate(FieldBase const& from, FieldBase& to, std::size_t piece) {
  Grid const &before = from.layout().grid(), &after = to.layout().grid();
  expect(before.cells() == after.cells() && from.element() == to.element(),
         "fields that migrate have one grid and element type");
  Timed const timed(Part::rebalance);
  return visit(from, [&]<class T>(Field<T> const& f) { return move(f, static_cast<Field<T>&>(to), piece); });
}

}  // namespace tessera::core
