// SPDX-License-Identifier: Apache-2.0
#include "io/pictures/palette.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tessera::io {
namespace {

Palette make_viridis() {
  // colour(x) = sum over n of c_n x^n, 0 <= x <= 1, for r, g, b
  constexpr double c[7][3] = {{0.2777273272234177, 0.005407344544966578, 0.3340998053353061},
                              {0.1050930431085774, 1.404613529898575, 1.384590162594685},
                              {-0.3308618287255563, 0.214847559468213, 0.09509516302823659},
                              {-4.634230498983486, -5.799100973351585, -19.33244095627987},
                              {6.228269936347081, 14.17993336680509, 56.69055260068105},
                              {4.776384997670288, -13.74514537774601, -65.35303263337234},
                              {-5.435455855934631, 4.645852612178535, 26.3124352495832}};
  Palette result;
  for (std::size_t n = 0; n < result.size(); ++n) {
    double const x = static_cast<double>(n) / 255.0;
    std::uint8_t channel[3];
    for (int q = 0; q < 3; ++q) {
      double value = 0;
      for (int power = 6; power >= 0; --power) value = value * x + c[power][q];
      channel[q] = static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(value, 0.0, 1.0)));
    }
    result[n] = {channel[0], channel[1], channel[2]};
  }
  return result;
}

Palette make_grey() {
  Palette result;
  for (std::size_t n = 0; n < result.size(); ++n) {
    auto const level = static_cast<std::uint8_t>(n);
    result[n] = {level, level, level};
  }
  return result;
}

}  // namespace

std::vector<std::string> palettes() { return {"grey", "viridis"}; }

Palette const& palette(std::string const& name) {
  static Palette const viridis = make_viridis(), grey = make_grey();
  if (name == "viridis") return viridis;
  if (name == "grey") return grey;
  throw core::Error(core::unknown_name("palette", name, palettes()));
}

}  // namespace tessera::io
