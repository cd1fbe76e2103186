// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace tessera::core {

class Dictionary;

/// One piece of an entry's value. `dictionary` is a block { ... } inside a value, mostly in a list.
struct Token {
  enum class Kind { word, string, number, punctuation, dictionary };
  Kind kind = Kind::word;
  std::string text;  // as written; a string without its quotes
  double number = 0;
  int line = 0;
  std::shared_ptr<Dictionary> dictionary;

  bool is(char c) const { return kind == Kind::punctuation && text[0] == c; }
};

/// The values of `nonuniform List<TYPE> N ( ... )`, left in the text of the file: a field's values never become tokens.
struct ListSpan {
  std::string type;        // scalar, vector ...
  std::size_t offset = 0;  // first byte after the opening bracket
  std::size_t length = 0;  // bytes up to the closing bracket
  std::size_t count = 0;   // elements, as the file says (or counted, where it does not say)
  bool binary = false;     // little-endian
  int scalar_bytes = 8;    // of a binary number: 8, or 4 of OpenFOAM in single precision
  bool repeated = false;   // N{value}: one value stands for all
  std::string file;
  int line = 0;
  std::shared_ptr<std::string const> text;  // the whole file

  std::string_view data() const { return std::string_view(*text).substr(offset, length); }
  /// Numbers of one element: 1 for scalar, 3 for vector ...; 0 for a type that is not one of OpenFOAM's field types.
  std::size_t components() const;
  /// All components of all elements, element by element. Throws Error for a count that does not agree and for numbers
  /// that are not finite.
  std::vector<double> numbers() const;
};

/// Reads values from the tokens of one entry, for syntax that get<T> does not know (blockMesh's blocks, tables in a
/// patch). Errors name file, line and entry.
class TokenStream {
 public:
  TokenStream(std::vector<Token> tokens, std::string key, std::string file, int line);

  bool done() const { return next_ == tokens_.size(); }
  bool at(char punctuation) const { return !done() && tokens_[next_].is(punctuation); }
  bool at_word() const { return !done() && tokens_[next_].kind == Token::Kind::word; }
  bool at_dictionary() const { return !done() && tokens_[next_].kind == Token::Kind::dictionary; }
  Token const& peek() const;
  Token const& next();
  void expect(char punctuation);
  /// Takes the punctuation if it is next.
  bool accept(char punctuation);
  /// Skips `name [0 2 -1 0 0 0 0]`, name and set both optional, in front of a value.
  void skip_dimensions();
  /// Throws core::Error for a value that begins with a dimension set, or a name and one: where nobody compares it.
  void refuse_dimensions() const;
  /// Throws Error unless everything has been read.
  void end() const;
  /// Throws core::Error unless the entry is a word alone: `stable;`.
  void no_value() const;
  /// Throws Error at the next token's line: `FILE:LINE: entry 'KEY' is 'VALUE', expected WHAT`.
  [[noreturn]] void fail_expected(std::string_view what) const;
  /// Throws Error at the next token's line: `FILE:LINE: entry 'KEY' MESSAGE`.
  [[noreturn]] void fail(std::string_view message) const;

  /// T: bool, integers, float, double, std::string, std::vector<T> and std::array<T, N> of these, nested too.
  /// A list may carry its length in front, `3 (1 2 3)`, or repeat one value, `3{1}`.
  template <class T>
  T read() {
    T value{};
    read_into(value);
    return value;
  }

  template <class T>
  static std::string describe(bool plural = false);

 private:
  bool read_bool();
  std::int64_t read_integer(std::int64_t lo, std::int64_t hi);
  double read_number();
  std::string read_text();
  static constexpr std::size_t no_count = std::numeric_limits<std::size_t>::max();
  std::size_t open_list(std::string_view what, bool& repeated);
  void close_list(std::size_t announced, std::size_t found);
  [[noreturn]] void fail_length(std::size_t found, std::size_t expected) const;

  void read_into(bool& value) { value = read_bool(); }
  template <std::integral T>
  void read_into(T& value) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    constexpr auto hi = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    value =
        static_cast<T>(read_integer(std::is_signed_v<T> ? static_cast<std::int64_t>(std::numeric_limits<T>::min()) : 0,
                                    static_cast<std::int64_t>(hi < most ? hi : most)));
  }
  template <std::floating_point T>
  void read_into(T& value) {
    value = static_cast<T>(read_number());
  }
  void read_into(std::string& value) { value = read_text(); }
  template <class T>
  void read_into(std::vector<T>& values);
  template <class T, std::size_t N>
  void read_into(std::array<T, N>& values);

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::string key_;
  std::string file_;
  int line_;
};

/// A dictionary in OpenFOAM's syntax: blocks, lists, dimensioned values, `$name`, `$..name`, `$:a.b`, `#include`,
/// `#includeIfPresent`, `#includeEtc`, `#remove`, comments, quoted strings, quoted keywords as regular expressions (an exact
/// keyword first, then the last pattern that matches the whole name). A dictionary repeated is merged; a value repeated
/// replaces the earlier one. `#calc`, `#codeStream`, `#if` and other directives are refused by name. Nesting, includes
/// and what macros insert are limited, so that no input can exhaust the stack.
///
/// Each entry knows its file and line, and whether it was read: check_all_read finds the misspelt ones. All errors are
/// core::Error, `FILE:LINE: what, what was expected`. Reading is const but notes what was read; not for several threads
/// at once.
class Dictionary {
 public:
  /// Gives the text of a file; throws Error if it cannot. Includes are read by it too.
  using Reader = std::function<std::string(std::string const& path)>;

  /// An element of a list: `name { ... }`, `{ ... }`, or tokens (one token, or a nested list with its brackets).
  struct Item {
    std::string name;
    Dictionary* dictionary = nullptr;
    std::vector<Token> tokens;
    int line = 0;
  };

  Dictionary();
  Dictionary(Dictionary&&) noexcept;
  Dictionary& operator=(Dictionary&&) noexcept;
  Dictionary(Dictionary const&);
  Dictionary& operator=(Dictionary const&);
  ~Dictionary();

  /// A value given from outside for the entry of a path, such as `solvers.T.tolerance`.
  struct Setting {
    std::string value, origin;
    bool taken = false;  ///< a value of the text was replaced by it
  };
  using Settings = std::map<std::string, Setting, std::less<>>;

  /// Reads a file, by default of the local file system. The name in messages is the path as given. Values that have a setting
  /// are replaced where they stand, so that `$NAME` behind them is the value set.
  static Dictionary read(std::string const& path, Reader const& reader = {}, Settings* settings = nullptr);
  /// Reads a text; `name` stands for the file in messages, and includes are relative to its folder.
  static Dictionary parse(std::string text, std::string name, Reader const& reader = {}, Settings* settings = nullptr);

  bool contains(std::string_view key) const;
  bool is_dictionary(std::string_view key) const;

  /// A required value. T as in TokenStream::read. Numbers have no dimensions in front, which nobody would compare.
  template <class T>
  T get(std::string_view key) const {
    TokenStream in = stream(key);
    if constexpr (!std::is_same_v<T, std::string>) in.refuse_dimensions();
    T value = in.template read<T>();
    in.end();
    return value;
  }

  template <class T>
  T get_or(std::string_view key, T fallback) const {
    return contains(key) ? get<T>(key) : fallback;
  }

  /// From `least` to `most`, both included.
  template <class T>
  struct Range {
    T least, most;
  };
  /// A required number in a range: get_in<int>("order", {1, 3}).
  template <class T>
  T get_in(std::string_view key, Range<T> range) const {
    T const value = get<T>(key);
    if (!(value >= range.least && value <= range.most)) fail_range(key, double(range.least), double(range.most), false);
    return value;
  }
  template <class T>
  T get_in(std::string_view key, Range<T> range, T fallback) const {
    return contains(key) ? get_in<T>(key, range) : fallback;
  }

  /// A required number above zero.
  template <class T>
  T get_positive(std::string_view key) const {
    T const value = get<T>(key);
    if (!(value > 0)) fail_range(key, 0, std::numeric_limits<double>::infinity(), true);
    return value;
  }
  template <class T>
  T get_positive(std::string_view key, T fallback) const {
    return contains(key) ? get_positive<T>(key) : fallback;
  }

  /// One of the given words.
  std::string get_choice(std::string_view key, std::vector<std::string> const& valid) const;
  std::string get_choice(std::string_view key, std::vector<std::string> const& valid, std::string_view fallback) const;

  /// The exponents of kg m s K mol A cd, of `[0 2 -1 0 0 0 0]` (or 5 of them) or `[m^2/s]`, alone or in front of a value.
  std::array<double, 7> dimensions(std::string_view key) const;

  /// The texts of all tokens: `Gauss harmonic corrected`.
  std::vector<std::string> words(std::string_view key) const;
  std::vector<Token> tokens(std::string_view key) const;
  TokenStream stream(std::string_view key) const;
  /// The elements of a list ( ... ).
  std::vector<Item> items(std::string_view key) const;
  /// The values of `nonuniform List<...>`; nullptr if the entry is something else.
  ListSpan const* list_span(std::string_view key) const;

  /// A required sub-dictionary.
  Dictionary& sub(std::string_view key);
  Dictionary const& sub(std::string_view key) const;
  /// nullptr if there is none. Throws Error if the entry is a value.
  Dictionary* find_sub(std::string_view key);
  Dictionary const* find_sub(std::string_view key) const;
  /// The sub-dictionary, made empty if there is none: for settings that all have a default.
  Dictionary& sub_or_empty(std::string_view key);

  /// In the order of the file, patterns as written without their quotes, without the FoamFile header.
  std::vector<std::string> keys() const;
  /// Those of keys() that stand in quotes.
  std::vector<std::string> patterns() const;
  /// Those of keys() that stand there without quotes.
  std::vector<std::string> names() const;

  /// Sets `solvers.T.tolerance` to a value or block given as text, making sub-dictionaries on the way. `origin` is the
  /// place in messages.
  void set(std::string_view path, std::string const& value, std::string const& origin = "command line");

  /// Throws Error for the first entry nobody read, in the dictionaries that were read; variables may be.
  ///
  /// OpenFOAM's users define variables for `$NAME` in their dictionaries, and some are used by none of the entries. So in a
  /// file that OpenFOAM has too, a value at the top that nobody reads is a variable, unless its name is near a word that was
  /// asked for there, or is one that was asked for in a block of the file: these are misspelt or misplaced entries, errors
  /// as everywhere else.
  void check_all_read() const;
  /// Throws core::Error for an entry that the file has twice, below it, too.
  void check_set_once() const;
  /// What check_all_read let pass, for the log: `FILE:LINE: 'W' is used by nobody: taken for a variable`.
  std::set<std::string> const& unused_variables() const { return unused_variables_; }
  void mark_read(std::string_view key) const;
  /// Whether the file has a value of that key at this level, not from an include, that no macro inserts anywhere. It does not count as
  /// asked for.
  bool stands_alone(std::string_view key) const;
  /// All entries, recursively.
  void mark_read() const;

  /// These throw Error at the entry, or the dictionary where there is none. `FILE:LINE: entry 'KEY': MESSAGE`; the message
  /// alone where it has the key as a word, or the key is empty, which stands for the dictionary.
  [[noreturn]] void fail(std::string_view key, std::string_view message) const;
  /// `FILE:LINE: entry 'KEY' PREDICATE`: "is empty".
  [[noreturn]] void fail_entry(std::string_view key, std::string_view predicate) const;
  /// `FILE:LINE: entry 'KEY' is 'VALUE', expected WHAT`; where there is no value to show, as `fail` has it.
  [[noreturn]] void fail_expected(std::string_view key, std::string_view what) const;

  /// Written back as a dictionary, macros and includes resolved. Values of nonuniform lists are left out.
  std::string text() const;
  /// `FILE:LINE` of the entry, or of the dictionary if there is no such entry.
  std::string location(std::string_view key) const;
  std::string location() const;
  /// The file, or the origin of the setting that this came by.
  std::string const& name() const;
  /// The file: of what came by a setting, the one that the setting changes.
  std::string const& home() const { return home_ ? *home_ : name(); }
  /// `solvers.T`; empty at the top.
  std::string const& path() const { return path_; }

  static constexpr int deepest_nesting = 256;
  static constexpr int deepest_include = 64;

 private:
  friend class DictionaryParser;
  struct Entry;
  struct Pattern;

  std::vector<std::string> keys_that(bool (*wanted)(Entry const&)) const;
  Entry* find_exact(std::string_view key) const;
  Entry* find(std::string_view key) const;
  Entry& require(std::string_view key) const;
  Entry& require_value(std::string_view key, std::string_view expected) const;
  Entry& put(Entry entry);
  void remove(std::string_view key, bool pattern);
  Dictionary& enter(std::string const& key, std::shared_ptr<Pattern const> pattern,
                    std::shared_ptr<std::string const> file, int line);
  void merge(Dictionary const& other, int level, std::size_t& budget);
  /// Of an entry that a setting has given, what is below it.
  void set_home(Entry& entry) const;
  void write(std::string& out, int indent) const;
  void ask(std::string_view key) const;
  [[noreturn]] void fail_at(std::string_view key, std::string const& message) const;
  [[noreturn]] void fail_range(std::string_view key, double lo, double hi, bool above) const;

  std::vector<std::unique_ptr<Entry>> entries_;
  std::unordered_map<std::string, Entry*> index_;   // words as they are, patterns with a quote in front
  std::shared_ptr<std::string const> file_, home_;  // home_: none where it is the file
  int line_ = 0;
  std::string path_;
  mutable std::vector<std::string> asked_;
  mutable std::set<std::string> unused_variables_;
};

template <class T>
struct is_list : std::false_type {};
template <class T>
struct is_list<std::vector<T>> : std::true_type {};
template <class T, std::size_t N>
struct is_list<std::array<T, N>> : std::true_type {};

template <class T>
std::string TokenStream::describe(bool plural) {
  if constexpr (is_list<T>::value)
    return (plural ? "lists of " : "a list of ") + describe<typename T::value_type>(true);
  else if constexpr (std::is_same_v<T, bool>)
    return "yes or no";
  else if constexpr (std::is_integral_v<T>)
    return plural ? "integers" : "an integer";
  else if constexpr (std::is_floating_point_v<T>)
    return plural ? "numbers" : "a number";
  else
    return plural ? "words" : "a word";
}

template <class T>
void TokenStream::read_into(std::vector<T>& values) {
  bool repeated = false;
  std::size_t const announced = open_list(describe<std::vector<T>>(), repeated);
  if (repeated) {
    constexpr std::size_t most = std::size_t{1} << 24;
    if (announced > most) fail("repeats a value more often than 16777216 times");
    values.assign(announced, read<T>());
    expect('}');
    return;
  }
  while (!at(')')) {
    if (done()) fail_expected("')'");
    values.push_back(read<T>());
  }
  close_list(announced, values.size());
}

template <class T, std::size_t N>
void TokenStream::read_into(std::array<T, N>& values) {
  auto const list = read<std::vector<T>>();
  if (list.size() != N) fail_length(list.size(), N);
  for (std::size_t i = 0; i < N; ++i) values[i] = list[i];
}

}  // namespace tessera::core
