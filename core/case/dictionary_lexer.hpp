// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of OpenFOAM's text, for whoever reads it: dictionaries, whose text is in memory, and field files that are too
// large for that. A Text is read from front to back:
//   std::string_view ahead(n)       the next n bytes, fewer at the end; valid until the next call
//   void take(n)                    passes over n bytes that `ahead` has shown
//   bool skip(n)                    passes over n bytes; false where the text ends before
//   bool skip_to(c, words)          passes over all before the next c; false if there is none. Adds the number of words
//                                   between white space to *words, unless that is nullptr
//   int line                        of the next byte, from 1
//   std::size_t offset()            of the next byte
//   void fail(line, message)        throws Error with the text's name
#include "core/case/dictionary.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

namespace tessera::core::dictionary_text {

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool one_of(char c, std::string_view set) { return set.find(c) != set.npos; }
inline std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }
inline int lines_in(std::string_view text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }
inline bool starts_number(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]);
}
/// The words of some bytes of which `inside` tells whether a word reaches into them, and then whether one reaches out.
inline std::size_t words_in(std::string_view text, bool& inside) {
  std::size_t words = 0;
  for (char const c : text) {
    words += !is_space(c) && !inside;
    inside = !is_space(c);
  }
  return words;
}

/// Passes over white space and comments.
template <class Text>
void skip_space(Text& in) {
  for (std::string_view next = in.ahead(2); !next.empty(); next = in.ahead(2)) {
    if (is_space(next[0])) {
      in.take(1);
    } else if (next == "//") {
      while (!in.ahead(1).empty() && in.ahead(1)[0] != '\n') in.take(1);
    } else if (next == "/*") {
      int const line = in.line;
      in.take(2);
      while (in.ahead(2) != "*/") {
        if (in.ahead(2).size() < 2) in.fail(line, "comment '/*' is not closed by '*/'");
        in.take(1);
      }
      in.take(2);
    } else {
      return;
    }
  }
}

/// The text between quotes; a backslash takes the meaning from a quote and from the end of a line.
template <class Text>
std::string read_string(Text& in) {
  int const line = in.line;
  std::string result;
  in.take(1);
  for (std::string_view next = in.ahead(2); !next.empty() && next[0] != '\n'; next = in.ahead(2)) {
    if (next[0] == '"') {
      in.take(1);
      return result;
    }
    bool const escape = next == "\\\"" || next == "\\\n";
    result += next[escape];
    in.take(escape ? 2 : 1);
  }
  in.fail(line, "string is not closed by '\"'");
}

/// `#{ code #}` without its brackets.
template <class Text>
std::string read_verbatim(Text& in) {
  int const line = in.line;
  std::string code;
  in.take(2);
  for (; in.ahead(2) != "#}"; in.take(1)) {
    if (in.ahead(2).size() < 2) in.fail(line, "'#{' is not closed by '#}'");
    code += in.ahead(1)[0];
  }
  in.take(2);
  return code;
}

/// Whether a word ends before `text`, in brackets or not.
inline bool ends_word(std::string_view text) {
  bool const comment = text[0] == '/' && text.size() > 1 && one_of(text[1], "/*");
  return comment || is_space(text[0]) || one_of(text[0], ";{}\"[]");
}

/// The length of what stands in brackets at the beginning of `text` if a word may hold it, 0 if it may not.
inline std::size_t matched_brackets(std::string_view text) {
  int depth = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (ends_word(text.substr(n))) return 0;
    depth += text[n] == '(' ? 1 : text[n] == ')' ? -1 : 0;
    if (depth == 0) return n + 1;
  }
  return 0;
}

/// Brackets inside a word must match, as in `div(phi,U)`; a word ends before one that does not, as in `hex(0 1 2 3)`, and a
/// number before any.
template <class Text>
std::string read_word(Text& in) {
  // longer ones are a list that nobody closed, which is not to be read again at each of its levels
  constexpr std::size_t longest_brackets = 4096;
  std::string word;
  bool const number = starts_number(in.ahead(3));
  for (std::string_view next = in.ahead(2); !next.empty(); next = in.ahead(2)) {
    if (ends_word(next) || next[0] == ')') break;
    std::size_t length = 1;
    if (next[0] == '(') {
      next = in.ahead(longest_brackets);
      length = number ? 0 : matched_brackets(next);
      if (length == 0) break;
    }
    word += next.substr(0, length);
    in.take(length);
  }
  auto const unexpected = [&](char c) {
    in.fail(in.line, "unexpected character " + std::to_string(int(static_cast<unsigned char>(c))));
  };
  if (word.empty()) unexpected(in.ahead(1).empty() ? '\0' : in.ahead(1)[0]);
  for (char const c : word)
    if (static_cast<unsigned char>(c) < 32 || c == 127) unexpected(c);
  return word;
}

/// How a text writes the numbers of its lists, as its header says.
struct ListFormat {
  bool binary = false;
  std::string arch;  // such as "LSB;label=32;scalar=64"
};

/// What stands before the values of `nonuniform List<type> count ( ... )`.
struct ListHead {
  ListSpan span;  // type, count and the line of the bracket
  bool counted;   // there is a length
  char open;      // '(', '{', or 0 where the list is empty and has no bracket
};

/// Reads what follows `nonuniform` and the word `list`, up to the bracket. `entry` has the list, for messages.
template <class Text>
ListHead read_list_head(Text& in, std::string const& list, std::string_view entry) {
  if (list.size() < 7 || list.back() != '>') in.fail(in.line, "expected List<type>, found " + in_quotes(list));
  ListHead head{{}, false, '\0'};
  ListSpan& span = head.span;
  span.type = list.substr(5, list.size() - 6);
  skip_space(in);
  constexpr std::size_t longest = 40;
  std::string_view const digits = in.ahead(longest);
  auto const [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), span.count);
  if (status == std::errc::result_out_of_range)
    in.fail(in.line, "the length of " + list + " in entry " + in_quotes(entry) + " is out of range");
  if (status == std::errc()) {
    head.counted = true;
    in.take(static_cast<std::size_t>(end - digits.data()));
    skip_space(in);
  }
  span.line = in.line;
  std::string_view const next = in.ahead(1);
  if (!next.empty() && one_of(next[0], "({")) head.open = next[0];
  if (head.open == '\0' && (!head.counted || span.count > 0))
    in.fail(in.line, "expected '(' after " + list + " in entry " + in_quotes(entry));
  if (head.open == '{' && !head.counted) in.fail(in.line, "expected a length before '{' in entry " + in_quotes(entry));
  return head;
}

/// Passes over the binary values of a list up to its closing bracket.
template <class Text>
void skip_binary(Text& in, ListSpan& span, ListFormat const& format, std::string const& list, std::string_view entry) {
  std::string const name = "the binary " + list + " of entry " + in_quotes(entry);
  int const line = span.line;
  span.binary = true;
  span.scalar_bytes = format.arch.find("scalar=32") != std::string::npos ? 4 : 8;
  std::size_t const bytes = span.type == "label" ? 0 : static_cast<std::size_t>(span.scalar_bytes) * span.components();
  if (bytes == 0) in.fail(line, "binary " + list + " in entry " + in_quotes(entry) + " is not supported");
  if (format.arch.find("MSB") != std::string::npos)
    in.fail(line, "binary data of arch \"" + format.arch + "\" is not supported, expected LSB");
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 4;
  if (span.count > most / bytes || !in.skip(span.count * bytes) || in.ahead(1).empty())
    in.fail(line, "the file ends within " + name + ", expected " + std::to_string(span.count) + " elements");
  if (in.ahead(1)[0] != ')')
    in.fail(line, name + " is not closed by ')' after " + std::to_string(span.count) + " elements");
}

/// Passes over the values of a list and its brackets; the span then says where they are.
template <class Text>
ListSpan skip_list(Text& in, ListHead head, ListFormat const& format, std::string const& list, std::string_view entry) {
  ListSpan& span = head.span;
  if (head.open == '\0') return span;
  in.take(1);
  span.offset = in.offset();
  bool closed = true;
  if (head.open == '{') {
    span.repeated = true;
    closed = in.skip_to('}', nullptr);
  } else if (format.binary && head.counted) {
    skip_binary(in, span, format, list, entry);
  } else if (span.components() == 1) {
    closed = in.skip_to(')', head.counted ? nullptr : &span.count);
  } else {
    std::size_t elements = 0;
    closed = false;
    for (int depth = 1; !in.ahead(1).empty(); in.take(1)) {
      char const c = in.ahead(1)[0];
      elements += c == '(' && depth == 1;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      closed = depth == 0;
      if (closed) break;
    }
    if (!head.counted) span.count = elements;
  }
  if (!closed) in.fail(span.line, list + " in entry " + in_quotes(entry) + " is not closed");
  span.length = in.offset() - span.offset;
  in.take(1);
  return span;
}

}  // namespace tessera::core::dictionary_text
