// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/engine/bits.hpp"
#include "ca/parts/kernels.hpp"
#include "core/grid/field.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace tessera::ca::bits {

/// States of cells that lie in fields of words, one a bit plane: the store of a field of bytes.
class Rows final : public core::RowStore<std::uint8_t> {
 public:
  using Field = core::Field<std::int64_t>;
  /// States 0 .. states - 1; others are put as 0.
  explicit Rows(int states) : states_(static_cast<std::uint8_t>(states)) {}
  /// To look at; to write, too. As long as nobody else asks for another view of the words.
  void open(std::vector<Field> const& planes) {
    read_.clear();
    for (auto const& plane : planes) read_.push_back(plane.host());
  }
  void open(std::vector<Field>& planes) {
    read_.clear();
    write_.clear();
    for (auto& plane : planes) {
      write_.push_back(plane.host());
      read_.push_back(write_.back());
    }
  }
  /// Whether anything was put since they were opened.
  bool close() { return put_.exchange(false); }

  void get(core::RowPiece const& piece, std::uint8_t* cells) const override {
    get_bits(piece, 0, cells);
    for_blocks(piece, [&](core::RowPiece const& block, int from) {
      std::uint8_t bits[block_cells];
      for (std::size_t p = 1; p < read_.size(); ++p) {
        get_bits(block, p, bits);
        for (int n = 0; n < block.n; ++n) cells[from + n] = static_cast<std::uint8_t>(cells[from + n] | bits[n] << p);
      }
    });
  }

  void put(core::RowPiece const& piece, std::uint8_t const* cells) override {
    if (!put_.load(std::memory_order_relaxed)) put_.store(true, std::memory_order_relaxed);
    if (write_.size() == 1) return put_bits(piece, 0, cells);
    for_blocks(piece, [&](core::RowPiece const& block, int from) {
      std::uint8_t bits[block_cells];
      for (std::size_t p = 0; p < write_.size(); ++p) {
        for (int n = 0; n < block.n; ++n) {
          std::uint8_t const state = cells[from + n];
          bits[n] = static_cast<std::uint8_t>((state < states_ ? state : 0) >> p & 1);
        }
        put_bits(block, p, bits);
      }
    });
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
  static constexpr int block_cells = 4096;
  /// f(block, from) for parts of a piece that end where words do, where there is more than one plane.
  template <class F>
  void for_blocks(core::RowPiece const& piece, F const& f) const {
    if (read_.size() == 1) return;
    for (int i = piece.i, end = piece.i + piece.n, last; i < end; i = last) {
      last = std::min(end, (i / block_cells + 1) * block_cells);
      f({piece.slot, piece.k, piece.j, i, last - i}, i - piece.i);
    }
  }

  /// Bit p of cells as a byte of 0 or 1.
  void get_bits(core::RowPiece const& piece, std::size_t p, std::uint8_t* cells) const {
    Word const* const row = words(read_[p].row(piece.slot, piece.k, piece.j));
    Ends const ends(piece);
    for (int i = piece.i; i < ends.whole; ++i) *cells++ = row[i / 64] >> i % 64 & 1;
    if (ends.whole < ends.last) parts::kernels().unpack_row(row + ends.whole / 64, ends.last - ends.whole, cells, true);
  }
  /// Of bytes that are 1, or not.
  void put_bits(core::RowPiece const& piece, std::size_t p, std::uint8_t const* cells) const {
    Word* const row = words(write_[p].row(piece.slot, piece.k, piece.j));
    Ends const ends(piece);
    int const rest = ends.whole < ends.last ? ends.last / 64 * 64 : ends.last;
    for (int i = piece.i; i < ends.whole; ++i) put_one(row, i, *cells++);
    if (ends.whole < rest) parts::kernels().pack_row(cells, 1, rest - ends.whole, row + ends.whole / 64);
    for (int i = rest; i < ends.last; ++i) put_one(row, i, cells[i - ends.whole]);
  }
  static void put_one(Word* row, int i, std::uint8_t state) {
    Word const bit = Word{1} << i % 64;
    row[i / 64] = select(bit, all_or_none(state == 1), row[i / 64]);
  }

  std::uint8_t states_;
  std::vector<core::FieldView<std::int64_t const>> read_;
  std::vector<core::FieldView<std::int64_t>> write_;
  std::atomic<bool> put_ = false;
};

}  // namespace tessera::ca::bits
