// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/detail/values.hpp"
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
inline constexpr std::array<RawType, 9> raw_types{{{"uint8", "MET_UCHAR", 1, core::Element::uint8},
                                                   {"int16", "MET_SHORT", 2, core::Element::int32},
                                                   {"uint16", "MET_USHORT", 2, core::Element::int32},
                                                   {"int32", "MET_INT", 4, core::Element::int32},
                                                   {"uint32", "MET_UINT", 4, core::Element::int64},
                                                   {"int64", "MET_LONG_LONG", 8, core::Element::int64},
                                                   {"float32", "MET_FLOAT", 4, core::Element::float32},
                                                   {"float64", "MET_DOUBLE", 8, core::Element::float64},
                                                   {"int8", "MET_CHAR", 1, core::Element::int32}}};

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
  return with_type(type.element, std::forward<F>(f));
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
