// SPDX-License-Identifier: Apache-2.0
#include "run/input/within.hpp"

#include "core/grid/rows.hpp"
#include "core/grid/sweep.hpp"

namespace tessera::run {
namespace detail {

struct Keep {
  core::FieldView<std::uint8_t const> within;
  core::FieldView<std::uint8_t> mask;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    if (within(s, k, j, i) == 0) mask(s, k, j, i) = 0;
  }
};

struct Occupied {
  core::FieldView<std::uint8_t const> mask;
  KOKKOS_FUNCTION std::int64_t operator()(int s, int k, int j, int i) const { return mask(s, k, j, i) != 0; }
};

struct OccupiedInBox {
  core::FieldView<std::uint8_t const> mask;
  core::TileInfo const* info;
  core::Box box;
  KOKKOS_FUNCTION std::int64_t operator()(int s, int k, int j, int i) const {
    return mask(s, k, j, i) != 0 && box.contains(info[s].global(k, j, i));
  }
};

}  // namespace detail

void keep_within(core::Field<std::uint8_t>& mask, core::Field<std::uint8_t> const& within) {
  core::for_each("within", mask.layout().all(), detail::Keep{within.view(), mask.view()});
}

std::int64_t occupied_in(core::Field<std::uint8_t> const& mask, core::Box const& box) {
  core::Box const all = mask.layout().grid().box();
  if (core::intersect(box, all) == all)
    return core::count("occupied", mask, [](core::FieldView<std::uint8_t const> const& view, core::TileInfo const*) {
      return detail::Occupied{view};
    });
  return core::count("occupied in a box", mask,
                     [&](core::FieldView<std::uint8_t const> const& view, core::TileInfo const* info) {
                       return detail::OccupiedInBox{view, info, box};
                     });
}

}  // namespace tessera::run
