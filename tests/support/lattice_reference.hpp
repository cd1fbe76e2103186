// SPDX-License-Identifier: Apache-2.0
#pragma once
// Serial references on any lattice: straight from the definitions, slow, without recursion.
#include "ca/lattices/lattice.hpp"
#include "core/random.hpp"
#include "tests/support/automata.hpp"
#include "tests/support/layouts.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::tests {

/// A small medium of up to three axes in raster order; 1 is occupied.
struct Medium {
  core::Grid::Shape n;
  std::array<bool, 3> periodic{};
  std::vector<std::uint8_t> cells;

  explicit Medium(core::Grid::Shape shape, std::uint8_t value = 0)
      : n(shape),
        cells(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]), value) {}
  int size() const { return static_cast<int>(cells.size()); }
  std::uint8_t& at(core::Count i, core::Count j, core::Count k = 0) { return cells[(k * n[1] + j) * n[0] + i]; }
  std::string text() const {
    std::string s;
    for (core::Count k = 0; k < n[2]; ++k, s += '\n')
      for (core::Count j = n[1] - 1; j >= 0; --j, s += '\n')
        for (core::Count i = 0; i < n[0]; ++i) s += const_cast<Medium*>(this)->at(i, j, k) != 0 ? '#' : '.';
    return s;
  }
};

inline Medium random_medium(core::Grid::Shape n, double p, std::uint64_t seed) {
  Medium m(n);
  core::Random const random{seed, 3};
  for (std::size_t c = 0; c < m.cells.size(); ++c) m.cells[c] = random.uniform(c) < p;
  return m;
}

/// 1 on a side of the medium.
inline Medium side_of(Medium const& m, core::Side side) {
  Medium s(m.n);
  auto const axis = static_cast<std::size_t>(side) / 2;
  core::Count const wanted = static_cast<int>(side) % 2 == 1 ? m.n[axis] - 1 : 0;
  for (core::Count k = 0; k < m.n[2]; ++k)
    for (core::Count j = 0; j < m.n[1]; ++j)
      for (core::Count i = 0; i < m.n[0]; ++i) s.at(i, j, k) = std::array{i, j, k}[axis] == wanted;
  return s;
}

/// Neighbours of every cell by the lattice's definition: distances on each axis.
inline std::vector<std::vector<int>> neighbours_of(Medium const& m, std::string const& lattice, int connectivity) {
  auto const joined = [&](int di, int dj, int dk) {
    int const away = std::abs(di) + std::abs(dj) + std::abs(dk);
    if (away == 0) return false;
    if (lattice == "bcc") return away == 1 || (di == dj && dj == dk);
    if (lattice == "fcc") return away == 1 || (away == 2 && di + dj + dk == 0);
    if (lattice == "honeycomb" || lattice == "kagome") return dk == 0 && (away == 1 || di == dj);
    if (lattice != "cubic" && dk != 0) return false;
    switch (connectivity) {
    case 4:
      return away == 1;
    case 8:
      return true;
    case 6:
      return away == 1 || (lattice == "triangular" && di == dj);
    case 18:
      return away <= 2;
    default:
      return true;
    }
  };
  std::vector<std::vector<int>> result(m.cells.size());
  std::array<int, 3> const n{static_cast<int>(m.n[0]), static_cast<int>(m.n[1]), static_cast<int>(m.n[2])};
  for (int c = 0; c < m.size(); ++c)
    for (int dk = -1; dk <= 1; ++dk)
      for (int dj = -1; dj <= 1; ++dj)
        for (int di = -1; di <= 1; ++di) {
          std::array<int, 3> x{c % n[0] + di, c / n[0] % n[1] + dj, c / n[0] / n[1] + dk};
          bool inside = joined(di, dj, dk);
          for (std::size_t a = 0; a < 3; ++a) {
            if (m.periodic[a]) x[a] = (x[a] + n[a]) % n[a];
            inside = inside && x[a] >= 0 && x[a] < n[a];
          }
          int const other = inside ? (x[2] * n[1] + x[1]) * n[0] + x[0] : c;
          if (other != c) result[c].push_back(other);
        }
  return result;
}

/// Neighbours of every cell at these steps, which come with the opposite ones; twice where two steps lead to one.
inline std::vector<std::vector<int>> neighbours_of(Medium const& m, std::vector<core::Index> const& steps) {
  std::vector<std::vector<int>> result(m.cells.size());
  for (int c = 0; c < m.size(); ++c)
    for (core::Index const& d : steps) {
      std::array<core::Count, 3> x{c % m.n[0] + d.i, c / m.n[0] % m.n[1] + d.j, c / m.n[0] / m.n[1] + d.k};
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a) {
        if (m.periodic[a]) x[a] = ((x[a] % m.n[a]) + m.n[a]) % m.n[a];
        inside = inside && x[a] >= 0 && x[a] < m.n[a];
      }
      int const other = inside ? static_cast<int>((x[2] * m.n[1] + x[1]) * m.n[0] + x[0]) : c;
      if (other != c) result[static_cast<std::size_t>(c)].push_back(other);
    }
  return result;
}

/// Breadth-first distances from occupied source cells, -1 where none leads.
inline std::vector<std::int32_t> reference_distances(Medium const& m, Medium const& source,
                                                     std::vector<std::vector<int>> const& neighbours) {
  std::vector<std::int32_t> distance(m.cells.size(), -1);
  std::vector<int> queue;
  for (std::size_t c = 0; c < m.cells.size(); ++c)
    if (m.cells[c] == 1 && source.cells[c] != 0) {
      distance[c] = 0;
      queue.push_back(static_cast<int>(c));
    }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    auto const c = static_cast<std::size_t>(queue[head]);
    for (int other : neighbours[c]) {
      auto const o = static_cast<std::size_t>(other);
      if (m.cells[o] != 1 || distance[o] >= 0) continue;
      distance[o] = distance[c] + 1;
      queue.push_back(other);
    }
  }
  return distance;
}

inline std::unique_ptr<core::Field<std::uint8_t>> field_of(Medium const& m, core::Layout const& layout) {
  auto field = std::make_unique<core::Field<std::uint8_t>>("medium", layout, 0);
  for_each_cell(*field, [&](core::Index x, std::uint8_t& value) { value = const_cast<Medium&>(m).at(x.i, x.j, x.k); });
  return field;
}

/// All lattices with a small grid each, and tiles that cut it badly.
struct LatticeSample {
  std::string name;
  int connectivity;
  core::Grid::Shape cells;
  std::vector<core::Grid::Shape> tiles;
  double threshold;  ///< about
};
inline std::vector<LatticeSample> lattice_samples() {
  std::vector<core::Grid::Shape> const flat{{0, 0, 1}, {5, 3, 1}, {1, 1, 1}, {30, 1, 1}};
  std::vector<core::Grid::Shape> const solid{{0, 0, 0}, {3, 4, 2}, {1, 1, 1}, {10, 10, 1}};
  return {{"square", 4, {17, 15, 1}, flat, 0.593},   {"square", 8, {17, 15, 1}, flat, 0.407},
          {"triangular", 6, {17, 15, 1}, flat, 0.5}, {"cubic", 6, {7, 8, 6}, solid, 0.312},
          {"cubic", 18, {7, 8, 6}, solid, 0.137},    {"cubic", 26, {7, 8, 6}, solid, 0.0977}};
}

/// Neighbours as a user may list them, with a small grid each.
struct ListedSample {
  std::string name;
  std::vector<core::Index> steps;
  core::Grid::Shape cells;
  double threshold;  ///< about
};
inline std::vector<ListedSample> listed_samples() {
  auto const within = [](core::Count far, core::Count layers) {
    std::vector<core::Index> steps;
    for (core::Count k = -layers; k <= layers; ++k)
      for (core::Count j = -far; j <= far; ++j)
        for (core::Count i = -far; i <= far; ++i)
          if (i != 0 || j != 0 || k != 0) steps.push_back({i, j, k});
    return steps;
  };
  core::Grid::Shape const flat{17, 15, 1}, solid{7, 8, 6};
  return {{"nearest", {{1, 0, 0}, {0, 1, 0}}, flat, 0.59},
          {"to the third nearest", {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, -1, 0}, {2, 0, 0}, {0, 2, 0}}, flat, 0.29},
          {"third nearest alone", {{2, 0, 0}, {0, 2, 0}}, flat, 0.59},
          {"knights", {{1, 2, 0}, {2, 1, 0}, {-1, 2, 0}, {-2, 1, 0}}, flat, 0.4},
          {"askew", {{1, 0, 0}, {3, 1, 0}, {-2, 3, 0}}, flat, 0.5},
          {"along a row", {{3, 0, 0}, {2, 0, 0}, {0, 1, 0}}, flat, 0.45},
          {"along a column", {{0, 1, 0}, {0, -3, 0}, {1, 0, 0}}, flat, 0.45},
          {"within two", within(2, 0), flat, 0.2},
          {"within three", within(3, 0), flat, 0.11},
          {"fourth nearest in space", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, solid, 0.2},
          {"corners and beyond",
           [&] {
             auto steps = within(1, 1);
             steps.insert(steps.end(), {{2, 0, 0}, {0, 2, 0}, {0, 0, -2}});
             return steps;
           }(),
           solid, 0.09},
          {"askew in space", {{0, 0, 1}, {1, 0, -2}, {2, 3, 1}, {0, 1, 0}}, solid, 0.3}};
}

}  // namespace tessera::tests
