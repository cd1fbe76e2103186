// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/case/dictionary.hpp"
#include "core/case/dictionary_lexer.hpp"
#include "core/case/error_list.hpp"

#include <regex>

namespace tessera::core {

namespace dictionary_text {
constexpr std::size_t longest_pattern = 256;
/// A reader for texts that come from no file.
inline std::string no_files(std::string const& file) { throw Error(file + ": cannot be included here"); }
}  // namespace dictionary_text

/// A quoted keyword. The automaton runs in polynomial time, so that no pattern of a case file can hang the program.
struct Dictionary::Pattern {
  std::regex expression;
};

/// A keyword with its value: tokens, or a dictionary, or a span of values left in the file.
struct Dictionary::Entry {
  std::string key;
  std::shared_ptr<Pattern const> pattern;  // set for a quoted keyword
  std::vector<Token> tokens;
  std::unique_ptr<Dictionary> dictionary;
  std::shared_ptr<ListSpan const> span;
  std::shared_ptr<std::string const> file;
  int line = 0;
  bool written = false;  // it stands there in the file, and came by no macro
  int line_before = 0;   // where the same file has it, too; 0: nowhere
  mutable bool read = false;
  mutable bool used_by_macro = false;

  /// Pieces of the value, nested dictionaries included: what a macro that inserts it costs.
  std::size_t size() const;
  /// A copy that nobody has read. Throws Error when it would nest deeper than allowed below `level`, or exceed the
  /// budget.
  Entry copy(int level, std::size_t& budget, std::string const& path) const;
  std::string shown() const;
  /// For the list of errors; `path` of the dictionary that has it.
  ErrorList::Entry place(std::string_view path) const;
};

/// Recursive-descent reader behind Dictionary::parse and Dictionary::set.
class DictionaryParser {
 public:
  explicit DictionaryParser(Dictionary::Reader reader, Dictionary::Settings* settings = nullptr)
      : reader_(std::move(reader)),
        settings_(settings) {}

  void parse_file(Dictionary& into, std::string text, std::string name);
  /// Parses `value` as the value of scopes.back()'s entry `key`; all of it must be one value.
  void parse_value(std::vector<Dictionary*> scopes, std::string const& key, std::string value,
                   std::string const& origin);

 private:
  using Entry = Dictionary::Entry;
  /// A Text (dictionary_lexer.hpp) that is in memory.
  struct Source {
    std::shared_ptr<std::string const> text;
    std::shared_ptr<std::string const> name;
    std::size_t at = 0;
    int line = 1;
    dictionary_text::ListFormat format = {};

    bool end() const { return at >= text->size(); }
    char peek() const { return (*text)[at]; }
    bool starts(std::string_view what) const { return ahead(what.size()) == what; }
    std::string_view ahead(std::size_t n) const { return std::string_view(*text).substr(at, n); }
    std::size_t offset() const { return at; }
    void take(std::size_t n) {
      line += dictionary_text::lines_in(ahead(n));
      at += n;
    }
    bool skip(std::size_t n) {
      bool const enough = n <= text->size() - at;
      take(std::min(n, text->size() - at));
      return enough;
    }
    bool skip_to(char stop, std::size_t* words) {
      std::size_t const found = text->find(stop, at);
      bool inside = false;
      if (words != nullptr) *words += dictionary_text::words_in(ahead(std::min(found, text->size()) - at), inside);
      return skip(std::min(found, text->size()) - at) && found != std::string::npos;
    }
    [[noreturn]] void fail(int where, std::string_view message) const { throw Error(*name, where, message); }
  };
  struct Bracket {
    char open;
    int line;
  };

  static std::shared_ptr<Dictionary::Pattern const> compile(Source const& in, std::string const& pattern, int line);
  std::string read_macro(Source& in);

  static void skip_mark(Source& in);
  void parse_entries(Source& in, int block_line, std::string_view block);
  void parse_entry(Source& in, std::string key, bool quoted_key, int line);
  void parse_block(Source& in, Dictionary& into, int line, std::string_view name);
  Token dictionary_token(Source const& in, Entry const& entry, int line);
  void parse_tokens(Source& in, Entry& entry);
  void parse_span(Source& in, Entry& entry);
  void parse_directive(Source& in);
  void parse_remove(Source& in);
  void close_bracket(Source& in, Entry const& entry, std::vector<Bracket>& open, char c);
  std::string expand(Source const& in, std::string name, int line);
  void include(Source& in, int line, bool optional, bool etc);
  void include_function(Source& in, int line);
  void read_arguments(Source& in, int line, std::string& word);
  void parse_included(Source const& in, int line, std::string const& name, std::string text, std::string const& path);
  void insert_dictionary(Source& in);
  void insert_value(Source& in, Entry& entry);
  void read_format(Source& in, Dictionary const& header);
  Token word_token(Source& in);
  Token verbatim_token(Source& in);
  Token evaluated_token(Source& in, Entry const& entry);

  Entry const& resolve(Source const& in, std::string const& name, int line);
  Dictionary& current() { return *scopes_.back(); }
  /// The line of `in` that has such an entry of the current dictionary already; 0: none.
  int line_before(Source const& in, std::string const& key);
  void note_written(std::string const& key, int line_before);
  int level() const { return static_cast<int>(scopes_.size()); }

  void replace_by_setting(std::string const& key);

  Dictionary::Reader reader_;
  Dictionary::Settings* settings_;
  std::vector<Dictionary*> scopes_;
  int include_depth_ = 0;
  int includes_ = 0;
  std::size_t budget_ = 1'000'000;  // pieces that macros may insert
};

}  // namespace tessera::core
