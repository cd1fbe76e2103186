// SPDX-License-Identifier: Apache-2.0
#include "partition/blocks.hpp"

#include "core/error.hpp"

#include <fmt/format.h>
#include <limits>

namespace tessera::partition {

core::Dictionary* coeffs(core::Dictionary& dictionary, std::string const& method) {
  if (auto* own = dictionary.find_sub(method + "Coeffs")) return own;
  return dictionary.find_sub("coeffs");
}

Blocks::Blocks(core::Dictionary* coeffs) {
  if (!coeffs || !coeffs->contains("n")) return;
  parts_ = coeffs->get<std::array<int, 3>>("n");
  where_ = coeffs->location("n");
  for (int n : parts_)
    if (n < 1)
      coeffs->fail("n",
                   fmt::format("the parts per axis are ({}), expected three positive numbers", fmt::join(parts_, " ")));
}

std::array<int, 3> Blocks::parts(core::Grid const& grid, int ranks) const {
  if (parts_[0] > 0) {
    if (parts_[0] * parts_[1] * parts_[2] != ranks)
      throw core::Error(fmt::format("{}: n ({}) makes {} parts, expected one for each of {} ranks", where_,
                                    fmt::join(parts_, " "), parts_[0] * parts_[1] * parts_[2], ranks));
    return parts_;
  }
  // least surface between parts among all factorings that the tile lattice allows
  auto const cells = grid.cells(), lattice = grid.tile_lattice();
  std::array<int, 3> best{ranks, 1, 1};
  double least = std::numeric_limits<double>::infinity();
  for (int px = 1; px <= ranks; ++px)
    for (int py = 1; px * py <= ranks; ++py) {
      if (ranks % (px * py) != 0) continue;
      int const pz = ranks / (px * py);
      double const x = static_cast<double>(cells[0]), y = static_cast<double>(cells[1]),
                   z = static_cast<double>(cells[2]);
      double surface = (px - 1) * y * z + (py - 1) * x * z + (pz - 1) * x * y;
      if (px > lattice[0] || py > lattice[1] || pz > lattice[2]) surface += 1e3 * x * y * z;
      if (surface < least) {
        least = surface;
        best = {px, py, pz};
      }
    }
  return best;
}

}  // namespace tessera::partition
