// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/columns.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::io::foam::functions {

Columns::Columns(core::Dictionary const& dictionary, FunctionContext const& context)
    : context_(context),
      precision_(dictionary.get_in<int>("writePrecision", {1, 17}, context.control.write_precision)) {}

std::string Columns::scientific(double value) const { return fmt::format("{:.{}e}", value, precision_); }
std::string Columns::general(double value) const { return fmt::format("{:.{}g}", value, precision_); }
std::string Columns::comment(std::string_view text) const { return fmt::format("# {:<{}}", text, precision_ + 6); }
std::string Columns::property(std::string_view name, std::string_view value) const {
  return fmt::format("{}: {}\n", comment(name), value);
}
std::string Columns::column(std::string_view text) const { return fmt::format("\t{:<{}}", text, precision_ + 8); }
std::string Columns::time(StepTime const& now) const {
  return fmt::format("{:<{}}", context_.control.time_name(now.time), precision_ + 8);
}

namespace {

bool takes(FunctionField const& field, Quantities which) {
  if (!field.components.empty()) return which == Quantities::all;
  return which != Quantities::in_cells || field.cells != nullptr;
}

std::vector<std::string> names_of(FunctionContext const& context, Quantities which) {
  std::vector<std::string> names;
  for (auto const& [name, field] : context.fields)
    if (takes(field, which)) names.push_back(name);
  return names;
}

}  // namespace

std::regex pattern_of(core::Token const& token, core::TokenStream const& in) {
  try {
    return std::regex(token.text, std::regex::extended);
  } catch (std::regex_error const&) {
    in.fail("has the pattern \"" + token.text + "\", expected a regular expression");
  }
}

std::vector<std::string> select_fields(FunctionEntry const& entry, Quantities which, std::string_view key) {
  auto const known = names_of(entry.context, which);
  std::vector<std::string> chosen;
  auto const add = [&](std::string const& name) {
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
  };
  auto in = entry.dictionary.stream(key);
  if (!in.done() && in.peek().kind == core::Token::Kind::number) in.next();
  in.expect('(');
  while (!in.accept(')')) {
    core::Token const token = in.next();
    if (token.kind == core::Token::Kind::string) {
      std::regex const pattern = pattern_of(token, in);
      for (auto const& name : known)
        if (std::regex_match(name, pattern)) add(name);
    } else {
      find_field(entry, key, token.text, which);
      add(token.text);
    }
  }
  in.end();
  if (chosen.empty()) entry.dictionary.fail(key, fmt::format("no field, expected some of: {}", fmt::join(known, " ")));
  return chosen;
}

FunctionField const& find_field(FunctionEntry const& entry, std::string_view key, std::string const& name,
                                Quantities which) {
  auto const place = entry.context.fields.find(name);
  if (place == entry.context.fields.end() || !takes(place->second, which))
    entry.dictionary.fail(key, core::unknown_name("field", name, names_of(entry.context, which)));
  return place->second;
}

}  // namespace tessera::io::foam::functions
