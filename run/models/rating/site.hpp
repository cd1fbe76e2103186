// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/duct.hpp"
#include "run/models/rating/losses.hpp"
#include "run/models/rating/trough.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::run::rating {

/// Cables that carry one current, three of them in three phases, or one.
struct Circuit {
  enum class Bonding { both_ends, one_end, crossed };
  std::string name;
  std::string where;                             ///< FILE:LINE of its limit, or of the circuit
  std::size_t type = 0;                          ///< number of the construction
  std::optional<Duct> duct;                      ///< round each of its cables
  std::optional<Placing> trough;                 ///< that its cables lie in; none: in the ground
  std::vector<std::array<double, 2>> positions;  ///< of the cables: x, and y < 0 below the surface [m]
  Formation formation;
  double frequency = 50;  ///< 0: direct current
  Bonding bonding = Bonding::both_ends;
  bool eddies = true;             ///< eddy currents in sheaths are counted
  std::optional<double> current;  ///< [A]; none: what its limit allows is sought
  double limit = 90;              ///< of the conductors [C]
  std::vector<double> load;       ///< shares of the current in equal parts of a day, from midnight on; none: all of it
};

/// One of them.
struct Cable {
  std::string name;  ///< CIRCUIT-1
  std::size_t circuit = 0, place = 0;
  std::array<double, 2> position{};
};

/// A box of another material than the soil: from a corner to the opposite one [m].
struct Bed {
  std::string name;
  std::array<double, 2> low{}, high{};
  Material material;
};

/// Cables in the ground: constant/cables.
struct Site {
  /// Throws core::Error with file and line.
  explicit Site(core::Dictionary& in);

  double ambient = 15;  ///< of the undisturbed soil, and of the air above [C]
  Material soil;
  std::optional<double> convection;  ///< heat transfer coefficient of the surface [W/(m^2 K)]; none: it is at `ambient`
  std::optional<double> dry_above;   ///< where soil is hotter than this it dries out [C]; none: nowhere
  /// Currents of all circuits that flowed before, each set until all was steady [A]: soil that they dried is dry.
  std::vector<std::vector<double>> history;
  std::vector<Bed> beds;  ///< the later over the earlier
  std::vector<Construction> types;
  std::vector<Trough> troughs;
  std::vector<Circuit> circuits;
  std::vector<Cable> cables;  ///< those in the ground come first
  std::size_t in_ground = 0;  ///< how many these are

  /// What the field is of; cables in troughs neither heat it nor are heated by it.
  std::span<Cable const> buried() const { return {cables.data(), in_ground}; }

  /// How it is built; where it lies in a duct, with that.
  Construction const& type(Cable const& cable) const { return type(circuits[cable.circuit]); }
  Construction const& type(Circuit const& circuit) const {
    return circuit.duct ? circuit.duct->cable() : types[circuit.type];
  }
  /// The same with these currents of its circuits given.
  Site carrying(std::vector<double> const& currents) const;
  bool changes() const;       ///< some load follows the day
  bool ducts() const;         ///< some circuit lies in ducts
  std::size_t loads() const;  ///< of cables in the ground: conductors, metal layers, and one for all insulations
  double drier() const;       ///< the largest dry over wet resistivity of what dries out, 1 where nothing does
  double deepest() const;     ///< depth of the deepest axis in the ground [m]
  double thinnest() const;    ///< radius of the thinnest conductor there [m]
  /// Width of cells that does: from an eighth to a quarter of that, so that each layer of metal is a shell or as thick as 1.6
  /// cells; where there is none such, 1.6 cells across the thinnest layer that is no shell [m].
  double finest_detail() const;

 private:
  void read_soil(core::Dictionary& in, Materials const& materials);
  void read_drying(core::Dictionary& in);
  void read_history(core::Dictionary& in);
  void read_circuit(core::Dictionary& in, std::string const& name, Materials const& materials);
  void refuse_ground(core::Dictionary const& in) const;
  void check_places(core::Dictionary& in) const;
};

}  // namespace tessera::run::rating
