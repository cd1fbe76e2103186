// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/distances.hpp"
#include "tests/support/lattice_reference.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

/// Distances and shortest paths on a layout against a breadth-first search over the whole grid.
inline void check_distances(Medium const& m, Medium const& inlet, Medium const& outlet, ca::Lattice const& lattice,
                            core::Layout const& layout, std::string const& what) {
  auto const neighbours =
      lattice.listed ? neighbours_of(m, lattice.offsets()) : neighbours_of(m, lattice.name, lattice.connectivity);
  auto const expected = reference_distances(m, inlet, neighbours);
  std::string const where = what + "\n" + (m.size() < 1000 ? m.text() : "");
  auto const black = field_of(m, layout), from = field_of(inlet, layout), to = field_of(outlet, layout);
  auto const found = ca::distances(*black, *from, lattice);
  ASSERT_EQ(collect(*found.field), expected) << where;
  EXPECT_EQ(found.farthest, *std::max_element(expected.begin(), expected.end())) << where;
  EXPECT_EQ(found.reached, std::count_if(expected.begin(), expected.end(), [](auto d) { return d >= 0; })) << where;
  EXPECT_GE(found.relaxations, found.reached) << where;

  auto const nearest = [&](std::vector<std::int32_t> const& distance) {
    std::int64_t best = 0;
    for (std::size_t c = 0; c < distance.size(); ++c)
      if (outlet.cells[c] != 0 && distance[c] >= 0 && (best == 0 || distance[c] < best - 1)) best = distance[c] + 1;
    return best;
  };
  auto const path = ca::shortest_path(*black, *from, *to, lattice);
  ASSERT_EQ(path.sites, nearest(expected)) << where;
  if (path.sites == 0) {
    EXPECT_EQ(path.straight_sites, 0);
    EXPECT_EQ(path.tortuosity, 0);
    return;
  }
  EXPECT_EQ(path.straight_sites, nearest(reference_distances(Medium(m.n, 1), inlet, neighbours))) << where;
  EXPECT_EQ(path.tortuosity, static_cast<double>(path.sites) / static_cast<double>(path.straight_sites));
}

}  // namespace tessera::tests
