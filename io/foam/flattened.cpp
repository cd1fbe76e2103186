// SPDX-License-Identifier: Apache-2.0
#include "io/foam/flattened.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::io::foam {
namespace {

using Point = std::array<double, 3>;

double largest(std::vector<Point> const& vertices, int axis) {
  double most = 0;
  for (auto const& p : vertices) most = std::max(most, p[static_cast<std::size_t>(axis)]);
  return most;
}

}  // namespace

std::optional<core::Wedge> wedge_of(std::vector<Point> const& vertices, double rounding) {
  for (int radial = 0; radial < 3; ++radial)
    for (int thin = 0; thin < 3; ++thin) {
      if (thin == radial) continue;
      double const far = largest(vertices, radial), half = largest(vertices, thin);
      if (!(far > 0) || !(half > 0)) continue;
      bool both = false;
      bool const fits = std::all_of(vertices.begin(), vertices.end(), [&](Point const& p) {
        double const r = p[static_cast<std::size_t>(radial)], across = p[static_cast<std::size_t>(thin)];
        both = both || across < 0;
        return r >= 0 && std::abs(std::abs(across) - half / far * r) <= rounding * half / far * r;
      });
      if (fits && both) return core::Wedge{radial, thin, 2 * half / far};
    }
  return std::nullopt;
}

std::array<Point, 8> flattened(core::Wedge const& wedge, std::vector<Point> const& vertices,
                               std::array<std::int64_t, 8> const& corners) {
  auto const thin = static_cast<std::size_t>(wedge.thin);
  double const half = 0.5 * wedge.slope * largest(vertices, wedge.radial);
  std::array<Point, 8> result;
  for (std::size_t c = 0; c < 8; ++c) result[c] = vertices[static_cast<std::size_t>(corners[c])];
  for (std::size_t own = 0; own < 3; ++own)
    for (double const low : {-half, half}) {  // across, of the corners at the low end of the block's own axis
      auto const at = [&](std::size_t c) { return corner_position[c][own] == 0 ? low : -low; };
      bool leads = true;
      for (std::size_t c = 0; c < 8; ++c) leads = leads && result[c][thin] * at(c) >= 0;
      if (!leads) continue;
      for (std::size_t c = 0; c < 8; ++c) result[c][thin] = at(c);
      return result;
    }
  return result;
}

}  // namespace tessera::io::foam
