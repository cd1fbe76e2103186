// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/multigrid_lines.hpp"

namespace tessera::solvers::multigrid {

Lines::Lines(Level const& level, int axis)
    : cells_(level.grid().cells()[static_cast<std::size_t>(axis)]),
      tile_(level.grid().tile()[static_cast<std::size_t>(axis)]),
      finest_(level.positions().finest[static_cast<std::size_t>(axis)]),
      periodic_(level.grid().periodic(axis)),
      coarsened_(cells_ > 2),
      positions_(level.positions().lines[static_cast<std::size_t>(axis)]),
      removed_(static_cast<std::size_t>(cells_), false) {
  if (!coarsened_) return;
  for (core::Count first = 0; first < cells_; first += tile_) {
    auto const [parity, split] = pattern(first);
    for (core::Count line = 0; line < lines_in(first); ++line)
      removed_[static_cast<std::size_t>(first + line)] = (line % 2 == parity) == (line < split);
  }
}

core::Count Lines::gap(core::Count line) const {
  auto const position = [&](core::Count n) { return positions_[static_cast<std::size_t>(n)]; };
  if (line > 0) return position(line) - position(line - 1);
  // beside the border of the grid nothing is close
  return periodic_ ? position(0) + finest_ - position(cells_ - 1) : finest_;
}

Lines::Pattern Lines::pattern(core::Count first) const {
  core::Count const n = lines_in(first), next = first + n;
  // of the splits from, from + 2, ... below end, the last where the gap is largest
  auto const widest = [&](core::Count from, core::Count end) {
    core::Count best = from;
    for (core::Count s = from; s < end; s += 2)
      if (gap(first + s) >= gap(first + best)) best = s;
    return best;
  };
  if (next == cells_ - 1 && n > 1) {
    core::Count const odd = n % 2, split = widest(odd, n);
    if (gap(next) < gap(first + split)) return {odd, split};
  }
  return {0, n % 2 == 0 ? n : widest(0, n)};
}

bool Lines::removed(core::Count line) const {
  if (periodic_) line = (line + cells_) % cells_;
  return line >= 0 && line < cells_ && removed_[static_cast<std::size_t>(line)];
}

core::Count Lines::coarse_cells() const {
  if (!coarsened_) return cells_;
  return cells_ / tile_ * ((tile_ + 1) / 2) + (cells_ % tile_ + 1) / 2;
}

std::vector<core::Count> Lines::kept() const {
  std::vector<core::Count> result;
  for (core::Count line = 0; line < cells_; ++line)
    if (!removed(line)) result.push_back(positions_[static_cast<std::size_t>(line)]);
  return result;
}

Lines::Along Lines::along(core::Count first) const {
  Along a;
  a.coarsened = coarsened_;
  a.fine = static_cast<int>(lines_in(first));
  a.removed.push_back(removed(first - 1));
  a.position.push_back(a.removed.back() ? -2 : -1);
  for (int line = 0; line < a.fine; ++line) {
    a.below.push_back(a.coarse);
    a.removed.push_back(removed(first + line));
    if (a.removed.back()) continue;
    a.position.push_back(line);
    ++a.coarse;
  }
  a.removed.push_back(removed(first + a.fine));
  a.position.push_back(a.removed.back() ? a.fine + 1 : a.fine);
  if (coarsened_) {
    auto const [parity, split] = pattern(first);
    a.cut = static_cast<int>((split + parity) / 2);
    a.shift = static_cast<int>(1 - parity);
  }
  return a;
}

}  // namespace tessera::solvers::multigrid
