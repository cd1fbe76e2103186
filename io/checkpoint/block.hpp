// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "io/checkpoint/erasure.hpp"
#include "io/snapshot.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

/// What checkpoints beside the file system share: the block of bytes that a rank saves, and the pieces it is cut into.
namespace tessera::io::checkpoint {

/// What was saved besides the fields.
struct Saved {
  std::int64_t step = 0;
  double time = 0;  ///< [s]
  State state;
  std::vector<std::string> found;  ///< names of those of the fields asked for that were saved
};

/// A rank's block: step, time, state, then for each field name, type, shape of grid and tiles, the hashes of the faces' places
/// and of the field, and the owned cells of its tiles with their numbers. One pass over the fields. Collective (the hashes are those of the whole fields).
core::Bytes pack(std::int64_t step, double time, std::span<core::FieldBase const* const> fields, State const& state);

/// What blocks hold, on its way to who owns the tiles now.
class Unpacked {
 public:
  /// Takes from blocks the fields of these names. The first `needed` of them must be there.
  Unpacked(std::span<core::FieldBase* const> fields, std::size_t needed) : fields_(fields), needed_(needed) {}

  /// Throws core::Error where the block does not have what is needed, or holds it for another grid (cells, or where they
  /// lie), core::RunError where it is damaged. Tiles may be others.
  void add(core::Bytes const& block);

  /// Brings all tiles to their owners. The root must have added a block: step, time and state are those of its last one.
  /// Throws core::RunError on all ranks where a field has not the hash it was saved with. Collective.
  Saved deliver(core::Comm const& comm);

 private:
  std::span<core::FieldBase* const> fields_;
  std::size_t needed_;
  Saved saved_;
  std::map<std::string, std::string> hashes_;  ///< of the fields found
  std::map<int, core::Bytes> to_owners_;
};

/// Cuts a block into k pieces of one length, a multiple of 8 bytes, and adds m that the code makes of them.
std::vector<core::Bytes> encode(ErasureCode const& code, int k, int m, core::Bytes const& block);

/// Whether the first piece of a block may be of that step and time: its first words say so, where it is not too short.
bool may_begin(core::Bytes const& piece, std::int64_t step, double time);

/// The block from k + m pieces, those lost being empty, at least k there. Throws core::RunError where they do not fit
/// together.
core::Bytes decode(ErasureCode const& code, int k, std::vector<core::Bytes> pieces);

/// The code for k and m. Throws core::Error in a build without ISA-L, and unless k and m are at least 1 and at most 255
/// together.
std::unique_ptr<ErasureCode> make_code(int k, int m);

}  // namespace tessera::io::checkpoint
