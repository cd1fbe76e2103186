// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/expression.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <muParser.h>

namespace tessera::run {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\n");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

double compute(std::string_view expression, Values const& values, std::string const& origin) {
  std::vector<std::pair<std::string, double>> numbers;
  for (auto const& [name, text] : values)
    if (double const x = number_in(text); !std::isnan(x)) numbers.emplace_back(name, x);
  return run::compute(expression, numbers, origin);
}

}  // namespace

double compute(std::string_view expression, std::vector<std::pair<std::string, double>> const& values,
               std::string const& origin) {
  try {
    mu::Parser parser;
    // no variables: `L = 64 ? 1 : 2` would set one
    for (auto const& [name, x] : values) parser.DefineConst(name, x);
    parser.SetExpr(std::string(expression));
    double const x = parser.Eval();
    if (parser.GetNumResults() != 1)
      throw core::Error(
          fmt::format("{}: '{}' is {} numbers, expected one", origin, expression, parser.GetNumResults()));
    if (!std::isfinite(x)) throw core::Error(fmt::format("{}: '{}' is {}, expected a number", origin, expression, x));
    return x;
  } catch (mu::ParserError const& error) {
    throw core::Error(fmt::format("{}: '{}': {}", origin, expression, error.GetMsg()));
  }
}

std::string fill_in(std::string_view text, Values const& values, std::string const& origin) {
  std::string result;
  while (!text.empty()) {
    auto const open = text.find('{'), close = text.find('}', open == text.npos ? 0 : open);
    result += text.substr(0, open);
    if (open == text.npos) break;
    if (close == text.npos) throw core::Error(fmt::format("{}: '{{' without '}}'", origin));
    auto const inner = trimmed(text.substr(open + 1, close - open - 1));
    auto const named =
        std::find_if(values.begin(), values.end(), [&](auto const& value) { return value.first == inner; });
    result += named != values.end() ? named->second : text_of_number(compute(inner, values, origin));
    text.remove_prefix(close + 1);
  }
  return result;
}

double number_in(std::string_view text) {
  double x = 0;
  auto const read = std::from_chars(text.data(), text.data() + text.size(), x);
  bool const whole = read.ec == std::errc{} && read.ptr == text.data() + text.size() && std::isfinite(x);
  return whole ? x : std::numeric_limits<double>::quiet_NaN();
}

std::string text_of_number(double x) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (x == std::floor(x) && std::abs(x) < exact) return fmt::format("{:.0f}", x + 0.0);
  return fmt::format("{}", x);
}

}  // namespace tessera::run
