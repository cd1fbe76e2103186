// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tessera::tests {

/// A folder of its own for a test, the same on all ranks, removed at the end. Collective.
class Scratch {
 public:
  Scratch() {
    if (world_.root()) {
      path_ = (std::filesystem::temp_directory_path() / "tessera_test_XXXXXX").string();
      if (mkdtemp(path_.data()) == nullptr) path_.clear();
    }
    world_.broadcast(path_);
  }
  ~Scratch() {
    world_.barrier();
    std::error_code none;
    if (world_.root() && !path_.empty()) std::filesystem::remove_all(path_, none);
  }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;
  std::string operator/(std::string const& name) const { return path_ + "/" + name; }
  std::string const& path() const { return path_; }

 private:
  core::Comm world_;
  std::string path_;
};

inline std::string bytes_of(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(std::string const& file, std::string const& bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace tessera::tests
