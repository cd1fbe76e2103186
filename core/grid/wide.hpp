// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several numbers that are computed on together, by the vector extensions of GCC and Clang.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

// vectors are handed over inside one translation unit only, so it does not matter how a call would pass them
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tessera::core {
namespace detail {

/// Bytes of a register; 0: numbers are computed one by one, as compilers for devices have no such vectors.
#if defined(__CUDACC__) || defined(__HIPCC__)
inline constexpr int register_bytes = 0;
#elif defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

template <class T, int n>
struct PartOf {
#if !defined(__CUDACC__) && !defined(__HIPCC__)
  typedef T type __attribute__((vector_size(n * sizeof(T))));
#endif
};
template <class T>
struct PartOf<T, 1> {
  using type = T;
};

template <class W, class F, int... p>
KOKKOS_FORCEINLINE_FUNCTION W by_parts(F const& f, std::integer_sequence<int, p...>) {
  return W{{f(std::integral_constant<int, p>())...}};
}
/// The vector of f(p) for each part p: by name and not in a loop, so that g++ sees the parts apart from the first. No lambda does it,
/// which g++ would call in large functions, by way of memory.
template <class W, class F>
KOKKOS_FORCEINLINE_FUNCTION W by_parts(F const& f) {
  return by_parts<W>(f, std::make_integer_sequence<int, W::parts>());
}

}  // namespace detail

/// n numbers in a row, n a power of two; the first lies first in memory. Operators work on each of them by itself, so the bits
/// are those of one number at a time. They lie in as many registers as it takes: a vector wider than a register g++ keeps in
/// memory.
template <class T, int n>
struct alignas(n * sizeof(T)) Wide {
  static constexpr int width = std::clamp<int>(detail::register_bytes / static_cast<int>(sizeof(T)), 1, n);
  static constexpr int parts = n / width;
  using Number = T;
  using Part = typename detail::PartOf<T, width>::type;
  Part part[parts];

  KOKKOS_FORCEINLINE_FUNCTION T operator[](int lane) const {
    if constexpr (width == 1)
      return part[lane];
    else
      return part[lane / width][lane % width];
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(int lane, T x) {
    if constexpr (width == 1)
      part[lane] = x;
    else
      part[lane / width][lane % width] = x;
  }
  /// All n numbers x.
  KOKKOS_FORCEINLINE_FUNCTION static Wide all(T x) {
    return detail::by_parts<Wide>([&](auto) { return x - Part{}; });
  }
  /// Numbers that lie anywhere.
  KOKKOS_FORCEINLINE_FUNCTION static Wide load(T const* from) {
    return detail::by_parts<Wide>([&](auto p) {
      Part part;
      std::memcpy(&part, from + p * width, sizeof part);
      return part;
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(T* to) const {
    for (int p = 0; p < parts; ++p) std::memcpy(to + p * width, &part[p], sizeof part[p]);
  }
  /// 0, 1 ... n - 1.
  static Wide numbers() {
    Wide a{};
    for (int lane = 0; lane < n; ++lane) a.set(lane, static_cast<T>(lane));
    return a;
  }
};

/// What comparisons give: all bits of a number set for yes.
template <class T>
using MaskNumber = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

#define TESSERA_OF_WIDE(op)                                                                                            \
  template <class T, int n>                                                                                            \
  KOKKOS_FORCEINLINE_FUNCTION Wide<T, n> operator op(Wide<T, n> const& a, Wide<T, n> const& b) {                       \
    return detail::by_parts<Wide<T, n>>([&](auto p) { return a.part[p] op b.part[p]; });                               \
  }                                                                                                                    \
  template <class T, int n>                                                                                            \
  KOKKOS_FORCEINLINE_FUNCTION Wide<T, n> operator op(Wide<T, n> const& a, std::type_identity_t<T> b) {                 \
    return detail::by_parts<Wide<T, n>>([&](auto p) { return a.part[p] op b; });                                       \
  }                                                                                                                    \
  template <class T, int n>                                                                                            \
  KOKKOS_FORCEINLINE_FUNCTION Wide<T, n> operator op(std::type_identity_t<T> a, Wide<T, n> const& b) {                 \
    return detail::by_parts<Wide<T, n>>([&](auto p) { return a op b.part[p]; });                                       \
  }                                                                                                                    \
  template <class T, int n, class B>                                                                                   \
  KOKKOS_FORCEINLINE_FUNCTION Wide<T, n>& operator op##=(Wide<T, n>& a, B const& b) {                                  \
    return a = a op b;                                                                                                 \
  }
TESSERA_OF_WIDE(+)
TESSERA_OF_WIDE(-)
TESSERA_OF_WIDE(*)
TESSERA_OF_WIDE(&)
TESSERA_OF_WIDE(|)
TESSERA_OF_WIDE(^)
#undef TESSERA_OF_WIDE

#define TESSERA_SHIFT_OF_WIDE(op)                                                                                      \
  template <class T, int n>                                                                                            \
  KOKKOS_FORCEINLINE_FUNCTION Wide<T, n> operator op(Wide<T, n> const& a, int by) {                                    \
    return detail::by_parts<Wide<T, n>>([&](auto p) { return a.part[p] op by; });                                      \
  }
TESSERA_SHIFT_OF_WIDE(<<)
TESSERA_SHIFT_OF_WIDE(>>)
#undef TESSERA_SHIFT_OF_WIDE

template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Wide<T, n> operator~(Wide<T, n> const& a) {
  return detail::by_parts<Wide<T, n>>([&](auto p) { return ~a.part[p]; });
}

namespace detail {
/// compare(a, b) of parts, of which `compare` gives the mask; of single numbers yes or no.
template <class T, int n, class F>
KOKKOS_FORCEINLINE_FUNCTION Wide<MaskNumber<T>, n> compared(F const& compare) {
  return by_parts<Wide<MaskNumber<T>, n>>([&](auto p) {
    if constexpr (Wide<T, n>::width == 1)
      return -MaskNumber<T>{compare(p)};
    else
      return compare(p);
  });
}
}  // namespace detail

#define TESSERA_COMPARISON_OF_WIDE(op)                                                                                 \
  template <class T, int n>                                                                                            \
  KOKKOS_FORCEINLINE_FUNCTION Wide<MaskNumber<T>, n> operator op(Wide<T, n> const& a, Wide<T, n> const& b) {           \
    return detail::compared<T, n>([&](auto p) { return a.part[p] op b.part[p]; });                                     \
  }                                                                                                                    \
  template <class T, int n>                                                                                            \
  KOKKOS_FORCEINLINE_FUNCTION Wide<MaskNumber<T>, n> operator op(Wide<T, n> const& a, std::type_identity_t<T> b) {     \
    return detail::compared<T, n>([&](auto p) { return a.part[p] op b; });                                             \
  }
TESSERA_COMPARISON_OF_WIDE(<)
TESSERA_COMPARISON_OF_WIDE(<=)
TESSERA_COMPARISON_OF_WIDE(>)
TESSERA_COMPARISON_OF_WIDE(>=)
TESSERA_COMPARISON_OF_WIDE(==)
TESSERA_COMPARISON_OF_WIDE(!=)
#undef TESSERA_COMPARISON_OF_WIDE

/// Number by number, a where the mask says so and b elsewhere.
template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Wide<T, n> select(Wide<MaskNumber<T>, n> const& mask, Wide<T, n> const& a,
                                              Wide<T, n> const& b) {
  return detail::by_parts<Wide<T, n>>([&](auto p) { return mask.part[p] ? a.part[p] : b.part[p]; });
}

/// The same of single numbers, for text that is of either.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T select(bool mask, T const& a, std::type_identity_t<T> const& b) {
  return mask ? a : b;
}

/// Of numbers with a sign bit.
template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Wide<T, n> magnitude(Wide<T, n> const& a) {
  using W = Wide<T, n>;
  using Bits = typename Wide<MaskNumber<T>, n>::Part;
  constexpr auto all_but_sign = std::numeric_limits<MaskNumber<T>>::max();
  return detail::by_parts<W>([&](auto p) {
    if constexpr (W::width == 1)
      return a.part[p] < 0 ? -a.part[p] : a.part[p];
    else
      return reinterpret_cast<typename W::Part>(reinterpret_cast<Bits>(a.part[p]) & all_but_sign);
  });
}

/// A register's numbers from number `first` of low on, first <= width, those of high behind it.
template <int first, int width, class Part>
KOKKOS_FORCEINLINE_FUNCTION Part part_from(Part const& low, Part const& high) {
  if constexpr (first == 0) return low;
  if constexpr (first == width) return high;
#if !defined(__CUDACC__) && !defined(__HIPCC__)
  if constexpr (first > 0 && first < width) return [&]<int... k>(std::integer_sequence<int, k...>) {
      return __builtin_shufflevector(low, high, (first + k)...);
    }
  (std::make_integer_sequence<int, width>());
#endif
}

/// n of the 2 n numbers of low and high, from number `first` on, first <= n.
template <int first, class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Wide<T, n> numbers_from(Wide<T, n> const& low, Wide<T, n> const& high) {
  using W = Wide<T, n>;
  auto const part = [&](int p) { return p < W::parts ? low.part[p] : high.part[p - W::parts]; };
  return detail::by_parts<W>([&](auto p) {
    constexpr int at = first / W::width + p, within = first % W::width;
    if constexpr (within == 0)
      return part(at);
    else
      return part_from<within, W::width>(part(at), part(at + 1));
  });
}

}  // namespace tessera::core
