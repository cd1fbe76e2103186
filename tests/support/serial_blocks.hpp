// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/support/lattice_reference.hpp"

namespace tessera::tests {

/// Backbone, articulation and red cells by one depth-first search over lists of neighbours, for media that are too many or
/// too large for ReferenceBlocks. It shares nothing with the search region by region: no pieces, one graph.
/// Source: Hopcroft & Tarjan 1973, Commun. ACM 16:372, with lists in place of recursion.
class SerialBlocks {
 public:
  bool spans = false;
  Medium backbone, articulation, red;

  SerialBlocks(Medium const& m, Medium const& inlet, Medium const& outlet,
               std::vector<std::vector<int>> const& neighbours)
      : backbone(m.n),
        articulation(m.n),
        red(m.n),
        s_(m.size()),
        t_(s_ + 1),
        near_(static_cast<std::size_t>(m.size()) + 2) {
    auto const from = reference_distances(m, inlet, neighbours), to = reference_distances(m, outlet, neighbours);
    // clusters that join inlet and outlet
    auto const kept = [&](int c) { return from[c] >= 0 && to[c] >= 0; };
    for (int c = 0; c < s_; ++c) {
      if (!kept(c)) continue;
      for (int other : neighbours[c])
        if (kept(other)) near_[c].push_back(other);
      if (inlet.cells[c] != 0) join(c, s_);
      if (outlet.cells[c] != 0) join(c, t_);
    }
    if (near_[s_].empty()) return;
    spans = true;
    walk();
  }

 private:
  void join(int cell, int end) {
    near_[cell].push_back(end);
    near_[end].push_back(cell);
  }

  void walk() {
    std::vector<int> order(near_.size(), 0), low(near_.size(), 0), parent(near_.size(), -1), open;
    std::vector<std::size_t> taken(near_.size(), 0);
    std::vector<bool> on_way(near_.size(), false);
    int clock = 0;
    auto const enter = [&](int v, int from) {
      order[v] = low[v] = ++clock;
      parent[v] = from;
      open.push_back(v);
      if (v == t_)
        for (int u = t_; u >= 0; u = parent[u]) on_way[u] = true;
    };
    enter(s_, -1);
    for (int v = s_; v >= 0;) {
      if (taken[v] < near_[v].size()) {
        int const w = near_[v][taken[v]++];
        if (order[w] == 0) {
          enter(w, v);
          v = w;
        } else if (w != parent[v]) {
          low[v] = std::min(low[v], order[w]);
        }
        continue;
      }
      int const u = parent[v];
      if (u >= 0) {
        low[u] = std::min(low[u], low[v]);
        if (low[v] >= order[u]) {
          // with the edge s t the blocks on the way from s to t are one; without it u parts them
          if (on_way[v]) mark(backbone, u);
          mark(on_way[v] ? red : articulation, u);
          for (int top = -1; top != v;) {
            top = open.back();
            open.pop_back();
            if (on_way[v]) mark(backbone, top);
          }
        }
      }
      v = u;
    }
  }
  void mark(Medium& mask, int v) const {
    if (v < s_) mask.cells[v] = 1;
  }

  int s_, t_;
  std::vector<std::vector<int>> near_;
};

}  // namespace tessera::tests
