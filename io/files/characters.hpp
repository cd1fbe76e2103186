// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "core/files.hpp"
#include "io/files/compressed.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace tessera::io::detail {

/// Most cells along one side that the readers of small formats believe a file: a row of them still fits into memory.
inline constexpr std::int64_t longest_side = 0x7fffffff;

/// Most characters of a rule's name that are kept.
inline constexpr std::size_t longest_rule = 10'000;

/// The text without blanks at its ends.
inline std::string trimmed(std::string const& text) {
  auto const first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

/// A character for messages: itself in quotes, or its number.
inline std::string shown(int c) {
  if (c < 0) return "the end of the file";
  return c > ' ' && c < 127 ? fmt::format("'{}'", static_cast<char>(c)) : fmt::format("the character {}", c);
}

/// A file as characters, one after the other, with the number of the line. "\r\n", and "\r" alone, count as "\n".
/// Throws core::Error naming the file, from the constructor and wherever the system cannot read on.
class Characters {
 public:
  static constexpr int end = -1;

  /// `packed_too`: a file packed by gzip is read as what it holds. It cannot `seek`.
  explicit Characters(std::string const& file, bool packed_too = false) : name_(file), packed_too_(packed_too) {
    open();
  }

  std::string const& name() const { return name_; }
  int line() const { return line_; }
  /// Bytes of the file, 0 if that cannot be told.
  std::uint64_t size() const {
    std::error_code unknown;
    auto const bytes = std::filesystem::file_size(name_, unknown);
    return unknown ? 0 : bytes;
  }
  /// Bytes in front of the next character.
  std::uint64_t position() const { return static_cast<std::uint64_t>(std::ftell(file_.get())); }

  int peek() {
    int const c = read();
    if (c != end) std::ungetc(c, file_.get());
    return c;
  }
  int get() {
    int const c = read();
    if (c == '\n') ++line_;
    return c;
  }
  /// Spaces and tabs.
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') get();
  }
  /// Blanks and ends of lines.
  void skip_space() {
    while (is_space(peek())) get();
  }
  static bool is_space(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
  static bool is_digit(int c) { return c >= '0' && c <= '9'; }
  /// The rest of the line, without its end. At most `most` characters of it are kept.
  std::string rest_of_line(std::size_t most = 200) {
    std::string text;
    for (int c = get(); c != '\n' && c != end; c = get())
      if (text.size() < most) text += static_cast<char>(c);
    return text;
  }
  /// Decimal digits as a number from 0 to longest_side; `what` is named if there are none or too many.
  std::int64_t number(std::string_view what) {
    if (!is_digit(peek())) fail(fmt::format("found {}, expected {}", shown(peek()), what));
    std::int64_t value = 0;
    while (is_digit(peek())) {
      value = 10 * value + (get() - '0');
      if (value > longest_side) fail(fmt::format("a number is too large, expected {} up to {}", what, longest_side));
    }
    return value;
  }
  /// Bytes as they are. Fails if there are fewer.
  void bytes(std::span<std::byte> to) {
    if (std::fread(to.data(), 1, to.size(), file_.get()) == to.size()) return;
    check();
    throw core::Error(name_, 0, "is truncated");
  }
  /// Goes to a place of the file; the number of the line is lost.
  void seek(std::uint64_t bytes) {
    if (fseeko(file_.get(), static_cast<off_t>(bytes), SEEK_SET) != 0)
      throw core::Error(name_, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  void rewind() {
    if (problem_ != nullptr)
      open();
    else
      std::rewind(file_.get());
    line_ = 1;
  }
  [[noreturn]] void fail(std::string_view message) const { throw core::Error(name_, line_, message); }

 private:
  void open() {
    errno = 0;
    if (packed_too_) {
      auto unpacked = open_unpacked(name_);
      file_ = std::move(unpacked.file);
      problem_ = std::move(unpacked.problem);
    } else {
      file_ = core::open_to_read(name_);
    }
    if (file_ == nullptr) throw core::Error(name_, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  int read() {
    int c = getc_unlocked(file_.get());
    if (c == '\r') {
      int const after = getc_unlocked(file_.get());
      if (after != '\n' && after != EOF) std::ungetc(after, file_.get());
      return '\n';
    }
    if (c == EOF) check();
    return c == EOF ? end : c;
  }
  void check() const {
    if (!std::ferror(file_.get())) return;
    if (problem_ != nullptr && !problem_->empty()) throw core::Error(*problem_);
    throw core::Error(name_, 0, fmt::format("cannot be read: {}", std::strerror(errno)));
  }

  std::string name_;
  bool packed_too_;
  core::FilePointer file_;
  std::shared_ptr<std::string> problem_;  // of unpacking; nullptr where the file is not packed
  int line_ = 1;
};

}  // namespace tessera::io::detail
