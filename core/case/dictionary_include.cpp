// SPDX-License-Identifier: Apache-2.0
// What a dictionary takes from elsewhere: other files (#include, #includeIfPresent, #includeEtc, #includeFunc, and how
// their names are found) and other entries ($name).
#include "core/case/dictionary_parser.hpp"
#include "core/case/etc_file.hpp"
#include "core/case/expression.hpp"
#include "core/files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace tessera::core {
using namespace dictionary_text;

namespace {

constexpr int most_includes = 1000;

/// What OpenFOAM's file of this name says, as far as meshes here have such patches: cases include it where OpenFOAM is not
/// installed, too.
constexpr std::string_view constraint_types_name = "<etc>/caseDicts/setConstraintTypes";
constexpr std::string_view constraint_types =
    "cyclic { type cyclic; } empty { type empty; } symmetryPlane { type symmetryPlane; } symmetry { type symmetry; } "
    "wedge { type wedge; }";

/// Variables of OpenFOAM's environment that have a meaning here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> places{{{"$FOAM_CASE", "<case>"},
                                                                               {"${FOAM_CASE}", "<case>"},
                                                                               {"$FOAM_ETC", "<etc>"},
                                                                               {"${FOAM_ETC}", "<etc>"},
                                                                               {"$WM_PROJECT_DIR/etc", "<etc>"},
                                                                               {"${WM_PROJECT_DIR}/etc", "<etc>"}}};

/// The case that a dictionary CASE/system/NAME, CASE/0/NAME or CASE/constant/polyMesh/NAME belongs to.
std::filesystem::path case_of(std::string const& dictionary) {
  auto const folder = std::filesystem::path(dictionary).parent_path();
  bool const deeper = folder.filename() == "polyMesh";
  return deeper ? folder.parent_path().parent_path() : folder.parent_path();
}

/// Sets what a call of a function object has in its brackets: KEY=VALUE, and fields.
void set_arguments(Dictionary& function, std::string_view arguments, std::string const& origin) {
  std::vector<std::string> fields;
  auto const take = [&](std::string const& argument) {
    auto const equals = argument.find('=');
    if (equals == std::string::npos)
      fields.push_back(argument);
    else
      function.set(argument.substr(0, equals), argument.substr(equals + 1), origin);
  };
  std::string argument;
  int depth = 0;
  for (char const c : arguments) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      take(std::exchange(argument, {}));
    else
      argument += c;
  }
  if (!argument.empty()) take(argument);
  if (fields.empty()) return;
  std::string list;
  for (auto const& field : fields) list += field + " ";
  if (fields.size() == 1 && function.contains("field")) function.set("field", fields[0], origin);
  if (fields.size() > 1 || function.contains("fields") || !function.contains("field"))
    function.set("fields", "(" + list + ")", origin);
}

}  // namespace

std::string etc_file(std::string const& path) {
  if (!path.starts_with("<etc>/")) return path;
  auto const* const project = std::getenv("WM_PROJECT_DIR");
  std::string const name = path.substr(6);
  std::error_code none;
  for (std::string const& folder : {std::string(project ? project : ""), std::string("/usr/share/openfoam")})
    if (auto const file = folder + "/etc/" + name; !folder.empty() && std::filesystem::is_regular_file(file, none))
      return file;
  return path;
}

/// `<case>`, `<etc>` and variables in the name of a file that is included.
std::string DictionaryParser::expand(Source const& in, std::string name, int line) {
  for (auto const& [written, stands_for] : places)
    if (name.starts_with(std::string(written) + "/")) name.replace(0, written.size(), stands_for);
  for (std::size_t at = name.find('$'); at != std::string::npos; at = name.find('$')) {
    bool const braces = name.substr(at, 2) == "${";
    std::size_t const begin = at + (braces ? 2 : 1);
    std::size_t const end = braces ? name.find('}', begin) : std::min(name.find_first_of("/$", begin), name.size());
    if (end == std::string::npos || end == begin) in.fail(line, "'#include \"" + name + "\"': a '$' without a name");
    Entry const& entry = resolve(in, name.substr(begin, end - begin), line);
    entry.used_by_macro = true;
    if (entry.tokens.size() != 1 || entry.tokens[0].dictionary || entry.tokens[0].text.find('$') != std::string::npos)
      in.fail(line, "'#include \"" + name + "\"': '" + entry.key + "' is not one word");
    name.replace(at, end + (braces ? 1 : 0) - at, entry.tokens[0].text);
  }
  if (name.starts_with("<case>/"))
    return (case_of(*scopes_.front()->file_) / name.substr(7)).lexically_normal().string();
  if (name.starts_with("<etc>/")) return name;
  if (name.find_first_of("<~") != std::string::npos)
    in.fail(line, "'#include \"" + name +
                      "\"': the beginning is not supported, expected a path, <case>/, <etc>/ or a variable");
  std::filesystem::path const path(name);
  return path.is_absolute() ? name : (std::filesystem::path(*in.name).parent_path() / path).lexically_normal().string();
}

/// `etc`: the name is one in OpenFOAM's etc folder.
void DictionaryParser::include(Source& in, int line, bool optional, bool etc) {
  skip_space(in);
  if (in.end() || in.peek() != '"')
    in.fail(line, std::string("expected a file name in quotes after '") + (etc ? "#includeEtc'" : "#include'"));
  std::string const name = read_string(in);
  std::string const resolved = etc ? "<etc>/" + name : expand(in, name, line);
  std::string text;
  try {
    text = reader_(resolved);
  } catch (Error const& error) {
    if (optional) return;
    if (resolved != constraint_types_name)
      in.fail(line, std::string(etc ? "'#includeEtc \"" : "'#include \"") + name + "\"': " + error.what());
    text = constraint_types;
  }
  parse_included(in, line, name, std::move(text), resolved);
}

/// The entries of a file that was read, into the current dictionary.
void DictionaryParser::parse_included(Source const& in, int line, std::string const& name, std::string text,
                                      std::string const& path) {
  if (include_depth_ >= Dictionary::deepest_include)
    in.fail(line, "includes nest deeper than 64; does \"" + name + "\" include itself?");
  if (++includes_ > most_includes) in.fail(line, "more than 1000 files are included");
  Source file{std::make_shared<std::string const>(std::move(text)), std::make_shared<std::string const>(path)};
  ++include_depth_;
  skip_mark(file);
  parse_entries(file, 0, {});
  --include_depth_;
}

/// Appends brackets with blanks in them, which end a word elsewhere, to a word; but for those behind commas and brackets.
void DictionaryParser::read_arguments(Source& in, int line, std::string& word) {
  int depth = 0;
  do {
    auto const next = in.ahead(1);
    if (next.empty() || one_of(next[0], ";{}\"")) in.fail(line, in_quotes(word) + " is not closed, expected ')'");
    char const c = next[0];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (!is_space(c))
      word += c;
    else if (!one_of(word.back(), " ,("))
      word += ' ';
    in.take(1);
  } while (depth > 0);
}

/// `#includeFunc NAME` or `NAME(T, p, key=value)`: an entry of that name with what the case's system/NAME holds (its
/// block NAME, where it has one), the arguments set in it: those without a key are its fields.
void DictionaryParser::include_function(Source& in, int line) {
  skip_space(in);
  if (in.end() || one_of(in.peek(), ";{}()[]\"$#"))
    in.fail(line, "expected the name of a function object after '#includeFunc'");
  std::string call = read_word(in);
  if (in.ahead(1) == "(") read_arguments(in, line, call);
  auto const bracket = std::min(call.find('('), call.size());
  std::string const name = call.substr(0, bracket);
  std::string const said = "'#includeFunc " + name + "': ";
  if (!is_file_name(name)) in.fail(line, said + "expected a word without '/'");
  auto const path = (case_of(*scopes_.front()->file_) / "system" / name).lexically_normal().string();
  std::string text;
  try {
    text = reader_(path);
  } catch (Error const& error) {
    in.fail(line, said + error.what() +
                      ", expected this file in the case (what OpenFOAM has in "
                      "etc/caseDicts/postProcessing is to be copied there)");
  }
  Dictionary& function = current().enter(call, nullptr, in.name, line);
  scopes_.push_back(&function);
  parse_included(in, line, name, std::move(text), path);
  scopes_.pop_back();
  function.remove("FoamFile", false);
  if (auto const* const inner = function.find_sub(name)) {
    Dictionary const block(*inner);
    for (auto const& key : function.keys()) function.remove(key, false);
    function.merge(block, level() + 1, budget_);
  }
  if (bracket < call.size())
    set_arguments(function, std::string_view(call).substr(bracket + 1, call.size() - bracket - 2), *in.name);
}

/// `#eval{ 2*$L + pi() }` or `#eval "..."`: a number.
Token DictionaryParser::evaluated_token(Source& in, Entry const& entry) {
  int const line = in.line;
  in.at += std::string_view("#eval").size();
  skip_space(in);
  std::string text;
  if (!in.end() && in.peek() == '"') {
    text = read_string(in);
  } else {
    if (in.end() || in.peek() != '{') in.fail(line, "expected an expression in braces or quotes after '#eval'");
    int depth = 0;
    std::size_t const begin = in.at + 1;
    for (; !in.end(); ++in.at) {
      if (in.peek() == '\n') ++in.line;
      depth += in.peek() == '{' ? 1 : in.peek() == '}' ? -1 : 0;
      if (depth == 0) break;
    }
    if (in.end()) in.fail(line, "the '{' after '#eval' is not closed");
    text = in.text->substr(begin, in.at++ - begin);
  }
  // numbers for names; in parentheses, as they may be negative
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      filled += text[at] == '\n' ? ' ' : text[at];
      ++at;
      continue;
    }
    bool const braces = text.substr(at, 2) == "${";
    std::size_t const begin = at + (braces ? 2 : 1);
    std::size_t end = begin;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || one_of(text[end], "_.:")))
      ++end;
    Entry const& source = resolve(in, text.substr(begin, end - begin), line);
    source.used_by_macro = true;
    if (source.tokens.size() != 1 || source.tokens[0].kind != Token::Kind::number)
      in.fail(line, "'#eval' in entry " + in_quotes(entry.key) + ": '$" + source.key + "' is " +
                        in_quotes(source.shown()) + ", expected a number");
    filled += "(" + source.tokens[0].text + ")";
    at = end + (braces ? 1 : 0);
  }
  Token token;
  token.kind = Token::Kind::number;
  token.line = line;
  try {
    token.number = evaluate(filled);
  } catch (Error const& error) {
    in.fail(line, "'#eval{" + text + "}' in entry " + in_quotes(entry.key) + ": " + error.what());
  }
  std::array<char, 32> digits{};
  auto const [last, status] = std::to_chars(digits.data(), digits.data() + digits.size(), token.number);
  token.text.assign(digits.data(), last);
  return token;
}

/// `$name` as a keyword: the entries of that dictionary.
void DictionaryParser::insert_dictionary(Source& in) {
  int const line = in.line;
  std::string const name = read_macro(in);
  Entry const& entry = resolve(in, name, line);
  if (!entry.dictionary) in.fail(line, "'$" + name + "' is no dictionary; its entries cannot be inserted here");
  entry.used_by_macro = true;
  Dictionary const source(*entry.dictionary);  // a copy, since a dictionary may be inserted into its own part
  try {
    current().merge(source, level(), budget_);
  } catch (Error const& error) {
    in.fail(line, "'$" + name + "': " + error.what());
  }
}

/// `$name` in a value: the value of that entry.
void DictionaryParser::insert_value(Source& in, Entry& entry) {
  int const line = in.line;
  std::string const name = read_macro(in);
  Entry const& source = resolve(in, name, line);
  source.used_by_macro = true;
  try {
    if (source.dictionary) {
      Token token = dictionary_token(in, entry, line);
      token.dictionary->merge(*source.dictionary, level() + 1, budget_);
      entry.tokens.push_back(std::move(token));
      return;
    }
    Entry copy = source.copy(level(), budget_, current().path_);
    for (auto& token : copy.tokens) {
      token.line = line;
      entry.tokens.push_back(std::move(token));
    }
    if (copy.span) entry.span = copy.span;
  } catch (Error const& error) {
    in.fail(line, "'$" + name + "': " + error.what());
  }
}

Dictionary::Entry const& DictionaryParser::resolve(Source const& in, std::string const& name, int line) {
  auto const look_up = [](Dictionary const* dictionary, std::string_view path) -> Entry const* {
    while (true) {
      if (Entry const* found = dictionary->find_exact(path)) return found;
      // a.b.c: the shortest beginning that names a dictionary, then the rest in it
      Entry const* next = nullptr;
      for (std::size_t dot = path.find('.'); dot != path.npos && !next; dot = path.find('.', dot + 1)) {
        next = dictionary->find_exact(path.substr(0, dot));
        if (next && !next->dictionary) next = nullptr;
        if (next) {
          path = path.substr(dot + 1);
          break;
        }
      }
      if (!next) return nullptr;
      next->used_by_macro = true;
      dictionary = next->dictionary.get();
    }
  };
  if (name.size() > 1024) in.fail(line, "the name after '$' is longer than 1024 characters");
  std::size_t const dots = std::min(name.find_first_not_of('.'), name.size());
  Entry const* found = nullptr;
  if (name[0] == ':') {
    found = look_up(scopes_.front(), std::string_view(name).substr(1));
  } else if (dots > scopes_.size()) {
    in.fail(line, "'$" + name + "' goes above the top of the file");
  } else if (dots > 0) {
    found = look_up(scopes_[scopes_.size() - dots], std::string_view(name).substr(dots));
  } else {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && !found; ++scope) found = look_up(*scope, name);
  }
  if (found) return *found;
  std::vector<std::string> candidates;
  for (auto const* scope : scopes_)
    for (auto const& key : scope->keys()) candidates.push_back(key);
  std::string const guess = nearest(name, candidates);
  in.fail(line, "'$" + name + "' is not defined" + (guess.empty() ? "" : "; did you mean '$" + guess + "'?"));
}

}  // namespace tessera::core
