// SPDX-License-Identifier: Apache-2.0
// The grammar: blocks, entries, lists, values left in the file and directives. Words are read in dictionary_lexer.cpp;
// macros and included files are in dictionary_include.cpp.
#include "core/case/dictionary_parser.hpp"

#include <utility>

namespace tessera::core {
using namespace dictionary_text;

void DictionaryParser::parse_file(Dictionary& into, std::string text, std::string name) {
  Source in{std::make_shared<std::string const>(std::move(text)), std::make_shared<std::string const>(std::move(name)),
            0, 1};
  into.file_ = in.name;
  into.line_ = 1;
  scopes_ = {&into};
  skip_mark(in);
  parse_entries(in, 0, {});
}

/// Editors of Windows begin a text in UTF-8 with a mark.
void DictionaryParser::skip_mark(Source& in) {
  if (in.starts("\xEF\xBB\xBF")) in.at = 3;
  if (in.starts("\xFF\xFE") || in.starts("\xFE\xFF")) in.fail(1, "is UTF-16, expected text in UTF-8");
}

void DictionaryParser::parse_value(std::vector<Dictionary*> scopes, std::string const& key, std::string value,
                                   std::string const& origin) {
  scopes_ = std::move(scopes);
  bool const block =
      value.find_first_not_of(" \t\r\n") != std::string::npos && value[value.find_first_not_of(" \t\r\n")] == '{';
  Source in{std::make_shared<std::string const>(block ? std::move(value) : std::move(value) + "\n;"),
            std::make_shared<std::string const>(origin), 0, 0};
  current().remove(key, false);
  parse_entry(in, key, false, 0);
  skip_space(in);
  if (!in.end()) in.fail(0, "entry " + in_quotes(key) + " has more than one value");
  if (auto* const entry = current().find_exact(key)) current().set_home(*entry);
}

void DictionaryParser::parse_entries(Source& in, int block_line, std::string_view block) {
  while (true) {
    skip_space(in);
    if (in.end()) {
      if (block_line > 0 || !block.empty()) in.fail(block_line, "block " + in_quotes(block) + " is not closed by '}'");
      return;
    }
    char const c = in.peek();
    int const line = in.line;
    if (c == '}') {
      if (block.empty()) in.fail(line, "'}' without '{'");
      ++in.at;
      return;
    }
    if (c == ';') {
      ++in.at;
    } else if (c == '#') {
      parse_directive(in);
    } else if (c == '$') {
      insert_dictionary(in);
    } else if (c == '"') {
      parse_entry(in, read_string(in), true, line);
    } else if (one_of(c, "(){[]")) {
      in.fail(line, "expected a keyword, found " + in_quotes(std::string(1, c)));
    } else {
      parse_entry(in, read_word(in), false, line);
    }
  }
}

void DictionaryParser::parse_block(Source& in, Dictionary& into, int line, std::string_view name) {
  if (level() >= Dictionary::deepest_nesting) in.fail(line, "blocks nest deeper than 256");
  scopes_.push_back(&into);
  parse_entries(in, line, name.empty() ? std::string_view("{") : name);
  scopes_.pop_back();
}

void DictionaryParser::parse_entry(Source& in, std::string key, bool quoted_key, int line) {
  std::shared_ptr<Dictionary::Pattern const> const pattern = quoted_key ? compile(in, key, line) : nullptr;
  skip_space(in);
  if (!in.end() && in.peek() == '{') {
    ++in.at;
    if (key == "FoamFile" && level() == 1 && !pattern) {
      // An included file's header says how that file is written, nothing about this dictionary.
      Dictionary ignored;
      Dictionary& header = include_depth_ > 0 ? ignored : current().enter(key, nullptr, in.name, line);
      parse_block(in, header, line, key);
      read_format(in, header);
      return;
    }
    int const before = pattern ? 0 : line_before(in, key);
    parse_block(in, current().enter(key, pattern, in.name, line), line, key);
    if (!pattern) note_written(key, before);
    return;
  }
  Entry entry;
  entry.key = std::move(key);
  entry.file = in.name;
  entry.line = line;
  entry.pattern = pattern;
  parse_tokens(in, entry);
  if (entry.span && entry.tokens.size() != 2)
    in.fail(line, "entry " + in_quotes(entry.key) + " has more than a nonuniform List<...>; is a ';' missing?");
  if (entry.tokens.size() > 1 && entry.tokens[0].dictionary)
    in.fail(line, "entry " + in_quotes(entry.key) + " is a dictionary with something after it; is a ';' missing?");
  if (entry.tokens.size() == 1 && entry.tokens[0].kind == Token::Kind::dictionary) {
    Dictionary& into = current().enter(entry.key, pattern, in.name, line);
    into.merge(*entry.tokens[0].dictionary, level(), budget_);
  } else {
    std::string const name = entry.key;
    int const before = pattern ? 0 : line_before(in, name);
    current().put(std::move(entry));
    if (!pattern) note_written(name, before);
    if (settings_ && !pattern) replace_by_setting(name);
  }
}

int DictionaryParser::line_before(Source const& in, std::string const& key) {
  Entry const* const entry = current().find_exact(key);
  return entry && entry->written && *entry->file == *in.name ? entry->line : 0;
}

void DictionaryParser::note_written(std::string const& key, int line_before) {
  Entry* const entry = current().find_exact(key);
  entry->written = true;
  if (line_before > 0) entry->line_before = line_before;
}

/// The value just read, by the one that its path was given from outside.
void DictionaryParser::replace_by_setting(std::string const& key) {
  auto const& path = current().path();
  auto const found = settings_->find(path.empty() ? key : path + "." + key);
  if (found == settings_->end()) return;
  auto scopes = scopes_;
  DictionaryParser(no_files).parse_value(std::move(scopes), key, found->second.value, found->second.origin);
  found->second.taken = true;
}

void DictionaryParser::close_bracket(Source& in, Entry const& entry, std::vector<Bracket>& open, char c) {
  char const partner = c == ')' ? '(' : c == ']' ? '[' : '{';
  if (open.empty() && c == '}') in.fail(entry.line, "entry " + in_quotes(entry.key) + " is not closed by ';'");
  if (open.empty()) in.fail(in.line, in_quotes(std::string(1, c)) + " without " + in_quotes(std::string(1, partner)));
  if (open.back().open != partner)
    in.fail(open.back().line, in_quotes(std::string(1, open.back().open)) + " in entry " + in_quotes(entry.key) +
                                  " is not closed before " + in_quotes(std::string(1, c)));
  open.pop_back();
}

/// An empty dictionary in the value of an entry.
Token DictionaryParser::dictionary_token(Source const& in, Entry const& entry, int line) {
  Token token;
  token.kind = Token::Kind::dictionary;
  token.line = line;
  token.dictionary = std::make_shared<Dictionary>();
  token.dictionary->file_ = in.name;
  token.dictionary->line_ = line;
  token.dictionary->path_ = current().path_.empty() ? entry.key : current().path_ + "." + entry.key;
  return token;
}

void DictionaryParser::parse_tokens(Source& in, Entry& entry) {
  std::vector<Bracket> open;
  auto punctuation = [&](char c) {
    Token token;
    token.kind = Token::Kind::punctuation;
    token.text = std::string(1, c);
    token.line = in.line;
    entry.tokens.push_back(std::move(token));
    ++in.at;
  };
  while (true) {
    skip_space(in);
    // OpenFOAM takes a list at the end of a file as complete without its ';'
    bool const list = open.empty() && level() == 1 && !entry.tokens.empty() && entry.tokens.back().is(')');
    if (in.end() && list) return;
    // v1912's blockMesh reads a list and passes over what follows up to the next ';'
    if (list && entry.key == "boundary" && in.starts("mergePatchPairs")) return;
    if (in.end() || (in.peek() == ';' && !open.empty())) {
      if (open.empty()) in.fail(entry.line, "entry " + in_quotes(entry.key) + " is not closed by ';'");
      in.fail(open.back().line,
              in_quotes(std::string(1, open.back().open)) + " in entry " + in_quotes(entry.key) + " is not closed");
    }
    char const c = in.peek();
    if (c == ';') {
      ++in.at;
      return;
    }
    bool const repeats = c == '{' && !entry.tokens.empty() && entry.tokens.back().kind == Token::Kind::number;
    if (c == '(' || c == '[' || repeats) {
      open.push_back({c, in.line});
      if (open.size() > Dictionary::deepest_nesting) in.fail(in.line, "lists nest deeper than 256");
      punctuation(c);
    } else if (c == ')' || c == ']' || c == '}') {
      close_bracket(in, entry, open, c);
      punctuation(c);
    } else if (c == '{') {
      Token token = dictionary_token(in, entry, in.line);
      ++in.at;
      auto* const settings = std::exchange(settings_, nullptr);  // paths do not lead into lists
      parse_block(in, *token.dictionary, token.line, entry.key);
      settings_ = settings;
      entry.tokens.push_back(std::move(token));
    } else if (c == '"') {
      Token token;
      token.kind = Token::Kind::string;
      token.line = in.line;
      token.text = read_string(in);
      entry.tokens.push_back(std::move(token));
    } else if (c == '$') {
      insert_value(in, entry);
    } else if (in.starts("#{")) {
      entry.tokens.push_back(verbatim_token(in));
    } else if (in.starts("#eval")) {
      entry.tokens.push_back(evaluated_token(in, entry));
    } else if (in.starts("#calc")) {
      in.fail(in.line, "'#calc' is C++ that OpenFOAM compiles (1/2 is 0 in it), which is not supported (entry " +
                           in_quotes(entry.key) + "); #eval{ ... } takes expressions of numbers");
    } else if (c == '#') {
      in.fail(in.line, in_quotes(read_word(in)) + " is not supported in a value (entry " + in_quotes(entry.key) + ")");
    } else {
      entry.tokens.push_back(word_token(in));
      std::size_t const n = entry.tokens.size();
      if (open.empty() && n >= 2 && entry.tokens[n - 1].text.starts_with("List<") &&
          entry.tokens[n - 2].text == "nonuniform")
        parse_span(in, entry);
    }
  }
}

void DictionaryParser::read_format(Source& in, Dictionary const& header) {
  std::string const format = header.get_or<std::string>("format", "ascii");
  if (format != "ascii" && format != "binary")
    header.fail("format", "entry 'format' is " + in_quotes(format) + ", expected ascii or binary");
  in.format = {format == "binary", header.get_or<std::string>("arch", "")};
  header.mark_read();
}

/// After `nonuniform List<type>`: notes where the values are and steps over them.
void DictionaryParser::parse_span(Source& in, Entry& entry) {
  std::string const list = entry.tokens.back().text;
  auto span =
      std::make_shared<ListSpan>(skip_list(in, read_list_head(in, list, entry.key), in.format, list, entry.key));
  span->file = *in.name;
  span->text = in.text;
  entry.span = std::move(span);
}

void DictionaryParser::parse_directive(Source& in) {
  int const line = in.line;
  std::string const directive = read_word(in);
  if (directive == "#include") {
    include(in, line, false, false);
  } else if (directive == "#includeIfPresent" || directive == "#sinclude") {
    include(in, line, true, false);
  } else if (directive == "#includeEtc" || directive == "#sincludeEtc") {
    include(in, line, directive == "#sincludeEtc", true);
  } else if (directive == "#includeFunc") {
    include_function(in, line);
  } else if (directive == "#remove") {
    parse_remove(in);
  } else if (directive == "#inputMode") {
    skip_space(in);
    std::string const mode = in.end() ? "" : read_word(in);
    if (mode != "merge") in.fail(line, "'#inputMode " + mode + "' is not supported, only merge");
  } else {
    in.fail(line, in_quotes(directive) + " is not supported; write what it stands for");
  }
}

/// `#remove name` or `#remove (name "pattern" ...)`.
void DictionaryParser::parse_remove(Source& in) {
  int const line = in.line;
  bool list = false;
  do {
    skip_space(in);
    if (in.end()) in.fail(line, "'#remove' is not closed");
    char const c = in.peek();
    if (c == '(' && !list) {
      list = true;
      ++in.at;
    } else if (c == ')' && list) {
      ++in.at;
      return;
    } else if (c == '"') {
      std::string const pattern = read_string(in);
      auto const compiled = compile(in, pattern, line);
      for (auto const& key : current().keys())
        if (key.size() <= longest_pattern && std::regex_match(key, compiled->expression)) current().remove(key, false);
      current().remove(pattern, true);
    } else if (one_of(c, ";{}()[]$#")) {
      in.fail(line, "expected a keyword after '#remove', found " + in_quotes(std::string(1, c)));
    } else {
      current().remove(read_word(in), false);
    }
  } while (list);
}

}  // namespace tessera::core
