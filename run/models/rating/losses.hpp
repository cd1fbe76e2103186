// SPDX-License-Identifier: Apache-2.0
#pragma once
// Losses of cables a metre of their length [IEC 60287-1-1:2023; the numbers in brackets are its clauses].
#include "run/models/rating/construction.hpp"

#include <array>
#include <vector>

namespace tessera::run::rating {

/// How the cables of a three-phase circuit lie: what formulas for their losses go by.
struct Formation {
  enum class Kind { single, trefoil, flat, other };
  Kind kind = Kind::single;
  double spacing = 0;      ///< geometric mean distance of neighbours [m]
  std::size_t middle = 1;  ///< of a flat one: the cable between the two others
};
/// Trefoil: three equal distances; flat: the middle cable halfway between the others; to 1 % of the distance.
Formation formation_of(std::vector<std::array<double, 2>> const& positions);

/// Resistance of the conductor to direct current at a temperature [C] [5.1.1] [Ohm/m].
double dc_resistance(Construction const& c, double temperature);
/// ys of a conductor with the resistance R' at a frequency [Hz] [5.1.2].
double skin_effect(double resistance, double frequency, double ks);
/// yp of one of three single-core cables, diameter and spacing of the conductors [m] [5.1.4].
double proximity_effect(double resistance, double frequency, double kp, double diameter, double spacing);
/// Resistance to alternating current: R' (1 + ys + yp) [Ohm/m].
double ac_resistance(Construction const& c, Formation const& formation, double frequency, double temperature);

/// Heat of the insulation under voltage, omega C U0^2 tan delta [5.2] [W/m].
double dielectric_loss(Construction const& c, double frequency);

/// Resistance of a metal layer at a temperature [Ohm/m].
double resistance(Layer const& layer, double temperature);

/// A cable's sheath among others.
struct Sheath {
  std::array<double, 2> position{};  ///< of the cable [m]
  double radius = 0;                 ///< mean, of the sheath [m]
  double resistance = 0;             ///< [Ohm/m]
  double current = 0;                ///< of the conductor [A]
  double phase = 0;                  ///< of that current [rad]
  int bonded = -1;                   ///< sheaths of the same number are joined at both ends; below 0: open at one end
};
/// Currents that circulate in sheaths joined at both ends, from the loop equations of any number of cables anywhere:
///   Rs_i I_i + j omega (mu0 / 2 pi) sum_j ln(1 / d_ij) (I_j + Ic_j) = V of the bond,   sum of I over a bond = 0,
/// d_ii the sheath's own mean radius. Of three cables in trefoil or in a plane these are the formulas of [5.3.2] to [5.3.5].
/// Returns the sheaths' currents [A].
std::vector<double> circulating_currents(std::vector<Sheath> const& sheaths, double frequency);

/// Losses by eddy currents in the sheath of one of three cables over those of its conductor, sheaths open at one end
/// [5.3.7]; `place`: 0, 1, 2 as in the formation, `lags`: the outer cable is the one whose phase lags.
double eddy_factor(Layer const& sheath, Formation const& formation, bool middle, bool lags, double frequency,
                   double sheath_resistance, double conductor_resistance);
/// What is left of them where currents circulate besides [5.3.6]: M, N = Rs / X of the two reactances.
double eddy_share(double m, double n);

}  // namespace tessera::run::rating
