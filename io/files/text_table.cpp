// SPDX-License-Identifier: Apache-2.0
#include "io/files/text_table.hpp"

namespace tessera::io {
namespace {

std::string quoted(std::string const& text) {
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string result = "\"";
  for (char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
  return result + '"';
}

}  // namespace

std::string csv_line(std::vector<std::string> const& cells) {
  std::string line;
  for (auto const& text : cells) line += (&text == cells.data() ? "" : ",") + quoted(text);
  return line + '\n';
}

std::string TextTable::csv() const {
  std::string text = csv_line(head);
  for (auto const& row : rows) text += csv_line(row);
  return text;
}

}  // namespace tessera::io
