// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace tessera::run {

/// Files up to this size count by their content, larger ones by size and time of change: a volume is not read twice.
constexpr std::uintmax_t large_input = std::uintmax_t{1} << 20;

/// The file that a name of data stands for: of `volume.raw:24x24x24:uint8` and `snapshot.h5:/fields/T` what lies in front of a
/// colon, of `T` maybe `T.gz`. Empty where there is none.
std::string file_of_input(std::string const& path);

/// What tells the file of such a name from what it was before: a digest of its content, or where it is large its size and the
/// time of its last change. Never empty.
std::string input_stamp(std::string const& path);

/// What the files of a case are now, each looked at once.
class KnownInputs {
 public:
  explicit KnownInputs(std::string directory) : directory_(std::move(directory)) {}
  /// Whether files are what they were, by paths from the case's folder, or whole ones, and stamps.
  bool are(std::map<std::string, std::string> const& stamps);
  /// The last that was not.
  std::string const& changed() const { return changed_; }

 private:
  std::string directory_, changed_;
  std::map<std::string, std::string> now_;
};

/// Size and time of change of a file, whatever its size.
std::string time_stamp(std::string const& path);

}  // namespace tessera::run
