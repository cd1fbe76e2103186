// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/synchronous.hpp"

#include "ca/parts/kernels.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::ca::detail {

void check_dimensions(RuleContext const& context, int dimensions) {
  constexpr char const* axes = "xyz";
  for (int a = 0; a < 3; ++a) {
    auto const cells = context.grid().cells()[a];
    bool const used = a < dimensions;
    if (used == (cells > 1)) continue;
    context.properties.fail(
        "rule", fmt::format("rule '{}' is for {}-D grids, expected {} along {}, but the grid has {}", context.word,
                            dimensions, used ? "at least 2 cells" : "1 cell", axes[a], cells));
  }
}

bool several_wanted() { return !parts::portable_wanted(); }

int automatic_depth(core::Grid const& grid, int radius, std::size_t bytes, std::size_t of_cell) {
  if (!grid.thin(2) && of_cell > 64) return 1;
  // the fringe, on average half as wide as the halo on either side, then costs at most one row in eight
  core::Count depth = bytes >= 4 ? 16 : 4;
  for (std::size_t a = 0; a < 3; ++a)
    if (!grid.thin(static_cast<int>(a))) depth = std::min(depth, grid.tile()[a] / (8 * radius));
  return std::max(1, static_cast<int>(depth));
}

}  // namespace tessera::ca::detail
