// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/duct.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace tessera::run::rating {
namespace {

struct Air {
  char const* kind;
  double u, v, y;
};
/// IEC 60287-2-1:2023, table 4; asbestos cement and fibre in concrete.
constexpr std::array airs{Air{"plastic", 1.87, 0.312, 0.0037}, Air{"earthenware", 1.87, 0.28, 0.0036},
                          Air{"fibre", 5.2, 0.91, 0.010}, Air{"asbestosCement", 5.2, 1.1, 0.011},
                          Air{"metallic", 5.2, 1.4, 0.011}};

double resistance(Layer const& ring) {
  return ring.material.resistivity * std::log(ring.outer / ring.inner) / (2 * std::numbers::pi);
}

}  // namespace

Duct::Duct(core::Dictionary& in, Construction const& type, Materials const& materials) : cable_(type) {
  double const cable = type.outer();
  auto const radius = [&](char const* entry, double least, std::string const& least_is) {
    double const r = 0.5 * in.get_in<double>(entry, {1e-3, 2});
    if (!(r > least)) in.fail_expected(entry, fmt::format("a diameter above {:.6g} m, {}", 2 * least, least_is));
    return r;
  };
  double const inner = radius("inner", cable, "that of the cable"), outer = radius("outer", inner, "the inner one");
  Layer air, wall;
  air.name = "air in the duct";
  air.inner = cable;
  air.outer = wall.inner = inner;
  air.material.capacity = 1.1e3;
  wall.name = "duct";
  wall.outer = outer;
  wall.material = materials.named(in);
  if (wall.material.metal())
    in.fail_expected("material", "none that is a metal: what currents do in a pipe of metal is not computed");
  std::vector<std::string> kinds;
  for (auto const& a : airs) kinds.emplace_back(a.kind);
  kind_ = in.get_choice("air", kinds, "plastic");
  for (auto const& a : airs)
    if (kind_ == a.kind) {
      double const millimetres = 2000 * cable;
      u_ = a.u;
      constant_ = 1 + 0.1 * a.v * millimetres;
      slope_ = 0.1 * a.y * millimetres;
    }
  cable_.layers.push_back(std::move(air));
  cable_.layers.push_back(std::move(wall));
  constexpr double guess = 60;
  air_is_at(guess);
}

void Duct::air_is_at(double mean) {
  Layer& air = cable_.layers[cable_.layers.size() - 2];
  air.material.resistivity = u_ / (constant_ + slope_ * mean) * 2 * std::numbers::pi / std::log(air.outer / air.inner);
}

double Duct::air() const { return resistance(layer(1)); }
double Duct::wall() const { return resistance(layer(0)); }

/// t = u / (constant + slope (inside + t watts / 2)), inside: the temperature of the duct's inner surface.
double Duct::air(double outside, double watts) const {
  double const inside = outside + watts * wall(), a = 0.5 * slope_ * watts, b = constant_ + slope_ * inside;
  return 2 * u_ / (b + std::sqrt(b * b + 4 * a * u_));
}

}  // namespace tessera::run::rating
