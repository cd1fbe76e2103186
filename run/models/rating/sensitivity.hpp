// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/circuits.hpp"

#include <optional>
#include <vector>

namespace tessera::run::rating {

/// What a circuit's answer gains where something else changes: its current [A] where that is sought, the temperature of its hottest
/// conductor [K] where it is given. The currents of all other circuits follow, as their limits let them.
struct Sensitivity {
  double soil = 0;                ///< for 1 K m/W more of resistivity
  std::vector<double> beds;       ///< of each bed the same
  double ambient = 0;             ///< for 1 K more
  std::optional<double> depth;    ///< for 1 m more of ground above everything; none: there is no row of cells for it
  std::optional<double> spacing;  ///< for 1 m more in each gap between cables side by side; none: there is no such gap
  std::optional<core::Field<double>>
      map;  ///< of ground that conducts better, for each part of its conductivity and m2; 0 in cables
};

/// Of each circuit, at the steady state that the section was solved for last. One solution a circuit, with the matrix of the
/// temperatures, which is its own adjoint: where heat of w watts in each part gives a, the answer w^T rises changes by -a^T dG T.
/// The weights w hold that losses follow temperatures, and currents temperatures. Nothing may dry out. Collective.
std::vector<Sensitivity> sensitivities(Section& section, Site const& site, Responses const& responses,
                                       State const& state);

}  // namespace tessera::run::rating
