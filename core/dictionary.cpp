// SPDX-License-Identifier: Apache-2.0
#include "core/dictionary.hpp"

#include "core/dictionary_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

namespace tessera::core {
namespace {

std::string read_local(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  // A folder opens, but cannot be read.
  if (!in.is_open() || in.bad() || text.bad()) throw Error(path + ": cannot be read");
  return std::move(text).str();
}

std::string joined(std::string const& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

std::string index_key(std::string_view key, bool pattern) { return (pattern ? "\"" : "") + std::string(key); }

}  // namespace

// ---- entries

std::size_t Dictionary::Entry::size() const {
  std::size_t total = 1;
  for (auto const& token : tokens) {
    ++total;
    if (token.dictionary)
      for (auto const& entry : token.dictionary->entries_) total += entry->size();
  }
  if (dictionary)
    for (auto const& entry : dictionary->entries_) total += entry->size();
  return total;
}

Dictionary::Entry Dictionary::Entry::copy(int level, std::size_t& budget, std::string const& path) const {
  std::size_t const cost = 1 + tokens.size();
  if (cost > budget) throw Error("macros insert more than 1000000 words");
  budget -= cost;
  Entry result;
  result.key = key;
  result.pattern = pattern;
  result.tokens = tokens;
  result.span = span;
  result.file = file;
  result.line = line;
  for (auto& token : result.tokens) {
    if (!token.dictionary) continue;
    auto own = std::make_shared<Dictionary>();
    own->file_ = token.dictionary->file_;
    own->line_ = token.dictionary->line_;
    own->path_ = joined(path, key);
    own->merge(*token.dictionary, level + 1, budget);
    token.dictionary = std::move(own);
  }
  return result;
}

std::string Dictionary::Entry::shown() const {
  constexpr std::size_t longest = 60;
  std::string text;
  for (std::size_t i = 0; i < tokens.size() && text.size() <= longest; ++i) {
    Token const& token = tokens[i];
    bool const close = i > 0 && !tokens[i - 1].is('(') && !tokens[i - 1].is('[') && !token.is(')') && !token.is(']');
    if (close) text += ' ';
    text += token.dictionary ? "{...}" : token.text;
  }
  if (span) text += " ...";
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

Dictionary::Dictionary() = default;
Dictionary::Dictionary(Dictionary&&) noexcept = default;
Dictionary& Dictionary::operator=(Dictionary&&) noexcept = default;
Dictionary::~Dictionary() = default;

Dictionary::Dictionary(Dictionary const& other) : file_(other.file_), line_(other.line_), path_(other.path_) {
  std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  merge(other, 0, unlimited);
}

Dictionary& Dictionary::operator=(Dictionary const& other) {
  if (this != &other) *this = Dictionary(other);
  return *this;
}

Dictionary::Entry* Dictionary::find_exact(std::string_view key) const {
  auto const found = index_.find(std::string(key));
  return found == index_.end() ? nullptr : found->second;
}

Dictionary::Entry* Dictionary::find(std::string_view key) const {
  if (Entry* found = find_exact(key)) return found;
  auto const same = index_.find(index_key(key, true));
  if (same != index_.end()) return same->second;
  constexpr std::size_t longest = 256;
  if (key.size() > longest) return nullptr;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
    if ((*entry)->pattern && std::regex_match(key.begin(), key.end(), (*entry)->pattern->expression)) return entry->get();
  return nullptr;
}

Dictionary::Entry& Dictionary::put(Entry entry) {
  auto& place = index_[index_key(entry.key, entry.pattern != nullptr)];
  if (place) {
    *place = std::move(entry);
  } else {
    entries_.push_back(std::make_unique<Entry>(std::move(entry)));
    place = entries_.back().get();
  }
  return *place;
}

void Dictionary::remove(std::string_view key, bool pattern) {
  auto const found = index_.find(index_key(key, pattern));
  if (found == index_.end()) return;
  Entry const* gone = found->second;
  index_.erase(found);
  std::erase_if(entries_, [gone](auto const& entry) { return entry.get() == gone; });
}

Dictionary& Dictionary::enter(std::string const& key, std::shared_ptr<Pattern const> pattern, std::shared_ptr<std::string const> file,
                              int line) {
  auto const found = index_.find(index_key(key, pattern != nullptr));
  if (found != index_.end() && found->second->dictionary) return *found->second->dictionary;
  Entry entry;
  entry.key = key;
  entry.pattern = std::move(pattern);
  entry.file = file;
  entry.line = line;
  entry.dictionary = std::make_unique<Dictionary>();
  entry.dictionary->file_ = std::move(file);
  entry.dictionary->line_ = line;
  entry.dictionary->path_ = joined(path_, key);
  return *put(std::move(entry)).dictionary;
}

/// Other's entries over these: dictionaries of one name are merged, values replaced. Nothing of the copy counts as read.
void Dictionary::merge(Dictionary const& other, int level, std::size_t& budget) {
  if (level > deepest_nesting) throw Error("blocks nest deeper than 256");
  for (auto const& entry : other.entries_) {
    if (!entry->dictionary) {
      put(entry->copy(level, budget, path_));
      continue;
    }
    if (budget == 0) throw Error("macros insert more than 1000000 words");
    --budget;
    enter(entry->key, entry->pattern, entry->file, entry->line).merge(*entry->dictionary, level + 1, budget);
  }
}

// ---- reading

Dictionary Dictionary::read(std::string const& path, Reader const& reader) {
  return parse(reader ? reader(path) : read_local(path), path, reader);
}

Dictionary Dictionary::parse(std::string text, std::string name, Reader const& reader) {
  Dictionary result;
  DictionaryParser(reader ? reader : Reader(read_local)).parse_file(result, std::move(text), std::move(name));
  return result;
}

void Dictionary::ask(std::string_view key) const {
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
    throw Error(*entry.file, entry.line, "entry '" + std::string(key) + "' is a dictionary, expected " + std::string(expected));
  return entry;
}

std::vector<Token> Dictionary::tokens(std::string_view key) const { return require_value(key, "a value").tokens; }

TokenStream Dictionary::stream(std::string_view key) const {
  Entry const& entry = require_value(key, "a value");
  return TokenStream(entry.tokens, std::string(key), *entry.file, entry.line);
}

std::vector<std::string> Dictionary::words(std::string_view key) const {
  std::vector<std::string> result;
  for (auto const& token : require_value(key, "words").tokens) result.push_back(token.dictionary ? "{...}" : token.text);
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
    throw Error(*entry.file, entry.line, fmt::format("entry '{}' has {} values, expected {}", key, result.size(), announced));
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
    throw Error(*entry.file, entry.line, "entry '" + std::string(key) + "' is '" + entry.shown() + "', expected a dictionary { ... }");
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

std::vector<std::string> Dictionary::keys() const {
  std::vector<std::string> result;
  for (auto const& entry : entries_)
    if (entry->key != "FoamFile" || !path_.empty()) result.push_back(entry->key);
  return result;
}

std::string Dictionary::get_choice(std::string_view key, std::vector<std::string> const& valid) const {
  auto const value = get<std::string>(key);
  if (std::find(valid.begin(), valid.end(), value) == valid.end()) fail(key, unknown_name(key, value, valid));
  return value;
}

std::string Dictionary::get_choice(std::string_view key, std::vector<std::string> const& valid, std::string_view fallback) const {
  return contains(key) ? get_choice(key, valid) : std::string(fallback);
}

std::array<double, 7> Dictionary::dimensions(std::string_view key) const {
  TokenStream in = stream(key);
  constexpr std::string_view expected = "dimensions [kg m s K mol A cd] with 5 or 7 numbers";
  if (in.at_word()) in.next();
  if (!in.accept('[')) in.fail_expected(expected);
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
  Entry const* entry = find(key);
  std::string expected = fmt::format("a number from {} to {}", lo, hi);
  if (above)
    expected = fmt::format("a number above {}", lo);
  else if (std::isinf(hi) || hi >= 9.2e18)
    expected = fmt::format("a number of at least {}", lo);
  else if (std::isinf(lo))
    expected = fmt::format("a number of at most {}", hi);
  fail(key, fmt::format("entry '{}' is '{}', expected {}", key, entry ? entry->shown() : "", expected));
}

// ---- what was read

void Dictionary::check_all_read() const {
  for (auto const& entry : entries_) {
    if (entry->key == "FoamFile" && path_.empty()) continue;
    if (!entry->read) {
      if (entry->used_by_macro) continue;
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
      throw Error(*entry->file, entry->line, message);
    }
    if (entry->dictionary) entry->dictionary->check_all_read();
    for (auto const& token : entry->tokens)
      if (token.dictionary) token.dictionary->check_all_read();
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

void Dictionary::fail(std::string_view key, std::string_view message) const {
  Entry const* entry = find(key);
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

// ---- changing and writing

void Dictionary::set(std::string_view path, std::string const& value, std::string const& origin) {
  std::vector<Dictionary*> scopes{this};
  auto const file = std::make_shared<std::string const>(origin);
  if (path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != path.npos)
    throw Error(origin, 0, "'" + std::string(path) + "' is no path of an entry, expected name.name.name");
  while (!scopes.back()->find_exact(path) && path.find('.') != path.npos) {
    Dictionary& here = *scopes.back();
    // The longest beginning that names a dictionary, since a keyword may have a dot; otherwise the first word makes a new one.
    std::size_t dot = path.rfind('.');
    while (dot != path.npos) {
      Entry const* entry = here.find(path.substr(0, dot));
      if (entry && entry->dictionary) break;
      dot = dot == 0 ? path.npos : path.rfind('.', dot - 1);
    }
    if (dot == path.npos) dot = path.find('.');
    std::string const key(path.substr(0, dot));
    Entry const* entry = here.find(key);
    if (entry && !entry->dictionary)
      throw Error(origin, 0, "entry '" + key + "' (" + here.location(key) + ") is '" + entry->shown() + "', expected a dictionary { ... }");
    // What a pattern gave to this name stays, but the change is for this name only.
    std::unique_ptr<Dictionary> const given = entry && entry->pattern ? std::make_unique<Dictionary>(*entry->dictionary) : nullptr;
    Dictionary& next = here.enter(key, nullptr, file, 0);
    std::size_t budget = std::numeric_limits<std::size_t>::max();
    if (given) next.merge(*given, static_cast<int>(scopes.size()), budget);
    if (scopes.size() >= deepest_nesting) throw Error(origin, 0, "blocks nest deeper than 256");
    scopes.push_back(&next);
    path.remove_prefix(dot + 1);
  }
  DictionaryParser(Reader(read_local)).parse_value(scopes, std::string(path), value, origin);
}

void Dictionary::write(std::string& out, int indent) const {
  std::string const space(static_cast<std::size_t>(4 * indent), ' ');
  auto const quote = [](std::string const& text) {
    std::string result = "\"";
    for (char const c : text) {
      if (c == '"' || c == '\n') result += '\\';
      result += c;
    }
    return result + '"';
  };
  for (auto const& entry : entries_) {
    out += space + (entry->pattern ? quote(entry->key) : entry->key);
    if (entry->dictionary) {
      out += "\n" + space + "{\n";
      entry->dictionary->write(out, indent + 1);
      out += space + "}\n";
      continue;
    }
    for (std::size_t i = 0; i < entry->tokens.size(); ++i) {
      Token const& token = entry->tokens[i];
      bool const tight = i > 0 && (entry->tokens[i - 1].is('(') || entry->tokens[i - 1].is('['));
      if (!tight && !token.is(')') && !token.is(']')) out += ' ';
      if (token.dictionary) {
        out += "\n" + space + "    {\n";
        token.dictionary->write(out, indent + 2);
        out += space + "    }\n" + space + "   ";
      } else {
        out += token.kind == Token::Kind::string ? quote(token.text) : token.text;
      }
    }
    if (entry->span) out += " 0() /* values left out */";
    out += ";\n";
  }
}

std::string Dictionary::text() const {
  std::string out;
  write(out, 0);
  return out;
}

}  // namespace tessera::core
