// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat/cells.hpp"

namespace tessera::solvers::heat {

Kokkos::View<core::BoxCopy const*> device_boxes(std::vector<core::BoxCopy> const& boxes) {
  Kokkos::View<core::BoxCopy*> device("boxes", boxes.size());
  auto const host = Kokkos::create_mirror_view(device);
  for (std::size_t n = 0; n < boxes.size(); ++n) host(n) = boxes[n];
  Kokkos::deep_copy(device, host);
  return device;
}

Cells::Cells(core::Layout const& layout) : layout_(&layout) {
  std::vector<core::BoxCopy> boxes;
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& t = layout.info(slot);
    add(boxes, slot, {0, 0, 0}, {t.ni, t.nj, t.nk});
  }
  boxes_ = device_boxes(boxes);
}

Cells::Cells(Mask const& mask) : layout_(&mask.layout()) {
  std::vector<core::BoxCopy> boxes;
  auto const in = mask.host();
  for (int slot = 0; slot < layout_->tiles(); ++slot) {
    auto const& t = layout_->info(slot);
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j) {
        std::uint8_t const* const row = in.row(slot, k, j);
        for (int i = 0; i < t.ni; ++i) {
          if (row[i] == 0) continue;
          int const begin = i;
          while (i < t.ni && row[i] != 0) ++i;
          add(boxes, slot, {begin, j, k}, {i - begin, 1, 1});
        }
      }
  }
  boxes_ = device_boxes(boxes);
}

void Cells::add(std::vector<core::BoxCopy>& boxes, int slot, std::array<int, 3> from, std::array<int, 3> n) {
  boxes.push_back({slot, slot, {from[0], from[1], from[2]}, {from[0], from[1], from[2]}, {n[0], n[1], n[2]}, count_});
  count_ += core::Count{n[0]} * n[1] * n[2];
}

}  // namespace tessera::solvers::heat
