// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/field.hpp"
#include "io/checkpoint/block.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// A checkpoint in the ranks' memories, which the loss of some of them leaves whole, without a file system.
///
/// Ranks form groups of n = k + m; those of a group lie ranks / n apart, so that with consecutive ranks on a node a node's
/// loss takes few members of any group. A rank's block (the owned cells of its fields, tile by tile, and the state) is cut
/// into k pieces to which a Reed-Solomon code adds m; the n pieces go round the group, one to each member. So each group
/// stands the loss of any m of its members: any k of the n give all blocks.
///
/// Memory a rank: (k + m) / k of its fields between calls, about (k + m) / k more within `save`, when the checkpoint
/// before is still whole. Traffic: (n - 1) / k of the fields a rank. Ranks that were lost must be there again (started
/// anew, or a spare in their place) in the communicator that restores.
class MemoryCheckpoint {
 public:
  using Saved = checkpoint::Saved;

  /// Throws core::Error unless the number of ranks is a multiple of data + parity (each at least 1, at most 255
  /// together), and in a build without ISA-L, saying what to install. Collective.
  MemoryCheckpoint(core::Comm const& comm, int data, int parity);

  /// Saves fields of one layout on the ranks of the constructor. `state` is taken from each rank's own argument, that
  /// of the root is restored. The checkpoint before holds until this one is complete on all ranks. Collective.
  void save(std::int64_t step, double time, std::span<core::FieldBase const* const> fields, State const& state = {});

  /// Gives the saved values to the owned cells of fields with the same names, types and grid, on any layout of these
  /// ranks, whatever its tiles. Fields that were saved and are not asked for are left. Halos are left alone. Ranks whose memory was lost are
  /// those that hold nothing (`forget`, or a new object). Throws core::RunError on all ranks when a group has lost more
  /// than m members, when nothing was saved, and when the values do not have the hash they were saved with; core::Error
  /// for fields that were not saved. Collective.
  Saved restore(std::span<core::FieldBase* const> fields) const;

  /// Drops what this rank holds. Not collective.
  void forget() { held_ = {}; }
  /// Bytes held by this rank.
  std::size_t bytes() const;

 private:
  /// What a rank keeps of one checkpoint: its piece of the block of each member of its group.
  struct Held {
    std::int64_t generation = 0;  ///< 0: nothing
    std::map<int, core::Bytes> pieces;
  };
  core::Bytes rebuilt() const;

  core::Comm comm_;
  int k_, m_;
  std::vector<int> group_;  ///< ranks, in order
  int place_ = 0;           ///< of this rank in it
  std::unique_ptr<ErasureCode> code_;
  Held held_;
};

}  // namespace tessera::io
