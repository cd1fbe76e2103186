// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/reader.hpp"

#include <memory>
#include <string>

namespace tessera::io {

/// Values of a grid in memory: (nz, ny, nx), x fastest, y upwards, without gaps. They are not owned.
struct HeldValues {
  void const* first = nullptr;
  std::string type;  ///< bool, uint8, int16 ... float64: as in the name of a raw file
  core::Grid::Shape cells{1, 1, 1};
};

/// While one lives, what opens `path` reads these values as if they were a file there. For programs that hold a medium or
/// a state themselves; nothing is read from that place on the disk. Only the root's values are looked at.
class HeldFile {
 public:
  /// Throws core::Error for an unknown type, and if the path is held already.
  HeldFile(std::string path, HeldValues values);
  ~HeldFile();
  HeldFile(HeldFile const&) = delete;
  HeldFile& operator=(HeldFile const&) = delete;

  /// The reader of what is held under a path; nullptr if nothing is.
  static std::unique_ptr<Reader> reader_of(std::string const& path);

 private:
  std::string path_;
};

}  // namespace tessera::io
