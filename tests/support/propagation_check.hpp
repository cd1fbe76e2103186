// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/stepwise/propagation.hpp"
#include "tests/support/paper_reference.hpp"
#include "tests/support/percolation_check.hpp"

namespace tessera::tests {

/// The automaton against percolate on the same layout: every mask, label and count. Returns what it gave.
inline ca::SynchronousResult check_propagation(Mask const& mask, core::Layout const& layout, ca::Definition definition,
                                               ca::Direction direction, std::string const& what) {
  bool const across = direction == ca::Direction::x;
  auto field = field_of(across ? mask.transposed() : mask, layout);
  std::string const where = what + "\n" + (mask.nx * mask.ny < 1000 ? mask.text() : "");
  ca::PercolationOptions const all{.direction = direction, .definition = definition, .dangling = true, .sizes = true};
  auto found = ca::percolate_synchronously(*field, all);
  auto const expected = ca::percolate(*field, all);
  auto const& result = found.result;
  EXPECT_EQ(result.spans, expected.spans) << where;
  EXPECT_EQ(result.clusters, expected.clusters) << where;
  EXPECT_EQ(result.largest_cluster, expected.largest_cluster) << where;
  EXPECT_EQ(result.spanning_sites, expected.spanning_sites) << where;
  EXPECT_EQ(result.spanning_clusters, expected.spanning_clusters) << where;
  EXPECT_EQ(result.backbone_sites, expected.backbone_sites) << where;
  EXPECT_EQ(result.dangling_sites, expected.dangling_sites) << where;
  EXPECT_EQ(result.sizes, expected.sizes) << where;
  EXPECT_EQ(result.articulation_sites, expected.articulation_sites) << where;
  EXPECT_EQ(result.red_sites, expected.red_sites) << where;
  EXPECT_EQ(result.occupation, expected.occupation) << where;
  EXPECT_EQ(collect_any(*result.label), collect_any(*expected.label)) << where;
  EXPECT_EQ(mask_of(*result.spanning), mask_of(*expected.spanning)) << where;
  EXPECT_EQ(mask_of(*result.backbone), mask_of(*expected.backbone)) << where;
  EXPECT_EQ(mask_of(*result.dangling), mask_of(*expected.dangling)) << where;
  EXPECT_EQ(mask_of(*result.articulation), mask_of(*expected.articulation)) << where;
  EXPECT_EQ(mask_of(*result.red), mask_of(*expected.red)) << where;
  return found;
}

}  // namespace tessera::tests
