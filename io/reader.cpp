// SPDX-License-Identifier: Apache-2.0
#include "io/reader.hpp"

#include "core/error.hpp"
#include "io/files/characters.hpp"
#include "io/files/compressed.hpp"
#include "io/files/together.hpp"
#include "io/foam/rows.hpp"
#include "io/readers/held.hpp"
#include "io/readers/live_cells.hpp"
#include "io/stream/routers.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace tessera::io {
namespace fs = std::filesystem;

namespace {

struct Beginning {
  std::vector<std::byte> bytes;
  bool packed = false;  ///< by gzip; `bytes` are unpacked
};

Beginning beginning_of(std::string const& file) {
  std::error_code none;
  if (fs::is_directory(file, none)) throw core::Error(file, 0, "is a folder, expected a file");
  errno = 0;
  auto const in = open_unpacked(file);
  if (!in.file) throw core::Error(file, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  Beginning result{std::vector<std::byte>(512), in.packed};
  result.bytes.resize(std::fread(result.bytes.data(), 1, result.bytes.size(), in.file.get()));
  if (in.packed && !in.problem->empty()) throw core::Error(*in.problem);
  if (result.bytes.empty()) throw core::Error(file, 0, "is empty");
  return result;
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

struct Chosen {
  std::unique_ptr<Reader> reader;
  std::string file, item;
};

/// The reader that knows the content of FILE or FILE:ITEM, or else its extension.
Chosen choose(std::string const& path) {
  if (auto reader = HeldFile::reader_of(path)) return {std::move(reader), path, {}};
  auto const [file, item] = split_item(path);
  if (find_file(file).ends_with(".gz") && !foam::field_in(file).empty()) return {Readers::make("openfoam"), file, item};
  auto const beginning = beginning_of(file);
  auto const chosen = [&, &file = file, &item = item](std::unique_ptr<Reader> reader) -> Chosen {
    if (beginning.packed && !reader->pattern())
      throw core::Error(file, 0, "is packed by gzip, which only patterns may be; unpack it first");
    return {std::move(reader), file, item};
  };
  for (auto const& [name, entry] : Readers::entries())
    if (auto reader = entry.make(); reader->knows(beginning.bytes)) return chosen(std::move(reader));

  auto const named = beginning.packed && file.ends_with(".gz") ? file.substr(0, file.size() - 3) : file;
  std::string known;
  for (auto const& [name, entry] : Readers::entries()) {
    auto reader = entry.make();
    for (auto const& extension : reader->extensions()) {
      if (ends_with_extension(named, extension)) return chosen(std::move(reader));  // it says what is wrong
      known += fmt::format("{}{} (.{})", known.empty() ? "" : ", ", name, extension);
    }
  }
  throw core::Error(file, 0, "format not recognised, expected one of " + known);
}

std::unique_ptr<RowSource> open_by(Open open, std::string const& path) {
  auto const [reader, file, item] = choose(path);
  return (*reader.*open)(file, item);
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

bool is_pattern(std::string const& path) { return choose(path).reader->pattern(); }

std::unique_ptr<RowSource> open_rows(std::string const& path) {
  auto source = open_cells(path);
  auto const [nx, ny, nz] = source->cells();
  if (dynamic_cast<LiveCells const*>(source.get()) != nullptr && std::max(nx, ny) > detail::longest_side)
    throw core::Error(
        source->name(), 0,
        fmt::format("is a pattern of {} x {} cells, expected sides of 1 .. {}", nx, ny, detail::longest_side));
  return source;
}

std::unique_ptr<RowSource> open_cells(std::string const& path) { return open_by(&Reader::open, path); }

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
