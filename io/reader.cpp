// SPDX-License-Identifier: Apache-2.0
#include "io/reader.hpp"

#include "core/error.hpp"
#include "io/foam/compressed.hpp"
#include "io/foam/rows.hpp"
#include "io/routers.hpp"
#include "io/together.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <utility>

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

namespace {

/// Bytes of a file below which one rank alone is fast enough, and ranks of a node that read others.
constexpr std::int64_t worth_sharing = std::int64_t{64} << 20;
constexpr int usual_readers = 4;

using Open = std::unique_ptr<RowSource> (Reader::*)(std::string const&, std::string const&) const;

std::unique_ptr<RowSource> open_by(Open open, std::string const& path) {
  auto const [file, item] = split_item(path);
  if (foam::find_file(file).ends_with(".gz") && !foam::field_in(file).empty())
    return (*Readers::make("openfoam").*open)(file, item);
  auto const beginning = beginning_of(file);
  for (auto const& [name, entry] : Readers::entries())
    if (auto const reader = entry.make(); reader->knows(beginning)) return (*reader.*open)(file, item);

  std::string known;
  for (auto const& [name, entry] : Readers::entries()) {
    auto const reader = entry.make();
    for (auto const& extension : reader->extensions()) {
      if (ends_with_extension(file, extension))
        return (*reader.*open)(file, item);  // it says what is wrong with the content
      known += fmt::format("{}{} (.{})", known.empty() ? "" : ", ", name, extension);
    }
  }
  throw core::Error(file, 0, "format not recognised, expected one of " + known);
}

/// Of a file; -1 where it cannot be told.
std::int64_t bytes_of(std::string const& path) {
  std::error_code unknown;
  auto const bytes = fs::file_size(split_item(path).file, unknown);
  return unknown ? -1 : static_cast<std::int64_t>(bytes);
}

/// Whether this rank is one of `most` that read (0: the usual ones of each node), of those that `can`: the root, the
/// first of each node, then the second. Collective.
bool reads(core::Comm const& comm, std::vector<double> const& can, std::size_t most) {
  auto const& nodes = routers_of(comm).nodes();
  std::map<int, int> met;  // ranks of a node so far
  std::vector<std::pair<int, int>> order;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (can[rank] > 0) order.emplace_back(met[nodes[rank]]++, static_cast<int>(rank));
  std::sort(order.begin(), order.end());
  auto const usual = std::ranges::count_if(order, [](auto const& reader) { return reader.first < usual_readers; });
  order.resize(std::min(order.size(), most > 0 ? most : static_cast<std::size_t>(usual)));
  return std::any_of(order.begin(), order.end(), [&](auto const& reader) { return reader.second == comm.rank(); });
}

}  // namespace

std::unique_ptr<RowSource> open_rows(std::string const& path) { return open_by(&Reader::open, path); }

std::unique_ptr<RowSource> open_rows(core::Comm const& comm, std::string const& path) {
  std::unique_ptr<RowSource> source;
  std::int64_t bytes = 0;  // 0: one rank reads
  on_root(comm, [&] {
    source = open_rows(path);
    if (source->seek(0)) bytes = bytes_of(path);
  });
  bytes = comm.max(bytes);
  auto const asked = static_cast<std::size_t>(router_settings().readers);
  if (comm.size() == 1 || bytes <= 0 || asked == 1 || (asked == 0 && bytes < worth_sharing)) return source;
  auto const can = comm.gather(comm.root() || bytes_of(path) == bytes ? 1.0 : 0.0);
  bool const here = reads(comm, can, asked);
  if (comm.root() || !here) return source;
  try {
    source = open_by(&Reader::open_known, path);
  } catch (core::Error const&) {  // the root can, so this rank sees something else, and does without
  }
  return source;
}

void refuse_item(std::string const& file, std::string const& item, std::string_view thing) {
  if (!item.empty()) throw core::Error(file, 0, fmt::format("is a {}, which has no item '{}'", thing, item));
}

}  // namespace tessera::io
