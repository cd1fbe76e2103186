// SPDX-License-Identifier: Apache-2.0
#include "tools/case_folder.hpp"

#include "core/case/wrong_command.hpp"
#include "io/files/together.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::tools {

namespace fs = std::filesystem;

CaseFolder::CaseFolder(core::Comm const& comm, std::string const& name, std::string const& command)
    : comm_(comm),
      path_(name),
      passing_(name.empty()) {
  io::on_root(comm_, [&] { passing_ ? make_passing(command) : make_kept(); });
  comm_.broadcast(path_);
}

CaseFolder::~CaseFolder() {
  if (!comm_.root()) return;
  std::error_code none;
  bool const refused = std::uncaught_exceptions() > exceptions_ && !failed_ && !fs::exists(path_ + "/results", none) &&
                       !fs::exists(path_ + "/postProcessing", none);
  if (passing_ || (refused && is_new_)) fs::remove_all(path_, none);
  if (!passing_ && refused && !is_new_)
    for (auto const& entry : fs::directory_iterator(path_, none)) fs::remove_all(entry.path(), none);
}

int CaseFolder::run(run::RunOptions const& options, std::string const& of, std::string const& copy) {
  try {
    return run::run_case(comm_, options);
  } catch (core::WrongCommand const&) {  // of what the user has named
    throw;
  } catch (core::Error const& error) {
    if (!passing_) throw;
    std::string text = error.what();
    auto const put = [&text](std::string const& to, std::string const& from) {
      for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    };
    if (!copy.empty()) put(of, path_ + "/" + copy);
    put("the case made of " + of + ": ", path_ + "/");
    throw core::Error(text);
  } catch (...) {  // memory, a full disk: the case may run elsewhere
    failed_ = true;
    throw;
  }
}

void CaseFolder::make_passing(std::string const& command) {
  path_ = fmt::format("tessera-{}-XXXXXX", command);
  if (mkdtemp(path_.data()) == nullptr)
    throw core::RunError("cannot make a folder for the case here; name one by --case DIR");
}

void CaseFolder::make_kept() {
  std::error_code code;
  is_new_ = !fs::exists(path_, code);
  if (!is_new_ && !fs::is_empty(path_, code))
    throw core::Error(fmt::format("command line: --case {}: is there already, expected a new folder", path_));
}

std::string quoted(std::string const& word, std::string const& option, std::string const& expected) {
  if (word.find_first_of("\"\\$\n") != std::string::npos)
    throw core::Error(fmt::format("command line: {} {}: expected {}", option, word, expected));
  return '"' + word + '"';
}

}  // namespace tessera::tools
