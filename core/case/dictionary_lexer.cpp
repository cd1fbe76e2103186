// SPDX-License-Identifier: Apache-2.0
// Words, numbers, strings, comments and names of macros.
#include "core/case/dictionary_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tessera::core {
using namespace dictionary_text;

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_number(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]);
}

/// A number only if all of the text is one, and finite: 2D, nan and 1e999 are words.
bool parse_number(std::string_view text, double& number) {
  if (!starts_number(text)) return false;
  if (text[0] == '+') text.remove_prefix(1);
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return false;
  if (status == std::errc()) return true;
  number = std::strtod(std::string(text).c_str(), nullptr);  // out of range: too small is zero, too large is no number
  return std::isfinite(number);
}

}  // namespace

std::shared_ptr<Dictionary::Pattern const> DictionaryParser::compile(Source const& in, std::string const& pattern,
                                                                     int line) {
  if (pattern.size() > longest_pattern)
    in.fail(line, "regular expression \"" + pattern + "\" is longer than 256 characters");
  // Counted repetition would multiply the automaton's states.
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == '{' && (i == 0 || pattern[i - 1] != '\\'))
      in.fail(line, "regular expression \"" + pattern + "\": '{' is not supported in it");
  auto compiled = std::make_shared<Dictionary::Pattern>();
  try {
    using namespace std::regex_constants;
    compiled->expression.assign(pattern, ECMAScript | nosubs | __polynomial);
  } catch (std::regex_error const&) {
    in.fail(line, "\"" + pattern + "\" is no valid regular expression");
  }
  return compiled;
}

void DictionaryParser::skip_space(Source& in) {
  std::string const& text = *in.text;
  while (in.at < text.size()) {
    char const c = text[in.at];
    if (c == '\n') ++in.line;
    if (is_space(c)) {
      ++in.at;
    } else if (in.starts("//")) {
      in.at = std::min(text.find('\n', in.at), text.size());
    } else if (in.starts("/*")) {
      std::size_t const close = text.find("*/", in.at + 2);
      if (close == std::string::npos) in.fail(in.line, "comment '/*' is not closed by '*/'");
      in.line += static_cast<int>(
          std::count(text.begin() + std::ptrdiff_t(in.at), text.begin() + std::ptrdiff_t(close), '\n'));
      in.at = close + 2;
    } else {
      return;
    }
  }
}

/// Of brackets in a word; longer ones are a list that nobody closed, which is not to be read again at each of its levels.
constexpr std::size_t longest_brackets = 4096;

/// Brackets inside a word must match, as in `div(phi,U)`; a word ends before one that does not, as in `hex(0 1 2 3)`.
std::string DictionaryParser::read_word(Source& in) {
  std::string const& text = *in.text;
  std::size_t const begin = in.at;
  bool const number = starts_number(std::string_view(text).substr(begin, 3));
  int depth = 0;
  std::size_t outermost = begin;
  for (; in.at < text.size(); ++in.at) {
    char const c = text[in.at];
    if (is_space(c) || one_of(c, ";{}\"[]") || in.starts("//") || in.starts("/*")) break;
    if (depth > 0 && in.at - outermost > longest_brackets) break;
    if (c == '(') {
      if (number) break;
      if (depth++ == 0) outermost = in.at;
    } else if (c == ')') {
      if (depth == 0) break;
      --depth;
    }
  }
  if (depth > 0) in.at = outermost;
  if (in.at == begin)
    in.fail(in.line, "unexpected character " + std::to_string(int(static_cast<unsigned char>(text[begin]))));
  std::string word = text.substr(begin, in.at - begin);
  for (char const c : word)
    if (static_cast<unsigned char>(c) < 32 || c == 127)
      in.fail(in.line, "unexpected character " + std::to_string(int(static_cast<unsigned char>(c))));
  return word;
}

std::string DictionaryParser::read_string(Source& in) {
  std::string const& text = *in.text;
  int const line = in.line;
  std::string result;
  for (++in.at; in.at < text.size(); ++in.at) {
    char const c = text[in.at];
    if (c == '"') {
      ++in.at;
      return result;
    }
    if (c == '\n') break;
    if (c == '\\' && in.at + 1 < text.size() && (text[in.at + 1] == '"' || text[in.at + 1] == '\n')) {
      ++in.at;
      if (text[in.at] == '\n') ++in.line;
    }
    result += text[in.at];
  }
  in.fail(line, "string is not closed by '\"'");
}

/// The name after `$`, braces removed.
std::string DictionaryParser::read_macro(Source& in) {
  ++in.at;
  if (!in.end() && in.peek() == '{') {
    std::size_t const close = in.text->find('}', in.at);
    std::size_t const newline = in.text->find('\n', in.at);
    if (close == std::string::npos || newline < close) in.fail(in.line, "'${' is not closed by '}'");
    std::string name = in.text->substr(in.at + 1, close - in.at - 1);
    in.at = close + 1;
    if (name.find_first_of(" \t$(){\"-/") != name.npos || name.find(':', 1) != name.npos || name.empty())
      in.fail(in.line, "'${" + name + "}' is not supported; only the name of an entry may stand in the braces");
    return name;
  }
  if (in.end() || is_space(in.peek()) || one_of(in.peek(), ";{}\"[]()")) in.fail(in.line, "'$' without a name");
  return read_word(in);
}

Token DictionaryParser::word_token(Source& in) {
  Token token;
  token.line = in.line;
  token.text = read_word(in);
  if (parse_number(token.text, token.number)) token.kind = Token::Kind::number;
  return token;
}

/// `#{ code #}`, as a string: nobody runs it, but whoever reads the dictionary says so.
Token DictionaryParser::verbatim_token(Source& in) {
  std::string const& text = *in.text;
  std::size_t const close = text.find("#}", in.at + 2);
  if (close == std::string::npos) in.fail(in.line, "'#{' is not closed by '#}'");
  Token token;
  token.kind = Token::Kind::string;
  token.line = in.line;
  token.text = text.substr(in.at + 2, close - in.at - 2);
  in.line += static_cast<int>(std::count(token.text.begin(), token.text.end(), '\n'));
  in.at = close + 2;
  return token;
}

}  // namespace tessera::core
