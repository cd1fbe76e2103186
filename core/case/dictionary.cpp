// SPDX-License-Identifier: Apache-2.0
#include "core/case/dictionary.hpp"

#include "core/case/dictionary_parser.hpp"
#include "core/case/etc_file.hpp"
#include "core/case/units.hpp"
#include "core/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace tessera::core {
namespace {

std::string read_local(std::string const& path) { return read_file(etc_file(path)); }

/// Throws Consequence where the entry is there, but its own error has set it aside.
template <class Entries>
void expect_not_aside(Entries const& entries, std::string_view path, std::string_view key) {
  auto const* const errors = ErrorList::gathering();
  if (!errors) return;
  for (auto const& entry : entries)
    if ((entry->key == key || entry->pattern) && errors->is_aside(entry->place(path)))
      throw Consequence("entry '" + std::string(key) + "' is set aside");
}

/// Whether `word` stands in the text, not as a part of a longer word.
bool has_word(std::string_view text, std::string_view word) {
  auto const goes_on = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if (!(at > 0 && goes_on(at - 1)) && !goes_on(at + word.size())) return true;
  return false;
}

/// Whether OpenFOAM has such a file, too: one of its dictionaries, or a field.
bool is_openfoams(std::string const& file, std::string const& type) {
  constexpr std::array<std::string_view, 9> dictionaries{"controlDict", "blockMeshDict",       "setFieldsDict",
                                                         "topoSetDict", "transportProperties", "fvOptions",
                                                         "fvSolution",  "decomposeParDict",    "fvSchemes"};
  std::string const own = std::filesystem::path(file).filename().string();
  return type.starts_with("vol") || std::find(dictionaries.begin(), dictionaries.end(), own) != dictionaries.end();
}

/// Whether Tessera alone has such a file. In OpenFOAM's an entry that is there twice is merged with, or replaced by, the later one.
bool is_own(std::string const& file) {
  constexpr std::array<std::string_view, 9> dictionaries{"automatonProperties",
                                                         "percolationProperties",
                                                         "cables",
                                                         "gridDict",
                                                         "balanceDict",
                                                         "inSituDict",
                                                         "routerDict",
                                                         "studyDict",
                                                         "sweepDict"};
  std::string const name = std::filesystem::path(file).filename().string();
  return std::find(dictionaries.begin(), dictionaries.end(), name) != dictionaries.end();
}

}  // namespace

Dictionary Dictionary::read(std::string const& path, Reader const& reader, Settings* settings) {
  return parse(reader ? reader(path) : read_local(path), path, reader, settings);
}

Dictionary Dictionary::parse(std::string text, std::string name, Reader const& reader, Settings* settings) {
  Dictionary result;
  DictionaryParser(reader ? reader : Reader(read_local), settings).parse_file(result, std::move(text), std::move(name));
  return result;
}

void Dictionary::ask(std::string_view key) const {
  if (auto* const errors = ErrorList::gathering()) errors->asked(name(), line_, path_);
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
}

bool Dictionary::contains(std::string_view key) const {
  ask(key);
  return find(key) != nullptr;
}

bool Dictionary::is_dictionary(std::string_view key) const {
  ask(key);
  Entry const* entry = find(key);
  return entry && entry->dictionary;
}

Dictionary::Entry& Dictionary::require(std::string_view key) const {
  ask(key);
  if (Entry* entry = find(key)) {
    entry->read = true;
    return *entry;
  }
  expect_not_aside(entries_, path_, key);
  std::string message = "entry '" + std::string(key) + "' is missing";
  if (!path_.empty()) message += " in '" + path_ + "'";
  std::vector<std::string> unread;
  for (auto const& entry : entries_)
    if (!entry->read) unread.push_back(entry->key);
  std::string const guess = nearest(key, unread);
  if (!guess.empty()) message += "; is '" + guess + "' meant?";
  throw Error(name(), line_, message);
}

Dictionary::Entry& Dictionary::require_value(std::string_view key, std::string_view expected) const {
  Entry& entry = require(key);
  if (entry.dictionary)
    throw Error(*entry.file, entry.line,
                "entry '" + std::string(key) + "' is a dictionary, expected " + std::string(expected));
  return entry;
}

std::vector<Token> Dictionary::tokens(std::string_view key) const { return require_value(key, "a value").tokens; }

TokenStream Dictionary::stream(std::string_view key) const {
  Entry const& entry = require_value(key, "a value");
  return TokenStream(entry.tokens, std::string(key), *entry.file, entry.line);
}

std::vector<std::string> Dictionary::words(std::string_view key) const {
  std::vector<std::string> result;
  for (auto const& token : require_value(key, "words").tokens)
    result.push_back(token.dictionary ? "{...}" : token.text);
  return result;
}

std::vector<Dictionary::Item> Dictionary::items(std::string_view key) const {
  Entry const& entry = require_value(key, "a list");
  TokenStream in(entry.tokens, std::string(key), *entry.file, entry.line);
  std::size_t announced = std::numeric_limits<std::size_t>::max();
  if (!in.done() && in.peek().kind == Token::Kind::number) announced = in.read<std::uint32_t>();
  if (!in.at('(')) in.fail_expected("a list ( ... )");
  in.expect('(');
  std::vector<Item> result;
  while (!in.at(')')) {
    if (in.done()) in.fail_expected("')'");
    Item item;
    item.line = in.peek().line;
    int depth = 0;
    do {
      Token const& token = in.next();
      depth += token.is('(') || token.is('[') || token.is('{');
      depth -= token.is(')') || token.is(']') || token.is('}');
      item.tokens.push_back(token);
    } while (depth > 0);
    Token const first = item.tokens.front();
    bool const named = (first.kind == Token::Kind::word || first.kind == Token::Kind::string) && in.at_dictionary();
    if (named) item.tokens = {in.next()};
    if (item.tokens.front().dictionary) {
      if (named) item.name = first.text;
      item.dictionary = item.tokens.front().dictionary.get();
      item.tokens.clear();
    }
    result.push_back(std::move(item));
  }
  in.expect(')');
  in.end();
  if (announced != std::numeric_limits<std::size_t>::max() && announced != result.size())
    throw Error(*entry.file, entry.line,
                fmt::format("entry '{}' has {} values, expected {}", key, result.size(), announced));
  return result;
}

ListSpan const* Dictionary::list_span(std::string_view key) const {
  ask(key);
  Entry const* entry = find(key);
  if (!entry || !entry->span) return nullptr;
  entry->read = true;
  return entry->span.get();
}

Dictionary const& Dictionary::sub(std::string_view key) const {
  Entry const& entry = require(key);
  if (!entry.dictionary)
    throw Error(*entry.file, entry.line,
                "entry '" + std::string(key) + "' is '" + entry.shown() + "', expected a dictionary { ... }");
  return *entry.dictionary;
}

Dictionary& Dictionary::sub(std::string_view key) { return const_cast<Dictionary&>(std::as_const(*this).sub(key)); }

Dictionary const* Dictionary::find_sub(std::string_view key) const { return contains(key) ? &sub(key) : nullptr; }

Dictionary* Dictionary::find_sub(std::string_view key) { return contains(key) ? &sub(key) : nullptr; }

Dictionary& Dictionary::sub_or_empty(std::string_view key) {
  if (contains(key)) return sub(key);
  Dictionary& made = enter(std::string(key), nullptr, file_ ? file_ : std::make_shared<std::string const>(), line_);
  require(key);
  return made;
}

std::vector<std::string> Dictionary::keys_that(bool (*wanted)(Entry const&)) const {
  std::vector<std::string> result;
  for (auto const& entry : entries_)
    if (wanted(*entry) && (entry->key != "FoamFile" || !path_.empty())) result.push_back(entry->key);
  return result;
}

std::vector<std::string> Dictionary::keys() const {
  return keys_that([](Entry const&) { return true; });
}

std::vector<std::string> Dictionary::patterns() const {
  return keys_that([](Entry const& entry) { return entry.pattern != nullptr; });
}

std::vector<std::string> Dictionary::names() const {
  return keys_that([](Entry const& entry) { return entry.pattern == nullptr; });
}

std::string Dictionary::get_choice(std::string_view key, std::vector<std::string> const& valid) const {
  auto const value = get<std::string>(key);
  if (std::find(valid.begin(), valid.end(), value) == valid.end()) fail(key, unknown_name(key, value, valid));
  return value;
}

std::string Dictionary::get_choice(std::string_view key, std::vector<std::string> const& valid,
                                   std::string_view fallback) const {
  return contains(key) ? get_choice(key, valid) : std::string(fallback);
}

std::array<double, 7> Dictionary::dimensions(std::string_view key) const {
  TokenStream in = stream(key);
  constexpr std::string_view expected = "dimensions [kg m s K mol A cd] with 5 or 7 numbers, or units as in [m^2/s]";
  if (in.at_word()) in.next();
  if (!in.accept('[')) in.fail_expected(expected);
  bool const numbers = in.done() || in.at(']') || in.peek().kind == Token::Kind::number;
  if (!numbers) {
    std::string units;
    while (!in.at(']')) units += (units.empty() ? "" : " ") + in.next().text;
    return exponents_of_units(units, in);
  }
  std::array<double, 7> result{};
  std::size_t found = 0;
  for (; !in.at(']') && !in.done(); ++found) {
    if (in.peek().kind != Token::Kind::number || found == result.size()) in.fail_expected(expected);
    result[found] = in.read<double>();
  }
  if (found != 5 && found != 7) in.fail_expected(expected);
  return result;
}

void Dictionary::fail_range(std::string_view key, double lo, double hi, bool above) const {
  std::string expected = fmt::format("a number from {} to {}", lo, hi);
  if (above)
    expected = fmt::format("a number above {}", lo);
  else if (std::isinf(hi) || hi >= 9.2e18)
    expected = fmt::format("a number of at least {}", lo);
  else if (std::isinf(lo))
    expected = fmt::format("a number of at most {}", hi);
  fail_expected(key, expected);
}

// ---- what was read

void Dictionary::check_all_read() const {
  ErrorList* const errors = ErrorList::gathering();
  struct Asked {
    /// Whether somebody asked for the word in a block of `d`.
    static bool below(Dictionary const& d, std::string const& key) {
      auto const in = [&key](Dictionary const& block) {
        return std::find(block.asked_.begin(), block.asked_.end(), key) != block.asked_.end() || below(block, key);
      };
      return std::any_of(d.entries_.begin(), d.entries_.end(), [&](auto const& entry) {
        return (entry->dictionary && in(*entry->dictionary)) ||
               std::any_of(entry->tokens.begin(), entry->tokens.end(),
                           [&](Token const& token) { return token.dictionary && in(*token.dictionary); });
      });
    }
  };
  Dictionary const* const header = find_exact("FoamFile") ? find_exact("FoamFile")->dictionary.get() : nullptr;
  bool const openfoams =
      path_.empty() && is_openfoams(name(), header && header->find("class") ? header->find("class")->shown() : "");
  if (path_.empty() && is_own(name())) check_set_once();
  for (auto const& entry : entries_) {
    if (entry->key == "FoamFile" && path_.empty()) continue;
    if (errors && errors->is_aside(entry->place(path_))) continue;
    if (!entry->read) {
      if (entry->used_by_macro) continue;
      if (openfoams && !entry->dictionary && !entry->pattern && !entry->span && nearest(entry->key, asked_).empty() &&
          !Asked::below(*this, entry->key)) {
        unused_variables_.insert(location(entry->key) + ": '" + entry->key +
                                 "' is used by nobody: taken for a variable");
        continue;
      }
      std::string message = "unknown entry '" + entry->key + "'";
      std::string const guess = nearest(entry->key, asked_);
      if (!guess.empty()) {
        message += "; did you mean '" + guess + "'?";
      } else {
        if (!path_.empty()) message += " in '" + path_ + "'";
        std::vector<std::string> known = asked_;
        std::sort(known.begin(), known.end());
        if (!known.empty()) message += "; valid:";
        for (auto const& key : known) message += " " + key;
      }
      if (!errors) throw Error(*entry->file, entry->line, message);
      constexpr std::size_t shortest = 4;  // letters that can be called similar
      bool const near = entry->key.size() >= shortest && !guess.empty() && !find_exact(guess);
      std::string const place = entry->line > 0 ? *entry->file + ":" + std::to_string(entry->line) : *entry->file;
      errors->unread(name(), line_, path_, place, message, near);
      continue;
    }
    if (entry->dictionary) entry->dictionary->check_all_read();
    for (auto const& token : entry->tokens)
      if (token.dictionary) token.dictionary->check_all_read();
  }
}

void Dictionary::check_set_once() const {
  for (auto const& entry : entries_) {
    if (entry->line_before > 0)
      throw Error(
          *entry->file, entry->line,
          fmt::format("entry '{}' stands in line {} already, expected it once", entry->key, entry->line_before));
    if (entry->dictionary) entry->dictionary->check_set_once();
    for (auto const& token : entry->tokens)
      if (token.dictionary) token.dictionary->check_set_once();
  }
}

void Dictionary::mark_read() const {
  for (auto const& entry : entries_) {
    entry->read = true;
    if (entry->dictionary) entry->dictionary->mark_read();
    for (auto const& token : entry->tokens)
      if (token.dictionary) token.dictionary->mark_read();
  }
}

void Dictionary::mark_read(std::string_view key) const {
  ask(key);
  Entry const* entry = find(key);
  if (!entry) return;
  entry->read = true;
  if (entry->dictionary) entry->dictionary->mark_read();
  for (auto const& token : entry->tokens)
    if (token.dictionary) token.dictionary->mark_read();
}

bool Dictionary::stands_alone(std::string_view key) const {
  Entry const* const entry = find_exact(key);
  return entry && !entry->dictionary && !entry->used_by_macro && *entry->file == name();
}

void Dictionary::fail(std::string_view key, std::string_view message) const {
  bool const named = key.empty() || has_word(message, key);
  fail_at(key, named ? std::string(message) : fmt::format("entry '{}': {}", key, message));
}

void Dictionary::fail_entry(std::string_view key, std::string_view predicate) const {
  fail_at(key, fmt::format("entry '{}' {}", key, predicate));
}

void Dictionary::fail_expected(std::string_view key, std::string_view what) const {
  Entry const* entry = find(key);
  std::string const value = entry ? entry->shown() : "";
  if (value.empty()) fail(key, fmt::format("expected {}", what));
  fail_entry(key, fmt::format("is '{}', expected {}", value, what));
}

void Dictionary::fail_at(std::string_view key, std::string const& message) const {
  Entry const* entry = find(key);
  if (!entry) expect_not_aside(entries_, path_, key);
  throw Error(entry ? *entry->file : name(), entry ? entry->line : line_, message);
}

std::string const& Dictionary::name() const {
  static std::string const none = "dictionary";
  return file_ && !file_->empty() ? *file_ : none;
}

std::string Dictionary::location() const { return line_ > 0 ? name() + ":" + std::to_string(line_) : name(); }

std::string Dictionary::location(std::string_view key) const {
  Entry const* entry = find(key);
  if (!entry) return location();
  return entry->line > 0 ? *entry->file + ":" + std::to_string(entry->line) : *entry->file;
}

}  // namespace tessera::core
