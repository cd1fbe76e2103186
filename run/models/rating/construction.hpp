// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "run/models/rating/materials.hpp"

#include <numbers>
#include <optional>
#include <vector>

namespace tessera::run::rating {

/// Temperatures that a limit of a conductor may have [C]: one in kelvins lies outside.
inline constexpr core::Dictionary::Range<double> of_conductors{-60, 250};

/// A ring round the conductor.
struct Layer {
  std::string name;
  double inner = 0, outer = 0;  ///< radii [m]
  Material material;
  /// Of a metal: its losses over those of the conductor; none: computed from its currents.
  std::optional<double> loss_factor;
  double resistance20 = 0;  ///< of a metal, along the cable [Ohm/m]

  double mean_radius() const { return 0.5 * (inner + outer); }
  double thickness() const { return outer - inner; }
  /// Whether a layer of metal is a shell on cells of this width (Body): heat along it is counted whatever the width.
  bool thin(double width) const { return width > 1.4 * thickness(); }
  /// Whether cells of this width carry heat along it as it is, to 0.2 % of a current.
  bool thick(double width) const { return 1.6 * width <= (1 + 1e-9) * thickness(); }
};

/// How a type of single-core cable is built, from inside outwards.
struct Construction {
  std::string name;
  double conductor_radius = 0;  ///< [m]
  Material conductor;
  double resistance20 = 0;                ///< of the conductor to direct current at 20 C [Ohm/m]
  double ks = 1, kp = 1;                  ///< how skin and proximity effect are reduced by stranding
  std::optional<double> skin, proximity;  ///< ys, yp where the case gives them
  std::vector<Layer> layers;
  double voltage = 0;                     ///< between phases [V]
  double limit = 90;                      ///< of the conductor [C]
  std::optional<std::size_t> insulation;  ///< number of the layer that the voltage lies across
  std::optional<std::size_t> sheath;      ///< number of the metal layer whose currents are computed

  double outer() const { return layers.empty() ? conductor_radius : layers.back().outer; }
};

/// An entry of `types` in constant/cables:
///   conductor { diameter [m]; material copper; R20 [Ohm/m]; | area [m^2]; ks 1; kp 1; ys; yp; }
///   layers ( { name insulation; thickness [m]; material XLPE; lossFactor; R20; } ... )
///   voltage 0; limit 90;
/// Throws core::Error with file and line.
Construction read_construction(core::Dictionary& in, std::string const& name, Materials const& materials);

}  // namespace tessera::run::rating
