// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/labels.hpp"

#include "ca/parts/kernels.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"

#include <fmt/format.h>
#include <limits>

namespace tessera::ca {

namespace components {

template <class Label>
void write_labels(BitTile const& bits, TileComponents const& tile, std::vector<Label> const& value,
                  core::FieldView<Label> const& labels, int slot) {
  static thread_local std::vector<Label> scratch;
  scratch.resize(static_cast<std::size_t>(bits.words) * 32 + 64);
  for (int r = 0; r < bits.nj; ++r) {
    Word const* const starts = tile.runs.starts.data() + tile.runs.word(r, 0);
    Id const* const of = tile.of.data() + tile.runs.begin_of_row(r);
    if constexpr (sizeof(Label) == 4)
      kernels().write_row_32(bits.row(r), starts, bits.ni, of, value.data(), scratch.data(), labels.row(slot, 0, r));
    else
      kernels().write_row_64(bits.row(r), starts, bits.ni, of, value.data(), scratch.data(), labels.row(slot, 0, r));
  }
}

template void write_labels(BitTile const&, TileComponents const&, std::vector<std::int32_t> const&,
                           core::FieldView<std::int32_t> const&, int);
template void write_labels(BitTile const&, TileComponents const&, std::vector<std::int64_t> const&,
                           core::FieldView<std::int64_t> const&, int);

}  // namespace components

Labeller::Labeller(core::Layout const& layout) : layout_(layout), seams_(layout) {
  if (!layout.grid().thin(2)) throw core::Error("clusters are labelled on 2-D grids, expected one cell along z");
  auto const tiles = static_cast<std::size_t>(layout.tiles());
  bits_.resize(tiles);
  tiles_.resize(tiles);
  seam_tiles_.resize(tiles);
}

template <class Label>
std::int64_t Labeller::run(core::Field<std::uint8_t> const& mask, std::uint8_t wanted, int neighbours,
                           core::Field<Label>& labels) {
  core::Grid const& grid = layout_.grid();
  core::expect(neighbours == 4 || neighbours == 8, "clusters have 4 or 8 neighbours");
  core::expect(&labels.layout() == &layout_, "the labels lie on another layout than the labeller");
  if (grid.total() > std::numeric_limits<Label>::max())
    throw core::Error(fmt::format("labels of {} cells do not fit into {} bits", grid.total(), 8 * sizeof(Label)));
  core::Timed const timed(core::Part::compute);

  auto const cells = mask.host();
  core::for_each_tile_on_host("runs", layout_, [&](int slot) {
    auto const q = static_cast<std::size_t>(slot);
    core::TileInfo const& info = layout_.info(slot);
    components::pack(cells, info, slot, wanted, bits_[q]);
    components::find_components(bits_[q], neighbours == 8, components::Measure::first, tiles_[q]);
    components::list_borders(bits_[q], info, grid, tiles_[q], seam_tiles_[q]);
  });
  seams_.join(seam_tiles_, neighbours == 8 ? components::Meet::beside_8 : components::Meet::beside_4);

  auto const out = labels.host();
  core::for_each_tile_on_host("labels", layout_, [&](int slot) {
    static thread_local std::vector<Label> value;
    auto const q = static_cast<std::size_t>(slot);
    components::first_cells(tiles_[q], layout_.info(slot), grid, seams_, slot, value);
    components::write_labels(bits_[q], tiles_[q], value, out, slot);
  });
  return components::count_components(tiles_, seams_, layout_.comm());
}

template std::int64_t Labeller::run(core::Field<std::uint8_t> const&, std::uint8_t, int, core::Field<std::int32_t>&);
template std::int64_t Labeller::run(core::Field<std::uint8_t> const&, std::uint8_t, int, core::Field<std::int64_t>&);

}  // namespace tessera::ca
