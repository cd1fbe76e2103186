// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/registry.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace tessera::io {

/// A code of k data pieces and m parity pieces of equal length, any k of which give all data. One rank, no MPI.
class ErasureCode {
 public:
  static constexpr std::string_view kind = "erasure code";
  virtual ~ErasureCode() = default;
  using Pieces = std::span<std::span<std::byte> const>;
  /// Fills the pieces k .. k + m - 1 from 0 .. k - 1.
  virtual void encode(Pieces pieces) const = 0;
  /// Fills those of the pieces 0 .. k - 1 that are not `there` from k pieces that are.
  /// Throws core::BrokenPromise where fewer than k are.
  virtual void decode(Pieces pieces, std::span<bool const> there) const = 0;
};

/// Made for k and m, k + m <= 255. Empty in a build without a library for it.
using ErasureCodes = core::Registry<ErasureCode, int, int>;

}  // namespace tessera::io
