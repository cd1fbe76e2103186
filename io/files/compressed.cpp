// SPDX-License-Identifier: Apache-2.0
#include "io/files/compressed.hpp"

#include "core/error.hpp"
#include "core/files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <vector>

namespace tessera::io {

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

namespace {

/// See most_text; of a packed file.
std::size_t most_unpacked(std::string const& path) {
  std::error_code none;
  return std::max(std::size_t{512} << 20, 100 * static_cast<std::size_t>(std::filesystem::file_size(path, none)));
}

}  // namespace

std::size_t most_text(std::string const& path) {
  return path.ends_with(".gz") ? most_unpacked(path) : std::numeric_limits<std::size_t>::max();
}

void refuse_text(std::string const& path) {
  throw core::Error(path, 0,
                    fmt::format("unpacks to more than {} MiB, far more than it packs", most_unpacked(path) >> 20));
}

std::string text_of(std::string const& path) {
  if (!path.ends_with(".gz")) return core::read_file(path);
  auto const in = open_file(path);
  std::size_t const most = most_text(path);
  std::string text;
  std::vector<char> piece(std::size_t{1} << 20);
  while (in->read(piece.data(), static_cast<std::streamsize>(piece.size())), in->gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(in->gcount()));
    if (text.size() > most) refuse_text(path);
  }
  return text;
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

namespace {

/// What C's stream of an unpacked file reads from.
struct Cookie {
  std::string path;
  std::unique_ptr<std::istream> in;
  std::shared_ptr<std::string> problem;
  std::size_t left = most_unpacked(path);
};

ssize_t read_cookie(void* cookie, char* to, std::size_t bytes) {
  auto& from = *static_cast<Cookie*>(cookie);
  try {
    auto const got = from.in->rdbuf()->sgetn(to, static_cast<std::streamsize>(bytes));
    if (static_cast<std::size_t>(got) > from.left) refuse_text(from.path);
    from.left -= static_cast<std::size_t>(got);
    return static_cast<ssize_t>(got);
  } catch (std::exception const& error) {  // C cannot hand it on
    *from.problem = error.what();
    return -1;
  }
}

int close_cookie(void* cookie) {
  delete static_cast<Cookie*>(cookie);
  return 0;
}

}  // namespace

UnpackedFile open_unpacked(std::string const& path) {
  UnpackedFile result;
  result.file = core::open_to_read(path);
  std::array<unsigned char, 2> first{};
  result.packed =
      std::fread(first.data(), 1, first.size(), result.file.get()) == 2 && first[0] == 0x1f && first[1] == 0x8b;
  if (!result.packed) {
    std::rewind(result.file.get());
    return result;
  }
  require_gzip(path);
  result.problem = std::make_shared<std::string>();
  auto cookie = std::make_unique<Cookie>(path, Compressions::make("gzip")->open(path), result.problem);
  result.file.reset(fopencookie(cookie.get(), "rb", {read_cookie, nullptr, nullptr, close_cookie}));
  if (result.file) cookie.release();
  return result;
}

}  // namespace tessera::io
