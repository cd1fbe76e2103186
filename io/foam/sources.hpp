// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/dictionary.hpp"
#include "io/foam/cell_sets.hpp"
#include "io/foam/function1.hpp"

#include <limits>
#include <string>
#include <vector>

namespace tessera::io::foam {

/// An entry of fvOptions: heat Su + Sp T in some cells, per volume and in the units of the equation that is solved, or
/// cells held at a temperature.
struct HeatSource {
  enum class Kind {
    rates,   ///< scalarSemiImplicitSource
    losses,  ///< conductorLosses: Sp comes from physics, and wants to be consistent with T
    held     ///< fixedTemperatureConstraint, scalarFixedValueConstraint
  };
  Kind kind = Kind::rates;
  std::string name;
  std::string cells;                     ///< `all`, `cellZone conductor` ...
  CellSets::Mask const* mask = nullptr;  ///< nullptr: all cells
  Function1 Su, Sp;                      ///< of time: the right side gets Su + Sp T
  Function1 value;                       ///< of time: the temperature of cells that are held [K]
  double start = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();
  core::Count count = 0;
  double volume = 0;  ///< of the cells [m^3]
  std::string where;  ///< FILE:LINE of the rates, for messages

  bool active(double time) const { return time >= start && time <= end; }
  /// Whether anything of it changes in time.
  bool constant() const {
    return Su.constant() && Sp.constant() && value.constant() && start == -std::numeric_limits<double>::infinity();
  }
};

/// Reads `constant/fvOptions` or `system/fvOptions` for the equation of `field`:
///
///   scalarSemiImplicitSource (older: semiImplicitSource)
///     volumeMode specific | absolute;           absolute values are divided by the volume of the cells
///     injectionRateSuSp { T (Su Sp); }  or  sources { T { explicit Su; implicit Sp; } }  or  sources { T (Su Sp); }
///   fixedTemperatureConstraint   mode uniform; temperature VALUE;
///   scalarFixedValueConstraint   fieldValues { T VALUE; }
///   conductorLosses              q20 VALUE; alpha 3.93e-3; Tref 293.15;    heat q20 (1 + alpha (T - Tref)) [W/m^3]
/// each with active yes; selectionMode all | cellZone | cellSet; cellZone NAME; cellSet NAME; timeStart; duration; the keys
/// standing in the entry or in its `TYPECoeffs`. NAME may also be a list (A B "C.*") of names and regular expressions, or
/// one in quotes: cells of any of them, which `sets` keeps then as a set of that name. VALUE, Su and Sp may be a Function1
/// of time, Sp also `none`; timeStart < 0 means always, as in OpenFOAM. Other types and modes, and sources of another field, are refused by name: core::Error with file and
/// line. Collective (volumes are summed exactly over all ranks).
std::vector<HeatSource> read_sources(core::Dictionary& options, std::string const& field, CellSets& sets,
                                     core::Layout const& layout, core::Dictionary::Reader const& reader = {});

}  // namespace tessera::io::foam
