// SPDX-License-Identifier: Apache-2.0
#pragma once
// Serial references for clusters and backbones on small grids: straight from the definitions, slow, without recursion.
#include "core/random.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::tests {

/// A small grid, row by row; 1 is black.
struct Mask {
  int nx = 0, ny = 0;
  std::vector<std::uint8_t> cells;

  Mask(int columns, int rows, std::uint8_t value = 0)
      : nx(columns),
        ny(rows),
        cells(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), value) {}
  std::uint8_t& at(int i, int j) {
    return cells[static_cast<std::size_t>(j) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(i)];
  }
  std::uint8_t at(int i, int j) const { return const_cast<Mask*>(this)->at(i, j); }
  bool inside(int i, int j) const { return i >= 0 && i < nx && j >= 0 && j < ny; }
  bool black(int i, int j) const { return inside(i, j) && at(i, j) == 1; }
  std::int64_t count() const { return std::count(cells.begin(), cells.end(), std::uint8_t{1}); }
  friend bool operator==(Mask const&, Mask const&) = default;

  Mask transposed() const {
    Mask t(ny, nx);
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) t.at(j, i) = at(i, j);
    return t;
  }
  std::string text() const {
    std::string s;
    for (int j = ny - 1; j >= 0; --j) {
      for (int i = 0; i < nx; ++i) s += at(i, j) ? '#' : '.';
      s += '\n';
    }
    return s;
  }
};

/// Bars (first and last row) black, side columns white.
inline Mask framed(Mask m) {
  for (int j = 0; j < m.ny; ++j) m.at(0, j) = m.at(m.nx - 1, j) = 0;
  for (int i = 0; i < m.nx; ++i) m.at(i, 0) = m.at(i, m.ny - 1) = 1;
  return m;
}

/// Each cell black with probability p, framed.
inline Mask random_framed(int nx, int ny, double p, std::uint64_t seed) {
  Mask m(nx, ny);
  core::Random const random{seed, 0};
  for (std::size_t n = 0; n < m.cells.size(); ++n) m.cells[n] = random.uniform(n) < p;
  return framed(std::move(m));
}

/// The interior given by the bits of a number.
inline Mask numbered_framed(int side, std::uint64_t bits) {
  Mask m(side, side);
  for (int n = 0; n < (side - 2) * (side - 2); ++n) m.at(1 + n % (side - 2), 1 + n / (side - 2)) = bits >> n & 1;
  return framed(std::move(m));
}

/// Worst cases for unions, floods and backbones, by name.
inline std::vector<std::pair<std::string, Mask>> structured_masks(int nx, int ny) {
  std::vector<std::pair<std::string, Mask>> result;
  auto const add = [&](char const* name, auto black) {
    Mask m(nx, ny);
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) m.at(i, j) = black(i, j) ? 1 : 0;
    result.emplace_back(name, std::move(m));
  };
  add("all black", [](int, int) { return true; });
  add("all white", [](int, int) { return false; });
  add("checkerboard", [](int i, int j) { return (i + j) % 2 == 0; });
  add("columns", [](int i, int) { return i % 2 == 1; });
  add("rows", [](int, int j) { return j % 2 == 1; });
  add("streets", [](int i, int j) { return i % 2 == 1 || j % 2 == 1; });
  add("serpentine", [nx](int i, int j) { return j % 2 == 0 || (j % 4 == 1 ? i == nx - 2 : i == 1); });
  add("upright serpentine", [ny](int i, int j) { return i % 2 == 1 || (i % 4 == 2 ? j == ny - 2 : j == 1); });
  add("rings", [nx, ny](int i, int j) { return std::min({i, j, nx - 1 - i, ny - 1 - j}) % 2 == 0; });
  add("comb", [ny](int i, int j) { return i % 2 == 1 || j == ny / 2; });
  add("one column", [nx](int i, int) { return i == nx / 2; });
  add("diagonal stairs", [](int i, int j) { return (i + j) % 5 < 2; });
  return result;
}

/// Labels by breadth-first search: 1 + the smallest cell number of the cluster of cells equal to `wanted`, 0 elsewhere.
inline std::vector<std::int64_t> reference_labels(Mask const& m, std::uint8_t wanted, int neighbours) {
  std::vector<std::int64_t> label(m.cells.size(), 0);
  std::vector<int> front;
  for (int start = 0; start < m.nx * m.ny; ++start) {
    if (m.cells[start] != wanted || label[start] != 0) continue;
    label[start] = start + 1;
    front.assign(1, start);
    while (!front.empty()) {
      int const cell = front.back();
      front.pop_back();
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di) {
          int const i = cell % m.nx + di, j = cell / m.nx + dj;
          if ((neighbours == 4 && di != 0 && dj != 0) || !m.inside(i, j) || m.at(i, j) != wanted) continue;
          std::size_t const next = static_cast<std::size_t>(j * m.nx + i);
          if (label[next] != 0) continue;
          label[next] = start + 1;
          front.push_back(static_cast<int>(next));
        }
    }
  }
  return label;
}

/// Number of different labels, 0 left out.
inline std::int64_t number_of_clusters(std::vector<std::int64_t> label) {
  std::sort(label.begin(), label.end());
  auto const end = std::unique(label.begin(), label.end());
  return end - label.begin() - (!label.empty() && label[0] == 0);
}

/// The graph of a framed grid: black cells, their faces shared, a source joined to the first row and a sink to the
/// last, and the edge source - sink. `contracted` makes each bar one vertex (definition D2) by leaving its cells out.
class FramedGraph {
 public:
  FramedGraph(Mask const& mask, bool contracted)
      : m_(mask),
        first_(contracted ? 1 : 0),
        last_(mask.ny - (contracted ? 2 : 1)) {}
  int source() const { return m_.nx * m_.ny; }
  int sink() const { return source() + 1; }
  int vertices() const { return source() + 2; }
  bool has(int v) const { return v >= source() || (m_.cells[v] == 1 && row(v) >= first_ && row(v) <= last_); }
  int row(int v) const { return v / m_.nx; }

  static constexpr int none = -1, end = -2;
  /// Neighbour n of a vertex: a vertex, `none` at this n, or `end`.
  int neighbour(int v, int n) const {
    if (v >= source()) {
      if (n == 0) return v == source() ? sink() : source();
      if (n > m_.nx) return end;
      int const cell = (v == source() ? first_ : last_) * m_.nx + n - 1;
      return has(cell) ? cell : none;
    }
    int const i = v % m_.nx, j = row(v);
    switch (n) {
    case 0:
      return i > 0 && has(v - 1) ? v - 1 : none;
    case 1:
      return i + 1 < m_.nx && has(v + 1) ? v + 1 : none;
    case 2:
      return j > first_ && has(v - m_.nx) ? v - m_.nx : none;
    case 3:
      return j < last_ && has(v + m_.nx) ? v + m_.nx : none;
    case 4:
      return j == first_ ? source() : none;
    case 5:
      return j == last_ ? sink() : none;
    default:
      return end;
    }
  }

 private:
  Mask const& m_;
  int first_, last_;
};

/// The exact backbone: interior cells of the biconnected component that holds the edge source - sink.
/// Source: Tarjan 1972, SIAM J. Comput. 1:146, with a stack in place of recursion.
inline Mask reference_backbone(Mask const& m, bool contracted) {
  FramedGraph const graph(m, contracted);
  auto const n = static_cast<std::size_t>(graph.vertices());
  std::vector<int> found(n, 0), low(n, 0), parent(n, -1), next(n, 0), path, open;
  auto const at = [](int v) { return static_cast<std::size_t>(v); };
  int const s = graph.source(), t = graph.sink();
  int clock = 1;
  found[at(s)] = low[at(s)] = clock++;
  path.push_back(s);
  Mask result(m.nx, m.ny);
  while (path.size() > 1 || next[at(s)] == 0) {
    int const v = path.back();
    int const w = graph.neighbour(v, next[at(v)]++);
    if (w == FramedGraph::none) continue;
    if (w != FramedGraph::end) {
      if (found[at(w)] == 0) {
        found[at(w)] = low[at(w)] = clock++;
        parent[at(w)] = v;
        path.push_back(w);
        open.push_back(w);
      } else if (w != parent[at(v)]) {
        low[at(v)] = std::min(low[at(v)], found[at(w)]);
      }
      continue;
    }
    path.pop_back();
    int const u = parent[at(v)];
    low[at(u)] = std::min(low[at(u)], low[at(v)]);
    if (low[at(v)] < found[at(u)]) continue;
    // u parts the block that was opened by v from the rest; the sink is the source's first neighbour, so its block
    // comes first
    bool const wanted = u == s && v == t;
    int top;
    do {
      top = open.back();
      open.pop_back();
      if (wanted && top < s && graph.row(top) > 0 && graph.row(top) < m.ny - 1) result.cells[at(top)] = 1;
    } while (top != v);
  }
  return result;
}

/// Whether black cells join the first row to the last.
inline bool reference_spans(Mask const& m) {
  auto const label = reference_labels(m, 1, 4);
  return label[0] == label[label.size() - 1];
}

/// Interior cells without which the grid no longer spans; none if it does not.
inline Mask reference_red(Mask const& m) {
  Mask red(m.nx, m.ny);
  if (!reference_spans(m)) return red;
  Mask cut = m;
  for (int j = 1; j < m.ny - 1; ++j)
    for (int i = 1; i < m.nx - 1; ++i) {
      if (!m.black(i, j)) continue;
      cut.at(i, j) = 0;
      red.at(i, j) = !reference_spans(cut);
      cut.at(i, j) = 1;
    }
  return red;
}

/// Cells of the clusters that join bar to bar whose removal cuts other cells off the bars.
inline Mask reference_articulation(Mask const& m, Mask const& spanning) {
  Mask result(m.nx, m.ny);
  auto const reached = [](Mask const& grid) {
    auto const label = reference_labels(grid, 1, 4);
    std::int64_t const low = label[0], high = label[label.size() - 1];
    return std::count_if(label.begin(), label.end(), [&](std::int64_t x) { return x == low || x == high; });
  };
  auto const all = reached(m);
  Mask cut = m;
  for (int j = 1; j < m.ny - 1; ++j)
    for (int i = 1; i < m.nx - 1; ++i) {
      if (!spanning.black(i, j)) continue;
      cut.at(i, j) = 0;
      result.at(i, j) = reached(cut) < all - 1;
      cut.at(i, j) = 1;
    }
  return result;
}

}  // namespace tessera::tests
