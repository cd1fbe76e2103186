// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "tests/support/clusters_reference.hpp"
#include "tests/support/lattice_reference.hpp"

namespace tessera::tests {
namespace {

std::string error_of(std::vector<core::Index> const& steps) {
  try {
    ca::make_lattice(steps);
  } catch (core::Error const& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST(Neighbours, AreJoinedBothWaysHoweverTheyAreListed) {
  auto const lattice = ca::make_lattice({{1, 0, 0}, {-1, 0, 0}, {2, -1, 0}, {0, 0, 3}});
  EXPECT_EQ(lattice.connectivity, 6);
  EXPECT_EQ(lattice.offsets(),
            (std::vector<core::Index>{{0, 0, -3}, {2, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {-2, 1, 0}, {0, 0, 3}}));
  EXPECT_EQ(lattice.reach(), (core::Index{2, 1, 3}));
  EXPECT_TRUE(lattice.spatial());
  EXPECT_TRUE(lattice.runs);
  EXPECT_FALSE(ca::make_lattice({{2, 0, 0}}).runs);
}

TEST(Neighbours, OfANamedLatticeMayBeListed) {
  for (auto const& choice : ca::lattices())
    for (int connectivity : choice.connectivities) {
      auto const named = ca::make_lattice(choice.name, connectivity);
      if (choice.name == "honeycomb" || choice.name == "kagome") continue;  // cells of the triangular one
      auto const listed = ca::make_lattice(named.offsets());
      EXPECT_EQ(listed.offsets(), named.offsets()) << choice.name;
      EXPECT_EQ(listed.connectivity, named.connectivity) << choice.name;
    }
}

TEST(Neighbours, ThatCannotBeAreRefused) {
  EXPECT_EQ(error_of({}), "no neighbours, expected steps to some");
  EXPECT_EQ(error_of({{1, 0, 0}, {0, 0, 0}}), "the neighbour (0 0 0) is the cell itself, expected steps to others");
  EXPECT_EQ(error_of({{1, 0, 0}, {1, 0, 0}}), "the neighbour (1 0 0) comes twice");
  EXPECT_EQ(error_of({{1, -9, 0}}), "the neighbour (1 -9 0) is further away than 8 cells along y");
  std::vector<core::Index> many;
  for (core::Count i = -3; i <= 3; ++i)
    for (core::Count j = 1; j <= 8; ++j) many.push_back({i, j, 0});
  EXPECT_EQ(error_of(many), "112 neighbours with the opposite ones, expected at most 62");
  many.resize(31);
  EXPECT_EQ(ca::make_lattice(many).connectivity, 62);
}

TEST(Clusters, OfListedNeighboursEqualBreadthFirstSearch) {
  std::vector<core::Grid::Shape> const flat{{1, 1, 1}, {5, 1, 1}, {1, 7, 1}, {63, 6, 1}, {65, 7, 1}, {130, 9, 1}},
      solid{{2, 2, 2}, {7, 6, 5}, {65, 5, 2}, {1, 4, 5}};
  std::uint64_t seed = 0;
  for (ListedSample const& sample : listed_samples()) {
    auto const lattice = ca::make_lattice(sample.steps);
    for (auto const& n : lattice.spatial() ? solid : flat)
      for (int round = 0; round < 8; ++round)
        for (double p : {0.8 * sample.threshold, 1.1 * sample.threshold, 0.6}) {
          std::array<bool, 3> const periodic{(round & 1) != 0, (round & 2) != 0, (round & 4) != 0};
          Voxels const v = random_voxels(n, periodic, p, ++seed);
          std::array<core::Count, 4> const widths{1, 3, 0, 64};
          auto const width = [&](int q) { return widths[(seed >> q) % 4]; };
          check_clusters(v, lattice, *make_layout(n, {width(0), width(2), width(4)}, periodic),
                         sample.name + ", seed " + std::to_string(seed), {static_cast<int>(seed % 4) - 1});
          if (HasFatalFailure()) return;
        }
  }
}

}  // namespace tessera::tests
