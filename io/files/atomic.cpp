// SPDX-License-Identifier: Apache-2.0
#include "io/files/atomic.hpp"

#include "core/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace tessera::io::detail {
namespace {

/// Closes the descriptor.
void set_aside(int out, std::string const& file, std::uint64_t bytes) {
  auto const length = static_cast<off_t>(bytes);
  bool ok = fallocate(out, 0, 0, length) == 0;
  if (!ok && errno == EOPNOTSUPP) ok = ftruncate(out, length) == 0;
  int const error = errno;
  close(out);
  if (ok) return;
  std::remove(file.c_str());
  throw core::RunError(file + ": cannot be written: " + std::strerror(error));
}

}  // namespace

void reserve(std::string const& file, std::uint64_t bytes) {
  int const out = open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (out < 0) throw core::RunError(file + ": cannot be written: " + std::strerror(errno));
  set_aside(out, file, bytes);
}

void reserve_anew(std::string const& file, std::uint64_t bytes) { set_aside(core::create_file(file), file, bytes); }

}  // namespace tessera::io::detail
