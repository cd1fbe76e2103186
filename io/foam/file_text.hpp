// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary_lexer.hpp"
#include "core/error.hpp"
#include "io/files/compressed.hpp"

#include <algorithm>
#include <cstring>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io::foam {

/// A Text (core/case/dictionary_lexer.hpp) that stays in its file: a piece of it is in memory, and what it passes over goes
/// to `copy` where that is set.
class FileText {
 public:
  explicit FileText(std::string const& path) : path_(path), in_(open_file(path)) {}

  std::string_view ahead(std::size_t n) {
    if (end_ - at_ < n) refill(n);
    return {buffer_.data() + at_, std::min(n, end_ - at_)};
  }
  std::size_t offset() const { return before_ + at_; }
  void take(std::size_t n) {
    std::string_view const bytes(buffer_.data() + at_, n);
    line += core::dictionary_text::lines_in(bytes);
    if (copy != nullptr) copy->append(bytes);
    if (copy != nullptr && copy->size() > most_) refuse_text(path_);
    at_ += n;
  }
  /// Counts lines as editors do, although the bytes hold numbers.
  bool skip(std::size_t bytes) {
    for (std::size_t n = 0; bytes > 0; bytes -= n) {
      n = std::min(bytes, held());
      if (n == 0) return false;
      take(n);
    }
    return true;
  }
  bool skip_to(char stop, std::size_t* words) {
    bool inside = false;
    for (std::size_t n = held(); n > 0; n = held()) {
      std::string_view const bytes(buffer_.data() + at_, n);
      std::size_t const before = std::min(bytes.find(stop), n);
      if (words != nullptr) *words += core::dictionary_text::words_in(bytes.substr(0, before), inside);
      take(before);
      if (before < n) return true;
    }
    return false;
  }
  [[noreturn]] void fail(int where, std::string_view message) const { throw core::Error(path_, where, message); }

  int line = 1;
  std::string* copy = nullptr;

 private:
  /// Bytes in memory behind those taken; 0 at the end of the file.
  std::size_t held() { return ahead(1).empty() ? 0 : end_ - at_; }
  void refill(std::size_t n) {
    std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
    before_ += at_;
    end_ -= at_;
    at_ = 0;
    while (end_ < n && !in_->eof()) {
      in_->read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
      end_ += static_cast<std::size_t>(in_->gcount());
    }
  }

  std::string path_;
  std::unique_ptr<std::istream> in_;
  std::size_t most_ = most_text(path_);
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 20);
  std::size_t at_ = 0, end_ = 0, before_ = 0;
};

}  // namespace tessera::io::foam
