// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tessera::ca::parts {

using Word = std::uint64_t;

/// Bits 0 .. x mod 64.
inline Word through(int x) { return (Word{2} << (x & 63)) - 1; }
/// All bits up to and with the lowest set one.
inline Word through_lowest(Word w) { return w ^ (w - 1); }
/// a + b + carry; carry becomes the bit that does not fit.
inline Word add_with_carry(Word a, Word b, Word& carry) {
  Word const t = a + b, sum = t + carry;
  carry = static_cast<Word>(t < a) | static_cast<Word>(sum < t);
  return sum;
}

/// 64 bytes to 64 bits: bit x is set where byte x equals `wanted`.
inline Word pack_64(std::uint8_t const* bytes, std::uint8_t wanted) {
  constexpr Word low = 0x0101010101010101u, high = 0x8080808080808080u;
  Word result = 0;
  for (int q = 0; q < 8; ++q) {
    Word x;
    std::memcpy(&x, bytes + 8 * q, 8);
    x ^= low * wanted;
    Word const equal = ~(((x & ~high) + ~high) | x) & high;  // the top bit of each byte that is zero
    result |= ((equal >> 7) * 0x0102040810204080u >> 56) << (8 * q);
  }
  return result;
}

/// 64 bits to 64 bytes of 0 and 1; `bytes` has room for all.
inline void unpack_64(Word bits, std::uint8_t* bytes) {
  constexpr Word low = 0x0101010101010101u;
  for (int q = 0; q < 8; ++q) {
    Word const spread = (bits >> (8 * q) & 0xff) * low & 0x8040201008040201u;
    Word const x = (spread + 0x7f7f7f7f7f7f7f7fu) >> 7 & low;
    std::memcpy(bytes + 8 * q, &x, 8);
  }
}

/// A row of bits, and those beside each: bit x of left(w) is the one before it, of right(w) the one after it.
struct Line {
  Word const* bits;
  int words;
  Word operator[](int w) const { return bits[w]; }
  Word left(int w) const { return bits[w] << 1 | (w > 0 ? bits[w - 1] >> 63 : 0); }
  Word right(int w) const { return bits[w] >> 1 | (w + 1 < words ? bits[w + 1] << 63 : 0); }
};

/// The bits before those of a row, whose words are given in their order: bit x is bit x - 1 of the row.
class BitsBefore {
 public:
  Word operator()(Word word) {
    Word const result = word << 1 | last_;
    last_ = word >> 63;
    return result;
  }

 private:
  Word last_ = 0;
};

/// One bit for each cell of a 2-D tile and of `ring` cells (0 or 1) round it: bit x of row r is cell (i, j) =
/// (x - ring, r - ring) of the tile. Rows are padded with zeros to whole words.
struct BitTile {
  int ni = 0, nj = 0, ring = 0, words = 0;
  std::vector<Word> bits;

  int rows() const { return nj + 2 * ring; }
  int columns() const { return ni + 2 * ring; }
  Word* row(int r) { return bits.data() + static_cast<std::size_t>(r) * static_cast<std::size_t>(words); }
  Word const* row(int r) const { return bits.data() + static_cast<std::size_t>(r) * static_cast<std::size_t>(words); }
  Line line(int r) const { return {row(r), words}; }
  bool test(int r, int x) const { return row(r)[x >> 6] >> (x & 63) & 1; }
  void set(int r, int x, bool value) {
    Word const bit = Word{1} << (x & 63);
    Word& word = row(r)[x >> 6];
    word = value ? word | bit : word & ~bit;
  }
  /// Zeroed, for a tile of ni x nj cells.
  void shape(int columns_of_cells, int rows_of_cells, int with_ring) {
    ni = columns_of_cells;
    nj = rows_of_cells;
    ring = with_ring;
    words = (columns() + 63) / 64;
    bits.assign(static_cast<std::size_t>(words) * static_cast<std::size_t>(rows()), 0);
  }
  /// The bits of word w that are cells of the tile (without the ring), or of tile and ring.
  Word own(int w) const { return below(w, ni + ring) & ~below(w, ring); }
  Word valid(int w) const { return below(w, columns()); }

  /// Bits of word w below position `end` of the row.
  static Word below(int w, std::int64_t end) {
    std::int64_t const n = end - 64 * static_cast<std::int64_t>(w);
    return n >= 64 ? ~Word{0} : n <= 0 ? 0 : (Word{1} << n) - 1;
  }
};

/// The sides of the grid that a tile touches: its ring lies outside there.
struct AtSide {
  bool left, right, bottom, top;
  AtSide(core::Grid const& grid, core::TileInfo const& t)
      : left(t.i0 == 0),
        right(t.i0 + t.ni == grid.cells()[0]),
        bottom(t.j0 == 0),
        top(t.j0 + t.nj == grid.cells()[1]) {}
};

/// Packs `field == wanted` of a tile, without a ring: row k nj + j of the bits is row (j, k) of the tile.
/// Cost: about 0.05 ns a cell.
void pack(core::FieldView<std::uint8_t const> const& field, core::TileInfo const& info, int slot, std::uint8_t wanted,
          BitTile& tile);

/// The same with its ring; cells outside the grid are 0. The halo must be current.
void pack_with_ring(core::FieldView<std::uint8_t const> const& field, core::TileInfo const& info, int slot,
                    AtSide const& outside, std::uint8_t wanted, BitTile& tile);

/// Writes the bits of a tile without a ring as bytes 0 and 1.
/// Cost: about 0.05 ns a cell.
void unpack(BitTile const& tile, core::TileInfo const& info, core::FieldView<std::uint8_t> const& field, int slot);

/// The tile's own cells, without the ring.
void drop_ring(BitTile const& tile, BitTile& out);

/// Number of set bits.
std::int64_t count(BitTile const& tile);

}  // namespace tessera::ca::parts
