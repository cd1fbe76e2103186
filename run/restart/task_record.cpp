// SPDX-License-Identifier: Apache-2.0
#include "run/restart/task_record.hpp"

#include "core/case/digest.hpp"
#include "core/error.hpp"
#include "core/files.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace tessera::run {
namespace {

/// Nothing where the line is damaged.
std::optional<std::string> parse(std::string_view line) {
  auto const blank = line.rfind(' ');
  if (blank == std::string_view::npos || core::Digest::of(line.substr(0, blank)) != line.substr(blank + 1))
    return std::nullopt;
  return std::string(line.substr(0, blank));
}

std::string key_of(std::string const& line) { return line.substr(0, line.find(' ')); }

/// The value of the line with this key, "nothing" where there is none.
std::string value_of(std::set<std::string> const& lines, std::string const& key) {
  for (auto const& line : lines)
    if (key_of(line) == key) return line.size() == key.size() ? "" : line.substr(key.size() + 1);
  return "nothing";
}

void require_same(std::string const& file, std::vector<std::string> const& there, std::set<std::string> const& here,
                  std::string const& anew) {
  std::set<std::string> const made(there.begin(), there.end());
  auto const refuse = [&](int line, std::string const& key) {
    throw core::Error(file, line,
                      fmt::format("these results were made with '{}' {}, the case has {}; expected the same, or "
                                  "{}, which begins anew",
                                  key, value_of(made, key), value_of(here, key), anew));
  };
  for (std::size_t n = 0; n < there.size(); ++n)
    if (!here.contains(there[n])) refuse(static_cast<int>(n + 1), key_of(there[n]));
  for (auto const& line : here)
    if (!made.contains(line)) refuse(0, key_of(line));
}

}  // namespace

TaskRecord::TaskRecord(std::string file, std::set<std::string> const& identity, bool go_on, Found const& found,
                       std::string const& anew)
    : file_(std::move(file)) {
  std::error_code none;
  std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), none);  // what fails, fails at open
  bool const there = go_on && read(file_, identity, found, anew);
  if (!there) std::filesystem::remove(file_, none);
  errno = 0;
  int const descriptor =
      ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (there ? 0 : O_CREAT | O_EXCL), 0666);
  if (descriptor >= 0) out_.reset(fdopen(descriptor, "ab"));
  if (!out_) throw core::RunError(fmt::format("{}: cannot be written: {}", file_, std::strerror(errno)));
  if (!there) write(fmt::format("# {}\n#\n", fmt::join(identity, "\n# ")));
}

bool TaskRecord::read(std::string const& file, std::set<std::string> const& identity, Found const& found,
                      std::string const& anew) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown)) core::require_regular(file);
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> head;
  std::string line;
  while (std::getline(in, line) && line.starts_with("# ")) head.push_back(line.substr(2));
  if (line != "#" || in.eof()) return false;
  require_same(file, head, identity, anew);
  std::uintmax_t length = static_cast<std::uintmax_t>(in.tellg());
  while (std::getline(in, line) && !in.eof()) {
    length += line.size() + 1;
    if (auto const row = parse(line)) found(*row);
  }
  // a last line without its end was cut off by a kill
  std::error_code none;
  std::filesystem::resize_file(file, length, none);
  return true;
}

void TaskRecord::add(std::string const& row) { write(row + " " + core::Digest::of(row) + "\n"); }

void TaskRecord::write(std::string const& text) {
  bool const ok = std::fwrite(text.data(), 1, text.size(), out_.get()) == text.size() && std::fflush(out_.get()) == 0;
  if (!ok) throw core::RunError(fmt::format("{}: cannot be written: {}", file_, std::strerror(errno)));
}

}  // namespace tessera::run
