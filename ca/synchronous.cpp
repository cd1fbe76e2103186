// SPDX-License-Identifier: Apache-2.0
#include "ca/synchronous.hpp"

#include <fmt/format.h>

namespace tessera::ca::detail {

void check_dimensions(RuleContext const& context, int dimensions) {
  constexpr char const* axes = "xyz";
  for (int a = 0; a < 3; ++a) {
    auto const cells = context.grid().cells()[static_cast<std::size_t>(a)];
    bool const used = a < dimensions;
    if (used == (cells > 1)) continue;
    context.properties.fail(
        "rule", fmt::format("rule '{}' is for {}-D grids, expected {} along {}, but the grid has {}", context.word,
                            dimensions, used ? "at least 2 cells" : "1 cell", axes[a], cells));
  }
}

}  // namespace tessera::ca::detail
