// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/places.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace tessera::run::percolation {

Places Places::of(ca::Lattice const& lattice, bool bonds) {
  Places places;
  places.bonds = bonds;
  if (lattice.name == "honeycomb") places.pattern = Pattern::honeycomb;
  if (lattice.name == "kagome") places.pattern = Pattern::kagome;
  if (!bonds) return places;
  auto const offsets = lattice.offsets();
  auto const parity = [](core::Index const& d) { return (d.i != 0) + 2 * (d.j != 0) + 4 * (d.k != 0); };
  for (std::size_t n = 0; n < offsets.size() / 2; ++n) {
    bool fits = places.steps < most_steps;
    for (int m = 0; m < places.steps; ++m) fits = fits && parity(places.step[m]) != parity(offsets[n]);
    if (!fits)
      throw core::Error(fmt::format("two bonds of the lattice '{} {}' cross", lattice.name, lattice.connectivity));
    places.step[places.steps++] = offsets[n];
  }
  return places;
}

bool Places::apart(ca::Lattice const& lattice) const {
  return lattice.name != "triangular" && lattice.name != "kagome" && lattice.name != "fcc";
}

core::Count Places::count(core::Index const& shape, Place place) const {
  if (all()) return place == Place::site ? shape.i * shape.j * shape.k : 0;
  core::Count found = 0;
  for (core::Count k = 0; k < shape.k; ++k)
    for (core::Count j = 0; j < shape.j; ++j)
      for (core::Count i = 0; i < shape.i; ++i) found += at({i, j, k}) == place;
  return found;
}

}  // namespace tessera::run::percolation
