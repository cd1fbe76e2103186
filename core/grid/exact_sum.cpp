// SPDX-License-Identifier: Apache-2.0
#include "core/grid/exact_sum.hpp"

#include "core/times.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace tessera::core {
namespace {
constexpr int nan_count = 68, plus_count = 69, minus_count = 70;
__extension__ typedef unsigned __int128 Wide;
}  // namespace

void ExactSum::add(double x) {
  if (!std::isfinite(x)) {
    ++limb_[std::isnan(x) ? nan_count : x > 0 ? plus_count : minus_count];
    return;
  }
  if (++terms_ > (std::int64_t{1} << 30)) carry();
  auto const bits = std::bit_cast<std::uint64_t>(x);
  int const exponent = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t const mantissa = (bits & ((std::uint64_t{1} << 52) - 1)) | (exponent > 0 ? std::uint64_t{1} << 52 : 0);
  // x = mantissa 2^(position - 1074): spread over three limbs
  int const position = exponent > 0 ? exponent - 1 : 0;
  Wide const shifted = Wide{mantissa} << (position % 32);
  std::int64_t const sign = x < 0 ? -1 : 1;
  std::size_t const at = static_cast<std::size_t>(position / 32);
  limb_[at] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted));
  limb_[at + 1] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> 32));
  limb_[at + 2] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> 64));
}

void ExactSum::add(ExactSum const& other) {
  ExactSum copy = other;
  copy.carry();
  carry();
  for (std::size_t n = 0; n < limb_.size(); ++n) limb_[n] += copy.limb_[n];
  carry();
}

void ExactSum::carry() {
  // every limb but the last into [0, 2^32)
  for (std::size_t n = 0; n + 1 < limbs; ++n) {
    std::int64_t const over = limb_[n] >> 32;
    limb_[n] -= over * (std::int64_t{1} << 32);
    limb_[n + 1] += over;
  }
  terms_ = 0;
}

double ExactSum::round() const {
  if (limb_[nan_count] > 0 || (limb_[plus_count] > 0 && limb_[minus_count] > 0))
    return std::numeric_limits<double>::quiet_NaN();
  if (limb_[plus_count] > 0) return std::numeric_limits<double>::infinity();
  if (limb_[minus_count] > 0) return -std::numeric_limits<double>::infinity();
  ExactSum s = *this;
  s.carry();
  bool const negative = s.limb_[limbs - 1] < 0;
  if (negative) {
    for (std::size_t n = 0; n < limbs; ++n) s.limb_[n] = -s.limb_[n];
    s.carry();
  }
  int top = limbs - 1;
  while (top > 0 && s.limb_[top] == 0) --top;
  // the three highest limbs hold at least 65 bits; what lies below only breaks ties
  int const low = top > 2 ? top - 2 : 0;
  Wide head = 0;
  for (int n = top; n >= low; --n) head = head << 32 | static_cast<std::uint64_t>(s.limb_[n]);
  bool rest = false;
  for (int n = 0; n < low; ++n) rest = rest || s.limb_[n] != 0;
  if (rest) head |= 1;
  double const magnitude = std::ldexp(static_cast<double>(head), 32 * low - 1074);
  return negative ? -magnitude : magnitude;
}

void ExactSum::all_reduce(Comm const& comm, std::span<ExactSum> sums) {
  if (comm.size() == 1) return;
  std::size_t const width = static_cast<std::size_t>(limbs) + 3;
  std::vector<std::int64_t> all(width * sums.size());
  for (std::size_t q = 0; q < sums.size(); ++q) {
    sums[q].carry();
    std::copy(sums[q].limb_.begin(), sums[q].limb_.end(), all.begin() + static_cast<std::ptrdiff_t>(q * width));
  }
  comm.sum(std::span<std::int64_t>(all));
  for (std::size_t q = 0; q < sums.size(); ++q) {
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(q * width), width, sums[q].limb_.begin());
    sums[q].carry();
  }
}

}  // namespace tessera::core
