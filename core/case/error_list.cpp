// SPDX-License-Identifier: Apache-2.0
#include "core/case/error_list.hpp"

#include "core/case/wrong_command.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace tessera::core {
namespace {

constexpr int most_passes = 100;

ErrorList*& current() {
  static ErrorList* list = nullptr;
  return list;
}

std::string place_of(std::string_view file, int line) {
  return line > 0 ? std::string(file) + ":" + std::to_string(line) : std::string(file);
}

/// `FILE:LINE: message` taken apart; line 0 where there is none.
std::pair<std::string, int> place_in(std::string const& text) {
  for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    int line = 0;
    char const* const end = text.data() + text.size();
    auto const [after, error] = std::from_chars(text.data() + colon + 1, end, line);
    if (error == std::errc{} && line > 0 && end - after >= 2 && after[0] == ':' && after[1] == ' ')
      return {text.substr(0, colon), line};
  }
  return {text.substr(0, text.find(": ")), 0};
}

bool quotes(std::string const& text, std::string const& key) { return text.find("'" + key + "'") != text.npos; }

}  // namespace

ErrorList* ErrorList::gathering() { return current(); }

std::string ErrorList::id(std::string_view file, int line, std::string_view path) {
  return place_of(file, line) + "\n" + std::string(path);
}

std::string ErrorList::id(Entry const& entry) {
  return id(entry.file, entry.line, entry.path) + "\n" + std::string(entry.key);
}

void ErrorList::asked(std::string_view file, int line, std::string_view path) {
  auto dictionary = id(file, line, path);
  if (asked_.empty() || asked_.back() != dictionary) asked_.push_back(std::move(dictionary));
}

bool ErrorList::take(Entry const& entry) {
  std::string name = id(entry);
  if (aside_.contains(name)) {
    if (!entry.numeric && !asked_.empty()) doubtful_.insert(asked_.back());
    return false;
  }
  lookups_.push_back({std::move(name), std::string(entry.file), place_of(entry.file, entry.line),
                      std::string(entry.key), entry.line, entry.block});
  return true;
}

void ErrorList::unread(std::string_view file, int line, std::string_view path, std::string const& place,
                       std::string const& message, bool near) {
  auto const dictionary = id(file, line, path);
  if (!near && (incomplete_.contains(dictionary) || doubtful_.contains(dictionary))) return;
  // which keys are valid is known better pass by pass
  add(place + ": " + message.substr(0, message.find(';')), place + ": " + message);
}

void ErrorList::add(std::string const& identity, std::string const& text) {
  auto const [place, added] = errors_.insert_or_assign(identity, text);
  grown_ = grown_ || added;
}

/// The entry an error is about: the one looked up last among those at its place, first among those that it names.
ErrorList::Lookup const* ErrorList::culprit(std::string const& text, std::size_t first_lookup) const {
  if (text.find("' is missing") != text.npos) return nullptr;
  auto const [file, line] = place_in(text);
  Lookup const* same_line = nullptr;
  Lookup const* above = nullptr;  // a value of several lines
  for (std::size_t n = lookups_.size(); n-- > first_lookup;) {
    Lookup const& one = lookups_[n];
    if (text.compare(0, one.place.size() + 2, one.place + ": ") == 0) {
      if (quotes(text, one.key)) return &one;
      if (!one.block && same_line == nullptr) same_line = &one;
    } else if (!one.block && one.file == file && one.line < line && quotes(text, one.key)) {
      if (above == nullptr || one.line > above->line) above = &one;
    }
  }
  return same_line != nullptr ? same_line : above;
}

bool ErrorList::follows_from_another(std::string const& text, Lookup const* blamed) const {
  auto const file = place_in(text).first;
  return std::any_of(aside_.begin(), aside_.end(), [&](auto const& item) {
    Lookup const& gone = item.second;
    return gone.file == file && quotes(text, gone.key) && !(blamed != nullptr && blamed->key == gone.key);
  });
}

void ErrorList::note(std::string const& text, std::size_t first_lookup) {
  Lookup const* const blamed = culprit(text, first_lookup);
  if (!errors_.contains(text) && follows_from_another(text, blamed)) return;
  add(text, text);
  if (blamed != nullptr) aside_.emplace(blamed->id, *blamed);
}

bool attempt(std::function<void()> const& part) {
  ErrorList* const list = current();
  if (list == nullptr) {
    part();
    return true;
  }
  list->asked_.emplace_back();  // what follows was asked by this part
  std::size_t const lookups = list->lookups_.size(), asked = list->asked_.size();
  try {
    part();
    return true;
  } catch (Consequence const&) {
  } catch (WrongCommand const&) {  // before anything of the input is read
    throw;
  } catch (Error const& error) {
    list->note(error.what(), lookups);
  }
  list->failed_ = true;
  list->incomplete_.insert(list->asked_.begin() + static_cast<std::ptrdiff_t>(asked), list->asked_.end());
  return false;
}

std::vector<std::string> all_errors(std::function<void()> const& read) {
  ErrorList list;
  struct Gather {
    ErrorList* before;
    explicit Gather(ErrorList* now) : before(std::exchange(current(), now)) {}
    ~Gather() { current() = before; }
  } const gather(&list);
  for (int pass = 0; pass < most_passes; ++pass) {
    list.grown_ = list.failed_ = false;
    list.lookups_.clear();
    list.asked_.clear();
    list.incomplete_.clear();
    list.doubtful_.clear();
    attempt(read);
    if (!list.grown_) break;
  }
  std::vector<std::tuple<std::string, int, std::string>> sorted;
  for (auto const& [identity, text] : list.errors_) {
    auto [file, line] = place_in(text);
    sorted.emplace_back(std::move(file), line, text);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> result;
  for (auto& [file, line, text] : sorted) result.push_back(std::move(text));
  return result;
}

}  // namespace tessera::core
