// SPDX-License-Identifier: Apache-2.0
#include "io/insitu/module.hpp"

#include "core/error.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>

namespace tessera::io::insitu {
namespace {

/// The folder of libtessera.
std::filesystem::path library_folder() {
  Dl_info here;
  if (dladdr(reinterpret_cast<void const*>(&have_display), &here) == 0) return {};
  return std::filesystem::absolute(here.dli_fname).parent_path();
}

}  // namespace

std::filesystem::path pipelines() {
  // lib/ or lib/x86_64-linux-gnu/
  for (auto folder = library_folder(); folder.has_relative_path(); folder = folder.parent_path())
    if (auto const place = folder / "share" / "tessera" / "pipelines"; std::filesystem::exists(place)) return place;
  return library_folder() / "share" / "tessera" / "pipelines";
}

std::filesystem::path module_file(std::string const& name, core::Dictionary const& dictionary) {
  auto const file = library_folder() / ("libtessera_insitu_" + name + ".so");
  if (!std::filesystem::exists(file))
    dictionary.fail("implementation",
                    name == "catalyst2"
                        ? "libcatalyst was not found when this program was built: install it, configure "
                          "with -Dcatalyst_DIR=DIR and build again"
                        : "ParaView was not found when this program was built: install the packages "
                          "paraview-dev and python3-paraview (tools/setup --with-paraview), configure "
                          "and build again");
  return file;
}

insitu_module const* open(std::filesystem::path const& file) {
  // software rendering starts a thread for each core in every rank unless told otherwise
  setenv("LP_NUM_THREADS", "1", 0);
  // global: Python's extension modules look for libpython's symbols among all
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) throw core::RunError(fmt::format("cannot open {}: {}", file.string(), dlerror()));
  auto const get = reinterpret_cast<decltype(&insitu_get_module)>(dlsym(library, "insitu_get_module"));
  auto const* const module = get ? get() : nullptr;
  if (!module || module->version != insitu_version)
    throw core::RunError(fmt::format("{} is not of this version of the program", file.string()));
  return module;
}

bool have_display() {
  if (!std::getenv("DISPLAY")) return false;
  void* const x11 = dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL);
  if (!x11) return true;
  auto const open_display = reinterpret_cast<void* (*)(char const*)>(dlsym(x11, "XOpenDisplay"));
  auto const close_display = reinterpret_cast<int (*)(void*)>(dlsym(x11, "XCloseDisplay"));
  void* const display = open_display ? open_display(nullptr) : nullptr;
  if (display && close_display) close_display(display);
  return display != nullptr;
}

KeepSignals::KeepSignals() {
  for (std::size_t n = 0; n < numbers.size(); ++n) sigaction(numbers[n], nullptr, &before_[n]);
}

KeepSignals::~KeepSignals() {
  for (std::size_t n = 0; n < numbers.size(); ++n) sigaction(numbers[n], &before_[n], nullptr);
}

}  // namespace tessera::io::insitu
