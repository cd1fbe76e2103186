// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "core/grid/field.hpp"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::io {
namespace detail {

template <class T>
std::string const& element_name() {
  static std::string const name = std::is_floating_point_v<T> ? fmt::format("float{}", 8 * sizeof(T))
                                  : std::is_signed_v<T>       ? fmt::format("int{}", 8 * sizeof(T))
                                                              : fmt::format("uint{}", 8 * sizeof(T));
  return name;
}

/// Calls f(std::type_identity<T>{}) with the C++ type of an element.
template <class F>
decltype(auto) with_type(core::Element element, F&& f) {
  switch (element) {
  case core::Element::uint8:
    return f(std::type_identity<std::uint8_t>{});
  case core::Element::int32:
    return f(std::type_identity<std::int32_t>{});
  case core::Element::int64:
    return f(std::type_identity<std::int64_t>{});
  case core::Element::float32:
    return f(std::type_identity<float>{});
  case core::Element::float64:
    break;
  }
  return f(std::type_identity<double>{});
}

}  // namespace detail

/// Calls f(values) with bytes as the values of an element type that they are, a std::span<T const>.
template <class F>
void visit_values(core::Element element, std::span<std::byte const> bytes, F const& f) {
  detail::with_type(element, [&]<class T>(std::type_identity<T>) {
    f(std::span<T const>(reinterpret_cast<T const*>(bytes.data()), bytes.size() / sizeof(T)));
  });
}

namespace detail {

/// A value as T: rounded to the nearest where T is an integer type. Throws core::Error if T cannot hold it.
template <class T, class S>
T converted(S value, std::string const& name) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_integral_v<S>) {
    if (std::in_range<T>(value)) return static_cast<T>(value);
  } else {
    double const rounded = std::nearbyint(static_cast<double>(value));
    // 2^digits is a double, the largest T mostly is not; NaN fails both comparisons
    bool const fits = rounded >= static_cast<double>(std::numeric_limits<T>::min()) &&
                      rounded < std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (fits) return static_cast<T>(rounded);
  }
  throw core::Error(name, 0, fmt::format("the value {} does not fit into {}", value, element_name<T>()));
}

/// Whether a value was not changed by its conversion.
template <class T, class S>
bool same(T converted, S value) {
  if constexpr (std::is_floating_point_v<T> && std::is_integral_v<S>)
    // the largest int64 rounds to 2^63, which no int64 is
    if (converted >= std::ldexp(T{1}, std::numeric_limits<S>::digits)) return false;
  return static_cast<S>(converted) == value;
}

/// Values as T, where all of them are values of T. Throws core::Error naming the first that is not.
template <class T>
void exactly(core::Element element, std::span<std::byte const> from, std::span<T> to, std::string const& name) {
  with_type(element, [&]<class S>(std::type_identity<S>) {
    for (std::size_t n = 0; n < to.size(); ++n) {
      S value;
      std::memcpy(&value, from.data() + n * sizeof(S), sizeof(S));
      to[n] = converted<T>(value, name);
      if (!same(to[n], value))
        throw core::Error(name, 0,
                          fmt::format("cannot hold the value {}, expected {}", value,
                                      std::is_integral_v<T> ? "whole numbers" : "what a double holds"));
    }
  });
}

/// Converts the values in `from`, applying `map` first where it is given.
template <class T>
void convert(core::Element element, std::span<std::byte const> from, double (*map)(double), std::span<T> to,
             std::string const& name) {
  with_type(element, [&]<class S>(std::type_identity<S>) {
    if (std::is_same_v<S, T> && map == nullptr) {
      std::memcpy(to.data(), from.data(), to.size_bytes());
      return;
    }
    for (std::size_t n = 0; n < to.size(); ++n) {
      S value;
      std::memcpy(&value, from.data() + n * sizeof(S), sizeof(S));
      to[n] = map == nullptr ? converted<T>(value, name) : converted<T>(map(static_cast<double>(value)), name);
    }
  });
}

/// Fingerprint of values read or written in any order: the same number as core::hash gives for a field with these values.
/// `cell` is the raster number of the first value, the others follow it. Compilers make vector code of the loop, which then
/// is as fast as memory (35 GB/s of doubles from cache with AVX-512, 6 GB/s with AVX2).
class Checksum {
 public:
  template <class T>
  void add(core::Count cell, std::span<T const> values) {
    for (T value : values) {
      if (value == T{0}) value = T{0};  // -0.0 as 0.0
      std::uint64_t bits = 0;
      if constexpr (std::is_floating_point_v<T>)
        std::memcpy(&bits, &value, sizeof value);
      else
        bits = static_cast<std::uint64_t>(value);
      sum_ += mix(mix(static_cast<std::uint64_t>(cell++) + 0x9e3779b97f4a7c15u) ^ bits);
    }
  }
  /// Checksums of parts of the same values add up to that of all, modulo 2^64.
  std::uint64_t sum() const { return sum_; }
  static std::string digits(std::uint64_t sum) { return fmt::format("{:016x}", sum); }
  std::string digits() const { return digits(sum_); }

 private:
  /// Finaliser of SplitMix64 (Steele, Lea & Flood 2014).
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::uint64_t sum_ = 0;
};

}  // namespace detail
}  // namespace tessera::io
