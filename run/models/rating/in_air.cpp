// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/circuits.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::run::rating {

double heat_in_trough(Site const& site, State const& state, std::size_t trough) {
  double watts = 0;
  for (std::size_t n = site.in_ground; n < state.cables.size(); ++n)
    if (site.circuits[site.cables[n].circuit].trough->trough() == trough) watts += state.cables[n].losses();
  return watts;
}

double set_temperatures_in_troughs(Site const& site, State& state) {
  double change = 0;
  auto const set = [&](double& t, double now) {
    change = std::max(change, std::abs(now - t));
    t = now;
  };
  for (std::size_t t = 0; t < site.troughs.size(); ++t)
    set(state.troughs[t], site.troughs[t].air(heat_in_trough(site, state, t)));
  for (std::size_t n = site.in_ground; n < state.cables.size(); ++n) {
    auto& s = state.cables[n];
    Cable const& cable = site.cables[n];
    auto const& placing = *site.circuits[cable.circuit].trough;
    set(s.surface, state.troughs[placing.trough()] + placing.rise(s.losses()));
    auto const over = over_surface(site.type(cable), s.conductor_loss, s.dielectric_loss, s.metal_loss);
    set(s.conductor, s.surface + over.conductor);
    for (std::size_t m = 0; m < s.metal.size(); ++m) set(s.metal[m], s.surface + over.metal[m]);
  }
  return change;
}

void let_air_follow(Site const& site, State const& state, std::vector<CableParts> const& parts,
                    std::vector<double>& rises) {
  for (std::size_t n = 0; n < site.cables.size(); ++n) {
    auto const& duct = site.circuits[site.cables[n].circuit].duct;
    if (!duct) continue;
    double const watts = state.cables[n].losses(),
                 more = watts * (duct->air(site.ambient + rises[parts[n].surface], watts) - duct->air());
    rises[parts[n].conductor] += more;
    for (std::size_t metal : parts[n].metals) rises[metal] += more;
  }
}

void tell_ducts(Site const& site, State& state) {
  for (std::size_t n = 0; n < site.cables.size(); ++n) {
    auto const& duct = site.circuits[site.cables[n].circuit].duct;
    if (!duct) continue;
    auto& s = state.cables[n];
    double const watts = s.losses();
    s.duct = s.surface;
    s.surface += watts * (duct->wall() + duct->air(*s.duct, watts));
  }
}

}  // namespace tessera::run::rating
