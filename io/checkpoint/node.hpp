// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/checkpoint/block.hpp"
#include "io/checkpoint/node_files.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// Checkpoints in a folder of each node that outlives the processes (/dev/shm: its memory; or a local disk), and the loss of
/// some nodes: what a run that was killed goes on from without a parallel file system.
///
/// A rank's block (the owned cells of its fields and the state) is cut into k pieces to which a Reed-Solomon code adds m;
/// piece p goes to rank r + p s modulo the ranks, s = ranks / (k + m), so any m ranks may lose what they keep, and with
/// up to s consecutive ranks on a node that is any m nodes. Each rank keeps its pieces in one file a checkpoint,
///   FOLDER/tessera-USER-HASH/GENERATION-RUN.RANK,   HASH being that of the name of the checkpoints,
/// written aside and renamed. The checkpoint before goes when the new one is complete on all ranks, so a kill at any moment
/// leaves one. Files carry checksums: a damaged piece counts as lost. So does a file that another user might have put
/// there, or whose numbers no run can have written.
///
/// Memory of a node: (k + m) / k of its fields between saves, twice that while saving, and within the processes
/// 1 + (k + m) / k of the fields. Traffic: (k + m - 1) / k of the fields a rank.
///
/// Source: the scheme is that of SCR (Moody et al. 2010) and FTI (Bautista-Gomez et al. 2011).
class NodeCheckpoint {
 public:
  struct Settings {
    std::string folder = "/dev/shm";
    int data = 0, parity = 1;  ///< k and m; k = 0: what the ranks allow, at most 8
  };
  using Saved = checkpoint::Saved;

  /// `name`: what the checkpoints belong to, the same for a run and those that go on from it. Makes no file.
  /// Throws core::Error for less than k + m ranks, k or m out of range, a folder of files that somebody else may write to,
  /// and in a build without ISA-L. Collective.
  NodeCheckpoint(core::Comm const& comm, std::string name, Settings const& settings);

  /// Saves fields of one layout. `state` is taken from each rank's own argument, the root's is restored. Throws
  /// core::RunError on all ranks where a file cannot be written; the checkpoint before then is as it was. Collective.
  void save(std::int64_t step, double time, std::span<core::FieldBase const* const> fields, State const& state = {});

  /// What was found.
  struct Found {
    std::int64_t step = 0;
    double time = 0;                       ///< [s]
    std::vector<std::string> passed_over;  ///< a sentence for each later checkpoint that has lost too much
    bool whole = false;                    ///< there is one to restore: step and time are its own
  };
  /// Looks for the newest checkpoint with enough pieces, saved by any number of ranks. Reads all pieces to check them.
  /// Collective.
  Found find();

  /// Gives the values of the checkpoint found to the owned cells of `fields`, by name, on any layout of these ranks; the
  /// first `needed` must have been saved. Throws core::Error for other cells and for fields that are not there,
  /// core::RunError where pieces are gone since `find`. Collective.
  Saved restore(std::span<core::FieldBase* const> fields, std::size_t needed) const;

  /// Removes all checkpoints of this name but the one found, if `keep_found`. Collective.
  void clear(bool keep_found = false);

  int data() const { return k_; }
  int parity() const { return m_; }
  /// Where this node keeps its files.
  std::string const& folder() const { return folder_; }

 private:
  /// A piece that the rank `reader` can read.
  struct Piece {
    int block = 0, index = 0, reader = 0;
  };
  /// What all files of a checkpoint say alike.
  struct Origin {
    std::int64_t step = 0, ranks = 0, data = 0, parity = 0;
    double time = 0;
    friend auto operator<=>(Origin const&, Origin const&) = default;
  };
  /// What a rank tells of a whole piece that it can read.
  struct Heard {
    Origin origin;
    std::int64_t holder = 0, block = 0, index = 0, length = 0;
  };
  /// A checkpoint that can be restored.
  struct Choice {
    checkpoint::Key key;
    Origin origin;
    std::vector<Piece> pieces;  ///< k of each rank's block
  };

  std::vector<checkpoint::Entry> my_share() const;
  std::vector<checkpoint::Key> all_keys() const;
  core::Bytes pieces_here(checkpoint::Key const& key) const;
  std::optional<Choice> choose(std::vector<core::Bytes> const& reports, std::string& lacking) const;
  std::optional<Choice> complete(Origin const& origin, std::vector<std::pair<Heard, int>> const& heard,
                                 std::string& lacking) const;
  std::map<int, core::Bytes> chosen_pieces() const;
  void remove_before(checkpoint::Key const& key) const;

  core::Comm comm_;
  std::string name_, folder_;
  int k_, m_;
  std::unique_ptr<ErasureCode> code_;
  int node_rank_ = 0, node_size_ = 1;
  std::uint64_t run_ = 0;         ///< of this object, on all ranks
  std::int64_t generation_ = 0;   ///< of the newest checkpoint there is
  std::optional<Choice> choice_;  ///< found
};

}  // namespace tessera::io
