// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/lines.hpp"

namespace tessera::solvers::multigrid {

Lines::Lines(std::vector<double> const& widths, bool periodic, double thin, std::vector<bool> const& keep)
    : periodic_(periodic) {
  std::size_t const n = widths.size();
  for (std::size_t line = 0; line < n; ++line) {
    bool const wanted = !keep.empty() && keep[line];
    bool remove = n > 1 && !wanted && widths[line] < thin && (line == 0 || !removed_.back());
    if (periodic && line + 1 == n && line > 0 && removed_.front()) remove = false;
    below_.push_back(coarse());
    removed_.push_back(remove);
    if (remove) continue;
    regular_ = regular_ && line == 2 * kept_.size() + 1;
    kept_.push_back(static_cast<core::Count>(line));
  }
  below_.push_back(coarse());
  regular_ = regular_ && coarsened();

  coarse_widths_.assign(kept_.size(), 0.0);
  auto const give = [&](core::Count kept, double width) { coarse_widths_[wrapped(kept, coarse())] += width; };
  for (std::size_t line = 0; line < n; ++line) {
    core::Count const after = below_[line], before = after - 1;
    if (!removed_[line])
      give(after, widths[line]);
    else if (!exists(before))
      give(after, widths[line]);
    else if (!exists(after))
      give(before, widths[line]);
    else {
      give(before, 0.5 * widths[line]);
      give(after, 0.5 * widths[line]);
    }
  }
}

}  // namespace tessera::solvers::multigrid
