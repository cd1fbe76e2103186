// SPDX-License-Identifier: Apache-2.0
#include "run/guard/input_stamp.hpp"

#include "core/case/digest.hpp"
#include "core/files.hpp"
#include "io/files/compressed.hpp"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>

namespace tessera::run {
namespace fs = std::filesystem;

std::string time_stamp(std::string const& path) {
  std::error_code none;
  auto const size = fs::file_size(path, none);
  auto const changed = fs::last_write_time(path, none).time_since_epoch();
  return fmt::format("{} B {}", size, std::chrono::duration_cast<std::chrono::nanoseconds>(changed).count());
}

std::string file_of_input(std::string const& path) {
  for (auto end = path.size(); end != path.npos && end > 0; end = path.rfind(':', end - 1))
    if (auto file = io::find_file(path.substr(0, end)); !file.empty()) return file;
  return "";
}

std::string input_stamp(std::string const& path) {
  std::error_code none;
  std::string const file = file_of_input(path);
  if (!fs::is_regular_file(file, none)) return "nothing";
  if (fs::file_size(file, none) > large_input) return time_stamp(file);
  try {
    return core::Digest::of(core::read_file(file));
  } catch (core::Error const&) {  // who needs it says so
    return "unreadable";
  }
}

bool KnownInputs::are(std::map<std::string, std::string> const& stamps) {
  for (auto const& [file, stamp] : stamps) {
    auto const [place, is_new] = now_.try_emplace(file);
    if (is_new) place->second = input_stamp(fs::path(directory_) / file);
    if (place->second == stamp) continue;
    changed_ = file;
    return false;
  }
  return true;
}

}  // namespace tessera::run
