// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "run/run.hpp"

#include <exception>
#include <string>

namespace tessera::tools {

/// A folder for a case that a command makes: the one that the user names, which must be new or empty, or one that goes away
/// at the end. Made where the program was started, since all ranks must find it. Where the command is refused nothing of it stays.
/// Collective.
class CaseFolder {
 public:
  /// `name`: empty for one that goes away. `command`: that makes it, as its name says. Throws core::Error for a folder that is
  /// there already.
  CaseFolder(core::Comm const& comm, std::string const& name, std::string const& command);
  ~CaseFolder();
  CaseFolder(CaseFolder const&) = delete;
  CaseFolder& operator=(CaseFolder const&) = delete;

  std::string const& path() const { return path_; }
  bool passing() const { return passing_; }
  /// Runs the case, as run::run_case does. Errors in one that goes away name what it was made `of` in the place of the folder,
  /// and of `copy` in it, the file's own.
  int run(run::RunOptions const& options, std::string const& of, std::string const& copy = "");

 private:
  void make_passing(std::string const& command);
  void make_kept();

  core::Comm const& comm_;
  std::string path_;
  bool passing_, is_new_ = false, failed_ = false;
  int exceptions_ = std::uncaught_exceptions();
};

/// A word of the command line between the quotes of a dictionary. Throws core::Error for one that these cannot hold, naming
/// the `option` and what was `expected`.
std::string quoted(std::string const& word, std::string const& option, std::string const& expected);

}  // namespace tessera::tools
