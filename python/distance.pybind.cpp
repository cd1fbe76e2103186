// SPDX-License-Identifier: Apache-2.0
// Distances to the nearest empty cell: an array in, an array out.
#include "ca/pores/distance_map.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/tile_shape.hpp"
#include "io/reader.hpp"
#include "io/readers/held.hpp"
#include "python/bridge.pybind.hpp"

#include <memory>
#include <pybind11/stl.h>

namespace tessera::python {
namespace {

py::array distance(py::array const& mask, std::array<double, 3> lengths, std::array<bool, 3> periodic) {
  Turn const turn;
  auto const cells = cells_of(mask);
  io::HeldFile const held("<distance>/mask", {mask.data(), type_of(mask), cells});
  py::array result = array_for(core::Element::float64, {cells[0], cells[1], cells[2]});
  auto* const to = static_cast<std::byte*>(result.mutable_data());
  auto const given = [&] {
    Arguments all("distance");
    all.add(mask);
    for (std::size_t a = 0; a < 3; ++a) all.add(lengths[a]).add(periodic[a]);
    return all;
  };
  call(given, [&](core::Comm const& comm) {
    std::array<core::Axis, 3> axes;
    for (std::size_t a = 0; a < 3; ++a)
      axes[a] = core::Axis::make_uniform(cells[a], 0, lengths[a] * static_cast<double>(cells[a]), periodic[a]);
    auto const tile = core::choose_tile(core::TileUse::clusters, cells, core::workers(comm));
    auto const grid = std::make_shared<core::Grid const>(std::move(axes), tile);
    core::Layout const layout(grid, core::block_owners(grid->tiles(), comm.size()), comm);
    core::Field<std::uint8_t> field("mask", layout, 0);
    io::distribute(io::open_rows(comm, "<distance>/mask").get(), field);
    collect(ca::distance_map(field), grid->box(), to);
  });
  return result;
}

}  // namespace

void add_distance(py::module_& module) { module.def("distance", &distance); }

}  // namespace tessera::python
