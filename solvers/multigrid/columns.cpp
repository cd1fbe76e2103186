// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/columns.hpp"

#include <cstdlib>

namespace tessera::solvers::multigrid {

Columns::Columns(Slab const& fine, Slab const& coarse, Lines const& lines) {
  int const block = fine.is_on_device() ? on_device : on_host;
  for (int offset = -1; offset <= 1; ++offset) {
    std::vector<int> columns;
    std::vector<double> beside, near, far;
    std::vector<unsigned char> every_other, any_near;
    for (core::Count c = 0; c < coarse.held(0); ++c) {
      core::Count const kept = lines.at(c), column = kept + offset, cells = fine.held(0);
      columns.push_back(static_cast<int>(lines.endless() ? (column + cells) % cells : column));
      beside.push_back(offset == 0 || lines.removed(column));
      core::Count const next = c + offset;
      core::Count const apart = offset != 0 && lines.exists(next) ? std::abs(lines.at(next) - kept) : 0;
      near.push_back(apart == 1);
      far.push_back(apart == 2);
      if (c % block == 0) {
        every_other.push_back(true);
        any_near.push_back(false);
      } else if (columns[c] != columns[c - 1] + 2) {
        every_other.back() = false;
      }
      if (apart == 1) any_near.back() = true;
    }
    at_[offset + 1] = {Table<int>(fine, "columns", std::move(columns)),
                       Table<double>(fine, "columns beside", std::move(beside)),
                       Table<double>(fine, "columns near", std::move(near)),
                       Table<double>(fine, "columns far", std::move(far)),
                       Table<unsigned char>(fine, "every other column", std::move(every_other)),
                       Table<unsigned char>(fine, "any column near", std::move(any_near))};
  }
}

}  // namespace tessera::solvers::multigrid
