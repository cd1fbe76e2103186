// SPDX-License-Identifier: Apache-2.0
// What a case says of its lattice: a name, or its neighbours.
#include "run/models/percolation/settings.hpp"

#include <algorithm>
#include <fmt/ranges.h>

namespace tessera::run::percolation {

void Settings::read_lattice(Session& session, core::Dictionary& properties) {
  bool const spatial = axes[2].cells() > 1;
  if (properties.contains("lattice") && properties.is_dictionary("lattice")) {
    if (properties.contains("connectivity"))
      properties.fail_entry("connectivity", "stands beside listed neighbours, expected none: each one counts");
    read_neighbours(session, properties.sub("lattice"));
    if (input.bonds)
      properties.fail_entry("input", "is of bonds, expected type random or picture: bonds between listed neighbours "
                                     "would cross");
    places = Places::of(lattice, false);
    return;
  }
  std::vector<std::string> names;
  for (auto const& choice : ca::lattices()) names.push_back(choice.name);
  auto const name = properties.get_choice("lattice", names, spatial ? "cubic" : "square");
  std::vector<int> valid;
  for (auto const& choice : ca::lattices())
    if (choice.name == name) valid = choice.connectivities;
  int const connectivity = properties.get_or<int>("connectivity", valid.front());
  if (std::find(valid.begin(), valid.end(), connectivity) == valid.end())
    properties.fail_entry(
        "connectivity", fmt::format("is {}, expected {} for lattice {}", connectivity, fmt::join(valid, " or "), name));
  lattice = ca::make_lattice(name, connectivity);
  if (spatial && !lattice.spatial())
    properties.fail_entry("lattice", fmt::format("is {}, a lattice of one layer, but the medium has {}; expected cubic",
                                                 name, axes[2].cells()));
  read_places(properties);
}

/// `lattice { neighbours ((1 0 0) (0 1 0)); }`
void Settings::read_neighbours(Session& session, core::Dictionary& entry) {
  std::vector<core::Index> steps;
  for (auto const& [i, j, k] : entry.get<std::vector<std::array<int, 3>>>("neighbours")) {
    if (k != 0 && axes[2].cells() == 1)
      entry.fail_entry("neighbours", fmt::format("holds ({} {} {}), in another layer, but the medium has one layer; "
                                                 "expected steps (i j 0)",
                                                 i, j, k));
    steps.push_back({i, j, k});
  }
  try {
    lattice = ca::make_lattice(steps);
  } catch (core::Error const& error) {
    entry.fail_entry("neighbours", fmt::format("cannot be taken: {}", error.what()));
  }
  if (axes[2].cells() > 1 && !lattice.spatial())
    entry.fail_entry("neighbours", fmt::format("joins no layers, but the medium has {}; expected steps with k other "
                                               "than 0 among them",
                                               axes[2].cells()));
  core::Index const reach = lattice.reach();
  session.log.line("Lattice of {} listed neighbours, up to {} x {} x {} cells away", lattice.connectivity, reach.i,
                   reach.j, reach.k);
}

/// Which cells are sites and bonds of the lattice.
void Settings::read_places(core::Dictionary& properties) {
  try {
    places = Places::of(lattice, input.bonds);
  } catch (core::Error const& error) {
    properties.fail_entry("lattice",
                          fmt::format("cannot have bonds: {}; expected square 4, triangular, honeycomb, kagome, "
                                      "cubic 6, bcc or fcc",
                                      error.what()));
  }
  int const period = places.pattern == Places::Pattern::honeycomb ? 3
                     : places.pattern == Places::Pattern::kagome  ? 2
                                                                  : 1;
  for (std::size_t a = 0; a < 2; ++a)
    if (axes[a].periodic && axes[a].cells() / (input.bonds ? 2 : 1) % period != 0)
      properties.fail_entry("lattice",
                            fmt::format("is {}, which closes round a periodic axis of a multiple of {} cells, but {} "
                                        "has {}",
                                        lattice.name, period, "xy"[a], axes[a].cells() / (input.bonds ? 2 : 1)));
}

}  // namespace tessera::run::percolation
