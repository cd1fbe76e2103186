// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"

#include <map>
#include <string>

namespace tessera::run::rating {

/// What a layer of a cable or its bed is made of.
struct Material {
  double resistivity = 0;   ///< thermal [K m/W]
  double capacity = 0;      ///< of heat [J/(m^3 K)]
  double rho20 = 0;         ///< electrical resistivity at 20 C [Ohm m]; 0: no metal
  double alpha20 = 0;       ///< its temperature coefficient at 20 C [1/K]
  double permittivity = 0;  ///< relative; 0: no dielectric
  double loss_factor = 0;   ///< tan delta
  double dry = 0;           ///< thermal resistivity of soil that has dried out [K m/W]; 0: it does not
  bool metal() const { return rho20 > 0; }
};

/// By name: IEC 60287-1-1 tables 1 and 3 (electrical), IEC 60287-2-1 table 1 (thermal resistivity), IEC 60853-2 annex D
/// (capacity); metals' thermal conductivity: D. R. Lide, CRC Handbook of Chemistry and Physics.
class Materials {
 public:
  /// The table, and over it `materials { NAME { resistivity; capacity; rho20; alpha20; permittivity; lossFactor; } }` of a
  /// case. Throws core::Error.
  explicit Materials(core::Dictionary* own = nullptr);

  /// The one that an entry names. Throws core::Error listing the names.
  Material const& named(core::Dictionary const& in, std::string const& key = "material") const;
  std::map<std::string, Material> const& all() const { return materials_; }

 private:
  std::map<std::string, Material> materials_;
};

}  // namespace tessera::run::rating
