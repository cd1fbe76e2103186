// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat/cells.hpp"

#include "core/grid/upload.hpp"

namespace tessera::solvers::heat {

Cells::Cells(core::Layout const& layout) : layout_(&layout) {
  std::vector<core::BoxCopy> boxes;
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& t = layout.info(slot);
    add(boxes, slot, {0, 0, 0}, {t.ni, t.nj, t.nk});
  }
  boxes_ = core::upload("boxes", boxes);
}

Cells::Cells(Mask const& mask) : layout_(&mask.layout()) {
  std::vector<core::BoxCopy> boxes;
  auto const in = mask.host();
  core::for_own_rows(*layout_, [&](int slot, int k, int j) {
    std::uint8_t const* const row = in.row(slot, k, j);
    int const ni = layout_->info(slot).ni;
    for (int i = 0; i < ni; ++i) {
      if (row[i] == 0) continue;
      int const begin = i;
      while (i < ni && row[i] != 0) ++i;
      add(boxes, slot, {begin, j, k}, {i - begin, 1, 1});
    }
  });
  boxes_ = core::upload("boxes", boxes);
}

void Cells::add(std::vector<core::BoxCopy>& boxes, int slot, std::array<int, 3> from, std::array<int, 3> n) {
  boxes.push_back({slot, slot, {from[0], from[1], from[2]}, {from[0], from[1], from[2]}, {n[0], n[1], n[2]}, count_});
  count_ += core::Count{n[0]} * n[1] * n[2];
}

}  // namespace tessera::solvers::heat
