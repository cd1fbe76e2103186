// SPDX-License-Identifier: Apache-2.0
#include "io/detail/atomic.hpp"

#include "core/error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace tessera::io::detail {
namespace fs = std::filesystem;

namespace {
[[noreturn]] void fail(std::string const& file, char const* what, std::string const& reason) {
  throw core::RunError(file + ": " + what + ": " + reason);
}
}  // namespace

void make_folder_of(std::string const& file) {
  fs::path const folder = fs::path(file).parent_path();
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return;
  fs::create_directories(folder, error);
  if (error) fail(folder.string(), "the folder cannot be made", error.message());
}

void reserve(std::string const& file, std::uint64_t bytes) {
  int const out = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (out < 0) fail(file, "cannot be written", std::strerror(errno));
  auto const length = static_cast<off_t>(bytes);
  bool ok = fallocate(out, 0, 0, length) == 0;
  if (!ok && errno == EOPNOTSUPP) ok = ftruncate(out, length) == 0;
  int const error = errno;
  close(out);
  if (ok) return;
  std::remove(file.c_str());
  fail(file, "cannot be written", std::strerror(error));
}

void rename(std::string const& from, std::string const& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail(to, "cannot be written", error.message());
}

void write_atomically(std::string const& file, std::string const& text) {
  make_folder_of(file);
  std::string const part = file + ".part";
  errno = 0;
  std::FILE* const out = std::fopen(part.c_str(), "wb");
  if (out == nullptr) fail(file, "cannot be written", std::strerror(errno));
  bool ok = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  ok = std::fclose(out) == 0 && ok;
  if (!ok) {
    std::string const reason = std::strerror(errno);
    std::remove(part.c_str());
    fail(file, "cannot be written", reason);
  }
  rename(part, file);
}

}  // namespace tessera::io::detail
