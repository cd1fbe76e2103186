// SPDX-License-Identifier: Apache-2.0
#include "core/files.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::core {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot_write(std::string const& file, std::string const& reason) {
  throw RunError(fmt::format("{}: cannot be written: {}", file, reason));
}

char const* kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? "a folder"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISREG(mode)  ? "a file"
                          : "a device";
}

void require_regular(std::string const& path, struct stat const& about) {
  if (!S_ISREG(about.st_mode)) throw Error(path, 0, fmt::format("is {}, expected a file", kind_of(about.st_mode)));
}

/// All of `text` to a descriptor, which is then closed.
void write_and_close(int out, std::string_view text, std::string const& name, bool sync) {
  bool ok = true;
  while (ok && !text.empty()) {
    ssize_t const n = ::write(out, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    ok = n > 0;
    if (ok) text.remove_prefix(static_cast<std::size_t>(n));
  }
  if (ok && sync) ok = fdatasync(out) == 0 || errno == EINVAL || errno == EROFS;
  int const reason = errno;
  bool const closed = close(out) == 0;
  if (!ok || !closed) cannot_write(name, std::strerror(ok ? errno : reason));
}

std::string folder_of(std::string const& file) {
  auto const folder = fs::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// What FILE is when it is there and no regular file (and, as `there`, whether it is).
struct Special {
  bool there = false;
  struct stat about {};
};
Special special(std::string const& file) {
  Special result;
  struct stat own {};
  if (lstat(file.c_str(), &own) != 0 || S_ISREG(own.st_mode)) return result;
  result.there = stat(file.c_str(), &result.about) == 0;
  return result;
}

}  // namespace

void require_regular(std::string const& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) throw Error(path, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  require_regular(path, about);
}

FilePointer open_to_read(std::string const& path) {
  require_regular(path);  // devices may do something when they are opened
  int const in = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FilePointer file(in < 0 ? nullptr : fdopen(in, "rb"));
  if (!file) throw Error(path, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  struct stat about {};
  if (fstat(in, &about) == 0) require_regular(path, about);
  return file;
}

std::string read_file(std::string const& path) {
  auto const file = open_to_read(path);
  struct stat about {};
  fstat(fileno(file.get()), &about);
  std::string text(about.st_size, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get())) throw Error(path, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  return text;
}

void make_folder_of(std::string const& file) {
  fs::path const folder = fs::path(file).parent_path();
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return;
  fs::create_directories(folder, error);
  if (error) throw RunError(fmt::format("{}: the folder cannot be made: {}", folder.string(), error.message()));
}

int create_file(std::string const& file) {
  if (unlink(file.c_str()) != 0 && errno != ENOENT) cannot_write(file, std::strerror(errno));
  int const out = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (out < 0) cannot_write(file, std::strerror(errno));
  return out;
}

FilePointer open_to_append(std::string const& file) {
  int const out = open(file.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  FilePointer result(out < 0 ? nullptr : fdopen(out, "ab"));
  if (!result) cannot_write(file, std::strerror(errno));
  struct stat about {};
  if (fstat(out, &about) == 0 && !S_ISREG(about.st_mode))
    cannot_write(file, fmt::format("it is {}", kind_of(about.st_mode)));
  return result;
}

void rename_file(std::string const& from, std::string const& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return;
  std::string const reason = std::strerror(errno);
  std::remove(from.c_str());
  cannot_write(to, reason);
}

void rename_synced(std::string const& from, std::string const& to) {
  int const file = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  bool const ok = file >= 0 && (fdatasync(file) == 0 || errno == EINVAL);
  std::string const reason = std::strerror(errno);
  if (file >= 0) close(file);
  if (!ok) {
    std::remove(from.c_str());
    cannot_write(to, reason);
  }
  rename_file(from, to);
  int const folder = open(folder_of(to).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder that may be written but not read
  fsync(folder);           // some file systems cannot; they keep the order of what they are told
  close(folder);
}

void write_file(std::string const& file, std::string_view text, bool synced) {
  make_folder_of(file);
  std::string const part = file + ".part";
  int const out = create_file(part);
  try {
    write_and_close(out, text, file, false);
  } catch (...) {
    std::remove(part.c_str());
    throw;
  }
  synced ? rename_synced(part, file) : rename_file(part, file);
}

void write_named_file(std::string const& file, std::string_view text) {
  auto const there = special(file);
  if (!there.there) return write_file(file, text);
  if (S_ISDIR(there.about.st_mode)) cannot_write(file, "it is a folder");
  for (auto* const stream : {stdout, stderr}) {  // /dev/stdout: behind what is there already, and in order with the log
    struct stat about {};
    if (fstat(fileno(stream), &about) != 0 || about.st_dev != there.about.st_dev || about.st_ino != there.about.st_ino)
      continue;
    if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() || std::fflush(stream) != 0)
      cannot_write(file, std::strerror(errno));
    return;
  }
  int const out = open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (out < 0) cannot_write(file, std::strerror(errno));
  write_and_close(out, text, file, false);
}

void require_writable_folder(std::string const& folder) {
  fs::path place = folder.empty() ? fs::path(".") : fs::path(folder);
  std::error_code none;
  while (!fs::exists(fs::symlink_status(place, none))) {
    auto const above = place.parent_path();
    place = above.empty() || above == place ? fs::path(".") : above;
  }
  struct stat about {};
  if (stat(place.c_str(), &about) != 0) cannot_write(folder, place.string() + ": " + std::strerror(errno));
  if (!S_ISDIR(about.st_mode)) cannot_write(folder, fmt::format("{} is {}", place.string(), kind_of(about.st_mode)));
  // a file without a name, where the file system has them: the disk itself is asked, and nothing is left behind
  int const file = open(place.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  bool const unknown = file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL);
  if (file >= 0) {
    close(file);
    return;
  }
  std::string probe = (place / ".tessera_XXXXXX").string();
  if (!unknown || mkdtemp(probe.data()) == nullptr) cannot_write(folder, std::strerror(errno));
  rmdir(probe.c_str());
}

void require_writable_file(std::string const& file) {
  auto const there = special(file);
  if (!there.there) return require_writable_folder(folder_of(file));
  if (S_ISDIR(there.about.st_mode)) cannot_write(file, "it is a folder");
  if (access(file.c_str(), W_OK) != 0) cannot_write(file, std::strerror(errno));
}

bool is_file_name(std::string_view name) {
  constexpr std::string_view refused = "\"'/;{}";
  return !name.empty() && name != "." && name != ".." && std::all_of(name.begin(), name.end(), [&](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '\x7f' && refused.find(c) == std::string_view::npos;
  });
}

}  // namespace tessera::core
