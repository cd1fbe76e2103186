// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tessera::io::detail {

/// Bytes that hold `count` bits from bit `first` on, with the bits that share the first and the last byte.
constexpr std::size_t bytes_of_bits(std::size_t first, std::size_t count) {
  return (first + count + 7) / 8 - first / 8;
}

/// Makes values of bits, the leftmost in the highest bit of a byte: eight at a time by a table of 256 x 8 values.
template <class T>
class Unpacker {
 public:
  Unpacker() = default;
  Unpacker(T zero, T one) : eight_(256) {
    for (std::size_t byte = 0; byte < 256; ++byte)
      for (std::size_t bit = 0; bit < 8; ++bit) eight_[byte][bit] = (byte >> (7 - bit) & 1) != 0 ? one : zero;
  }

  /// `count` values from bit `skip` (0 .. 7) of `from` on.
  void operator()(std::byte const* from, std::size_t skip, std::size_t count, T* to) const {
    auto const byte = [&](std::size_t n) { return std::to_integer<unsigned>(from[n]); };
    std::size_t const whole = count / 8, rest = count % 8;
    if (skip == 0)
      for (std::size_t n = 0; n < whole; ++n) put(byte(n), 8, to + 8 * n);
    else
      for (std::size_t n = 0; n < whole; ++n) put(byte(n) << skip | byte(n + 1) >> (8 - skip), 8, to + 8 * n);
    if (rest == 0) return;
    // the next byte is there only where bits of it are asked for
    unsigned const next = skip + rest > 8 ? byte(whole + 1) >> (8 - skip) : 0;
    put(byte(whole) << skip | next, rest, to + 8 * whole);
  }

 private:
  void put(unsigned bits, std::size_t count, T* to) const {
    std::memcpy(to, eight_[bits & 255].data(), count * sizeof(T));
  }
  std::vector<std::array<T, 8>> eight_;
};

}  // namespace tessera::io::detail
