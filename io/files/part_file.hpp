// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "io/files/atomic.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace tessera::io::detail {

/// FILE.part, written piece by piece and renamed to FILE by `finish`; without that it goes away again. `synced`: FILE is
/// whole after a crash of the machine, too.
/// All members throw core::RunError with the system's reason.
class PartFile {
 public:
  explicit PartFile(std::string const& file, bool synced = false)
      : name_(file),
        part_(file + ".part"),
        synced_(synced) {
    make_folder_of(file);
    file_ = fdopen(core::create_file(part_), "wb");
    if (file_ == nullptr) fail();
  }
  ~PartFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(part_.c_str());
  }
  PartFile(PartFile const&) = delete;
  PartFile& operator=(PartFile const&) = delete;

  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  void finish() {
    bool const ok = std::fclose(file_) == 0;
    file_ = nullptr;
    if (!ok) {
      int const reason = errno;
      std::remove(part_.c_str());
      errno = reason;
      fail();
    }
    synced_ ? core::rename_synced(part_, name_) : core::rename_file(part_, name_);
  }

 private:
  [[noreturn]] void fail() const {
    throw core::RunError(fmt::format("{}: cannot be written: {}", name_, std::strerror(errno)));
  }
  std::string name_, part_;
  bool synced_;
  std::FILE* file_ = nullptr;
};

}  // namespace tessera::io::detail
