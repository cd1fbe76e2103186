// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"

#include <algorithm>
#include <cctype>

namespace tessera::core {
namespace {

std::string located(std::string_view file, int line, std::string_view message) {
  std::string text(file);
  if (line > 0) text.append(":").append(std::to_string(line));
  return text.append(": ").append(message);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return result;
}

/// Edit distance with swaps of neighbours (optimal string alignment); three rows of the table are kept.
std::size_t edits(std::string const& a, std::string const& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

Error::Error(std::string_view file, int line, std::string_view message)
    : std::runtime_error(located(file, line, message)) {}

BrokenPromise::BrokenPromise(std::string_view message, std::source_location const& where)
    : std::logic_error(located(where.file_name(), static_cast<int>(where.line()), message)) {}

std::string nearest(std::string_view name, std::vector<std::string> const& candidates) {
  constexpr std::size_t longest = 128;  // the table is quadratic
  std::string best;
  if (name.empty() || name.size() > longest) return best;
  std::string const wanted = lower(name);
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (auto const& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest) continue;
    std::size_t const distance = edits(wanted, lower(candidate));
    if (distance < fewest && distance < std::max(name.size(), candidate.size())) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_name(std::string_view kind, std::string_view name, std::vector<std::string> const& valid) {
  std::string text = "unknown " + std::string(kind) + " '" + std::string(name) + "'";
  std::string const guess = nearest(name, valid);
  if (!guess.empty()) text += "; did you mean '" + guess + "'?";
  text += guess.empty() ? "; valid:" : " valid:";
  for (auto const& one : valid) text += " " + one;
  return text;
}

}  // namespace tessera::core
