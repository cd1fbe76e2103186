// SPDX-License-Identifier: Apache-2.0
#include "core/case/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tessera::core {
namespace {

using Exponents = std::array<double, 7>;

struct Unit {
  std::string_view name;
  Exponents exponents;
};
/// Those of OpenFOAM v1912 (DimensionSets of its etc/controlDict) that are no multiples of others.
constexpr std::array si_units{Unit{"kg", {1}},
                              Unit{"m", {0, 1}},
                              Unit{"s", {0, 0, 1}},
                              Unit{"K", {0, 0, 0, 1}},
                              Unit{"mol", {0, 0, 0, 0, 1}},
                              Unit{"A", {0, 0, 0, 0, 0, 1}},
                              Unit{"Cd", {0, 0, 0, 0, 0, 0, 1}},
                              Unit{"Hz", {0, 0, -1}},
                              Unit{"N", {1, 1, -2}},
                              Unit{"Pa", {1, -1, -2}},
                              Unit{"J", {1, 2, -2}},
                              Unit{"W", {1, 2, -3}},
                              Unit{"area", {0, 2}},
                              Unit{"volume", {0, 3}},
                              Unit{"density", {1, -3}},
                              Unit{"acceleration", {0, 1, -2}},
                              Unit{"kinematicPressure", {0, 2, -2}}};

/// Takes a product of powers apart.
class UnitReader {
 public:
  UnitReader(std::string_view text, TokenStream const& in) : text_(text), in_(in) {}

  Exponents all() {
    auto const result = product();
    if (at_ < text_.size()) fail(fmt::format("'{}' after them is no unit", text_.substr(at_)));
    return result;
  }

 private:
  Exponents product() {
    if (++depth_ > deepest) fail("brackets nest too deep");
    Exponents result{};
    for (double sign = 1;;) {
      auto const one = power();
      for (std::size_t d = 0; d < result.size(); ++d) result[d] += sign * one[d];
      skip();
      if (at_ == text_.size() || text_[at_] == ')') break;
      sign = text_[at_] == '/' ? -1 : 1;
      if (text_[at_] == '/' || text_[at_] == '*') ++at_;
    }
    --depth_;
    return result;
  }
  Exponents power() {
    auto result = factor();
    skip();
    if (at_ == text_.size() || text_[at_] != '^') return result;
    ++at_;
    skip();
    double exponent = 0;
    auto const [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), exponent);
    if (status != std::errc()) fail("'^' wants a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    for (auto& d : result) d *= exponent;
    return result;
  }
  Exponents factor() {
    skip();
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      auto const result = product();
      if (at_ == text_.size()) fail("')' is missing");
      ++at_;
      return result;
    }
    std::size_t const begin = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    auto const name = text_.substr(begin, at_ - begin);
    if (name.empty())
      fail(at_ < text_.size() ? fmt::format("'{}' is no unit", text_.substr(at_)) : "a unit is missing");
    auto const found =
        std::find_if(si_units.begin(), si_units.end(), [&](Unit const& unit) { return unit.name == name; });
    if (found == si_units.end()) {
      std::vector<std::string> valid;
      for (auto const& unit : si_units) valid.emplace_back(unit.name);
      fail(unknown_name("unit", name, valid));
    }
    return found->exponents;
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  [[noreturn]] void fail(std::string const& why) const { in_.fail(fmt::format("has the units [{}]: {}", text_, why)); }

  static constexpr int deepest = 16;
  std::string_view text_;
  TokenStream const& in_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::array<double, 7> exponents_of_units(std::string_view text, TokenStream const& in) {
  return UnitReader(text, in).all();
}

}  // namespace tessera::core
