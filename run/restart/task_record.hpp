// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/files.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tessera::run {

/// Finished tasks of an ensemble on disk: a line a task, there when `add` returns, so that a killed run loses what was in
/// work alone. For one rank.
///
/// Text: `# KEY VALUE` a line of the identity, `#`, then `ROW CHECKSUM` a task, in the order in which they finished. A
/// line that was cut off, or is damaged, counts as not there.
class TaskRecord {
 public:
  using Found = std::function<void(std::string const& row)>;

  /// `identity`: lines `KEY VALUE` of all that determines the values of a task. `go_on`: the rows of the file, if there
  /// is one, are handed to `found` and new ones appended; else the file is made anew, and its folder.
  /// Throws core::Error where the file is that of another identity, naming the entry and `anew`, what the user may do to begin
  /// anew; core::RunError where it cannot be written.
  TaskRecord(std::string file, std::set<std::string> const& identity, bool go_on, Found const& found,
             std::string const& anew = "startFrom startTime");
  /// The rows of a file alone, as the constructor finds them. Whether there is one.
  static bool read(std::string const& file, std::set<std::string> const& identity, Found const& found,
                   std::string const& anew);
  /// Throws core::RunError, also when the disk is full.
  /// `row`: which task it was and what it gave, in words of the caller, without an end of line.
  void add(std::string const& row);

 private:
  void write(std::string const& text);
  std::string file_;
  core::FilePointer out_;
};

}  // namespace tessera::run
