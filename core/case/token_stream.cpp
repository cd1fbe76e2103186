// SPDX-License-Identifier: Apache-2.0
#include "core/case/dictionary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace tessera::core {

static_assert(std::endian::native == std::endian::little, "binary fields are read as they are");

TokenStream::TokenStream(std::vector<Token> tokens, std::string key, std::string file, int line)
    : tokens_(std::move(tokens)),
      key_(std::move(key)),
      file_(std::move(file)),
      line_(line) {}

Token const& TokenStream::peek() const {
  if (done()) fail_expected("more");
  return tokens_[next_];
}

Token const& TokenStream::next() {
  Token const& token = peek();
  ++next_;
  return token;
}

void TokenStream::expect(char punctuation) {
  if (!accept(punctuation)) fail_expected("'" + std::string(1, punctuation) + "'");
}

bool TokenStream::accept(char punctuation) {
  if (!at(punctuation)) return false;
  ++next_;
  return true;
}

namespace {

/// The place of the '[' of a dimension set that begins at `at`, perhaps behind a name; tokens.size(): there is none.
std::size_t dimensions_at(std::vector<Token> const& tokens, std::size_t at) {
  if (at < tokens.size() && tokens[at].kind == Token::Kind::word) ++at;
  return at < tokens.size() && tokens[at].is('[') ? at : tokens.size();
}

}  // namespace

void TokenStream::skip_dimensions() {
  auto const set = dimensions_at(tokens_, next_);
  if (set == tokens_.size()) return;
  next_ = set;
  while (!at(']')) next();
  ++next_;
}

void TokenStream::refuse_dimensions() const {
  if (dimensions_at(tokens_, next_) < tokens_.size())
    fail_expected("the value without dimensions, which are not compared here");
}

void TokenStream::end() const {
  if (!done()) fail_expected(tokens_[next_].line > line_ ? "one value; is a ';' missing?" : "one value");
}

void TokenStream::no_value() const {
  if (!done()) fail_expected(fmt::format("no value: `{};`", key_));
}

void TokenStream::fail_expected(std::string_view what) const {
  constexpr std::size_t longest = 60;
  std::string shown;
  for (std::size_t i = 0; i < tokens_.size() && shown.size() <= longest; ++i) {
    bool const tight =
        i == 0 || tokens_[i - 1].is('(') || tokens_[i - 1].is('[') || tokens_[i].is(')') || tokens_[i].is(']');
    if (!tight) shown += ' ';
    shown += tokens_[i].dictionary ? "{...}" : tokens_[i].text;
  }
  if (shown.size() > longest) shown = shown.substr(0, longest) + "...";
  fail(tokens_.empty() ? fmt::format("has no value, expected {}", what)
                       : fmt::format("is '{}', expected {}", shown, what));
}

void TokenStream::fail(std::string_view message) const {
  int const line = done() ? (tokens_.empty() ? line_ : tokens_.back().line) : tokens_[next_].line;
  throw Error(file_, line, fmt::format("entry '{}' {}", key_, message));
}

void TokenStream::fail_length(std::size_t found, std::size_t expected) const {
  fail(fmt::format("has {} values, expected {}", found, expected));
}

bool TokenStream::read_bool() {
  if (done()) fail_expected("yes or no");
  std::string const& text = tokens_[next_].text;
  for (auto const* yes : {"yes", "on", "true", "y", "t"})
    if (text == yes) return ++next_, true;
  for (auto const* no : {"no", "off", "false", "n", "f"})
    if (text == no) return ++next_, false;
  fail_expected("yes or no");
}

std::int64_t TokenStream::read_integer(std::int64_t lo, std::int64_t hi) {
  if (done() || tokens_[next_].kind != Token::Kind::number) fail_expected("an integer");
  Token const& token = tokens_[next_];
  std::string_view text = token.text;
  if (text[0] == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool const whole = end == text.data() + text.size();
  if (whole && status == std::errc::result_out_of_range) fail_expected(fmt::format("an integer from {} to {}", lo, hi));
  if (!whole) {
    // 1e6 and 100.0 are integers too, as far as a double counts exactly.
    constexpr double exact = 9007199254740992.0;
    if (token.number != std::floor(token.number) || std::abs(token.number) > exact) fail_expected("an integer");
    value = static_cast<std::int64_t>(token.number);
  }
  if (value < lo || value > hi) fail_expected(fmt::format("an integer from {} to {}", lo, hi));
  ++next_;
  return value;
}

double TokenStream::read_number() {
  if (done()) fail_expected("a number");
  Token const& token = tokens_[next_];
  if (token.kind == Token::Kind::number) return ++next_, token.number;
  double number = 0;
  std::string_view text = token.text;
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const infinite = token.kind == Token::Kind::word && end == text.data() + text.size();
  fail_expected(infinite && !text.empty() ? "a finite number" : "a number");
}

std::string TokenStream::read_text() {
  if (done() || tokens_[next_].kind == Token::Kind::punctuation || tokens_[next_].dictionary) fail_expected("a word");
  return tokens_[next_++].text;
}

std::size_t TokenStream::open_list(std::string_view what, bool& repeated) {
  std::size_t announced = no_count;
  std::size_t const begin = next_;
  bool const alone = !done() && (next_ + 1 == tokens_.size() || tokens_[next_ + 1].kind != Token::Kind::punctuation);
  if (!done() && tokens_[next_].kind == Token::Kind::number && !alone) {
    announced = static_cast<std::size_t>(read_integer(0, std::numeric_limits<std::int64_t>::max()));
    repeated = at('{');
  }
  if (!at('(') && !repeated) {
    next_ = begin;
    fail_expected(what);
  }
  ++next_;
  return announced;
}

void TokenStream::close_list(std::size_t announced, std::size_t found) {
  expect(')');
  if (announced != no_count && announced != found) {
    --next_;
    fail_length(found, announced);
  }
}

std::size_t ListSpan::components() const {
  if (type == "scalar" || type == "label" || type == "sphericalTensor") return 1;
  if (type == "vector") return 3;
  if (type == "symmTensor") return 6;
  return type == "tensor" ? 9 : 0;
}

std::vector<double> ListSpan::numbers() const {
  std::vector<double> result;
  if (components() == 0) throw Error(file, line, fmt::format("List<{}> is not supported", type));
  std::string_view const values = text ? data() : std::string_view{};
  auto const lines_before = [&](char const* where) {
    return line + static_cast<int>(std::count(values.data(), where, '\n'));
  };
  if (binary) {
    auto const copy_as = [&]<class T>(T) {
      std::vector<T> raw(values.size() / sizeof(T));
      if (!raw.empty()) std::memcpy(raw.data(), values.data(), raw.size() * sizeof(T));
      result.assign(raw.begin(), raw.end());
    };
    scalar_bytes == 4 ? copy_as(float{}) : copy_as(double{});
    for (double const number : result)
      if (!std::isfinite(number))
        throw Error(file, line, fmt::format("List<{}> has the value {}, expected finite numbers", type, number));
  } else {
    result.reserve(std::min(count, values.size()) * components());
    char const* const end = values.data() + values.size();
    for (char const* at = values.data(); at != end;) {
      bool const between = *at == ' ' || *at == '\n' || *at == '\r' || *at == '\t' || *at == '(' || *at == ')';
      if (between) {
        ++at;
        continue;
      }
      double number = 0;
      auto const [next, status] = std::from_chars(at + (*at == '+'), end, number);
      bool const ends = next == end || *next == ' ' || *next == '\n' || *next == '\r' || *next == '\t' || *next == ')';
      if (status == std::errc::result_out_of_range && ends)
        number = std::strtod(std::string(at, next).c_str(), nullptr);
      else if (status != std::errc() || !ends)
        number = std::numeric_limits<double>::quiet_NaN();
      if (!std::isfinite(number)) {
        char const* const stop = std::find_first_of(at, end, " \n\r\t)", " \n\r\t)" + 5);
        throw Error(file, lines_before(at),
                    fmt::format("List<{}> has the value '{}', expected finite numbers", type,
                                std::string(at, std::min(stop, at + 40))));
      }
      result.push_back(number);
      at = next;
    }
    if (repeated && result.size() == components()) {
      constexpr std::size_t most = std::size_t{1} << 30;
      if (count > most) throw Error(file, line, fmt::format("List<{}> of {} values is too long", type, count));
      std::vector<double> all;
      all.reserve(count * components());
      for (std::size_t i = 0; i < count; ++i) all.insert(all.end(), result.begin(), result.end());
      return all;
    }
  }
  std::size_t const expected = repeated ? components() : count * components();
  if (result.size() != expected)
    throw Error(file, line, fmt::format("List<{}> has {} numbers, expected {}", type, result.size(), expected));
  return result;
}

}  // namespace tessera::core
