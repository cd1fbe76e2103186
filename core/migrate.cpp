// SPDX-License-Identifier: Apache-2.0
#include "core/migrate.hpp"

#include "core/error.hpp"
#include "core/times.hpp"

#include <cstring>
#include <map>

namespace tessera::core {
namespace {

/// Tiles that go to or come from one rank, cut into pieces.
using Pieces = std::vector<std::vector<int>>;

template <class T>
std::size_t bytes_of(Grid const& grid, int tile) {
  return static_cast<std::size_t>(grid.tile_box(tile).cells()) * sizeof(T);
}

template <class T>
void add(Pieces& pieces, Grid const& grid, int tile, std::size_t limit, std::size_t& filled) {
  if (pieces.empty() || filled >= limit) {
    pieces.emplace_back();
    filled = 0;
  }
  pieces.back().push_back(tile);
  filled += bytes_of<T>(grid, tile);
}

/// Calls f(row, cells) for the rows of a tile.
template <class View, class F>
void for_rows(View const& view, Layout const& layout, int tile, F const& f) {
  int const slot = layout.slot(tile);
  TileInfo const& info = layout.info(slot);
  for (int k = 0; k < info.nk; ++k)
    for (int j = 0; j < info.nj; ++j) f(view.row(slot, k, j), static_cast<std::size_t>(info.ni));
}

template <class T>
int move(Field<T> const& from, Field<T>& to, std::size_t limit) {
  Layout const &before = from.layout(), &after = to.layout();
  Grid const& grid = before.grid();
  Comm const& comm = before.comm();
  auto const source = from.host();
  auto const target = to.host();
  std::map<int, Pieces> out, in;
  std::map<int, std::size_t> filled_out, filled_in;
  int moved = 0;
  for (int tile = 0; tile < grid.tiles(); ++tile) {
    int const was = before.owner(tile), is = after.owner(tile);
    moved += was != is;
    if (was == is && is == comm.rank()) {
      std::vector<T const*> rows;
      for_rows(source, before, tile, [&](T const* row, std::size_t) { rows.push_back(row); });
      std::size_t n = 0;
      for_rows(target, after, tile, [&](T* row, std::size_t cells) { std::memcpy(row, rows[n++], cells * sizeof(T)); });
    } else if (was == comm.rank()) {
      add<T>(out[is], grid, tile, limit, filled_out[is]);
    } else if (is == comm.rank()) {
      add<T>(in[was], grid, tile, limit, filled_in[was]);
    }
  }
  constexpr int tag = 7003;
  std::map<int, Bytes> outgoing, incoming;
  for (std::size_t round = 0;; ++round) {
    std::vector<MPI_Request> requests;
    for (auto const& [rank, pieces] : in) {
      if (round >= pieces.size()) continue;
      std::size_t n = 0;
      for (int tile : pieces[round]) n += bytes_of<T>(grid, tile);
      incoming[rank].resize(n);
      comm.start_receive(rank, incoming[rank], tag, requests);
    }
    for (auto const& [rank, pieces] : out) {
      if (round >= pieces.size()) continue;
      Bytes& data = outgoing[rank];
      data.clear();
      for (int tile : pieces[round])
        for_rows(source, before, tile, [&](T const* row, std::size_t cells) { append(data, std::span(row, cells)); });
      comm.start_send(rank, data, tag, requests);
    }
    if (requests.empty()) break;
    Comm::wait_all(requests);
    for (auto const& [rank, pieces] : in) {
      if (round >= pieces.size()) continue;
      ByteReader reader(incoming[rank]);
      for (int tile : pieces[round])
        for_rows(target, after, tile, [&](T* row, std::size_t cells) { reader.take(std::span(row, cells)); });
    }
  }
  return moved;
}

}  // namespace

int migrate(FieldBase const& from, FieldBase& to, std::size_t piece) {
  Grid const &before = from.layout().grid(), &after = to.layout().grid();
  expect(before.cells() == after.cells() && before.tile() == after.tile() && from.element() == to.element(),
         "fields that migrate have one grid, tile shape and element type");
  Timed const timed(Part::rebalance);
  return visit(from, [&]<class T>(Field<T> const& f) { return move(f, static_cast<Field<T>&>(to), piece); });
}

}  // namespace tessera::core
