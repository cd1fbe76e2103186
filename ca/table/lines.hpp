// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"

#include <charconv>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::ca::table {

/// The lines of a rule file, section by section: a section begins with a line that begins with @.
class Lines {
 public:
  Lines(std::string_view text, std::string source) : text_(text), source_(std::move(source)) {}

  /// Goes on to the next section and gives its name, @TABLE say; false at the end.
  bool next_section(std::string& name) {
    for (std::string_view line; !text_.empty();) {
      bool const begins = text_[0] == '@';
      take(line);
      if (!begins) continue;
      name = line.substr(0, line.find_first_of(" \t"));
      return true;
    }
    return false;
  }
  /// The next line of the section without comment and blanks round it; false where the section ends.
  bool next(std::string_view& line) {
    while (!text_.empty() && text_[0] != '@') {
      take(line);
      line = line.substr(0, line.find('#'));
      if (trim(line)) return true;
    }
    return false;
  }
  /// The same where # and / are comments at the beginning of a line alone.
  bool next_whole(std::string_view& line) {
    while (!text_.empty() && text_[0] != '@') {
      take(line);
      if (trim(line) && line[0] != '#' && line[0] != '/') return true;
    }
    return false;
  }

  static std::vector<std::string_view> words(std::string_view line, std::string_view between) {
    std::vector<std::string_view> found;
    for (std::size_t at = 0; (at = line.find_first_not_of(between, at)) != line.npos;) {
      auto const end = std::min(line.find_first_of(between, at), line.size());
      found.push_back(line.substr(at, end - at));
      at = end;
    }
    return found;
  }
  /// Throws core::Error with file and line where the word is no whole number from 0 on.
  int number(std::string_view word) const {
    auto const first = std::min(word.find_first_not_of(" \t"), word.size());
    int value = 0;
    auto const [end, code] = std::from_chars(word.data() + first, word.data() + word.size(), value);
    if (code != std::errc() || end != word.data() + word.size() || value < 0)
      fail(fmt::format("found '{}', expected a whole number", word));
    return value;
  }
  [[noreturn]] void fail(std::string const& what) const { throw core::Error(source_, line_, what); }

 private:
  /// Whether anything is left without the blanks round it.
  static bool trim(std::string_view& line) {
    auto const first = line.find_first_not_of(" \t\r");
    if (first == line.npos) return false;
    line = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
    return true;
  }
  void take(std::string_view& line) {
    ++line_;
    auto const end = std::min(text_.find('\n'), text_.size());
    line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  }

  std::string_view text_;
  std::string source_;
  int line_ = 0;
};

}  // namespace tessera::ca::table
