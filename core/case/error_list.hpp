// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::core {

/// All errors of an input instead of the first one.
///
/// Reading is cut into parts that do not need each other: attempt(part). In a run the first error ends all. Where errors
/// are gathered (all_errors), one that belongs to an entry sets this entry aside, and everything is read again as if it
/// were not there, until nothing new is found; a part that cannot do without an entry set aside ends silently. So each
/// error is found with the others away, and none is told that is only a consequence of another.
///
/// Dictionaries tell what is looked up in them; nobody else needs to know the list. Errors must be the same on all ranks.
class ErrorList {
 public:
  /// A value or a block of a dictionary. Entries of one line differ by their keys.
  struct Entry {
    std::string_view file;
    int line = 0;
    std::string_view path, key;  ///< of the dictionary, and in it
    bool block = false;
    bool numeric = false;  ///< a number or several: no other entry depends on which
  };

  /// The list that gathers now; nullptr in a run.
  static ErrorList* gathering();

  /// Whether this pass over the input has read everything so far, and nothing is wrong with it.
  bool clean() const { return !failed_ && errors_.empty(); }

  // what dictionaries tell
  void asked(std::string_view file, int line, std::string_view path);
  /// An entry was found: false where it is set aside.
  bool take(Entry const& entry);
  bool is_aside(Entry const& entry) const { return aside_.contains(id(entry)); }
  /// Nobody read the entry `key` at `place`. `near`: its key resembles one that was looked for in vain.
  void unread(std::string_view file, int line, std::string_view path, std::string const& place,
              std::string const& message, bool near);

 private:
  friend bool attempt(std::function<void()> const& part);
  friend std::vector<std::string> all_errors(std::function<void()> const& read);
  struct Lookup {
    std::string id, file, place, key;
    int line;
    bool block;
  };
  static std::string id(Entry const& entry);
  static std::string id(std::string_view file, int line, std::string_view path);
  void note(std::string const& text, std::size_t first_lookup);
  void add(std::string const& identity, std::string const& text);
  Lookup const* culprit(std::string const& text, std::size_t first_lookup) const;
  bool follows_from_another(std::string const& text, Lookup const* blamed) const;

  std::map<std::string, std::string> errors_;  ///< by what tells them apart
  bool grown_ = false, failed_ = false;
  std::map<std::string, Lookup> aside_;
  // of a pass
  std::vector<Lookup> lookups_;
  std::vector<std::string> asked_;
  std::set<std::string> incomplete_;  ///< dictionaries that a part has not read to its end
  std::set<std::string> doubtful_;    ///< dictionaries that lack a word, which may decide what else is read
};

/// Thrown instead of reading on where something is missing because of an error that is in the list.
class Consequence : public Error {
 public:
  explicit Consequence(std::string const& what) : Error(what) {}
};

/// Runs a part of the reading that others do not need. Where errors are gathered, its error goes into the list and the
/// answer is false; otherwise it is thrown.
bool attempt(std::function<void()> const& part);

/// What a part reads; nothing where `attempt` answers false.
template <class Read>
auto attempted(Read const& read) {
  std::optional<decltype(read())> value;
  attempt([&] { value.emplace(read()); });
  return value;
}

/// Throws Consequence unless the parts that something needs went well.
inline void rely_on(bool parts_read) {
  if (!parts_read) throw Consequence("what this part needs could not be read");
}
template <class T>
T& rely_on(std::optional<T>& part) {
  rely_on(part.has_value());
  return *part;
}

/// Runs `read`, which must begin from the files each time, until it finds no new error. All of them, by file and line; none:
/// the last `read` went to its end. Other exceptions than Error pass through.
std::vector<std::string> all_errors(std::function<void()> const& read);

}  // namespace tessera::core
