// SPDX-License-Identifier: Apache-2.0
// Code that a case brings along: libraries named in `libs`, scripts for ParaView. A case may be a stranger's.
#pragma once
#include "core/case/dictionary.hpp"
#include "run/log.hpp"

#include <string>
#include <vector>

namespace tessera::run {

/// `--allow-code`, or TESSERA_ALLOW_CODE=1 in the environment.
bool code_allowed(bool option);

/// Decides whether a file of code is opened, and says what is.
class CaseCode {
 public:
  enum class Policy {
    look,    ///< `check` and others that run nothing: code that the case names by a path is never opened
    refuse,  ///< `run`: such code is an error
    allow,   ///< `run --allow-code`
  };
  CaseCode() = default;
  CaseCode(Log& log, Policy policy) : log_(&log), policy_(policy) {}

  /// Whether a file that the case names by a path may be opened; with `look` a line says that it is not. Throws core::Error
  /// at the entry with `refuse`.
  bool may_open(core::Dictionary const& entry, std::string const& key, std::string const& file);
  /// A line: what is opened.
  void opens(std::string const& file) const;
  /// A line: a library of OpenFOAM.
  void passes_over(std::string const& library) const;
  /// An error's text; where it is about an unknown name that a library which was not opened may define, it says so.
  std::string with_reason(std::string const& message) const;

 private:
  Log* log_ = nullptr;
  Policy policy_ = Policy::look;
  std::vector<std::string> left_;
};

struct Session;

/// Opens the libraries of `libs` in controlDict and in its function objects: plugins built outside the tree. A name with a
/// folder, or of a file of the case, is code of the case (CaseCode); other names are found by the loader among what is
/// installed, with and without "lib" and ".so"; those of OpenFOAM are passed over. Throws core::Error for what cannot be
/// opened. Collective.
void open_libraries(Session& session, core::Dictionary& control);
/// The same of libraries that the user names on the command line.
void open_libraries(std::vector<std::string> const& names);

}  // namespace tessera::run
