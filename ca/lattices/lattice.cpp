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

bool earlier(core::Index const& a, core::Index const& b) {
  return a.k != b.k ? a.k < b.k : a.j != b.j ? a.j < b.j : a.i < b.i;
}

/// Steps of one row, in order, that may be taken together: three, or two at 0, of runs that are joined.
std::size_t together(std::vector<core::Index> const& steps, std::size_t n, bool runs) {
  auto const is = [&](std::size_t m, core::Count d) {
    return m < steps.size() && steps[m] == core::Index{d, steps[n].j, steps[n].k};
  };
  if (!runs || (steps[n].j == 0 && steps[n].k == 0)) return 1;
  if (is(n, -1) && is(n + 1, 0)) return is(n + 2, 1) ? 3 : 2;
  return is(n, 0) && is(n + 1, 1) ? 2 : 1;
}

}  // namespace

core::Index reach_of(std::vector<core::Index> const& steps) {
  core::Index most;
  for (core::Index const& d : steps) most = {std::max(most.i, d.i), std::max(most.j, d.j), std::max(most.k, d.k)};
  return most;
}

std::vector<core::Index> Lattice::offsets() const {
  std::vector<core::Index> found;
  for (Row const& row : before)
    for (int d = row.from; d <= row.to; ++d) found.push_back({d, row.dj, row.dk});
  if (runs) found.push_back({-1, 0, 0});
  for (std::size_t n = found.size(); n-- > 0;) found.push_back({-found[n].i, -found[n].j, -found[n].k});
  return found;
}

int Lattice::depth() const {
  core::Index const most = reach();
  return static_cast<int>(std::max({most.i, most.j, most.k}));
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

Lattice make_lattice(std::vector<core::Index> const& steps) {
  if (steps.empty()) throw core::Error("no neighbours, expected steps to some");
  std::vector<core::Index> lower;
  for (core::Index const& d : steps) {
    auto const text = fmt::format("({} {} {})", d.i, d.j, d.k);
    if (d == core::Index{}) throw core::Error("the neighbour (0 0 0) is the cell itself, expected steps to others");
    for (std::size_t a = 0; a < 3; ++a)
      if (along(d, a) < -longest_step || along(d, a) > longest_step)
        throw core::Error(
            fmt::format("the neighbour {} is further away than {} cells along {}", text, longest_step, "xyz"[a]));
    if (std::count(steps.begin(), steps.end(), d) > 1)
      throw core::Error(fmt::format("the neighbour {} comes twice", text));
    lower.push_back(earlier(d, {}) ? d : core::Index{} - d);
  }
  std::sort(lower.begin(), lower.end(), earlier);
  lower.erase(std::unique(lower.begin(), lower.end()), lower.end());
  Lattice lattice{.name = "listed neighbours", .connectivity = 2 * static_cast<int>(lower.size()), .before = {}};
  if (lattice.connectivity > most_neighbours)
    throw core::Error(fmt::format("{} neighbours with the opposite ones, expected at most {}", lattice.connectivity,
                                  most_neighbours));
  lattice.listed = true;
  lattice.runs = lower.back() == core::Index{-1, 0, 0};
  if (lattice.runs) lower.pop_back();
  for (std::size_t n = 0, taken; n < lower.size(); n += taken) {
    taken = together(lower, n, lattice.runs);
    core::Index const& first = lower[n];
    lattice.before.push_back({static_cast<int>(first.j), static_cast<int>(first.k), static_cast<int>(first.i),
                              static_cast<int>(lower[n + taken - 1].i)});
  }
  return lattice;
}

}  // namespace tessera::ca
