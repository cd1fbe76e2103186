// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/losses.hpp"

#include <string>

namespace tessera::run::rating {

/// A covered trough in the ground, not filled and not ventilated, its cover level with the surface: an entry of `troughs`,
///   NAME { box ((-0.3 -0.36) (0.25 0)); perimeter 1.27; ambient 25; }
/// Source: IEC 60287-2-1, 4.2.6.2.
struct Trough {
  std::string name;
  std::array<double, 2> low{}, high{};  ///< inside [m]
  double perimeter =
      0;  ///< of that, what leads heat away: by default its sides and its cover, but nothing that lies in the sun [m]
  double ambient = 0;  ///< of the air above [C]

  /// Throws core::Error with file and line.
  Trough(core::Dictionary& in, std::string name, double ambient);

  /// Temperature of the air in it where so much heat leaves all its cables [W/m] [C].
  double air(double watts) const { return ambient + watts / (3 * perimeter); }
};

/// How the cables of a circuit lie in a trough: an entry of the circuit,
///   trough { name NAME; arrangement touching; } | { name NAME; Z 0.62; E 1.95; g 0.25; }
/// Their surfaces give off h D^(5/4) W/m2, D: how much hotter than the air they are, h = Z / De^g + E, De: their diameter [m].
/// Source: IEC 60287-2-1, 4.2.1.1 and the table of Z, E and g, cables that the sun does not shine at.
class Placing {
 public:
  /// For these cables. Throws core::Error with file and line.
  Placing(core::Dictionary& in, std::vector<Trough> const& troughs, Construction const& type,
          std::vector<std::array<double, 2>> const& positions);

  std::size_t trough() const { return trough_; }
  /// How much hotter than the air a cable's surface is that gives off so much heat [W/m] [K].
  double rise(double watts) const;
  std::string told() const;

 private:
  std::size_t trough_ = 0;
  std::string arrangement_;
  double z_ = 0, e_ = 0, g_ = 0;
  double coefficient_ = 0;  // of heat a metre: pi De h [W/(m K^(5/4))]
};

/// Temperatures over that of a cable's surface, where it is the same all round [K]: means over the conductor and over
/// each layer of metal, for heat that is made evenly in each of them and in the insulation [W/m].
struct Inside {
  double conductor = 0;
  std::vector<double> metal;
};
Inside over_surface(Construction const& type, double conductor_loss, double dielectric_loss,
                    std::vector<double> const& metal_loss);

}  // namespace tessera::run::rating
