// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/files.hpp"
#include "core/registry.hpp"

#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::io {

/// A way to pack files. `gzip` is the only one; there is none in a build without zlib.
class Compression {
 public:
  static constexpr std::string_view kind = "compression";
  virtual ~Compression() = default;

  /// Packs text piece by piece.
  class Packer {
   public:
    virtual ~Packer() = default;
    /// What can be written after `text` was added; all the rest with `last`.
    virtual std::string_view pack(std::string_view text, bool last) = 0;
  };
  virtual std::unique_ptr<Packer> packer() const = 0;
  /// The unpacked text of a file. Reading throws core::Error naming the file where it is damaged or truncated. nullptr
  /// where it cannot be opened.
  virtual std::unique_ptr<std::istream> open(std::string const& path) const = 0;
};
using Compressions = core::Registry<Compression>;

/// The file that stands for `path`, as OpenFOAM looks for it: itself, otherwise `path`.gz; empty where there is neither.
/// One rank.
std::string find_file(std::string const& path);

/// Opens a file that find_file gave, unpacked by its ending. Throws core::Error where it cannot be opened, or is packed and
/// this build has no zlib. One rank.
std::unique_ptr<std::istream> open_file(std::string const& path);

/// A text file as C reads it; `packed` where it is by gzip, which its first bytes tell, not its name. Memory: the buffers
/// of zlib. Reading fails where the packed file is damaged or unpacks to more than most_text, and `problem` then says why.
struct UnpackedFile {
  core::FilePointer file;  ///< nullptr where it cannot be opened: errno
  bool packed = false;
  std::shared_ptr<std::string> problem;
};
/// Throws core::Error for a packed file where this build has no zlib. One rank.
UnpackedFile open_unpacked(std::string const& path);

/// Bytes that a file may have as a text: any of a plain one; 512 MiB of a packed one, or 100 times its size where that is
/// more, as 3 MB unpack to 3 GB. One rank.
std::size_t most_text(std::string const& path);
[[noreturn]] void refuse_text(std::string const& path);

/// The text of a file that find_file gave. Throws core::Error. One rank.
std::string text_of(std::string const& path);

/// Throws core::Error `WHERE: ...` unless files can be written with .gz.
void require_gzip(std::string const& where);

}  // namespace tessera::io
