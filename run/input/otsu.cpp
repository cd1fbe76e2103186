// SPDX-License-Identifier: Apache-2.0
#include "run/input/otsu.hpp"

namespace tessera::run {

double otsu(Bins const& bins, std::span<std::int64_t const> counts) {
  double total = 0, moment = 0;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    total += static_cast<double>(counts[b]);
    moment += static_cast<double>(counts[b]) * static_cast<double>(b);
  }
  double dark = 0, dark_moment = 0, best = -1;
  std::size_t first = 0, last = 0;  // edges of the largest variance: as one they part empty bins
  bool going_on = false;
  for (std::size_t edge = 1; edge < counts.size(); ++edge) {
    std::int64_t const added = counts[edge - 1];
    dark += static_cast<double>(added);
    dark_moment += static_cast<double>(added) * static_cast<double>(edge - 1);
    double const light = total - dark;
    if (dark == 0 || light == 0) continue;
    double const apart = dark_moment / dark - (moment - dark_moment) / light;
    double const variance = dark * light * apart * apart;
    if (variance > best) {
      best = variance;
      first = last = edge;
      going_on = true;
    } else if (going_on && added == 0) {
      last = edge;
    } else {
      going_on = false;
    }
  }
  return bins.edge(0.5 * (static_cast<double>(first) + static_cast<double>(last)));
}

}  // namespace tessera::run
