// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/line_table.hpp"

#include <limits>

namespace tessera::solvers::multigrid {

LineTable::LineTable(Slab const& fine, Slab const& coarse, int axis, Lines const& lines)
    : around_(axis != fine.outer() && lines.endless() ? fine.held(axis) : 0),
      coarsened_(lines.coarsened()),
      beside_itself_(lines.beside_itself()) {
  core::Count const before_fine = axis == fine.outer() ? fine.first() : 0,
                    before_coarse = axis == coarse.outer() ? coarse.first() : 0;
  constexpr int any = std::numeric_limits<int>::max() / 2;
  first_ = lines.endless() ? -any : static_cast<int>(-before_coarse);
  end_ = lines.endless() ? any : static_cast<int>(lines.coarse() - before_coarse);
  std::vector<int> at, below;
  std::vector<unsigned char> removed;
  for (core::Count c = before_coarse - 1; c <= before_coarse + coarse.held(axis); ++c)
    at.push_back(lines.exists(c) ? static_cast<int>(lines.at(c) - before_fine) : 0);
  for (int n = -beyond; n < fine.held(axis) + beyond; ++n) {
    core::Count const line = before_fine + n;
    bool const there = lines.endless() || (line >= 0 && line <= lines.fine());
    below.push_back(there ? static_cast<int>(lines.below(line) - before_coarse) : 0);
    removed.push_back(lines.removed(line));
  }
  at_ = Table<int>(fine, "kept lines", std::move(at));
  below_ = Table<int>(fine, "kept lines below", std::move(below));
  removed_ = Table<unsigned char>(fine, "removed lines", std::move(removed));
}

}  // namespace tessera::solvers::multigrid
