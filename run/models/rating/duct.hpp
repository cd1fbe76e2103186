// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/construction.hpp"

namespace tessera::run::rating {

/// A duct round each cable of a circuit, with air between them: the entry
///   duct { inner 0.1194; outer 0.140; material PE; air plastic; }      diameters [m]
/// The air's thermal resistance between the cable, of diameter De [mm], and the duct follows its mean temperature [C]:
/// U / (1 + 0.1 (V + Y theta) De).
/// Source: IEC 60287-2-1, 4.2.7.2 and table 4.
class Duct {
 public:
  /// For a cable of this type. Throws core::Error with file and line.
  Duct(core::Dictionary& in, Construction const& type, Materials const& materials);

  /// The type with the air and the duct's wall as its last layers: the air as it is at a temperature that air_is_at has set.
  Construction const& cable() const { return cable_; }
  void air_is_at(double mean);

  /// Thermal resistances [K m/W]: of the air as cable() has it, of the wall, and of the air where so much heat [W/m] leaves
  /// the duct, which is at a temperature outside.
  double air() const;
  double wall() const;
  double air(double outside, double watts) const;

  std::string const& kind() const { return kind_; }

 private:
  Layer const& layer(std::size_t from_outside) const { return cable_.layers[cable_.layers.size() - 1 - from_outside]; }

  Construction cable_;
  std::string kind_;
  double u_ = 0, constant_ = 0, slope_ = 0;  ///< air: u / (constant + slope theta)
};

}  // namespace tessera::run::rating
