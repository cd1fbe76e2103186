// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Files in which the ranks of a node keep pieces of checkpoints. No MPI.
namespace tessera::io::checkpoint {

/// Which checkpoint of a name; a later one is larger. `run` tells apart runs that did not know of each other.
struct Key {
  std::int64_t generation = 0;
  std::uint64_t run = 0;
  friend auto operator<=>(Key const&, Key const&) = default;
  friend bool operator==(Key const&, Key const&) = default;  // nvcc does not make it of <=>
};

/// The rank whose piece `index` the rank `holder` keeps: its own first one, and those of ranks / pieces before it, twice that
/// ...; `pieces`: of a block.
std::int64_t block_kept(std::int64_t holder, std::int64_t index, std::int64_t ranks, std::int64_t pieces);

/// A piece in a file: the piece `index` of the block of rank `block`.
struct StoredPiece {
  std::int64_t block = 0, index = 0;
  std::uint64_t length = 0, offset = 0, checksum = 0;
};

struct PieceFile {
  Key key;
  std::int64_t step = 0;
  double time = 0;
  std::int64_t ranks = 0, data = 0, parity = 0, holder = 0;
  std::vector<StoredPiece> pieces;
  std::string name;  ///< of the checkpoints, whole
};

/// BASE/tessera-USER-HASH, HASH being that of `name`.
std::string folder_for(std::string const& base, std::string const& name);
/// Whether there is such a folder, and only this user may write to it: what others may have put there is not believed.
bool is_own_folder(std::string const& folder);
/// Makes it, for this user alone. Throws core::RunError, also where it is there and not this user's own.
void make_own_folder(std::string const& folder);

/// A file of the folder by its name.
struct Entry {
  Key key;
  std::string path;
  bool complete = false;  ///< not one that is being written
};
/// In the order of their names; empty where there is no folder of this user's own.
std::vector<Entry> entries_of(std::string const& folder);
std::string path_of(std::string const& folder, Key const& key, int holder);

/// Writes the pieces aside and renames the file; lengths, offsets and checksums are filled in. The lengths are multiples
/// of 8. Throws core::RunError.
void write_pieces(std::string const& path, PieceFile header, std::span<core::Bytes const> pieces);

/// What the file says it holds; nothing where it is damaged, not this user's own, or says what `NodeCheckpoint` does not
/// write: checksums find damage, but are no secret, so each number is looked at.
std::optional<PieceFile> read_header(std::string const& path);
/// A piece; nothing where it does not have its checksum.
std::optional<core::Bytes> read_piece(std::string const& path, StoredPiece const& piece);

}  // namespace tessera::io::checkpoint
