// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/dictionary.hpp"
#include "io/foam/cell_sets.hpp"

#include <string>
#include <vector>

namespace tessera::io::foam {

/// A source that has been added, for the log.
struct HeatSource {
  std::string name;
  std::string cells;  ///< `all`, `cellZone conductor` ...
  double Su = 0;      ///< explicit part per volume
  double Sp = 0;      ///< implicit part per volume: the right side gets Su + Sp T
  core::Count count = 0;
  double volume = 0;  ///< of the cells [m^3]
  std::string where;  ///< FILE:LINE of the rates, for messages
};

/// Adds the sources of `constant/fvOptions` or `system/fvOptions` to the right side of the equation of `field`:
///   equation == Su + Sp field,   both per volume, in the units of the equation that is solved.
///
/// Knows scalarSemiImplicitSource (older: semiImplicitSource) with
///   active yes; selectionMode all | cellZone | cellSet; cellZone NAME; cellSet NAME;
///   volumeMode specific | absolute;           absolute values are divided by the volume of the cells
///   injectionRateSuSp { T (Su Sp); }  or  sources { T { explicit Su; implicit Sp; } }  or  sources { T (Su Sp); }
/// these keys standing in the source or in its `scalarSemiImplicitSourceCoeffs`. Values are constant, `v` or
/// `constant v`. Other types, modes, time limits and sources of another field are refused by name: core::Error with file
/// and line. A stable scheme wants Sp <= 0; that is for the caller to judge. Collective (volumes are summed exactly over
/// all ranks).
std::vector<HeatSource> add_sources(core::Dictionary& options, std::string const& field, CellSets const& sets,
                                    core::Field<double>& Su, core::Field<double>& Sp);

}  // namespace tessera::io::foam
