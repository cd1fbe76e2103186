// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/files/values.hpp"
#include "io/rows.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io::detail {

/// A type of values in files without a format of their own.
struct RawType {
  std::string_view name;  ///< as in FILE.raw:512x512x512:uint8
  std::string_view meta;  ///< as MetaImage's ElementType
  std::size_t bytes;      ///< in the file
  core::Element element;  ///< that holds it
};
inline constexpr std::array<RawType, 10> raw_types{{{"uint8", "MET_UCHAR", 1, core::Element::uint8},
                                                    {"int16", "MET_SHORT", 2, core::Element::int32},
                                                    {"uint16", "MET_USHORT", 2, core::Element::int32},
                                                    {"int32", "MET_INT", 4, core::Element::int32},
                                                    {"uint32", "MET_UINT", 4, core::Element::int64},
                                                    {"int64", "MET_LONG_LONG", 8, core::Element::int64},
                                                    {"uint64", "MET_ULONG_LONG", 8, core::Element::int64},
                                                    {"float32", "MET_FLOAT", 4, core::Element::float32},
                                                    {"float64", "MET_DOUBLE", 8, core::Element::float64},
                                                    {"int8", "MET_CHAR", 1, core::Element::int32}}};

/// Bytes of 0 or 1, as numpy and h5py store masks. Read only: written they are uint8.
inline constexpr RawType boolean{"bool", "", 1, core::Element::uint8};

inline std::vector<std::string> raw_type_names() {
  std::vector<std::string> names;
  for (auto const& type : raw_types) names.emplace_back(type.name);
  return names;
}

/// The type `name`, or for "" the one that is the element as it is. Throws core::Error listing the types there are.
inline RawType const& raw_type(std::string const& name, core::Element element, std::string const& file) {
  auto const* const type = std::find_if(raw_types.begin(), raw_types.end(), [&](RawType const& t) {
    return name.empty() ? t.element == element && t.bytes == size_of(element) : t.name == name;
  });
  if (type == raw_types.end()) throw core::Error(file, 0, core::unknown_name("type", name, raw_type_names()));
  return *type;
}

/// Calls f(std::type_identity<T>{}) with the C++ type of a type.
template <class F>
decltype(auto) with_raw_type(RawType const& type, F&& f) {
  if (type.name == "int8") return f(std::type_identity<std::int8_t>{});
  if (type.name == "int16") return f(std::type_identity<std::int16_t>{});
  if (type.name == "uint16") return f(std::type_identity<std::uint16_t>{});
  if (type.name == "uint32") return f(std::type_identity<std::uint32_t>{});
  if (type.name == "uint64") return f(std::type_identity<std::uint64_t>{});
  return with_type(type.element, std::forward<F>(f));
}

/// A type with the range of its values.
inline StoredType stored_type(RawType const& type) {
  if (type.name == boolean.name) return {std::string(type.name), std::array{0.0, 1.0}};
  return with_raw_type(type, [&]<class T>(std::type_identity<T>) {
    StoredType result{std::string(type.name)};
    if constexpr (std::is_integral_v<T>)
      result.range = {static_cast<double>(std::numeric_limits<T>::min()),
                      static_cast<double>(std::numeric_limits<T>::max())};
    return result;
  });
}

/// Throws core::Error naming the first byte that is neither 0 nor 1.
inline void check_boolean(std::span<std::byte const> values, std::string const& file) {
  for (std::byte const value : values)
    if (value > std::byte{1})
      throw core::Error(file, 0,
                        fmt::format("holds the byte {}, expected 0 or 1 of type bool", static_cast<int>(value)));
}

/// Throws core::Error naming the first value of type uint64 that no int64 holds.
inline void check_unsigned(std::span<std::byte const> values, std::string const& file) {
  for (std::size_t at = 0; at < values.size(); at += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, values.data() + at, 8);
    if (value >> 63 != 0)
      throw core::Error(file, 0, fmt::format("holds the value {}, expected less than 2^63 of type uint64", value));
  }
}

/// `count` values of a type, put in front of `values` in the byte order of the file, as its element: each is turned round
/// where it is big-endian, then widened in place, from the last to the first, since wider values lie behind narrow ones
/// still to be read. Throws core::Error for bytes of type bool that are neither 0 nor 1, and for values of 2^63 and more.
inline void unpack_values(RawType const& type, bool big, std::size_t count, std::span<std::byte> values,
                          std::string const& file) {
  std::size_t const bytes = type.bytes;
  if (type.name == boolean.name) check_boolean(values.first(count), file);
  if (big && bytes > 1)
    for (std::size_t n = 0; n < count; ++n)
      std::reverse(values.begin() + static_cast<std::ptrdiff_t>(n * bytes),
                   values.begin() + static_cast<std::ptrdiff_t>((n + 1) * bytes));
  if (type.name == "uint64") check_unsigned(values.first(count * bytes), file);
  if (bytes == size_of(type.element)) return;
  with_raw_type(type, [&]<class From>(std::type_identity<From>) {
    with_type(type.element, [&]<class To>(std::type_identity<To>) {
      for (std::size_t n = count; n-- > 0;) {
        From narrow;
        std::memcpy(&narrow, values.data() + n * sizeof(From), sizeof(From));
        To const wide = static_cast<To>(narrow);
        std::memcpy(values.data() + n * sizeof(To), &wide, sizeof(To));
      }
    });
  });
}

/// Values as a type: floating-point numbers are rounded to narrower ones, else the type must hold each value as it is.
/// Throws core::Error naming the first that it does not hold.
inline void store(core::Element element, std::span<std::byte const> values, RawType const& type,
                  std::vector<std::byte>& to, std::string const& name) {
  with_type(element, [&]<class S>(std::type_identity<S>) {
    with_raw_type(type, [&]<class T>(std::type_identity<T>) {
      std::size_t const count = values.size() / sizeof(S);
      to.resize(count * sizeof(T));
      for (std::size_t n = 0; n < count; ++n) {
        S value;
        std::memcpy(&value, values.data() + n * sizeof(S), sizeof(S));
        T const stored = converted<T>(value, name);
        bool const both_real = std::is_floating_point_v<S> && std::is_floating_point_v<T>;
        if (!both_real && !same(stored, value))
          throw core::Error(name, 0, fmt::format("the value {} is no {}", value, type.name));
        std::memcpy(to.data() + n * sizeof(T), &stored, sizeof(T));
      }
    });
  });
}

/// The header that belongs to FILE.raw: FILE.mhd.
inline std::string header_of(std::string const& raw) {
  std::string const ending = raw.size() > 4 ? raw.substr(raw.size() - 4) : "";
  bool const cut = ending == ".raw" || ending == ".RAW";
  return (cut ? raw.substr(0, raw.size() - 4) : raw) + ".mhd";
}

}  // namespace tessera::io::detail
