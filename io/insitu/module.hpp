// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "io/insitu/insitu.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <string>

namespace tessera::io::insitu {

/// libtessera_insitu_NAME.so beside libtessera. Throws core::Error at the entry `implementation` where it was not built.
std::filesystem::path module_file(std::string const& name, core::Dictionary const& dictionary);

/// Opens a module. Throws core::RunError where it does not load, or is of another version.
insitu_module const* open(std::filesystem::path const& file);

/// Where the scripts lie that come with the program: share/tessera/pipelines.
std::filesystem::path pipelines();

/// Whether an X server answers at DISPLAY. Without the X library it is enough that DISPLAY is set.
bool have_display();

/// Puts back the signals' handlers at the end of a scope: ParaView takes SIGTERM and others for itself.
class KeepSignals {
 public:
  KeepSignals();
  ~KeepSignals();
  KeepSignals(KeepSignals const&) = delete;
  KeepSignals& operator=(KeepSignals const&) = delete;

 private:
  static constexpr std::array<int, 8> numbers{SIGTERM, SIGUSR1, SIGINT, SIGILL, SIGABRT, SIGBUS, SIGSEGV, SIGFPE};
  std::array<struct sigaction, numbers.size()> before_;
};

}  // namespace tessera::io::insitu
