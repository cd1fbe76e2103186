// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/bits.hpp"
#include "ca/parts/kernels.hpp"
#include "core/grid/field.hpp"

#include <atomic>

namespace tessera::ca::bits {

/// States of cells, 0 and 1, that lie in a field of words: the store of a field of bytes. Others than 1 are put as 0.
class Rows final : public core::RowStore<std::uint8_t> {
 public:
  /// To look at; to write, too. As long as nobody else asks for another view of the words.
  void open(core::Field<std::int64_t> const& field) { read_ = field.host(); }
  void open(core::Field<std::int64_t>& field) { read_ = write_ = field.host(); }
  /// Whether anything was put since they were opened.
  bool close() { return put_.exchange(false); }

  void get(core::RowPiece const& piece, std::uint8_t* cells) const override {
    Word const* const row = words(read_.row(piece.slot, piece.k, piece.j));
    Ends const ends(piece);
    for (int i = piece.i; i < ends.whole; ++i) *cells++ = row[i / 64] >> i % 64 & 1;
    if (ends.whole < ends.last) parts::kernels().unpack_row(row + ends.whole / 64, ends.last - ends.whole, cells, true);
  }

  void put(core::RowPiece const& piece, std::uint8_t const* cells) override {
    if (!put_.load(std::memory_order_relaxed)) put_.store(true, std::memory_order_relaxed);
    Word* const row = words(write_.row(piece.slot, piece.k, piece.j));
    Ends const ends(piece);
    int const rest = ends.whole < ends.last ? ends.last / 64 * 64 : ends.last;
    for (int i = piece.i; i < ends.whole; ++i) put_one(row, i, *cells++);
    if (ends.whole < rest) parts::kernels().pack_row(cells, 1, rest - ends.whole, row + ends.whole / 64);
    for (int i = rest; i < ends.last; ++i) put_one(row, i, cells[i - ends.whole]);
  }

 private:
  /// The first cell of a piece that begins a word, or its end; its end.
  struct Ends {
    int whole, last;
    explicit Ends(core::RowPiece const& piece) : last(piece.i + piece.n) {
      int const begin = (piece.i + 63) / 64 * 64;
      whole = begin < last ? begin : last;
    }
  };
  static void put_one(Word* row, int i, std::uint8_t state) {
    Word const bit = Word{1} << i % 64;
    row[i / 64] = select(bit, all_or_none(state == 1), row[i / 64]);
  }

  core::FieldView<std::int64_t const> read_;
  core::FieldView<std::int64_t> write_;
  std::atomic<bool> put_ = false;
};

}  // namespace tessera::ca::bits
