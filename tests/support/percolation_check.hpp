// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/percolation.hpp"
#include "tests/support/masks.hpp"

#include <gtest/gtest.h>
#include <map>

namespace tessera::tests {

inline std::int64_t sites(core::Field<std::uint8_t>& field) { return mask_of(field).count(); }

/// What percolate should find on a framed mask whose bars are rows.
struct Expected {
  Mask spanning, backbone_d1, backbone_d2, articulation, red;
  std::vector<std::int64_t> label;
  std::int64_t clusters = 0, spanning_clusters = 0, largest = 0;
  std::vector<ca::SizeCount> sizes;
  bool spans = false;

  /// Articulation and red cells take a search for each cell, so only where asked for.
  explicit Expected(Mask const& m, bool cell_by_cell)
      : spanning(m.nx, m.ny),
        backbone_d1(m.nx, m.ny),
        backbone_d2(m.nx, m.ny),
        articulation(m.nx, m.ny),
        red(m.nx, m.ny) {
    Mask inner = m;
    for (int i = 0; i < m.nx; ++i) inner.at(i, 0) = inner.at(i, m.ny - 1) = 0;
    label = reference_labels(inner, 1, 4);
    std::map<std::int64_t, std::array<std::int64_t, 3>> found;  // cells, cells at the low bar, at the high bar
    for (int j = 1; j < m.ny - 1; ++j)
      for (int i = 1; i < m.nx - 1; ++i)
        if (auto const l = label[j * m.nx + i]; l != 0) {
          auto& cluster = found[l];
          ++cluster[0];
          cluster[1] += j == 1;
          cluster[2] += j == m.ny - 2;
        }
    clusters = static_cast<std::int64_t>(found.size());
    std::map<std::int64_t, std::int64_t> by_size;
    for (auto const& [l, cluster] : found) ++by_size[cluster[0]];
    for (auto const& [cells, n] : by_size) sizes.push_back({cells, n});
    for (auto const& [l, cluster] : found) {
      largest = std::max(largest, cluster[0]);
      if (cluster[1] > 0 && cluster[2] > 0) {
        spans = true;
        ++spanning_clusters;
        for (std::size_t n = 0; n < label.size(); ++n)
          if (label[n] == l) spanning.cells[n] = 1;
      }
    }
    if (!spans) return;
    backbone_d1 = reference_backbone(m, false);
    backbone_d2 = reference_backbone(m, true);
    if (cell_by_cell) {
      articulation = reference_articulation(m, spanning);
      red = reference_red(m);
    }
  }
};

/// Compares everything with what percolate found on the mask (on the transposed one for direction x).
inline void check_result(Mask const& mask, Expected const& expected, bool cell_by_cell,
                         ca::PercolationResult const& result, ca::PercolationOptions const& options,
                         std::string const& what) {
  bool const across = options.direction == ca::Direction::x;
  auto const turned = [&](Mask const& m) { return across ? m.transposed() : m; };
  Mask const& backbone = options.definition == ca::Definition::D2 ? expected.backbone_d2 : expected.backbone_d1;
  std::string const where = what + "\n" + (mask.nx * mask.ny < 1000 ? mask.text() : "");
  ASSERT_EQ(result.spans, expected.spans) << where;
  ASSERT_EQ(mask_of(*result.spanning), turned(expected.spanning)) << where;
  ASSERT_EQ(result.spanning_sites, expected.spanning.count()) << where;
  ASSERT_EQ(result.spanning_clusters, expected.spanning_clusters) << where;
  ASSERT_EQ(mask_of(*result.backbone), turned(backbone)) << where;
  ASSERT_EQ(result.backbone_sites, backbone.count()) << where;
  Mask dangling = expected.spanning;
  for (std::size_t n = 0; n < dangling.cells.size(); ++n) dangling.cells[n] &= 1 - backbone.cells[n];
  ASSERT_EQ(mask_of(*result.dangling), turned(dangling)) << where;
  ASSERT_EQ(result.dangling_sites, dangling.count()) << where;
  ASSERT_EQ(result.sizes, expected.sizes) << where;
  ASSERT_EQ(result.clusters, expected.clusters) << where;
  ASSERT_EQ(result.largest_cluster, expected.largest) << where;
  if (!across) {
    ASSERT_EQ(collect_any(*result.label), expected.label) << where;
  }
  ASSERT_EQ(result.articulation_sites, sites(*result.articulation)) << where;
  ASSERT_EQ(result.red_sites, sites(*result.red)) << where;
  if (!cell_by_cell) return;
  ASSERT_EQ(mask_of(*result.articulation), turned(expected.articulation)) << where;
  ASSERT_EQ(mask_of(*result.red), turned(expected.red)) << where;
}

/// Runs percolate on a layout of the mask's grid (of the transposed one for direction x) and compares everything.
inline void check_percolation(Mask const& mask, Expected const& expected, bool cell_by_cell, core::Layout const& layout,
                              ca::Definition definition, ca::Direction direction, std::string const& what) {
  bool const across = direction == ca::Direction::x;
  auto field = field_of(across ? mask.transposed() : mask, layout);
  ca::PercolationOptions const options{
      .direction = direction, .definition = definition, .dangling = true, .sizes = true};
  check_result(mask, expected, cell_by_cell, ca::percolate(*field, options), options, what);
}
}  // namespace tessera::tests
