// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fields row by row, wherever their values lie: in memory, or with a store (RowStore), which then gives and takes a row, or a piece
// of it, at a time. Nobody holds more of the store's values than that.
#include "core/grid/field.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace tessera::core {

/// Rows to look at, one after the other, on the host. Each thread has its own.
template <class T>
class RowReader {
 public:
  explicit RowReader(Field<T> const& field) : layout_(field.layout()), store_(field.store()) {
    if (store_ == nullptr) view_ = field.host();
  }
  /// The first cell of a piece, valid until another one is asked for.
  T const* operator()(RowPiece const& piece) {
    if (store_ == nullptr) return view_.row(piece.slot, piece.k, piece.j) + piece.i;
    if (piece == last_) return cells_.data();
    last_ = piece;
    cells_.resize(static_cast<std::size_t>(piece.n));
    store_->get(piece, cells_.data());
    return cells_.data();
  }
  /// The first own cell of a whole row.
  T const* row(int slot, int k, int j) { return (*this)({slot, k, j, 0, layout_.info(slot).ni}); }

 private:
  Layout const& layout_;
  RowStore<T> const* store_;
  FieldView<T const> view_;
  RowPiece last_{-1, 0, 0, 0, 0};
  std::vector<T> cells_;
};

/// Rows to set, one after the other, on the host. Each thread has its own.
template <class T>
class RowWriter {
 public:
  explicit RowWriter(Field<T>& field) : store_(field.store()) {
    if (store_ == nullptr) view_ = field.host();
  }
  /// f(cells) writes all piece.n cells.
  template <class F>
  void operator()(RowPiece const& piece, F const& f) {
    if (store_ == nullptr) return f(view_.row(piece.slot, piece.k, piece.j) + piece.i);
    cells_.resize(static_cast<std::size_t>(piece.n));
    f(cells_.data());
    store_->put(piece, cells_.data());
  }

 private:
  RowStore<T>* store_;
  FieldView<T> view_;
  std::vector<T> cells_;
};

namespace detail {

/// Cells of a row that are copied from a store at once: they stay in the first cache.
inline constexpr int most_at_once = 4096;

/// Calls f(piece) for pieces of the rows of a tile in a box, of at most most_at_once cells.
template <class F>
void for_pieces(Layout const& layout, int slot, Box const& box, F const& f) {
  TileInfo const& tile = layout.info(slot);
  Box const part = intersect(shifted(box, {-tile.i0, -tile.j0, -tile.k0}), {{0, 0, 0}, {tile.ni, tile.nj, tile.nk}});
  for (int k = static_cast<int>(part.lo.k); k < part.hi.k; ++k)
    for (int j = static_cast<int>(part.lo.j); j < part.hi.j; ++j)
      for (int i = static_cast<int>(part.lo.i), last; i < part.hi.i; i = last) {
        // pieces end where words do
        last = static_cast<int>(std::min<Count>(part.hi.i, (i / most_at_once + 1) * most_at_once));
        f(RowPiece{slot, k, j, i, last - i});
      }
}

/// The cells of a piece as a kernel finds them that takes a view of the field.
template <class T>
FieldView<T> view_of(RowPiece const& piece, T* cells) {
  return {cells - piece.i, 0, 0, 0};
}

}  // namespace detail

/// Calls f(first, cells) for pieces of the rows of a box, on the host, by several threads: it writes all cells of the piece that begins at
/// the grid's cell `first`.
template <class T, class F>
void set_rows(char const* label, Field<T>& field, Box const& box, F const& f) {
  Layout const& layout = field.layout();
  RowStore<T>* const store = field.store();
  FieldView<T> const view = store == nullptr ? field.host() : FieldView<T>{};
  for_each_tile_on_host(label, layout, [&](int slot) {
    T cells[detail::most_at_once];
    detail::for_pieces(layout, slot, box, [&](RowPiece const& piece) {
      T* const at = store != nullptr ? cells : view.row(piece.slot, piece.k, piece.j) + piece.i;
      f(layout.info(slot).global(piece.k, piece.j, piece.i), std::span(at, static_cast<std::size_t>(piece.n)));
      if (store != nullptr) store->put(piece, cells);
    });
  });
}

/// for_each with the kernel make(view, info), `info` being that of the tiles by slot. Where the values lie with a store, it sees and
/// changes the cells of `box` alone, others must stay as they are; it reads no neighbours.
template <class T, class Make>
void for_each(char const* label, Field<T>& field, Box const& box, Make const& make) {
  Layout const& layout = field.layout();
  RowStore<T>* const store = field.store();
  if (store == nullptr) return for_each(label, layout.all(), make(field.view(), layout.all().info.data()));
  for_each_tile_on_host(label, layout, [&](int slot) {
    T cells[detail::most_at_once];
    detail::for_pieces(layout, slot, box, [&](RowPiece const& piece) {
      store->get(piece, cells);
      auto const kernel = make(detail::view_of(piece, cells), &layout.info(0));
      for (int i = piece.i; i < piece.i + piece.n; ++i) kernel(slot, piece.k, piece.j, i);
      store->put(piece, cells);
    });
  });
}

/// count with the kernel make(view, info), as in for_each. Collective.
template <class T, class Make>
std::int64_t count(char const* label, Field<T> const& field, Make const& make) {
  Layout const& layout = field.layout();
  RowStore<T> const* const store = field.store();
  if (store == nullptr) return count(label, layout, make(field.view(), layout.all().info.data()));
  std::vector<std::uint64_t> totals(static_cast<std::size_t>(layout.tiles()));
  for_each_tile_on_host(label, layout, [&](int slot) {
    T cells[detail::most_at_once];
    std::uint64_t total = 0;
    detail::for_pieces(layout, slot, layout.grid().box(), [&](RowPiece const& piece) {
      store->get(piece, cells);
      auto const kernel = make(detail::view_of<T const>(piece, cells), &layout.info(0));
      for (int i = piece.i; i < piece.i + piece.n; ++i)
        total += static_cast<std::uint64_t>(kernel(slot, piece.k, piece.j, i));
    });
    totals[static_cast<std::size_t>(slot)] = total;
  });
  std::uint64_t total = 0;
  for (auto const tile : totals) total += tile;
  return layout.comm().sum(static_cast<std::int64_t>(total));
}

}  // namespace tessera::core
