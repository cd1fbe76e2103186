// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/section.hpp"

#include <optional>

namespace tessera::run::rating {

/// A cable at some currents. Heat [W/m], temperatures [C].
struct CableState {
  double resistance = 0;  ///< of the conductor to its current [Ohm/m]
  double conductor_loss = 0, dielectric_loss = 0;
  std::vector<double> metal_loss;  ///< of each metal layer
  double conductor = 0, surface = 0;
  std::optional<double> duct;  ///< temperature of the outer surface of its duct
  std::vector<double> metal;   ///< temperatures of metal layers

  double losses() const;
};

/// All cables at some currents.
struct State {
  std::vector<double> currents;  ///< of the circuits [A]
  std::vector<CableState> cables;
  std::vector<double> troughs;  ///< temperatures of the air in them [C]

  /// The hottest cable of a circuit.
  std::size_t hottest(Site const& site, std::size_t circuit) const;
  /// Of each circuit, the temperature of its hottest conductor [C].
  std::vector<double> highest(Site const& site) const;
  /// Heat of each load [W/m], as Section takes it: of the cables that it is of.
  std::vector<double> heat(Responses const& responses) const;
};

/// All cables at the temperature of the ground, without a current. The losses of insulations are there.
State at_rest(Site const& site);
/// Losses of all cables at their temperatures and currents.
void set_losses(Site const& site, State& state);
/// Temperatures of the cables in the ground from mean rises of the parts, those of ducts as their surfaces. Returns the largest
/// change [K].
double set_temperatures(Site const& site, std::vector<CableParts> const& parts, std::vector<double> const& rises,
                        State& state);

/// Temperatures of the cables in troughs, and of the air there, from their losses. Returns the largest change [K].
double set_temperatures_in_troughs(Site const& site, State& state);
/// Heat of the cables in a trough [W/m].
double heat_in_trough(Site const& site, State const& state, std::size_t trough);

/// Rises of what lies in ducts, by what the air's resistance is over that of the section.
void let_air_follow(Site const& site, State const& state, std::vector<CableParts> const& parts,
                    std::vector<double>& rises);
/// Surfaces of cables in ducts, from those of the ducts.
void tell_ducts(Site const& site, State& state);

/// Temperatures at given currents: losses follow temperatures and these follow losses, by the responses of the section, until
/// nothing changes (1e-9 K), and the air in ducts follows its temperature. None: the losses have no temperature that they keep.
std::optional<State> at_currents(Site const& site, Responses const& responses, std::vector<double> const& currents);

/// The steady state of all circuits with the currents that their limits allow.
State rate(Site const& site, Responses const& responses);

/// The same on another mesh than the one that the responses are of: the currents found are tried there, the responses moved so
/// that they give what was found, and so on until no temperature moves by more than 1e-4 K. A few solutions do for any number
/// of cables. The responses are those of this mesh for the state returned. Collective.
State rate_on(Section& section, Site const& site, Responses& responses);

/// Lets the currents of the site's history flow, one set after the other: soil that dries in that section stays dry. The
/// responses are of some mesh. Throws core::RunError where such currents have no steady temperature. Collective.
void let_history_dry(Section& section, Site const& site, Responses const& responses);

}  // namespace tessera::run::rating
