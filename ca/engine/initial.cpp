// SPDX-License-Identifier: Apache-2.0
#include "ca/engine/initial.hpp"

#include "ca/engine/draws.avx512.hpp"
#include "ca/parts/kernels.hpp"
#include "core/error.hpp"
#include "core/grid/rows.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::ca {
namespace detail {

/// For devices.
struct DrawCell {
  core::FieldView<std::uint8_t> field;
  core::TileInfo const* info;
  core::Box region, numbered;
  double p;
  core::Random random;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    if (!region.contains(x)) return;
    field(slot, k, j, i) = random.uniform(number_in(numbered, x)) < p ? 1 : 0;
  }
};

/// The same for cells in a row.
void draw_row(bits::Draws const& draws, std::uint64_t first, std::span<std::uint8_t> cells) {
  auto const n = static_cast<int>(cells.size());
  for (int i = 0; i < n; i += 64) {
    std::uint64_t const word = draws(first + static_cast<std::uint64_t>(i));
    parts::kernels().unpack_row(&word, std::min(64, n - i), cells.data() + i, true);
  }
}

}  // namespace detail

void fill_random(core::Field<std::uint8_t>& field, double p, core::Random random) {
  fill_random(field, p, random, field.layout().grid().box());
}

void fill_random(core::Field<std::uint8_t>& field, double p, core::Random random, core::Box const& region) {
  fill_random(field, p, random, region, field.layout().grid().box());
}

void fill_random(core::Field<std::uint8_t>& field, double p, core::Random random, core::Box const& region,
                 core::Box const& numbered) {
  if (!(p >= 0 && p <= 1)) throw core::Error(fmt::format("probability {}, expected 0 .. 1", p));
  core::Grid const& grid = field.layout().grid();
  if (!core::on_host && field.store() == nullptr) {
    core::for_each("random states", field, region,
                   [&](core::FieldView<std::uint8_t> const& states, core::TileInfo const* info) {
                     return detail::DrawCell{states, info, region, numbered, p, random};
                   });
    return;
  }
  bool const all_alike = p == 0 || p == 1;
  bits::Draws const draws(random, all_alike ? 0.5 : p);
  core::set_rows("random states", field, intersect(region, grid.box()),
                 [&](core::Index first, std::span<std::uint8_t> cells) {
                   if (all_alike)
                     std::fill(cells.begin(), cells.end(), p == 1);
                   else
                     detail::draw_row(draws, number_in(numbered, first), cells);
                 });
}

}  // namespace tessera::ca
