// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::run {

/// Equal bins from one value to another.
struct Bins {
  double lo = 0, width = 1;
  std::size_t count = 1;

  /// Of values least .. most: one a whole number where these are at most 65536 (its middle is the number), else 256 as
  /// usual. Widths are finite for all finite values.
  static Bins of(double least, double most, bool whole_numbers) {
    double const numbers = most - least + 1;
    if (whole_numbers && numbers <= 65536) return {least - 0.5, 1, static_cast<std::size_t>(numbers)};
    return {least, most / 256 - least / 256, 256};
  }
  /// The bin of a value; beyond the ends the first and the last.
  std::size_t at(double value) const {
    double const bin = value / width - lo / width;
    return !(bin >= 1) ? 0 : bin >= static_cast<double>(count) ? count - 1 : static_cast<std::size_t>(bin);
  }
  /// Counts a value, if it is finite, in its bin.
  void count_one(double value, std::vector<std::int64_t>& counts) const {
    if (std::isfinite(value)) ++counts[at(value)];
  }
  double edge(double bin) const { return lo + bin * width; }
};

/// The edge of a bin that parts a histogram best in two: the variance between the two classes is largest. Where empty
/// bins lie between the classes, the middle of them. At least two bins must hold something.
///
/// Source: Otsu 1979, IEEE Trans. Syst. Man Cybern. 9:62.
double otsu(Bins const& bins, std::span<std::int64_t const> counts);

}  // namespace tessera::run
