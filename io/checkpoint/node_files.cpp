// SPDX-License-Identifier: Apache-2.0
// A file is: "TSRPIEC2", the length of the header, its checksum, the header, then the pieces, each from a multiple of 64
// bytes on.
#include "io/checkpoint/node_files.hpp"

#include "core/error.hpp"
#include "io/files/atomic.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/values.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::io::checkpoint {
namespace {

namespace fs = std::filesystem;
using core::Bytes;
using detail::Descriptor;

constexpr std::array<char, 8> magic{'T', 'S', 'R', 'P', 'I', 'E', 'C', '2'};
constexpr std::uint64_t longest_header = std::uint64_t{64} << 20;

std::uint64_t checksum_of(std::span<std::byte const> bytes) {
  core::expect(bytes.size() % 8 == 0, "pieces are whole words");
  detail::Checksum sum;
  sum.add(0, std::span(reinterpret_cast<std::int64_t const*>(bytes.data()), bytes.size() / 8));
  return sum.sum();
}

/// The numbers in front of a header's pieces and name.
struct Numbers {
  Key key;
  std::int64_t step;
  double time;
  std::int64_t ranks, data, parity, holder;
  std::uint64_t pieces, name;
};

Bytes header_bytes(PieceFile const& file) {
  Numbers const numbers{file.key,    file.step,   file.time,          file.ranks,      file.data,
                        file.parity, file.holder, file.pieces.size(), file.name.size()};
  std::size_t const pieces = file.pieces.size() * sizeof(StoredPiece);
  Bytes bytes((sizeof numbers + pieces + file.name.size() + 7) / 8 * 8);
  std::byte* const to = bytes.data();
  std::memcpy(to, &numbers, sizeof numbers);
  if (pieces > 0) std::memcpy(to + sizeof numbers, file.pieces.data(), pieces);
  std::memcpy(to + sizeof numbers + pieces, file.name.data(), file.name.size());
  return bytes;
}

/// Whether a run may have written these, `left` being the bytes behind them.
bool possible(Numbers const& n, std::uint64_t left) {
  constexpr std::int64_t most_ranks = std::numeric_limits<int>::max();
  bool const code = n.data >= 1 && n.parity >= 1 && n.data <= 254 && n.parity <= 254 && n.data + n.parity <= 255;
  if (!code || n.ranks < n.data + n.parity || n.ranks > most_ranks || n.holder < 0 || n.holder >= n.ranks) return false;
  auto const count = static_cast<std::uint64_t>(n.data + n.parity);
  std::uint64_t const pieces = count * sizeof(StoredPiece);
  return n.key.generation >= 0 && n.step >= 0 && std::isfinite(n.time) && n.pieces == count && pieces <= left &&
         n.name <= left - pieces && left - pieces - n.name < 8;
}

/// The header of a file of so many bytes; nothing where a run cannot have written it.
std::optional<PieceFile> parsed(Bytes const& bytes, std::uint64_t size) {
  if (bytes.size() < sizeof(Numbers)) return std::nullopt;
  core::ByteReader in(bytes);
  auto const numbers = in.take<Numbers>();
  if (!possible(numbers, bytes.size() - sizeof numbers)) return std::nullopt;
  PieceFile file{
      numbers.key, numbers.step, numbers.time, numbers.ranks, numbers.data, numbers.parity, numbers.holder, {}, {}};
  file.pieces.resize(numbers.pieces);
  in.take(std::span<StoredPiece>(file.pieces));
  file.name.resize(numbers.name);
  in.take(std::span<char>(file.name));
  std::int64_t index = 0;
  for (auto const& piece : file.pieces) {
    bool const inside =
        piece.offset >= 24 + bytes.size() && piece.offset <= size && piece.length <= size - piece.offset;
    if (!inside || piece.length == 0 || piece.length % 8 != 0 || piece.index != index ||
        piece.block != block_kept(file.holder, index, file.ranks, file.data + file.parity))
      return std::nullopt;
    ++index;
  }
  return file;
}

constexpr std::uint64_t aligned(std::uint64_t at) { return (at + 63) / 64 * 64; }

/// For reading; a FIFO in its place does not hold the run up.
constexpr int as_own = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/// Runs count them from 1.
constexpr std::int64_t most_generations = std::int64_t{1} << 60;

}  // namespace

std::int64_t block_kept(std::int64_t holder, std::int64_t index, std::int64_t ranks, std::int64_t pieces) {
  return ((holder - index * (ranks / pieces)) % ranks + ranks) % ranks;
}

std::string folder_for(std::string const& base, std::string const& name) {
  // FNV-1a: the folder's name only, each file has the whole name
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char const c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (fs::path(base) / fmt::format("tessera-{}-{:016x}", geteuid(), hash)).string();
}

bool is_own_folder(std::string const& folder) {
  struct stat about {};
  return lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
         (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void make_own_folder(std::string const& folder) {
  if (mkdir(folder.c_str(), 0700) == 0) return;
  if (errno != EEXIST)
    throw core::RunError(fmt::format("{}: the folder cannot be made: {}", folder, std::strerror(errno)));
  if (!is_own_folder(folder)) throw core::RunError(folder + ": is no folder that this user alone may write to");
}

std::string path_of(std::string const& folder, Key const& key, int holder) {
  return (fs::path(folder) / fmt::format("{:08d}-{:016x}.{:06d}", key.generation, key.run, holder)).string();
}

std::vector<Entry> entries_of(std::string const& folder) {
  std::vector<Entry> entries;
  if (!is_own_folder(folder)) return entries;
  std::error_code none;
  for (auto const& place : fs::directory_iterator(folder, none)) {
    std::string const text = place.path().filename().string();
    auto const dash = text.find('-'), dot = text.find('.');
    if (dash == std::string::npos || dot == std::string::npos || dot < dash) continue;
    Entry entry;
    char const* const begin = text.data();
    auto const first = std::from_chars(begin, begin + dash, entry.key.generation);
    auto const second = std::from_chars(begin + dash + 1, begin + dot, entry.key.run, 16);
    bool const number = first.ptr == begin + dash && second.ptr == begin + dot;
    if (!number || entry.key.generation < 0 || entry.key.generation > most_generations) continue;
    entry.path = place.path().string();
    entry.complete = !text.ends_with(".part");
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](auto const& a, auto const& b) { return a.path < b.path; });
  return entries;
}

void write_pieces(std::string const& path, PieceFile header, std::span<Bytes const> pieces) {
  core::expect(header.pieces.size() == pieces.size(), "an entry for each piece");
  // the header's length does not depend on what is filled in
  std::uint64_t at = aligned(24 + header_bytes(header).size());
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    header.pieces[n].length = pieces[n].size();
    header.pieces[n].offset = at;
    header.pieces[n].checksum = checksum_of(pieces[n]);
    at = aligned(at + pieces[n].size());
  }
  Bytes const text = header_bytes(header);
  Bytes beginning;
  core::append(beginning, magic);
  core::append(beginning, static_cast<std::uint64_t>(text.size()));
  core::append(beginning, checksum_of(text));
  core::append(beginning, std::span<std::byte const>(text));

  std::string const part = path + ".part";
  detail::reserve(part, at);
  fs::permissions(part, fs::perms::owner_read | fs::perms::owner_write);  // whatever the umask leaves to others
  Descriptor out(part, O_WRONLY);
  bool ok = out.ok() && out.write(0, beginning);
  for (std::size_t n = 0; n < pieces.size(); ++n) ok = ok && out.write(header.pieces[n].offset, pieces[n]);
  if (!ok || !out.close()) {
    std::string const reason = std::strerror(errno);
    std::remove(part.c_str());
    throw core::RunError(fmt::format("{}: cannot be written: {}", path, reason));
  }
  detail::rename(part, path);
}

std::optional<PieceFile> read_header(std::string const& path) {
  Descriptor const in(path, as_own);
  Bytes beginning(24);
  if (!in.ok() || !in.own() || !in.read(0, beginning)) return std::nullopt;
  core::ByteReader fixed(beginning);
  auto const found = fixed.take<std::array<char, 8>>();
  auto const length = fixed.take<std::uint64_t>(), checksum = fixed.take<std::uint64_t>();
  if (found != magic || length > longest_header || length % 8 != 0 || length > in.size()) return std::nullopt;
  Bytes text(static_cast<std::size_t>(length));
  if (!in.read(24, text) || checksum_of(text) != checksum) return std::nullopt;
  return parsed(text, in.size());
}

std::optional<Bytes> read_piece(std::string const& path, StoredPiece const& piece) {
  Descriptor const in(path, as_own);
  std::uint64_t const size = in.ok() && in.own() ? in.size() : 0;
  if (piece.offset > size || piece.length > size - piece.offset || piece.length % 8 != 0) return std::nullopt;
  Bytes bytes(static_cast<std::size_t>(piece.length));
  if (!in.read(piece.offset, bytes) || checksum_of(bytes) != piece.checksum) return std::nullopt;
  return bytes;
}

}  // namespace tessera::io::checkpoint
