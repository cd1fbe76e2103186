// SPDX-License-Identifier: Apache-2.0
#include "ca/distances.hpp"

#include "ca/lattices/wave.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"

namespace tessera::ca {
namespace detail {

struct SideCell {
  core::FieldView<std::uint8_t> mask;
  core::TileInfo const* info;
  int axis;
  core::Count at;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    mask(slot, k, j, i) = along(x, axis) == at;
  }
};

}  // namespace detail

Distances distances(core::Field<std::uint8_t> const& occupied, core::Field<std::uint8_t> const& source,
                    Lattice const& lattice) {
  core::Timed const timed(core::Part::compute);
  graph::Wave wave(&occupied, source, nullptr, lattice);
  wave.run();
  return wave.take();
}

ShortestPath shortest_path(core::Field<std::uint8_t> const& occupied, core::Field<std::uint8_t> const& inlet,
                           core::Field<std::uint8_t> const& outlet, Lattice const& lattice,
                           core::Field<std::uint8_t> const* full) {
  core::Timed const timed(core::Part::compute);
  ShortestPath result;
  result.sites = graph::Wave(&occupied, inlet, &outlet, lattice).run() + 1;
  if (result.sites == 0) return result;
  result.straight_sites = graph::Wave(full, inlet, &outlet, lattice).run() + 1;
  result.tortuosity = static_cast<double>(result.sites) / static_cast<double>(result.straight_sites);
  return result;
}

std::unique_ptr<core::Field<std::uint8_t>> side_mask(core::Layout const& layout, core::Side side, core::Count depth) {
  auto mask = std::make_unique<core::Field<std::uint8_t>>(
      core::FieldInfo{"side", "cells along a side of the grid", "1", {}}, layout, 0);
  int const axis = static_cast<int>(side) / 2;
  bool const high = static_cast<int>(side) % 2 == 1;
  core::Count const n = layout.grid().cells()[axis];
  core::expect(depth >= 0 && depth < n, "a layer of cells outside the grid");
  core::for_each("side mask", layout.all(),
                 detail::SideCell{mask->view(), layout.all().info.data(), axis, high ? n - 1 - depth : depth});
  return mask;
}

}  // namespace tessera::ca
