// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/higher_range.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace tessera::ca {

namespace {

bool take(std::string_view& word, std::string_view what) {
  if (!word.starts_with(what)) return false;
  word.remove_prefix(what.size());
  return true;
}
bool take(std::string_view& word, int& number) {
  auto const [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
  word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  return code == std::errc() && number >= 0;
}
bool digit_next(std::string_view word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

int hexadecimal(char c) {
  int value = -1;
  std::from_chars(&c, &c + 1, value, 16);
  return value;
}
/// A bit for each cell but the middle one.
std::vector<int> bits_of(std::string_view digits, std::size_t cells) {
  if (digits.size() * 4 != cells - 1) return {};
  std::vector<int> weights;
  for (char const c : digits)
    for (int bit = 3; bit >= 0; --bit) weights.push_back(hexadecimal(c) >> bit & 1);
  weights.insert(weights.begin() + static_cast<std::ptrdiff_t>(cells / 2), 1);
  return weights;
}
/// One or two digits a cell, the highest bit of which is the sign.
std::vector<int> weights_of(std::string_view digits, std::size_t cells) {
  if (digits.size() != cells && digits.size() != 2 * cells) return {};
  std::size_t const each = digits.size() / cells;
  int const sign = each == 1 ? 8 : 128;
  std::vector<int> weights;
  for (std::size_t n = 0; n < digits.size(); n += each) {
    int const w = each == 1 ? hexadecimal(digits[n]) : 16 * hexadecimal(digits[n]) + hexadecimal(digits[n + 1]);
    weights.push_back(w & sign ? -(w & (sign - 1)) : w);
  }
  return weights;
}

bool take_form(std::string_view word, HigherRange& rule) {
  if (word.empty()) return false;
  rule.form = word[0];
  word.remove_prefix(1);
  if (rule.form != '@' && rule.form != 'W')
    return word.empty() && std::string_view("MNC2+X*#BDHA3G").find(rule.form) != std::string_view::npos;
  if (std::ranges::any_of(word, [](char c) { return hexadecimal(c) < 0; })) return false;
  rule.digits = word;
  std::ranges::transform(rule.digits, rule.digits.begin(),
                         [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  auto const side = static_cast<std::size_t>(2 * rule.range + 1);
  rule.weights = rule.form == '@' ? bits_of(rule.digits, side * side) : weights_of(rule.digits, side * side);
  return !rule.weights.empty();
}

}  // namespace

bool take_counts(std::string_view& word, Counts& ranges) {
  for (bool more = digit_next(word); more; more = word.starts_with(",") && digit_next(word.substr(1))) {
    if (!ranges.empty() || word.starts_with(",")) take(word, ",");
    std::pair<int, int> r;
    if (!take(word, r.first)) return false;
    r.second = r.first;
    if ((take(word, "..") || take(word, "-")) && !take(word, r.second)) return false;
    ranges.push_back(r);
  }
  std::erase_if(ranges, [](auto const& r) { return r.second < r.first; });
  std::ranges::sort(ranges);
  Counts joined;
  for (auto const& r : ranges)
    if (!joined.empty() && r.first <= joined.back().second + 1)
      joined.back().second = std::max(joined.back().second, r.second);
    else
      joined.push_back(r);
  ranges = std::move(joined);
  return true;
}

std::string text_of(Counts const& ranges, std::string_view between) {
  std::string text;
  for (auto const& [first, last] : ranges)
    text += (text.empty() ? "" : ",") +
            (first == last ? fmt::format("{}", first) : fmt::format("{}{}{}", first, between, last));
  return text;
}

std::optional<HigherRange> HigherRange::parse(std::string_view word) {
  HigherRange rule;
  auto const in_reach = [&] { return rule.range >= 1 && rule.range <= 500 && rule.states <= 256; };
  if (take(word, "R")) {
    int middle = 0;
    if (!take(word, rule.range) || !take(word, ",C") || !take(word, rule.states) || !in_reach()) return {};
    if (take(word, ",M") && (!take(word, middle) || middle > 1)) return {};
    rule.middle = middle == 1;
    if (!take(word, ",S") || !take_counts(word, rule.survives) || !take(word, ",B") || !take_counts(word, rule.born))
      return {};
    if (!word.empty() && (!take(word, ",N") || !take_form(word, rule))) return {};
    rule.middle = rule.middle || rule.form == 'W';  // whatever M says
  } else {
    int born[2] = {}, survives[2] = {};
    rule.middle = true;
    if (!take(word, rule.range) || !take(word, ",") || !take(word, born[0]) || !take(word, ",") ||
        !take(word, born[1]) || !take(word, ",") || !take(word, survives[0]) || !take(word, ",") ||
        !take(word, survives[1]) || !word.empty() || !in_reach())
      return {};
    if (born[0] <= born[1]) rule.born = {{born[0], born[1]}};
    if (survives[0] <= survives[1]) rule.survives = {{survives[0], survives[1]}};
  }
  rule.states = std::max(rule.states, 2);
  auto const fits = [most = rule.total().first](Counts const& ranges) {
    return ranges.empty() || ranges.back().second <= most;
  };
  return rule.total().first < 2147483648.0 && fits(rule.survives) && fits(rule.born) ? std::optional(rule)
                                                                                     : std::nullopt;
}

std::string HigherRange::text() const {
  std::string text = fmt::format("R{},C{}", range, states == 2 ? 0 : states);
  auto const least_and_most = [](Counts const& r) { return fmt::format("{}..{}", r[0].first, r[0].second); };
  if (form != 'W') text += fmt::format(",M{}", middle ? 1 : 0);
  if (survives.size() == 1 && born.size() == 1)
    text += fmt::format(",S{},B{}", least_and_most(survives), least_and_most(born));
  else
    text += fmt::format(",S{},B{}", text_of(survives, "-"), text_of(born, "-"));
  return text + ",N" + form + digits;
}

int HigherRange::weight(int x, int y) const {
  int const across = std::abs(x), up = std::abs(y);
  switch (form) {
  case 'N':
    return across + up <= range;
  case 'C':
    return x * x + y * y <= range * (range + 1);
  case '2':
    return x * x + y * y <= range * range;
  case '+':
    return x == 0 || y == 0;
  case 'X':
    return across == up;
  case '*':
    return x == 0 || y == 0 || across == up;
  case '#':
    return across == 1 || up == 1 || (x == 0 && y == 0);
  case 'B':
    return (across + up) % 2 == 1 || (x == 0 && y == 0);
  case 'D':
    return (across + up) % 2 == 0;
  case 'H':
    return std::abs(x + y) <= range;
  case 'A':
    return x == 0 || y == 0 || x == -y;
  case '3':
    return (x == 0 && y >= 0) || (y == 0 && x <= 0) || (x == -y && x >= 0);
  case 'G':
    return (range + 1 - across) * (range + 1 - up) + (x == 0 && y == 0);  // the middle one has a weight with M0, too
  case '@':
  case 'W':
    return weights[static_cast<std::size_t>((range - y) * (2 * range + 1) + x + range)];
  default:
    return 1;
  }
}

std::pair<double, bool> HigherRange::total() const {
  double sum = 0;
  bool above = true;
  for (int y = -range; y <= range; ++y)
    for (int x = -range; x <= range; ++x) {
      int const w = weight(x, y);
      sum += std::max(w, 0);
      above = above && w >= 0;
    }
  return {sum, above};
}

}  // namespace tessera::ca
