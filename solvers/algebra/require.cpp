// SPDX-License-Identifier: Apache-2.0
#include "solvers/algebra/require.hpp"

#include "core/error.hpp"
#include "core/grid/loops.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

namespace tessera::solvers {

void require_positive(core::Field<double> const& field, std::string const& what, std::string const& why,
                      double (*f)(double)) {
  auto const& layout = field.layout();
  auto const& grid = layout.grid();
  auto const view = field.host();
  constexpr core::Count none = std::numeric_limits<core::Count>::max();
  core::Count mine = none;
  double bad = 0;
  core::for_own_rows(layout, [&](int slot, int k, int j) {
    core::TileInfo const& tile = layout.info(slot);
    double const* const row = view.row(slot, k, j);
    if (!f) {
      bool positive = true;
      for (int i = 0; i < tile.ni; ++i) positive &= row[i] > 0;
      if (positive) return;
    }
    for (int i = 0; i < tile.ni; ++i) {
      double const x = f ? f(row[i]) : row[i];
      core::Count const number = grid.number(tile.global(k, j, i));
      if (!(x > 0) && number < mine) {
        mine = number;
        bad = x;
      }
    }
  });
  core::Count const first = layout.comm().min(mine);
  if (first == none) return;
  // the rank that has the cell tells the others its value, as bits, so that also NaN comes across
  double const value = std::bit_cast<double>(layout.comm().sum(mine == first ? std::bit_cast<std::int64_t>(bad) : 0));
  auto const n = grid.cells();
  throw core::Error(fmt::format("{} in cell ({} {} {}) is {}, expected a value > 0{}{}", what, first % n[0],
                                first / n[0] % n[1], first / (n[0] * n[1]), value, why.empty() ? "" : ": ", why));
}

}  // namespace tessera::solvers
