// SPDX-License-Identifier: Apache-2.0
#include "ca/lattices/lattice.hpp"

#include "core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera::ca {
namespace {

std::vector<Lattice> const& all() {
  static std::vector<Lattice> const known{
      {"square", 4, {{-1, 0, 0, 0}}},
      {"square", 8, {{-1, 0, -1, 1}}},
      {"triangular", 6, {{-1, 0, -1, 0}}},
      {"honeycomb", 3, {{-1, 0, -1, 0}}},
      {"kagome", 4, {{-1, 0, -1, 0}}},
      {"cubic", 6, {{0, -1, 0, 0}, {-1, 0, 0, 0}}},
      {"cubic", 18, {{-1, -1, 0, 0}, {0, -1, -1, 1}, {1, -1, 0, 0}, {-1, 0, -1, 1}}},
      {"cubic", 26, {{-1, -1, -1, 1}, {0, -1, -1, 1}, {1, -1, -1, 1}, {-1, 0, -1, 1}}},
      {"bcc", 8, {{-1, -1, -1, -1}, {0, -1, 0, 0}, {-1, 0, 0, 0}}},
      {"fcc", 12, {{0, -1, 0, 1}, {1, -1, 0, 0}, {-1, 0, 0, 1}}},
  };
  return known;
}

}  // namespace

std::vector<core::Index> Lattice::offsets() const {
  std::vector<core::Index> found;
  for (Row const& row : before)
    for (int d = row.from; d <= row.to; ++d) found.push_back({d, row.dj, row.dk});
  found.push_back({-1, 0, 0});
  for (std::size_t n = found.size(); n-- > 0;) found.push_back({-found[n].i, -found[n].j, -found[n].k});
  return found;
}

bool Lattice::spatial() const {
  return std::any_of(before.begin(), before.end(), [](Row const& row) { return row.dk != 0; });
}

std::vector<LatticeChoice> const& lattices() {
  static std::vector<LatticeChoice> const choices = [] {
    std::vector<LatticeChoice> result;
    for (Lattice const& lattice : all()) {
      if (result.empty() || result.back().name != lattice.name) result.push_back({lattice.name, {}});
      result.back().connectivities.push_back(lattice.connectivity);
    }
    return result;
  }();
  return choices;
}

Lattice make_lattice(std::string_view name, int connectivity) {
  for (Lattice const& lattice : all())
    if (lattice.name == name && lattice.connectivity == connectivity) return lattice;
  std::vector<std::string> valid;
  for (Lattice const& lattice : all()) valid.push_back(fmt::format("{} {}", lattice.name, lattice.connectivity));
  throw core::Error(fmt::format("no lattice '{} {}', expected {}", name, connectivity, fmt::join(valid, ", ")));
}

}  // namespace tessera::ca
