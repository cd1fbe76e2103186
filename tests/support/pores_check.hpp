// SPDX-License-Identifier: Apache-2.0
// Pores, paths and shapes of clusters on small grids, one cell after the other.
#pragma once
#include "ca/clusters.hpp"
#include "ca/pores/balls.hpp"
#include "ca/pores/cluster_table.hpp"
#include "ca/pores/paths.hpp"
#include "ca/pores/pores.hpp"
#include "core/random.hpp"
#include "tests/support/layouts.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace tessera::tests {

using Numbers = std::vector<std::int64_t>;

/// A grid in raster order, with what lies where.
class SmallPores {
 public:
  SmallPores(core::Grid const& grid, ca::Lattice const& lattice, double porosity, std::uint64_t seed)
      : grid_(grid),
        lattice_(lattice),
        n_(static_cast<std::size_t>(grid.total())),
        open_(n_) {
    // blobs: the mean over the cells round a cell, so that balls of several sizes fit
    core::Random const random{seed, 0};
    std::vector<double> noise(n_), smooth(n_);
    for (std::size_t c = 0; c < n_; ++c) noise[c] = random.uniform(c);
    for (std::size_t c = 0; c < n_; ++c) {
      double sum = noise[c], count = 1;
      for (auto const& d : ca::make_lattice("cubic", 26).offsets())
        if (auto const to = beside(c, d); to < n_) sum += noise[to], ++count;
      smooth[c] = sum / count;
    }
    auto sorted = smooth;
    std::sort(sorted.begin(), sorted.end());
    double const limit = sorted[std::min(n_ - 1, static_cast<std::size_t>(porosity * static_cast<double>(n_)))];
    for (std::size_t c = 0; c < n_; ++c) open_[c] = smooth[c] < limit;
  }

  std::vector<std::uint8_t> const& open() const { return open_; }
  core::Index at(std::size_t c) const {
    auto const s = grid_.cells();
    auto const x = static_cast<core::Count>(c);
    return {x % s[0], x / s[0] % s[1], x / (s[0] * s[1])};
  }
  std::int64_t square_between(std::size_t a, std::size_t b) const {
    core::Index const p = at(a), q = at(b);
    core::Count const d[3] = {p.i - q.i, p.j - q.j, p.k - q.k};
    std::int64_t sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
      core::Count x = std::abs(d[axis]);
      if (grid_.periodic(axis)) x = std::min(x, grid_.cells()[static_cast<std::size_t>(axis)] - x);
      sum += x * x;
    }
    return sum;
  }
  std::size_t beside(std::size_t c, core::Index const& d) const {
    core::Index const x = at(c);
    core::Count to[3] = {x.i + d.i, x.j + d.j, x.k + d.k};
    core::Count const step[3] = {d.i, d.j, d.k};
    auto const s = grid_.cells();
    for (int a = 0; a < 3; ++a) {
      auto const q = static_cast<std::size_t>(a);
      if (grid_.thin(a) && step[a] != 0) return n_;
      if (to[a] >= 0 && to[a] < s[q]) continue;
      if (!grid_.periodic(a)) return n_;
      to[a] = (to[a] + s[q]) % s[q];
    }
    return static_cast<std::size_t>((to[2] * s[1] + to[1]) * s[0] + to[0]);
  }
  std::vector<core::Index> offsets() const { return lattice_.offsets(); }

  /// Squares of the radii of balls that touch no solid.
  Numbers inscribed() const {
    Numbers squares(n_, 0);
    for (std::size_t c = 0; c < n_; ++c) {
      if (open_[c] == 0) continue;
      squares[c] = ca::no_wall;
      for (std::size_t q = 0; q < n_; ++q)
        if (open_[q] == 0) squares[c] = std::min(squares[c], square_between(c, q));
    }
    return squares;
  }
  /// The largest ball over each cell.
  Numbers covered(Numbers const& balls) const {
    Numbers result(n_, 0);
    for (std::size_t c = 0; c < n_; ++c)
      for (std::size_t q = 0; q < n_; ++q)
        if (square_between(c, q) < balls[q]) result[c] = std::max(result[c], balls[q]);
    return result;
  }
  /// Cells joined to `from` through cells where `in` holds.
  std::vector<std::uint8_t> joined(std::vector<std::uint8_t> const& from,
                                   std::function<bool(std::size_t)> const& in) const {
    std::vector<std::uint8_t> result(n_, 0);
    std::vector<std::size_t> work;
    for (std::size_t c = 0; c < n_; ++c)
      if (from[c] != 0 && in(c)) result[c] = 1, work.push_back(c);
    while (!work.empty()) {
      std::size_t const c = work.back();
      work.pop_back();
      for (auto const& d : offsets())
        if (auto const to = beside(c, d); to < n_ && in(to) && result[to] == 0) result[to] = 1, work.push_back(to);
    }
    return result;
  }
  /// Pressed in size by size, as the definition says; -1 on cells that are trapped.
  Numbers drained(std::vector<std::uint8_t> const& inlet, std::vector<std::uint8_t> const& outlet,
                  bool trapping) const {
    auto const balls = inscribed();
    std::set<std::int64_t, std::greater<>> const sizes(balls.begin(), balls.end());
    Numbers result(n_, 0);
    auto const trap = [&] {
      if (!trapping) return;
      auto const free = joined(outlet, [&](std::size_t c) { return open_[c] != 0 && result[c] == 0; });
      for (std::size_t c = 0; c < n_; ++c)
        if (open_[c] != 0 && result[c] == 0 && free[c] == 0) result[c] = -1;
    };
    trap();
    for (std::int64_t const size : sizes) {
      if (size == 0) break;
      auto const centres = joined(inlet, [&](std::size_t c) { return balls[c] >= size; });
      for (std::size_t c = 0; c < n_; ++c)
        for (std::size_t q = 0; q < n_ && result[c] == 0; ++q)
          if (centres[q] != 0 && square_between(c, q) < size) result[c] = size;
      trap();
    }
    return result;
  }
  /// Lengths of paths in cells' widths, by going round until nothing changes.
  std::vector<double> lengths(std::vector<std::uint8_t> const& source, std::array<double, 3> const& width) const {
    std::vector<double> result(n_, std::numeric_limits<double>::infinity());
    for (std::size_t c = 0; c < n_; ++c)
      if (source[c] != 0 && open_[c] != 0) result[c] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t c = 0; c < n_; ++c)
        for (auto const& d : offsets()) {
          auto const to = beside(c, d);
          if (to >= n_ || open_[c] == 0 || open_[to] == 0) continue;
          double const x = static_cast<double>(d.i) * width[0], y = static_cast<double>(d.j) * width[1],
                       z = static_cast<double>(d.k) * width[2];
          double const value = result[c] + std::sqrt(x * x + y * y + z * z);
          if (value < result[to]) result[to] = value, changed = true;
        }
    }
    return result;
  }

 private:
  core::Grid const& grid_;
  ca::Lattice lattice_;
  std::size_t n_;
  std::vector<std::uint8_t> open_;
};

inline core::Field<std::uint8_t> mask_of(core::Layout const& layout, std::vector<std::uint8_t> const& values) {
  core::Field<std::uint8_t> mask("mask", layout, 0);
  for_each_cell(mask,
                [&](core::Index x, std::uint8_t& v) { v = values[static_cast<std::size_t>(layout.grid().number(x))]; });
  return mask;
}

/// 1 on the first and on the last layer along the longest axis.
inline std::array<std::vector<std::uint8_t>, 2> two_sides(core::Grid const& grid) {
  std::array<std::vector<std::uint8_t>, 2> sides;
  auto const n = grid.cells();
  auto const axis = std::max_element(n.begin(), n.end()) - n.begin();
  for (core::Count c = 0; c < grid.total(); ++c) {
    core::Count const at[3] = {c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
    sides[0].push_back(at[axis] == 0);
    sides[1].push_back(at[axis] == n[static_cast<std::size_t>(axis)] - 1);
  }
  return sides;
}

/// Thickness, drainage with and without trapping, and lengths of paths of a medium, against the slow way.
inline void check_pores(core::Layout const& layout, ca::Lattice const& lattice, double porosity, std::uint64_t seed) {
  core::Grid const& grid = layout.grid();
  SmallPores const small(grid, lattice, porosity, seed);
  auto const mask = mask_of(layout, small.open());
  auto const number = [&](core::Index const& x) { return static_cast<std::size_t>(grid.number(x)); };

  auto const thick = small.covered(small.inscribed());
  auto found = ca::local_thickness({mask, grid.box()});
  for_each_cell(found.squares, [&](core::Index x, std::int32_t v) { EXPECT_EQ(v, thick[number(x)]); });
  for (auto const& [size, count] : found.counts) EXPECT_EQ(std::count(thick.begin(), thick.end(), size), count);

  auto const [in, out] = two_sides(grid);
  auto const inlet = mask_of(layout, in), outlet = mask_of(layout, out);
  for (bool trapping : {false, true}) {
    auto const drained = small.drained(in, out, trapping);
    auto drainage = ca::drainage({mask, grid.box()}, {lattice, inlet, outlet, trapping});
    for_each_cell(drainage.invaded.squares, [&](core::Index x, std::int32_t v) {
      EXPECT_EQ(v, std::max<std::int64_t>(0, drained[number(x)])) << x.i << ' ' << x.j << ' ' << x.k;
    });
    EXPECT_EQ(drainage.trapped, std::count(drained.begin(), drained.end(), -1));
    auto const balls = small.inscribed();
    std::int64_t through = 0;
    for (std::int64_t const size : std::set<std::int64_t>(balls.begin(), balls.end())) {
      if (size == 0) continue;
      auto const joined = small.joined(in, [&](std::size_t c) { return balls[c] >= size; });
      for (std::size_t c = 0; c < joined.size(); ++c)
        if (joined[c] != 0 && out[c] != 0) through = size;
    }
    EXPECT_EQ(drainage.breakthrough, through);
  }

  std::array<double, 3> width;
  for (int a = 0; a < 3; ++a) width[static_cast<std::size_t>(a)] = grid.axis(a).width(0);
  auto const lengths = small.lengths(in, width);
  auto length = ca::path_lengths(mask, inlet, lattice);
  for_each_cell(length, [&](core::Index x, double v) {
    if (std::isinf(lengths[number(x)]))
      EXPECT_TRUE(std::isinf(v));
    else
      EXPECT_NEAR(v, lengths[number(x)], 1e-12 * (1 + v));
  });
}

/// The table of the clusters of a medium, against sums over all cells of each label.
inline void check_cluster_table(core::Layout const& layout, ca::Lattice const& lattice, double porosity,
                                std::uint64_t seed, std::int64_t least) {
  core::Grid const& grid = layout.grid();
  SmallPores const small(grid, lattice, porosity, seed);
  auto const mask = mask_of(layout, small.open());
  auto const clusters = ca::find_clusters(mask, {.lattice = lattice, .label = true});
  auto const table = ca::cluster_table(*clusters.label, least);
  if (!layout.comm().root()) {
    EXPECT_TRUE(table.empty());
    return;
  }
  std::int64_t listed = 0;
  for (auto const& [size, count] : clusters.sizes) listed += size >= least ? count : 0;
  ASSERT_EQ(static_cast<std::int64_t>(table.size()), listed);
  for (std::size_t n = 0; n < table.size(); ++n) {
    auto const& row = table[n];
    if (n > 0) {
      auto const& before = table[n - 1];
      EXPECT_TRUE(before.cells > row.cells || (before.cells == row.cells && before.label < row.label));
    }
    // the cells joined to the first one that do not cross a periodic side lie as the grid has them
    std::vector<std::uint8_t> first(small.open().size(), 0);
    first[static_cast<std::size_t>(row.label - 1)] = 1;
    auto const cells = small.joined(first, [&](std::size_t c) { return small.open()[c] != 0; });
    std::array<double, 3> sum{};
    core::Box box{{1 << 30, 1 << 30, 1 << 30}, {0, 0, 0}};
    double count = 0;
    auto const place = [&](std::size_t c) {
      core::Index const x = small.at(c);
      return std::array{grid.axis(0).centre(x.i), grid.axis(1).centre(x.j), grid.axis(2).centre(x.k)};
    };
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c] == 0) continue;
      core::Index const x = small.at(c);
      box.lo = {std::min(box.lo.i, x.i), std::min(box.lo.j, x.j), std::min(box.lo.k, x.k)};
      box.hi = {std::max(box.hi.i, x.i + 1), std::max(box.hi.j, x.j + 1), std::max(box.hi.k, x.k + 1)};
      for (std::size_t a = 0; a < 3; ++a) sum[a] += place(c)[a];
      ++count;
    }
    double square = 0;
    for (std::size_t c = 0; c < cells.size(); ++c)
      for (std::size_t a = 0; a < 3 && cells[c] != 0; ++a) square += std::pow(place(c)[a] - sum[a] / count, 2) / count;
    EXPECT_EQ(static_cast<double>(row.cells), count);
    EXPECT_EQ(row.box, box);
    for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(row.centre[a], sum[a] / count, 1e-9);
    EXPECT_NEAR(row.gyration, std::sqrt(square), 1e-9 * (1 + row.gyration));
  }
}

}  // namespace tessera::tests
