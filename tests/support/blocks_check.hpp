// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/backbones.hpp"
#include "tests/support/lattice_reference.hpp"

#include <gtest/gtest.h>
#include <map>

namespace tessera::tests {

/// Backbone, articulation and red cells cell by cell, from their definitions: a cell is in the backbone if two ways lead
/// from it, one to an inlet and one to an outlet cell, that share no cell (found by augmenting one way by another).
class ReferenceBlocks {
 public:
  bool spans = false;
  Medium backbone, articulation, red;

  ReferenceBlocks(Medium const& m, Medium const& inlet, Medium const& outlet,
                  std::vector<std::vector<int>> const& neighbours)
      : backbone(m.n),
        articulation(m.n),
        red(m.n),
        m_(m),
        inlet_(inlet),
        outlet_(outlet),
        near_(neighbours) {
    std::int64_t all = 0;
    spans = reaches(-1, all);
    if (!spans) return;
    for (int c = 0; c < m.size(); ++c) {
      auto const q = static_cast<std::size_t>(c);
      if (m.cells[q] != 1) continue;
      std::int64_t left = 0;
      red.cells[q] = !reaches(c, left);
      articulation.cells[q] = joined_[q] != 0 && left < all - 1;
      backbone.cells[q] = two_ways(c);
    }
  }

 private:
  /// Whether inlets reach outlets without a cell; counts the cells that reach one of them.
  bool reaches(int without, std::int64_t& cells) {
    Medium left = m_, both(m_.n);
    if (without >= 0) left.cells[without] = 0;
    for (std::size_t c = 0; c < both.cells.size(); ++c) both.cells[c] = inlet_.cells[c] != 0 || outlet_.cells[c] != 0;
    auto const from = reference_distances(left, inlet_, near_), any = reference_distances(left, both, near_);
    bool found = false;
    for (std::size_t c = 0; c < any.size(); ++c) {
      cells += any[c] >= 0;
      found = found || (outlet_.cells[c] != 0 && from[c] >= 0);
    }
    if (without < 0) {
      auto const to = reference_distances(left, outlet_, near_);
      joined_.assign(any.size(), 0);
      for (std::size_t c = 0; c < any.size(); ++c) joined_[c] = from[c] >= 0 && to[c] >= 0;
    }
    return found;
  }

  /// Two ways without a common cell: a flow of two from the cell, one unit through each other cell, one through each end.
  bool two_ways(int start) {
    int const n = m_.size(), s = n, t = n + 1;
    // each cell is two vertices: 2 c (in) and 2 c + 1 (out)
    auto const edges_of = [&](int v, auto const& f) {
      auto const c = static_cast<std::size_t>(v);
      if (v >= n) return;
      for (int w : near_[c])
        if (m_.cells[w] == 1) f(w);
      if (inlet_.cells[c] != 0) f(s);
      if (outlet_.cells[c] != 0) f(t);
    };
    std::map<std::pair<int, int>, int> flow;  // on edges between split vertices
    for (int unit = 0; unit < 2; ++unit) {
      std::vector<int> from(2 * (n + 2), -1);
      std::vector<int> queue{2 * start + 1};
      from[2 * start + 1] = 2 * start + 1;
      int end = -1;
      for (std::size_t head = 0; head < queue.size() && end < 0; ++head) {
        int const v = queue[head], c = v / 2;
        auto const go = [&](int w) {
          if (from[w] >= 0 || w / 2 == start) return;
          from[w] = v;
          queue.push_back(w);
        };
        auto const carries = [&](int a, int b) {
          auto const found = flow.find({a, b});
          return found != flow.end() && found->second > 0;
        };
        if (v % 2 == 1) {
          edges_of(c, [&](int w) {
            if (!carries(v, 2 * w)) go(2 * w);
          });
          if (c != start && carries(2 * c, v)) go(2 * c);  // back through the cell
        } else {
          if (!carries(v, v + 1)) {
            if (c >= n) {
              end = v;
              break;
            }
            go(v + 1);
          }
          // back along an edge into this cell
          auto const back = [&](int b) {
            if (carries(2 * b + 1, v)) go(2 * b + 1);
          };
          if (c < n)
            std::for_each(near_[c].begin(), near_[c].end(), back);
          else
            for (int b = 0; b < n; ++b) back(b);
        }
      }
      if (end < 0) return false;
      flow[{end, end + 1}] = 1;
      for (int v = end; v != 2 * start + 1; v = from[v]) {
        int const u = from[v];
        if (flow[{v, u}] > 0)
          flow[{v, u}] = 0;
        else
          flow[{u, v}] = 1;
      }
    }
    return true;
  }

  Medium const &m_, &inlet_, &outlet_;
  std::vector<std::vector<int>> const& near_;
  std::vector<std::uint8_t> joined_;  ///< to an inlet and to an outlet cell
};

inline void check_blocks(Medium const& m, ReferenceBlocks const& expected, Medium const& inlet, Medium const& outlet,
                         ca::Lattice const& lattice, core::Layout const& layout, std::string const& what) {
  std::string const where = what + "\n" + m.text() + "inlet\n" + inlet.text() + "outlet\n" + outlet.text();
  auto const black = field_of(m, layout), from = field_of(inlet, layout), to = field_of(outlet, layout);
  auto const count = [](Medium const& mask) { return std::count(mask.cells.begin(), mask.cells.end(), 1); };
  auto const found = ca::backbone_between(*black, *from, *to, lattice);
  ASSERT_EQ(found.spans, expected.spans) << where;
  ASSERT_EQ(collect(*found.backbone), expected.backbone.cells) << where;
  ASSERT_EQ(collect(*found.articulation), expected.articulation.cells) << where;
  ASSERT_EQ(collect(*found.red), expected.red.cells) << where;
  EXPECT_EQ(found.backbone_sites, count(expected.backbone));
  EXPECT_EQ(found.articulation_sites, count(expected.articulation));
  EXPECT_EQ(found.red_sites, count(expected.red));

  // counts need no fields
  auto const less = ca::backbone_between(*black, *from, *to, lattice, {false, false, false});
  EXPECT_EQ(less.backbone, nullptr);
  EXPECT_EQ(less.backbone_sites, found.backbone_sites) << where;
  EXPECT_EQ(less.red_sites, found.red_sites) << where;
  EXPECT_EQ(less.articulation_sites, found.articulation_sites) << where;
}

}  // namespace tessera::tests
