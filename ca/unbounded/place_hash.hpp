// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace tessera::ca::unbounded {

/// The hash of a plane's cells that are not 0: the sum of weight(state) across^i upward^j over them, modulo the prime 2^61 - 1.
/// The hash of cells that lie elsewhere is a multiple of theirs, so that squares' hashes make that of all, whatever their number. Two sets
/// of cells in a box of n x n have the same with a chance of at most 2 n / 2^61.
class PlaceHash {
 public:
  using Value = std::uint64_t;
  static constexpr Value across = 0x0b5297a4d68e1e9bu, upward = 0x1c64e6d9a3b12d57u;

  static constexpr Value add(Value a, Value b) { return a + b >= prime ? a + b - prime : a + b; }
  static constexpr Value times(Value a, Value b) {
    Wide const product = static_cast<Wide>(a) * b;
    return add(static_cast<Value>(product & prime), static_cast<Value>(product >> 61));
  }
  /// a^n; a^-n is 1 / a^n.
  static constexpr Value power(Value a, core::Count n) {
    auto left = static_cast<Value>(n % static_cast<core::Count>(prime - 1) + (n < 0 ? prime - 1 : 0));
    Value result = 1;
    for (; left > 0; left >>= 1, a = times(a, a))
      if ((left & 1) != 0) result = times(result, a);
    return result;
  }
  /// Finaliser of SplitMix64; not 0.
  static constexpr Value weight(std::uint8_t state) {
    Value x = state + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) % (prime - 1) + 1;
  }
  static std::string text(Value value) { return fmt::format("{:016x}", value); }

 private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr Value prime = (Value{1} << 61) - 1;
};

}  // namespace tessera::ca::unbounded
