// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "io/insitu/insitu.h"

#include <array>
#include <map>
#include <span>
#include <vector>

namespace tessera::io::insitu {

/// A field to hand over. One that may be written gets its halo exchanged first; of a const one the halo is hidden.
struct Shown {
  Shown(core::FieldBase& field) : field(&field), writable(&field) {}
  Shown(core::FieldBase const& field) : field(&field) {}
  core::FieldBase const* field;
  core::FieldBase* writable = nullptr;
};

/// What a channel's C structs point to.
class Channel {
 public:
  insitu_channel const& c() const { return channel_; }
  /// Bytes that this rank keeps for the channel beside the fields.
  std::size_t bytes() const;

 protected:
  Channel() = default;
  ~Channel() = default;
  Channel(Channel const&) = delete;
  Channel& operator=(Channel const&) = delete;
  void describe(std::span<Shown const> shown, int bit, std::array<std::vector<double>, 3> faces);
  void finish();

  std::array<std::vector<double>, 3> faces_;
  std::vector<insitu_field> fields_;
  std::vector<insitu_array> arrays_;
  std::vector<insitu_tile> tiles_;
  insitu_channel channel_{};
};

/// Channel `grid`: the rank's tiles in the fields' own memory. Nothing is copied where host and device share memory;
/// elsewhere the fields' host mirrors are brought up to date. Beside it there are the ghost bytes, one array for all tiles
/// of a shape and place (at most 27 times a tile's cells, once).
class GridChannel : public Channel {
 public:
  /// All fields live on one layout. Exchanges the halos of those that may be written. Collective.
  void fill(std::span<Shown const> shown);

 private:
  /// Cells of the block, stored cells, their first one relative to the block's, sides beyond which the grid ends, and
  /// whether the halo holds the neighbours' values.
  using Pattern = std::array<core::Count, 16>;
  unsigned char const* ghosts(Pattern const& pattern);
  std::map<Pattern, std::vector<unsigned char>> ghosts_;
};

/// Channel `preview`: means over blocks of b x b x b cells, b the smallest with at most 512 x 512 blocks in all, weighted
/// by volume, as one tile of doubles on rank 0. Cost: one pass over the fields, 16 B a block and rank, one reduction.
class PreviewChannel : public Channel {
 public:
  static constexpr core::Count most = 512 * 512;
  static core::Count block(core::Grid::Shape const& cells);
  /// Collective.
  void fill(std::span<Shown const> shown);

 private:
  std::vector<std::vector<double>> values_;
};

}  // namespace tessera::io::insitu
