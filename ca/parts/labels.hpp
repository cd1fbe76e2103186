// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/tile_components.hpp"
#include "core/grid/field.hpp"

#include <cstdint>
#include <vector>

namespace tessera::ca {

/// Labels connected components ("clusters") of a 2-D field.
///
/// The label of a cell with mask == wanted is 1 + the smallest cell number (raster order in the grid) of its cluster;
/// all other cells get 0. So labels depend on the mask alone: not on ranks, tiles or owners. Periodic axes are not
/// joined. Halos are neither read nor written.
///
/// Method: rows of a tile as bits, runs joined by union-find in one pass (ca/parts/tile_components.cpp), components
/// at tile edges joined over tiles and ranks (ca/parts/seams.hpp), labels written in a second pass.
/// Cost: about 1.5 ns a cell near the percolation threshold with wide vectors (ca/parts/kernels.hpp), 2.7 ns
/// without. Memory besides the fields: about 1.6 B a cell near the threshold, at most about 7 B (a checkerboard, where
/// half the cells are clusters). Buffers are kept for the next call.
/// Sources: Wu, Otoo & Suzuki 2009, Pattern Anal. Appl. 12:117 (runs); Patwary, Blair & Manne 2010, SEA (Rem's union).
class Labeller {
 public:
  /// Throws core::Error unless the grid is 2-D.
  explicit Labeller(core::Layout const& layout);

  /// `neighbours` is 4 (cells sharing a face) or 8 (corners too). Returns the number of clusters in the grid.
  /// Collective.
  /// Throws core::Error if a label of this grid does not fit into Label (int32: 2^31 - 1 cells at most).
  template <class Label>
  std::int64_t run(core::Field<std::uint8_t> const& mask, std::uint8_t wanted, int neighbours,
                   core::Field<Label>& labels);

 private:
  core::Layout const& layout_;
  std::vector<components::BitTile> bits_;
  std::vector<components::TileComponents> tiles_;
  std::vector<components::SeamTile> seam_tiles_;
  components::Seams seams_;
};

/// One labelling without keeping buffers.
template <class Label>
std::int64_t label_clusters(core::Field<std::uint8_t> const& mask, std::uint8_t wanted, int neighbours,
                            core::Field<Label>& labels) {
  return Labeller(labels.layout()).run(mask, wanted, neighbours, labels);
}

namespace components {
/// Writes the labels of a tile's own cells: value[component] on set bits, 0 elsewhere.
template <class Label>
void write_labels(BitTile const& bits, TileComponents const& tile, std::vector<Label> const& value,
                  core::FieldView<Label> const& labels, int slot);
}  // namespace components

}  // namespace tessera::ca
