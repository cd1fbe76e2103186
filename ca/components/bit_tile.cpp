// SPDX-License-Identifier: Apache-2.0
#include "ca/components/bit_tile.hpp"

#include "ca/components/kernels.hpp"

namespace tessera::ca::components {

void pack(core::FieldView<std::uint8_t const> const& field, core::TileInfo const& info, int slot, AtSide const& outside,
          std::uint8_t wanted, BitTile& tile) {
  tile.shape(info.ni, info.nj);
  for (int r = outside.bottom ? 1 : 0; r < tile.rows() - (outside.top ? 1 : 0); ++r) {
    // cells lie in whole lines of 64 bytes, so the last block may be read to its end
    std::uint8_t const* const cells = field.row(slot, 0, r - 1);
    kernels().pack_row(cells, wanted, r, tile);
    if (!outside.left && cells[-1] == wanted) tile.set(r, 0, true);
    if (!outside.right && cells[tile.ni] == wanted) tile.set(r, tile.ni + 1, true);
  }
}

}  // namespace tessera::ca::components
