// SPDX-License-Identifier: Apache-2.0
#include "ca/labels.hpp"

#include "core/sweep.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tessera::ca {

namespace components {

namespace {

/// For each byte of starts: the number of starts in bits 0 .. x.
struct StartCounts {
  alignas(64) std::uint8_t of[256][8] = {};
  constexpr StartCounts() {
    for (int byte = 0; byte < 256; ++byte)
      for (int x = 0, n = 0; x < 8; ++x) of[byte][x] = static_cast<std::uint8_t>(n += byte >> x & 1);
  }
};
constexpr StartCounts counts;

}  // namespace

template <class Label>
void write_labels(BitTile const& bits, TileComponents const& tile, std::vector<Label> const& value,
                  core::FieldView<Label> const& labels, int slot) {
  static thread_local std::vector<Label> of_run;
  for (int r = 1; r <= bits.nj; ++r) {
    Id const begin = tile.runs.begin_of_row(r), end = tile.runs.end_of_row(r);
    of_run.resize(end - begin + 1);
    for (Id run = begin; run < end; ++run) of_run[run - begin + 1] = value[tile.of[run]];

    // runs are counted on, eight cells at a time; bit x of word w is cell 64 w + x - 1
    Label* const out = labels.row(slot, 0, r - 1) - 1;
    Word const* const row = bits.row(r);
    Word const* const starts = tile.runs.starts.data() + tile.runs.word(r, 0);
    Label const* at = of_run.data();
    for (int w = 0; w < bits.words; ++w) {
      Word const own = bits.own(w);
      for (int q = 0; q < 64; q += 8) {
        unsigned const c = row[w] >> q & 0xff, s = starts[w] >> q & 0xff;
        std::uint8_t const* const count = counts.of[s];
        Label* const to = out + 64 * w + q;
        Label chunk[8];
        for (int x = 0; x < 8; ++x) chunk[x] = at[count[x]] & -static_cast<Label>(c >> x & 1);
        if ((own >> q & 0xff) == 0xff)
          std::copy_n(chunk, 8, to);
        else
          for (int x = 0; x < 8; ++x)
            if (own >> (q + x) & 1) to[x] = chunk[x];
        at += count[7];
      }
    }
  }
}

template void write_labels(BitTile const&, TileComponents const&, std::vector<std::int32_t> const&,
                           core::FieldView<std::int32_t> const&, int);
template void write_labels(BitTile const&, TileComponents const&, std::vector<std::int64_t> const&,
                           core::FieldView<std::int64_t> const&, int);

}  // namespace components

Labeller::Labeller(core::Layout const& layout) : layout_(layout), halo_(layout), seams_(layout) {
  if (!layout.grid().thin(2)) throw core::Error("clusters are labelled on 2-D grids, expected one cell along z");
  auto const tiles = static_cast<std::size_t>(layout.tiles());
  bits_.resize(tiles);
  tiles_.resize(tiles);
  seam_tiles_.resize(tiles);
}

template <class Label>
std::int64_t Labeller::run(core::Field<std::uint8_t>& mask, std::uint8_t wanted, int neighbours,
                           core::Field<Label>& labels) {
  core::Grid const& grid = layout_.grid();
  core::expect(neighbours == 4 || neighbours == 8, "clusters have 4 or 8 neighbours");
  core::expect(&labels.layout() == &layout_, "the labels lie on another layout than the labeller");
  if (grid.total() > std::numeric_limits<Label>::max())
    throw core::Error(fmt::format("labels of {} cells do not fit into {} bits", grid.total(), 8 * sizeof(Label)));
  core::Timed const timed(core::Part::compute);
  halo_.exchange(mask);

  auto const cells = std::as_const(mask).host();
  core::for_each_tile_on_host("runs", layout_, [&](int slot) {
    auto const q = static_cast<std::size_t>(slot);
    core::TileInfo const& info = layout_.info(slot);
    components::pack(cells, info, slot, components::AtSide(grid, info), wanted, bits_[q]);
    components::find_components(bits_[q], neighbours == 8, components::Measure::first, info, grid, tiles_[q]);
    components::list_borders(bits_[q], tiles_[q], seam_tiles_[q]);
  });
  seams_.join(seam_tiles_);

  auto const out = labels.host();
  core::for_each_tile_on_host("labels", layout_, [&](int slot) {
    auto const q = static_cast<std::size_t>(slot);
    auto const& tile = tiles_[q];
    std::vector<Label> value(tile.count());
    for (components::Id c = 0; c < tile.count(); ++c)
      value[c] = static_cast<Label>(tile.border[c] == 0 ? tile.record[c].first
                                                        : seams_.record(seams_.root(slot, tile.border[c] - 1)).first);
    components::write_labels(bits_[q], tile, value, out, slot);
  });
  return components::count_components(tiles_, seams_, layout_.comm());
}

template std::int64_t Labeller::run(core::Field<std::uint8_t>&, std::uint8_t, int, core::Field<std::int32_t>&);
template std::int64_t Labeller::run(core::Field<std::uint8_t>&, std::uint8_t, int, core::Field<std::int64_t>&);

}  // namespace tessera::ca
