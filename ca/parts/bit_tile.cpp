// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/bit_tile.hpp"

#include "ca/parts/kernels.hpp"

namespace tessera::ca::parts {

void pack(core::FieldView<std::uint8_t const> const& field, core::TileInfo const& info, int slot, std::uint8_t wanted,
          BitTile& tile) {
  tile.shape(info.ni, info.nj * info.nk, 0);
  // cells lie in whole lines of 64 bytes, so the last block may be read to its end
  for (int r = 0; r < tile.nj; ++r)
    kernels().pack_row(field.row(slot, r / info.nj, r % info.nj), wanted, tile.ni, tile.row(r));
}

void pack_with_ring(core::FieldView<std::uint8_t const> const& field, core::TileInfo const& info, int slot,
                    AtSide const& outside, std::uint8_t wanted, BitTile& tile) {
  tile.shape(info.ni, info.nj, 1);
  for (int r = outside.bottom ? 1 : 0; r < tile.rows() - (outside.top ? 1 : 0); ++r) {
    std::uint8_t const* const cells = field.row(slot, 0, r - 1);
    Word* const row = tile.row(r);
    kernels().pack_row(cells, wanted, tile.ni, row);
    // cell i is bit i + 1
    for (int w = tile.words - 1; w > 0; --w) row[w] = row[w] << 1 | row[w - 1] >> 63;
    row[0] <<= 1;
    if (!outside.left && cells[-1] == wanted) tile.set(r, 0, true);
    if (!outside.right && cells[tile.ni] == wanted) tile.set(r, tile.ni + 1, true);
  }
}

void unpack(BitTile const& tile, core::TileInfo const& info, core::FieldView<std::uint8_t> const& field, int slot) {
  for (int r = 0; r < tile.nj; ++r)
    kernels().unpack_row(tile.row(r), tile.ni, field.row(slot, r / info.nj, r % info.nj), false);
}

void drop_ring(BitTile const& tile, BitTile& out) {
  out.shape(tile.ni, tile.nj, 0);
  for (int r = 0; r < out.nj; ++r) {
    Line const row = tile.line(r + 1);
    for (int w = 0; w < out.words; ++w) out.row(r)[w] = row.right(w) & out.valid(w);
  }
}

std::int64_t count(BitTile const& tile) {
  std::int64_t n = 0;
  for (Word w : tile.bits) n += std::popcount(w);
  return n;
}

}  // namespace tessera::ca::parts
