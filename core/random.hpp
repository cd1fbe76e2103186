// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace tessera::core {

/// Counter-based random numbers: the same draw for (seed, sample, cell, step) on any rank, tile or device.
///
/// Philox4x32-10: ten rounds of multiply and exchange on a 128-bit counter (cell: 64 bit, step and sample: 32 bit each)
/// under a 64-bit key (seed). Period 2^128 for each key; passes BigCrush.
///
/// Source: Salmon, Moraes, Dror & Shaw 2011, Parallel random numbers: as easy as 1, 2, 3, SC11.
struct Random {
  std::uint64_t seed = 1;
  std::uint32_t sample = 0;

  struct Block {
    std::uint32_t x[4];
  };

  KOKKOS_FUNCTION static Block philox(Block c, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
      std::uint64_t const a = std::uint64_t{0xD2511F53u} * c.x[0];
      std::uint64_t const b = std::uint64_t{0xCD9E8D57u} * c.x[2];
      c = {{static_cast<std::uint32_t>(b >> 32) ^ c.x[1] ^ key0, static_cast<std::uint32_t>(b),
            static_cast<std::uint32_t>(a >> 32) ^ c.x[3] ^ key1, static_cast<std::uint32_t>(a)}};
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    return c;
  }

  /// 64 random bits for one cell and step.
  KOKKOS_FUNCTION std::uint64_t bits(std::uint64_t cell, std::uint32_t step = 0) const {
    Block const counter{{static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(cell >> 32), step, sample}};
    Block const r = philox(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    return (std::uint64_t{r.x[1]} << 32) | r.x[0];
  }

  /// Uniform in [0, 1), 53 bits.
  KOKKOS_FUNCTION double uniform(std::uint64_t cell, std::uint32_t step = 0) const {
    return static_cast<double>(bits(cell, step) >> 11) * 0x1.0p-53;
  }
};

}  // namespace tessera::core
