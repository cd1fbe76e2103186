// SPDX-License-Identifier: Apache-2.0
#pragma once
// Clusters by breadth-first search over the endless grid of images: slow, and straight from the definitions.
#include "ca/clusters.hpp"
#include "core/random.hpp"
#include "tests/support/automata.hpp"
#include "tests/support/layouts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace tessera::tests {

/// A small grid in raster order; 1 is occupied.
struct Voxels {
  core::Grid::Shape n;
  std::array<bool, 3> periodic;
  std::vector<std::uint8_t> cells;

  Voxels(core::Grid::Shape shape, std::array<bool, 3> round)
      : n(shape),
        periodic(round),
        cells(static_cast<std::size_t>(n[0] * n[1] * n[2])) {}
  std::size_t at(core::Index const& x) const { return static_cast<std::size_t>((x.k * n[1] + x.j) * n[0] + x.i); }
  core::Index index(std::size_t cell) const {
    auto const c = static_cast<core::Count>(cell);
    return {c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
  }
};

inline Voxels random_voxels(core::Grid::Shape n, std::array<bool, 3> periodic, double p, std::uint64_t seed) {
  Voxels v(n, periodic);
  core::Random const random{seed, 0};
  for (std::size_t c = 0; c < v.cells.size(); ++c) v.cells[c] = random.uniform(c) < p;
  return v;
}

struct ReferenceClusters {
  std::vector<std::int64_t> label;
  std::vector<ca::SizeCount> sizes;
  std::array<ca::ClusterCount, 3> spanning, wrapping;
  ca::ClusterCount connecting;
  std::vector<std::uint8_t> spanning_mask[4], connecting_mask;  ///< along x, y, z, any
};

/// Each cell is given the number of periods from its cluster's first cell along the walk that found it; a cell found
/// again at another distance tells that the cluster wraps.
inline ReferenceClusters reference_clusters(Voxels const& v, ca::Lattice const& lattice,
                                            std::vector<std::uint8_t> const& inlet = {},
                                            std::vector<std::uint8_t> const& outlet = {}) {
  using Distance = std::array<core::Count, 3>;
  ReferenceClusters r;
  r.label.assign(v.cells.size(), 0);
  for (auto& mask : r.spanning_mask) mask.assign(v.cells.size(), 0);
  r.connecting_mask.assign(v.cells.size(), 0);
  std::vector<Distance> distance(v.cells.size());
  std::map<std::int64_t, std::int64_t> sizes;
  auto const offsets = lattice.offsets();
  for (std::size_t start = 0; start < v.cells.size(); ++start) {
    if (v.cells[start] != 1 || r.label[start] != 0) continue;
    std::vector<std::size_t> found{start};
    r.label[start] = static_cast<std::int64_t>(start) + 1;
    distance[start] = {};
    std::array<bool, 3> wraps{}, low{}, high{};
    bool in = false, out = false;
    for (std::size_t q = 0; q < found.size(); ++q) {
      std::size_t const cell = found[q];
      core::Index const x = v.index(cell);
      std::array<core::Count, 3> const here{x.i, x.j, x.k};
      in |= !inlet.empty() && inlet[cell] != 0;
      out |= !outlet.empty() && outlet[cell] != 0;
      for (std::size_t a = 0; a < 3; ++a) {
        low[a] |= here[a] == 0;
        high[a] |= here[a] == v.n[a] - 1;
      }
      for (core::Index const& d : offsets) {
        std::array<core::Count, 3> there{x.i + d.i, x.j + d.j, x.k + d.k};
        Distance at = distance[cell];
        bool inside = true;
        for (std::size_t a = 0; a < 3; ++a) {
          while (inside && (there[a] < 0 || there[a] >= v.n[a])) {
            inside &= v.periodic[a] && v.n[a] > 1;
            core::Count const side = there[a] < 0 ? -1 : 1;
            at[a] += side;
            there[a] -= side * v.n[a];
          }
        }
        if (!inside) continue;
        std::size_t const next = v.at({there[0], there[1], there[2]});
        if (v.cells[next] != 1) continue;
        if (r.label[next] == 0) {
          r.label[next] = r.label[start];
          distance[next] = at;
          found.push_back(next);
        } else {
          for (std::size_t a = 0; a < 3; ++a) wraps[a] |= distance[next][a] != at[a];
        }
      }
    }
    auto const size = static_cast<std::int64_t>(found.size());
    ++sizes[size];
    auto const count = [&](ca::ClusterCount& clusters, std::vector<std::uint8_t>& mask) {
      ++clusters.clusters;
      clusters.sites += size;
      for (std::size_t cell : found) mask[cell] = 1;
    };
    ca::ClusterCount any;
    for (std::size_t a = 0; a < (lattice.spatial() ? 3u : 2u); ++a)
      if (v.periodic[a] ? wraps[a] : low[a] && high[a]) {
        count((v.periodic[a] ? r.wrapping : r.spanning)[a], r.spanning_mask[a]);
        count(any, r.spanning_mask[3]);
      }
    if (in && out) count(r.connecting, r.connecting_mask);
  }
  for (auto const& [size, n] : sizes) r.sizes.push_back({size, n});
  return r;
}

inline void fill(core::Field<std::uint8_t>& field, std::vector<std::uint8_t> const& values) {
  for_each_cell(field, [&](core::Index x, std::uint8_t& value) { value = values[field.layout().grid().number(x)]; });
}

inline std::vector<std::int64_t> labels_of(ca::ClusterResult const& result) {
  std::vector<std::int64_t> all;
  core::visit(*result.label, [&](auto& label) {
    auto const values = collect(label);
    all.assign(values.begin(), values.end());
  });
  return all;
}

/// Compares all that a cluster search gives with the reference, on one layout.
inline void check_clusters(Voxels const& v, ca::Lattice const& lattice, core::Layout const& layout,
                           std::string const& what, std::vector<int> const& mask_axes = {-1, 0, 1, 2}) {
  std::vector<std::uint8_t> inlet(v.cells.size()), outlet(v.cells.size());
  for (std::size_t c = 0; c < v.cells.size(); ++c) {
    inlet[c] = c % 17 == 0;
    outlet[c] = c % 23 == 3 ? 2 : 0;
  }
  auto const expected = reference_clusters(v, lattice, inlet, outlet);
  core::Field<std::uint8_t> cells("cells", layout), in("inlet", layout, 0), out("outlet", layout, 0);
  fill(cells, v.cells);
  fill(in, inlet);
  fill(out, outlet);
  ca::ClusterFinder finder(layout);
  ca::ClusterResult got;
  for (int axis : mask_axes) {
    ca::ClusterOptions const options{.lattice = lattice,
                                     .inlet = &in,
                                     .outlet = &out,
                                     .label = true,
                                     .wide_labels = axis == 1,
                                     .spanning = true,
                                     .axis = axis,
                                     .connecting = true};
    finder.run(cells, options, got);
    ASSERT_EQ(labels_of(got), expected.label) << what;
    ASSERT_EQ(got.label->element(), axis == 1 ? core::Element::int64 : core::Element::int32);
    ASSERT_EQ(collect(*got.spanning_mask), expected.spanning_mask[axis < 0 ? 3 : axis]) << what << ", axis " << axis;
    ASSERT_EQ(collect(*got.connecting_mask), expected.connecting_mask) << what;
    ASSERT_EQ(got.sizes, expected.sizes) << what;
    ASSERT_EQ(got.connecting, expected.connecting) << what;
    for (std::size_t a = 0; a < 3; ++a) {
      ASSERT_EQ(got.spanning[a], expected.spanning[a]) << what << ", axis " << a;
      ASSERT_EQ(got.wrapping[a], expected.wrapping[a]) << what << ", axis " << a;
    }
    std::int64_t clusters = 0, sites = 0;
    for (auto const& [size, n] : expected.sizes) {
      clusters += n;
      sites += n * size;
    }
    ASSERT_EQ(got.clusters, clusters) << what;
    ASSERT_EQ(got.sites, sites) << what;
    ASSERT_EQ(got.largest, expected.sizes.empty() ? 0 : expected.sizes.back().size) << what;
  }
}

/// All lattices that a grid of this shape may have.
inline std::vector<ca::Lattice> lattices_for(core::Grid::Shape const& n) {
  std::vector<ca::Lattice> result;
  for (auto const& choice : ca::lattices())
    for (int connectivity : choice.connectivities)
      if (auto const lattice = ca::make_lattice(choice.name, connectivity); lattice.spatial() || n[2] == 1)
        result.push_back(lattice);
  return result;
}

}  // namespace tessera::tests
