// SPDX-License-Identifier: Apache-2.0
#include "io/reader.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace tessera::io {
namespace fs = std::filesystem;

namespace {

std::vector<std::byte> beginning_of(std::string const& file) {
  std::error_code none;
  if (fs::is_directory(file, none)) throw core::Error(file, 0, "is a folder, expected a file");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw core::Error(file, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::array<char, 512> bytes;
  in.read(bytes.data(), bytes.size());
  if (in.gcount() == 0) throw core::Error(file, 0, "is empty");
  auto const raw = std::as_bytes(std::span(bytes.data(), static_cast<std::size_t>(in.gcount())));
  return {raw.begin(), raw.end()};
}

bool ends_with_extension(std::string file, std::string const& extension) {
  std::transform(file.begin(), file.end(), file.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return file.ends_with("." + extension);
}

}  // namespace

ItemPath split_item(std::string const& path) {
  std::error_code none;
  for (auto colon = path.size(); colon != std::string::npos;
       colon = colon == 0 ? std::string::npos : path.rfind(':', colon - 1))
    if (fs::exists(path.substr(0, colon), none))
      return {path.substr(0, colon), colon == path.size() ? "" : path.substr(colon + 1)};
  return {path, ""};
}

std::unique_ptr<RowSource> open_rows(std::string const& path) {
  auto const [file, item] = split_item(path);
  auto const beginning = beginning_of(file);
  for (auto const& [name, entry] : Readers::entries())
    if (auto const reader = entry.make(); reader->knows(beginning)) return reader->open(file, item);

  std::string known;
  for (auto const& [name, entry] : Readers::entries()) {
    auto const reader = entry.make();
    for (auto const& extension : reader->extensions()) {
      if (ends_with_extension(file, extension))
        return reader->open(file, item);  // it says what is wrong with the content
      known += fmt::format("{}{} (.{})", known.empty() ? "" : ", ", name, extension);
    }
  }
  throw core::Error(file, 0, "format not recognised, expected one of " + known);
}

void refuse_item(std::string const& file, std::string const& item, std::string_view thing) {
  if (!item.empty()) throw core::Error(file, 0, fmt::format("is a {}, which has no item '{}'", thing, item));
}

}  // namespace tessera::io
