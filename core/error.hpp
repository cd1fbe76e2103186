// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::core {

/// Wrong input: a case, a file or a name that the user can put right. The program ends with exit code 1 and this one
/// line.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string const& message) : std::runtime_error(message) {}
  /// `FILE:LINE: message`, or `FILE: message` where line is 0 (a file without lines, the command line).
  Error(std::string_view file, int line, std::string_view message);
};

/// Failed while running although the input is right: disk full, a rank lost, out of memory. Exit code 4.
class RunError : public std::runtime_error {
 public:
  explicit RunError(std::string const& message) : std::runtime_error(message) {}
};

/// A promise inside the engine is broken: a bug of ours, or of a plugin. The text names file and line of the source.
class BrokenPromise : public std::logic_error {
 public:
  BrokenPromise(std::string_view message, std::source_location const& where);
};

/// Throws BrokenPromise unless ok. Not for kernels, and not for what a user can get wrong (that is an Error).
inline void expect(bool ok, std::string_view message,
                   std::source_location const& where = std::source_location::current()) {
  if (!ok) [[unlikely]]
    throw BrokenPromise(message, where);
}

/// The candidate that `name` is most likely a misspelling of, or "" if none is close: at most one edit in three
/// letters, where an edit is a letter inserted, removed, changed, or two neighbours swapped; letters that differ only
/// in case are free.
std::string nearest(std::string_view name, std::vector<std::string> const& candidates);

/// `unknown KIND 'NAME'; did you mean 'X'? valid: X Y Z`, the text of every error of this sort. Candidates are shown in
/// the given order.
std::string unknown_name(std::string_view kind, std::string_view name, std::vector<std::string> const& valid);

}  // namespace tessera::core
