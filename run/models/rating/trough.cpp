// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/trough.hpp"

#include "core/registry.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::run::rating {
namespace {

constexpr double pi = std::numbers::pi;

struct Arrangement {
  char const* name;
  double z, e, g;
  double widest;   ///< cable that the numbers are for [m]
  char const* is;  ///< what the circuit's cables must be
};
/// IEC 60287-2-1:2023, the table of constants for black surfaces in free air; cables clear of walls, and fixed to one.
constexpr std::array arrangements{
    Arrangement{"single", 0.21, 3.94, 0.60, 0.15,
                "one cable, or three side by side, 1.75 diameters or more from axis to axis"},
    Arrangement{"touching", 0.62, 1.95, 0.25, 0.15, "three cables side by side"},
    Arrangement{"trefoil", 0.96, 1.25, 0.20, 0.15, "three cables in trefoil"},
    Arrangement{"vertical", 1.61, 0.42, 0.20, 0.15, "three cables one above the other"},
    Arrangement{"verticalSpaced", 1.31, 2.00, 0.20, 0.15,
                "three cables one above the other, two diameters or more from axis to axis"},
    Arrangement{"wall", 1.69, 0.63, 0.25, 0.08, "one cable"},
    Arrangement{"wallTrefoil", 0.94, 0.79, 0.20, 0.08, "three cables in trefoil"}};

/// Whether cables of a diameter lie as an arrangement has them, to 1 % of their distance.
bool suits(std::string_view arrangement, std::vector<std::array<double, 2>> const& positions, double diameter) {
  using Kind = Formation::Kind;
  auto const formation = formation_of(positions);
  if (formation.kind == Kind::single) return arrangement == "single" || arrangement == "wall";
  if (formation.kind == Kind::trefoil) return arrangement == "trefoil" || arrangement == "wallTrefoil";
  if (formation.kind != Kind::flat) return false;
  auto const extent = [&](std::size_t axis) {
    auto const [a, b] = std::minmax({positions[0][axis], positions[1][axis], positions[2][axis]});
    return b - a;
  };
  double const near = 0.02 * formation.spacing, apart = 1.0001 * formation.spacing / diameter;
  bool const level = extent(1) <= near, upright = extent(0) <= near;
  if (arrangement == "single") return level && apart >= 1.75;
  if (arrangement == "touching") return level;
  if (arrangement == "vertical") return upright;
  return arrangement == "verticalSpaced" && upright && apart >= 2;
}

}  // namespace

Trough::Trough(core::Dictionary& in, std::string its_name, double of_site) : name(std::move(its_name)) {
  auto const box = in.get<std::array<std::array<double, 2>, 2>>("box");
  low = box[0];
  high = box[1];
  if (!(low[0] < high[0] && low[1] < 0 && high[1] == 0))
    in.fail_expected("box", "((x y) (x 0)), the lower left corner first: its cover is level with the surface, y = 0");
  perimeter = in.get_in<double>("perimeter", {0.01, 100}, high[0] - low[0] - 2 * low[1]);
  ambient = in.get_in<double>("ambient", {-60, 60}, of_site);
}

Placing::Placing(core::Dictionary& in, std::vector<Trough> const& troughs, Construction const& type,
                 std::vector<std::array<double, 2>> const& positions) {
  auto const name = in.get<std::string>("name");
  auto const found = std::find_if(troughs.begin(), troughs.end(), [&](auto const& t) { return t.name == name; });
  if (found == troughs.end()) {
    std::vector<std::string> valid;
    for (auto const& t : troughs) valid.push_back(t.name);
    in.fail("name", core::unknown_name("trough", name, valid));
  }
  trough_ = static_cast<std::size_t>(found - troughs.begin());
  double const diameter = 2 * type.outer();
  if (in.contains("arrangement")) {
    for (char const* key : {"Z", "E", "g"})
      if (in.contains(key)) in.fail_expected(key, "none beside arrangement");
    std::vector<std::string> names;
    for (auto const& a : arrangements) names.emplace_back(a.name);
    arrangement_ = in.get_choice("arrangement", names);
    auto const& a = *std::find_if(arrangements.begin(), arrangements.end(),
                                  [&](Arrangement const& one) { return arrangement_ == one.name; });
    if (!suits(arrangement_, positions, diameter)) in.fail_expected("arrangement", std::string(a.is) + ", for that");
    if (diameter > a.widest)
      in.fail_entry("arrangement",
                    fmt::format("has numbers for cables up to {} m, this one has {:.4g} m: expected Z, E and g",
                                a.widest, diameter));
    z_ = a.z;
    e_ = a.e;
    g_ = a.g;
  } else {
    if (!in.contains("Z"))
      in.fail("arrangement", "expected arrangement, or Z, E and g of IEC 60287-2-1's heat dissipation Z / De^g + E");
    z_ = in.get_in<double>("Z", {0, 10});
    e_ = in.get_in<double>("E", {0, 20});
    g_ = in.get_in<double>("g", {0, 2});
    if (!(z_ + e_ > 0)) in.fail_expected("Z", "Z or E above 0: the cable gives off no heat");
  }
  coefficient_ = pi * diameter * (z_ / std::pow(diameter, g_) + e_);
}

double Placing::rise(double watts) const { return std::pow(watts / coefficient_, 0.8); }

std::string Placing::told() const {
  return fmt::format("{}Z = {:.4g}, E = {:.4g}, g = {:.4g}", arrangement_.empty() ? "" : arrangement_ + ", ", z_, e_,
                     g_);
}

/// In a ring from a to b that heat W passes and that makes heat Q itself, T(r) - T(b) =
///   rho / 2 pi ((W - Q a^2 / (b^2 - a^2)) ln(b / r) + Q (b^2 - r^2) / 2 (b^2 - a^2)).
Inside over_surface(Construction const& type, double conductor_loss, double dielectric_loss,
                    std::vector<double> const& metal_loss) {
  Inside result;
  double passing = conductor_loss;
  std::vector<double> drops, over_outside;  // of each layer: across it, and its mean over its outer surface
  std::size_t metal = 0;
  for (std::size_t n = 0; n < type.layers.size(); ++n) {
    Layer const& layer = type.layers[n];
    double const own = layer.material.metal()                      ? metal_loss[metal++]
                       : type.voltage > 0 && n == *type.insulation ? dielectric_loss
                                                                   : 0;
    double const a = layer.inner * layer.inner, b = layer.outer * layer.outer, share = a / (b - a),
                 log = std::log(layer.outer / layer.inner), factor = layer.material.resistivity / (2 * pi);
    drops.push_back(factor * ((passing - own * share) * log + 0.5 * own));
    over_outside.push_back(factor * ((passing - own * share) * (0.5 - share * log) + 0.25 * own));
    passing += own;
  }
  double outside = 0;
  for (std::size_t n = type.layers.size(); n-- > 0; outside += drops[n])
    if (type.layers[n].material.metal()) result.metal.insert(result.metal.begin(), outside + over_outside[n]);
  result.conductor = outside + conductor_loss * type.conductor.resistivity / (8 * pi);
  return result;
}

}  // namespace tessera::run::rating
