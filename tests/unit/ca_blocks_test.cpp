// SPDX-License-Identifier: Apache-2.0
#include "ca/distances.hpp"
#include "ca/percolation.hpp"
#include "tests/support/blocks_check.hpp"
#include "tests/support/masks.hpp"

namespace tessera::tests {

using core::Side;

TEST(Backbone, EqualsTwoDisjointWaysOnEveryLattice) {
  for (LatticeSample const& sample : lattice_samples()) {
    auto const lattice = ca::make_lattice(sample.name, sample.connectivity);
    std::int64_t spanning = 0, red = 0, dangling = 0;
    for (std::uint64_t n = 0; n < 40; ++n) {
      Medium m = random_medium(sample.cells, sample.threshold * (1 + 0.05 * static_cast<double>(n % 5)), 200 + n);
      m.periodic = {n % 4 == 1, false, n % 4 == 2 && sample.cells[2] > 1};
      Medium inlet = side_of(m, Side::bottom), outlet = side_of(m, Side::top);
      if (n % 3 == 1) outlet = side_of(m, Side::left);  // the two masks meet in a corner
      if (n % 3 == 2) {
        inlet = random_medium(sample.cells, 0.02, 300 + n);
        outlet = random_medium(sample.cells, 0.02, 400 + n);
      }
      ReferenceBlocks const expected(m, inlet, outlet, neighbours_of(m, sample.name, sample.connectivity));
      auto const layout = make_layout(sample.cells, sample.tiles[n % 4], m.periodic);
      check_blocks(m, expected, inlet, outlet, lattice, *layout,
                   sample.name + std::to_string(sample.connectivity) + " grid " + std::to_string(n));
      if (HasFatalFailure()) return;
      spanning += expected.spans;
      for (std::size_t c = 0; c < m.cells.size(); ++c) {
        red += expected.red.cells[c];
        dangling += expected.articulation.cells[c] != 0 && expected.backbone.cells[c] == 0;
      }
    }
    EXPECT_GT(spanning, 12) << sample.name << sample.connectivity;
    EXPECT_GT(red, 5) << sample.name << sample.connectivity;
    EXPECT_GT(dangling, 20) << sample.name << sample.connectivity;
  }
}

// With the bars as occupied inlet and outlet it is definition D1, without them D2; articulation and red cells are the
// same for both, but occupied bars join clusters on one end to those that span. The planar algorithm and this one share nothing but the medium.
TEST(Backbone, EqualsPercolateOnFramedMedia) {
  int spanning = 0;
  auto const lattice = ca::make_lattice("square", 4);
  for (std::uint64_t n = 0; n < 120; ++n) {
    int const nx = 8 + static_cast<int>(n * 7 % 60), ny = 8 + static_cast<int>(n * 11 % 60);
    Mask const mask = random_framed(nx, ny, 0.55 + 0.02 * static_cast<double>(n % 8), n);
    auto const layout = make_layout({nx, ny, 1}, {n % 3 == 0 ? 0 : 13, n % 3 == 0 ? 0 : 9, 1});
    auto occupied = field_of(mask, *layout);
    for (auto definition : {ca::Definition::D1, ca::Definition::D2}) {
      auto const plane = ca::percolate(*occupied, {.definition = definition});
      bool const bars = definition == ca::Definition::D1;
      Mask inner = mask;
      for (int i = 0; i < nx && !bars; ++i) inner.at(i, 0) = inner.at(i, ny - 1) = 0;
      auto const cells = field_of(inner, *layout);
      auto const found = ca::backbone_between(*cells, *ca::side_mask(*layout, Side::bottom, bars ? 0 : 1),
                                              *ca::side_mask(*layout, Side::top, bars ? 0 : 1), lattice);
      auto const interior = [&](core::Field<std::uint8_t>& field) {
        Mask m = mask_of(field);
        for (int i = 0; i < nx; ++i) m.at(i, 0) = m.at(i, ny - 1) = 0;
        return m;
      };
      ASSERT_EQ(found.spans, plane.spans) << mask.text();
      EXPECT_EQ(interior(*found.backbone), mask_of(*plane.backbone)) << n << "\n" << mask.text();
      Mask articulation = interior(*found.articulation);
      Mask const spans = mask_of(*plane.spanning);
      for (std::size_t c = 0; c < spans.cells.size() && bars; ++c) articulation.cells[c] &= spans.cells[c];
      EXPECT_EQ(articulation, mask_of(*plane.articulation)) << n << "\n" << mask.text();
      EXPECT_EQ(interior(*found.red), mask_of(*plane.red)) << n << "\n" << mask.text();
    }
    spanning += ca::percolate(*occupied, {}).spans;
  }
  EXPECT_GT(spanning, 40);
}

// One way of 200 000 cells, all of them red, and a dead end as long hanging on it: neither needs recursion.
TEST(Backbone, FollowsOneLongWay) {
  Medium m({403, 1001, 1});
  for (int j = 0; j < 1001; ++j)
    for (int i = 1; i < 402; ++i) m.at(i, j) = j % 2 == 0 || i == (j % 4 == 1 ? 401 : 1);
  Medium inlet(m.n), outlet(m.n);
  inlet.at(1, 0) = 1;
  outlet.at(401, 500) = 1;
  auto const layout = make_layout(m.n, {64, 64, 1});
  auto const found = ca::backbone_between(*field_of(m, *layout), *field_of(inlet, *layout), *field_of(outlet, *layout),
                                          ca::make_lattice("square", 4));
  EXPECT_EQ(found.red_sites, 251 * 401 + 250);
  EXPECT_EQ(found.backbone_sites, found.red_sites);
  // each cell but the last of the dead end holds others; before the outlet no cell does
  EXPECT_EQ(found.articulation_sites, 250 * 401 + 250);
}

TEST(Backbone, IsEmptyWhereNothingSpans) {
  Medium m({5, 5, 1}, 1);
  for (int i = 0; i < 5; ++i) m.at(i, 2) = 0;
  auto const layout = make_layout(m.n, {2, 2, 1});
  auto const found = ca::backbone_between(*field_of(m, *layout), *ca::side_mask(*layout, Side::bottom),
                                          *ca::side_mask(*layout, Side::top), ca::make_lattice("square", 8));
  EXPECT_FALSE(found.spans);
  EXPECT_EQ(found.backbone_sites + found.articulation_sites + found.red_sites, 0);
  EXPECT_EQ(collect(*found.backbone), std::vector<std::uint8_t>(25, 0));
}

}  // namespace tessera::tests
