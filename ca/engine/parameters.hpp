// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"

#include <array>
#include <fmt/ranges.h>
#include <string>
#include <string_view>

namespace tessera::ca {

/// The parameters that a rule asks its case for. A rule has members with their defaults and names them:
///   double feed = 0.037;
///   void parameters(Parameters& in) { in("feed", feed, {0, 1}, "rate at which u comes in"); }
/// Entries of constant/automatonProperties of these names replace the defaults; `tessera help RULE` prints all of them.
class Parameters {
 public:
  /// To read from `properties`; nullptr: to tell them.
  explicit Parameters(core::Dictionary const* properties) : properties_(properties) {}

  /// T: bool, integers, float, double, std::string, std::array of numbers. Throws core::Error at the entry where the case has something else.
  template <class T>
  void operator()(std::string_view name, T& value, std::string_view what) {
    if (properties_ == nullptr)
      tell(name, text_of(value), std::string(what));
    else
      value = properties_->get_or<T>(name, value);
  }
  /// From `least` to `most`, both included.
  template <class T>
  void operator()(std::string_view name, T& value, core::Dictionary::Range<std::type_identity_t<T>> range,
                  std::string_view what) {
    if (properties_ == nullptr)
      tell(name, text_of(value), fmt::format("{}, {} .. {}", what, range.least, range.most));
    else
      value = properties_->get_in<T>(name, range, value);
  }

  /// A line for each.
  std::string const& help() const { return help_; }

 private:
  template <class T>
  static std::string text_of(T const& value) {
    if constexpr (std::is_same_v<T, bool>)
      return value ? "yes" : "no";
    else
      return fmt::format("{}", value);
  }
  template <class T, std::size_t N>
  static std::string text_of(std::array<T, N> const& values) {
    return fmt::format("({})", fmt::join(values, " "));
  }
  void tell(std::string_view name, std::string const& value, std::string const& what) {
    std::string const line = fmt::format("    {:<9} {:<12} {}\n", name, value + ";", what);
    if (help_.find(line) == std::string::npos) help_ += line;  // phases may share theirs
  }

  core::Dictionary const* properties_;
  std::string help_;
};

}  // namespace tessera::ca
