// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/plane/blocks.hpp"
#include "core/grid/sweep.hpp"

namespace tessera::ca {

/// The runs of a Percolator and what they keep. Stages follow each other; each goes over all tiles, then joins what it
/// found over the tiles.
class Percolator::Work {
 public:
  explicit Work(core::Layout const& layout);
  PercolationResult& run(core::Field<std::uint8_t>& occupied, PercolationOptions const& options);

 private:
  using BitTile = parts::BitTile;
  template <class F>
  void for_each_tile(char const* label, F const& f) {
    core::for_each_tile_on_host(label, layout_, [&](int slot) { f(slot, static_cast<std::size_t>(slot)); });
  }
  percolation::Place place(int slot, int ring) const {
    return percolation::Place(grid_, layout_.info(slot), direction_, ring);
  }
  std::int64_t sum(std::vector<std::int64_t> const& by_tile) const;
  /// The flags of the whole cluster of each part of a tile, over all ranks.
  void whole_flags(int slot, std::vector<std::uint8_t>& flags) const;

  void check_frame(core::FieldView<std::uint8_t const> const& cells) const;
  void prepare_fields(PercolationOptions const& options);
  void clear_masks();
  bool wants_clusters(PercolationOptions const& options) const;

  void find_clusters(core::FieldView<std::uint8_t const> const& cells, PercolationOptions const& options);
  void write_clusters(PercolationOptions const& options);
  void find_faces(core::FieldView<std::uint8_t const> const& cells);
  void find_nodes(PercolationOptions const& options);
  void find_backbone(PercolationOptions const& options);

  core::Layout const& layout_;
  core::Grid const& grid_;
  core::Halo halo_;
  Direction direction_ = Direction::y;
  PercolationResult result_;

  parts::Joins joins_;
  std::vector<parts::TileParts> tiles_;  ///< of black clusters without bars; then of white ones, with ring
  std::vector<parts::Strips> strips_;    ///< of the white ones, then of the nodes
  std::vector<BitTile> spanning_;        ///< cells of clusters that touch both bars; no ring
  std::vector<BitTile> black_, pruned_;  ///< with ring; bars and what is outside the grid are black
  std::vector<percolation::Edges> edges_;
  std::vector<percolation::Nodes> nodes_;
};

}  // namespace tessera::ca
