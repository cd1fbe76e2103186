// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/initial.hpp"

#include "core/error.hpp"
#include "core/grid/sweep.hpp"

#include <fmt/format.h>

namespace tessera::ca {
namespace detail {

struct DrawCell {
  core::FieldView<std::uint8_t> field;
  core::TileInfo const* info;
  core::Box region;
  core::Count nx, ny;
  double p;
  core::Random random;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    if (!region.contains(x)) return;
    auto const number = static_cast<std::uint64_t>((x.k * ny + x.j) * nx + x.i);
    field(slot, k, j, i) = random.uniform(number) < p ? 1 : 0;
  }
};

}  // namespace detail

void fill_random(core::Field<std::uint8_t>& field, double p, core::Random random) {
  fill_random(field, p, random, field.layout().grid().box());
}

void fill_random(core::Field<std::uint8_t>& field, double p, core::Random random, core::Box const& region) {
  if (!(p >= 0 && p <= 1)) throw core::Error(fmt::format("probability {}, expected 0 .. 1", p));
  core::Tiles const& tiles = field.layout().all();
  auto const cells = field.layout().grid().cells();
  core::for_each("random states", tiles,
                 detail::DrawCell{field.view(), tiles.info.data(), region, cells[0], cells[1], p, random});
}

}  // namespace tessera::ca
