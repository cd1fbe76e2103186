// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <span>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tessera::io::detail {

/// A file of the system, closed at the end. What fails leaves its reason in errno.
class Descriptor {
 public:
  Descriptor(std::string const& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  bool ok() const { return fd_ >= 0; }
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

  bool write(std::uint64_t at, std::span<std::byte const> bytes) const {
    while (!bytes.empty()) {
      ssize_t const n = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      at += static_cast<std::uint64_t>(n);
      bytes = bytes.subspan(n);
    }
    return true;
  }
  bool read(std::uint64_t at, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
      ssize_t const n = pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      at += static_cast<std::uint64_t>(n);
      bytes = bytes.subspan(n);
    }
    return true;
  }
  /// Waits until what this process wrote is on the disk; file systems that cannot wait have nothing to wait for.
  bool sync() const { return fdatasync(fd_) == 0 || errno == EINVAL; }
  std::uint64_t size() const {
    struct stat about {};
    return fstat(fd_, &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
  }
  /// Whether it is a regular file of this user under one name, and nobody else may write to it.
  bool own() const {
    struct stat about {};
    return fstat(fd_, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() && about.st_nlink == 1 &&
           (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }

 private:
  int fd_;
};

}  // namespace tessera::io::detail
