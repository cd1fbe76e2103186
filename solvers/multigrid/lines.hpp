// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"

#include <vector>

namespace tessera::solvers::multigrid {

/// Which lines of cells across one axis a coarser level keeps. Numbers are those of the whole level: tiles and ranks have
/// no say, so that neither levels nor iterations depend on them.
///
/// Walking along the axis, a line thinner than `thin` is removed unless the one before it was or it is to be kept; so a
/// removed line lies between two kept ones (or at the end of the grid). Equal lines give removed, kept, removed, kept, ...
/// On a periodic axis the last line stays where the first is removed.
/// Of the width of a removed line each kept neighbour gets half (all of it where there is only one).
class Lines {
 public:
  /// `keep` may name lines that are not removed, however thin.
  Lines(std::vector<double> const& widths, bool periodic, double thin, std::vector<bool> const& keep = {});

  bool coarsened() const { return kept_.size() < removed_.size(); }
  core::Count fine() const { return static_cast<core::Count>(removed_.size()); }
  core::Count coarse() const { return static_cast<core::Count>(kept_.size()); }
  std::vector<double> const& coarse_widths() const { return coarse_widths_; }

  /// Whether the line is removed; false outside a grid that is not periodic.
  bool removed(core::Count line) const {
    if (periodic_) line = wrapped(line, fine());
    return line >= 0 && line < fine() && removed_[line];
  }
  /// Whether numbers go on beyond the ends, those of the other end.
  bool endless() const { return periodic_; }
  /// Whether a kept line lies beside itself: the only one of a periodic axis.
  bool beside_itself() const { return periodic_ && coarse() == 1; }
  /// Whether there is such a kept line.
  bool exists(core::Count kept) const { return periodic_ || (kept >= 0 && kept < coarse()); }
  /// Where a kept line lies; it exists.
  core::Count at(core::Count kept) const {
    core::Count const n = wrapped(kept, coarse());
    return kept_[n] + (kept - n) / coarse() * fine();
  }
  /// Number of kept lines before a line; on a periodic axis it goes on beyond the ends.
  core::Count below(core::Count line) const {
    if (!periodic_) return below_[line];
    core::Count const n = wrapped(line, fine());
    return below_[n] + (line - n) / fine() * coarse();
  }
  /// Whether the kept lines are 1, 3, 5, ...
  bool regular() const { return regular_; }

 private:
  static core::Count wrapped(core::Count x, core::Count n) { return (x % n + n) % n; }
  bool periodic_, regular_ = true;
  std::vector<bool> removed_;
  std::vector<core::Count> kept_, below_;
  std::vector<double> coarse_widths_;
};

}  // namespace tessera::solvers::multigrid
