// SPDX-License-Identifier: Apache-2.0
// Tokens of dictionaries: words, numbers, patterns and names of macros.
#include "core/case/dictionary_parser.hpp"

#include <charconv>
#include <cmath>

namespace tessera::core {
using namespace dictionary_text;

namespace {

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
  Token token;
  token.kind = Token::Kind::string;
  token.line = in.line;
  token.text = read_verbatim(in);
  return token;
}

}  // namespace tessera::core
