// SPDX-License-Identifier: Apache-2.0
// What a dictionary holds: entries found, put, merged, copied, set and written back.
#include "core/case/dictionary_parser.hpp"

#include <algorithm>
#include <limits>

namespace tessera::core {
namespace {

std::string joined(std::string const& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

std::string index_key(std::string_view key, bool pattern) { return (pattern ? "\"" : "") + std::string(key); }

}  // namespace

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
    own->home_ = token.dictionary->home_;
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

Dictionary::Dictionary(Dictionary const& other)
    : file_(other.file_),
      home_(other.home_),
      line_(other.line_),
      path_(other.path_) {
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
  auto const look_up = [&]() -> Entry* {
    if (Entry* found = find_exact(key)) return found;
    auto const same = index_.find(index_key(key, true));
    if (same != index_.end()) return same->second;
    constexpr std::size_t longest = 256;
    if (key.size() > longest) return nullptr;
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
      if ((*entry)->pattern && std::regex_match(key.begin(), key.end(), (*entry)->pattern->expression))
        return entry->get();
    return nullptr;
  };
  Entry* const found = look_up();
  ErrorList* const errors = ErrorList::gathering();
  return found && errors && !errors->take(found->place(path_)) ? nullptr : found;
}

ErrorList::Entry Dictionary::Entry::place(std::string_view path) const {
  bool const numeric = !dictionary && std::all_of(tokens.begin(), tokens.end(), [](Token const& token) {
    return token.kind == Token::Kind::number || token.kind == Token::Kind::punctuation;
  });
  return {*file, line, path, key, dictionary != nullptr, numeric};
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

Dictionary& Dictionary::enter(std::string const& key, std::shared_ptr<Pattern const> pattern,
                              std::shared_ptr<std::string const> file, int line) {
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

/// Other's entries over these: dictionaries of one name are merged, values replaced. Nothing of the copy counts as
/// read.
void Dictionary::merge(Dictionary const& other, int level, std::size_t& budget) {
  if (level > deepest_nesting) throw Error("blocks nest deeper than 256");
  for (auto const& entry : other.entries_) {
    if (!entry->dictionary) {
      put(entry->copy(level, budget, path_));
      continue;
    }
    if (budget == 0) throw Error("macros insert more than 1000000 words");
    --budget;
    Dictionary& next = enter(entry->key, entry->pattern, entry->file, entry->line);
    if (next.file_ == entry->file) next.home_ = entry->dictionary->home_;
    next.merge(*entry->dictionary, level + 1, budget);
  }
}

void Dictionary::set(std::string_view path, std::string const& value, std::string const& origin) {
  std::vector<Dictionary*> scopes{this};
  auto const file = std::make_shared<std::string const>(origin);
  if (path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != path.npos)
    throw Error(origin, 0, "'" + std::string(path) + "' is no path of an entry, expected name.name.name");
  while (!scopes.back()->find_exact(path) && path.find('.') != path.npos) {
    Dictionary& here = *scopes.back();
    // The longest beginning that names a dictionary, since a keyword may have a dot; otherwise the first word makes a
    // new one.
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
      throw Error(origin, 0,
                  "entry '" + key + "' (" + here.location(key) + ") is '" + entry->shown() +
                      "', expected a dictionary { ... }");
    // What a pattern gave to this name stays, but the change is for this name only.
    std::unique_ptr<Dictionary> const given =
        entry && entry->pattern ? std::make_unique<Dictionary>(*entry->dictionary) : nullptr;
    Dictionary& next = here.enter(key, nullptr, file, 0);
    if (!entry || given) next.home_ = here.home_ ? here.home_ : here.file_;
    std::size_t budget = std::numeric_limits<std::size_t>::max();
    if (given) next.merge(*given, static_cast<int>(scopes.size()), budget);
    if (scopes.size() >= deepest_nesting) throw Error(origin, 0, "blocks nest deeper than 256");
    scopes.push_back(&next);
    path.remove_prefix(dot + 1);
  }
  DictionaryParser(dictionary_text::no_files).parse_value(scopes, std::string(path), value, origin);
}

void Dictionary::set_home(Entry& entry) const {
  auto const below = [this](Dictionary& d) {
    d.home_ = home_ ? home_ : file_;
    for (auto const& inner : d.entries_) d.set_home(*inner);
  };
  if (entry.dictionary) below(*entry.dictionary);
  for (Token const& token : entry.tokens)
    if (token.dictionary) below(*token.dictionary);
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
