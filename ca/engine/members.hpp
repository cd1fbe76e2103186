// SPDX-License-Identifier: Apache-2.0
#pragma once
// The members of a state of several fields, one by one: those of an array are a field each.
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera::ca {

/// A name of a field or of a quantity.
struct Name {
  char text[24] = {};
  bool numbered = false;  ///< one of an array
  constexpr operator char const*() const { return text; }
};

/// Names of an array of N fields: many<19>("f") stands for f0, f1 ... f18.
template <int N>
struct Many {
  char const* stem;
};
template <int N>
constexpr Many<N> many(char const* stem) {
  static_assert(N >= 1 && N <= 100);
  return {stem};
}

/// Names of `N` fields, which are `M` members of a state, or of N quantities.
template <int N, int M = N>
struct Names {
  Name of[N];
  static constexpr int size = N, members = M;
};

namespace detail {

template <class Text>
inline constexpr int names_in = 1;
template <int N>
inline constexpr int names_in<Many<N>> = N;

constexpr Name named(char const* stem, int number = -1) {
  Name name;
  name.numbered = number >= 0;
  int n = 0;
  for (; stem[n] != '\0'; ++n) name.text[n] = stem[n];
  if (number >= 10) name.text[n++] = static_cast<char>('0' + number / 10);
  if (number >= 0) name.text[n] = static_cast<char>('0' + number % 10);
  return name;
}
constexpr Name* put_names(Name* at, char const* text) {
  *at = named(text);
  return at + 1;
}
template <int N>
constexpr Name* put_names(Name* at, Many<N> many) {
  for (int n = 0; n < N; ++n) *at++ = named(many.stem, n);
  return at;
}

}  // namespace detail

/// names("u", "v"), of up to 22 letters; names("solid", many<9>("f")) where a member is an array.
template <class... Text>
constexpr auto names(Text... text) {
  Names<(detail::names_in<Text> + ...), static_cast<int>(sizeof...(Text))> all;
  Name* at = all.of;
  ((at = detail::put_names(at, text)), ...);
  return all;
}

/// A state of several fields, which says their names in the order of its members:
///   struct State { double u, v; static constexpr auto fields = ca::names("u", "v"); };
/// Members are of the types that fields have: uint8, int32, int64, float, double; up to 12 of them, or arrays of these:
///   struct State { std::uint8_t solid; double f[19]; static constexpr auto fields = ca::names("solid", ca::many<19>("f")); };
template <class S>
concept OfFields = std::is_class_v<S> && requires {
  S::fields.size;
};

namespace detail {

/// Calls f(member, member, ...) with the members of a state.
template <class S, class F>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) with_members(S& s, F const& f) {
  constexpr int n = S::fields.members;
  static_assert(n >= 1 && n <= 12, "a state has 1 .. 12 members, arrays among them");
  if constexpr (n == 1) {
    auto& [a] = s;
    return f(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = s;
    return f(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = s;
    return f(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = s;
    return f(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = s;
    return f(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, g] = s;
    return f(a, b, c, d, e, g);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, g, h] = s;
    return f(a, b, c, d, e, g, h);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, g, h, i] = s;
    return f(a, b, c, d, e, g, h, i);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, g, h, i, j] = s;
    return f(a, b, c, d, e, g, h, i, j);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, g, h, i, j, k] = s;
    return f(a, b, c, d, e, g, h, i, j, k);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, g, h, i, j, k, l] = s;
    return f(a, b, c, d, e, g, h, i, j, k, l);
  } else {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m] = s;
    return f(a, b, c, d, e, g, h, i, j, k, l, m);
  }
}

/// The types of the fields that a member is.
template <class T>
struct FieldsOf {
  using types = std::tuple<T>;
};
template <std::size_t, class T>
struct OneOfMany {
  using type = T;
};
template <class T, std::size_t N>
struct FieldsOf<T[N]> {
  template <std::size_t... q>
  static std::tuple<typename OneOfMany<q, T>::type...> repeat(std::index_sequence<q...>);
  using types = decltype(repeat(std::make_index_sequence<N>()));
};
struct TypesOf {
  template <class... T>
  auto operator()(T&...) const
      -> decltype(std::tuple_cat(std::declval<typename FieldsOf<std::remove_const_t<T>>::types>()...));
};
template <class S>
struct Members {
  using types = std::tuple<S>;
};
template <OfFields S>
struct Members<S> {
  using types = decltype(with_members(std::declval<S&>(), TypesOf()));
};
/// The types of a state's fields, as a tuple.
template <class S>
using MembersOf = typename Members<S>::types;
template <class S>
inline constexpr int members_of = static_cast<int>(std::tuple_size_v<MembersOf<S>>);

/// The q-th field of a state, arrays counted one by one.
template <int q>
struct Nth {
  template <class First, class... Rest>
  KOKKOS_FORCEINLINE_FUNCTION auto& operator()(First& first, Rest&... rest) const {
    if constexpr (std::is_array_v<First>) {
      constexpr int n = static_cast<int>(std::extent_v<First>);
      if constexpr (q < n)
        return first[q];
      else
        return Nth<q - n>()(rest...);
    } else if constexpr (q == 0) {
      return first;
    } else {
      return Nth<q - 1>()(rest...);
    }
  }
};
template <std::size_t q, class S>
KOKKOS_FORCEINLINE_FUNCTION auto& member(S& s) {
  return with_members(s, Nth<static_cast<int>(q)>());
}
template <std::size_t q, class S>
using MemberOf = std::tuple_element_t<q, MembersOf<S>>;
template <class S>
using Sequence = std::make_index_sequence<static_cast<std::size_t>(members_of<S>)>;

}  // namespace detail
}  // namespace tessera::ca
