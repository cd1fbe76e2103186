// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace tessera::core {

/// FNV-1a of 64 bits: tells texts apart that differ by accident, on every machine alike. No guard against intent.
/// Source: Fowler, Noll, Vo, http://www.isthe.com/chongo/tech/comp/fnv.
class Digest {
 public:
  void add(std::string_view text) {
    for (char const c : text) add(static_cast<unsigned char>(c));
  }
  /// A sign between texts that is none of UTF-8's, so that "ab", "c" and "a", "bc" differ.
  void separate() { add(static_cast<unsigned char>(0xff)); }
  /// 16 hexadecimal digits.
  std::string digits() const { return fmt::format("{:016x}", value_); }
  static std::string of(std::string_view text) {
    Digest digest;
    digest.add(text);
    return digest.digits();
  }

 private:
  void add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace tessera::core
