// SPDX-License-Identifier: Apache-2.0
#include "io/foam/compressed.hpp"

#include "core/error.hpp"

#include <filesystem>
#include <fstream>

namespace tessera::io::foam {

std::string find_file(std::string const& path) {
  std::error_code none;
  for (auto const& file : {path, path + ".gz"})
    if (std::filesystem::is_regular_file(file, none)) return file;
  return {};
}

void require_gzip(std::string const& where) {
  if (!Compressions::contains("gzip"))
    throw core::Error(where + ": this build has no zlib, so that .gz files can be neither read nor written");
}

std::unique_ptr<std::istream> open_file(std::string const& path) {
  std::unique_ptr<std::istream> in;
  if (path.ends_with(".gz")) {
    require_gzip(path);
    in = Compressions::make("gzip")->open(path);
  } else {
    in = std::make_unique<std::ifstream>(path, std::ios::binary);
  }
  if (!in || !*in) throw core::Error(path, 0, "cannot be opened for reading");
  return in;
}

}  // namespace tessera::io::foam
