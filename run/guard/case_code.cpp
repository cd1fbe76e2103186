// SPDX-License-Identifier: Apache-2.0
#include "run/guard/case_code.hpp"

#include "core/error.hpp"
#include "core/registry.hpp"
#include "io/foam/libraries.hpp"
#include "run/model.hpp"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <set>

namespace tessera::run {
namespace fs = std::filesystem;

bool code_allowed(bool option) {
  char const* const variable = std::getenv("TESSERA_ALLOW_CODE");
  return option || (variable != nullptr && std::strcmp(variable, "1") == 0);
}

bool CaseCode::may_open(core::Dictionary const& entry, std::string const& key, std::string const& file) {
  if (policy_ == Policy::refuse)
    entry.fail(key, fmt::format("{} is code that the case brings along, expected --allow-code (or TESSERA_ALLOW_CODE=1)"
                                " to let it run",
                                file));
  if (policy_ == Policy::look) {
    left_.push_back(file);
    if (log_ != nullptr) log_->line("Code: {} is of the case and is not opened here", file);
    return false;
  }
  opens(file);
  return true;
}

void CaseCode::opens(std::string const& file) const {
  if (log_ != nullptr) log_->line("Code: opens {}", file);
}

void CaseCode::passes_over(std::string const& library) const {
  if (log_ != nullptr) log_->line("Code: {} is OpenFOAM's, and is passed over", library);
}

std::string CaseCode::with_reason(std::string const& message) const {
  if (left_.empty() || message.find("unknown ") == std::string::npos) return message;
  return fmt::format("{} (it may come from {}, which check does not open)", message, fmt::join(left_, " or "));
}

namespace {

/// Why the loader cannot open it; empty: it has. `name`: a path, or as a library is called, with and without "lib" and ".so".
std::string load(std::string const& name) {
  if (dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return "";
  std::string const reason = dlerror(), whole = "lib" + name + ".so";
  if (name.find('/') != std::string::npos || name.ends_with(".so")) return reason;
  if (dlopen(whole.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return "";
  // one that is there may lack a symbol, or a library that it needs
  std::string const of_whole = dlerror();
  return of_whole.starts_with(whole + ": cannot open shared object file") ? reason : of_whole;
}

void open_library(Session& session, core::Dictionary const& entry, std::string const& name) {
  if (io::foam::is_openfoam_library(name)) return session.code.passes_over(name);
  std::string const local = session.files.path(name);
  auto const there = [&](std::string const& file) {
    std::error_code none;
    return session.comm.any(session.comm.root() && fs::exists(file, none));
  };
  bool const of_case = there(local), by_path = of_case || name.find('/') != std::string::npos;
  std::string file = of_case ? fs::absolute(session.files.input(name)).lexically_normal().string() : name;
  if (by_path && !session.code.may_open(entry, "libs", file)) return;
  if (!by_path) session.code.opens(name);
  if (auto const reason = load(file); !reason.empty())
    entry.fail("libs", fmt::format("cannot open '{}': {}", name, reason));
}

}  // namespace

void open_libraries(std::vector<std::string> const& names) {
  for (auto const& name : names)
    if (auto const reason = load(name); !reason.empty())
      throw core::Error(fmt::format("command line: --libs: cannot open '{}': {}", name, reason));
  core::check_registries();
}

void open_libraries(Session& session, core::Dictionary& control) {
  std::vector<core::Dictionary const*> entries{&control};
  if (auto const* const functions =
          control.contains("functions") && control.is_dictionary("functions") ? control.find_sub("functions") : nullptr)
    for (auto const& name : functions->keys())
      if (functions->is_dictionary(name) && functions->sub(name).get_or<bool>("enabled", true))
        entries.push_back(&functions->sub(name));
  std::set<std::string> met;
  for (auto const* entry : entries)
    if (entry->contains("libs"))
      for (auto const& name : io::foam::library_names(*entry))
        if (met.insert(name).second) open_library(session, *entry, name);
  core::check_registries();
}

}  // namespace tessera::run
