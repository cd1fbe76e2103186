// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"

#include <algorithm>
#include <optional>

namespace tessera::run::automaton {

/// The cells that previews of a plane without end show: the box of what lives and some cells round it. It stays as it is until something
/// leaves it, or all would do in half of it, so that one picture can be compared with the next.
class PreviewBox {
 public:
  core::Box const& of(std::optional<core::Box> const& living) {
    if (!living && !box_.empty()) return box_;
    core::Box next = living.value_or(core::Box{{0, 0, 0}, {1, 1, 1}});
    bool const within = core::intersect(next, box_) == next;
    core::Count const margin = least_margin + longest(next) / 4;
    next = {{next.lo.i - margin, next.lo.j - margin, 0}, {next.hi.i + margin, next.hi.j + margin, 1}};
    if (!within || longest(box_) > 2 * longest(next)) box_ = next;
    return box_;
  }
  core::Box const& last() const { return box_; }

 private:
  static constexpr core::Count least_margin = 8;
  static core::Count longest(core::Box const& box) { return std::max(box.shape().i, box.shape().j); }

  core::Box box_{{0, 0, 0}, {0, 0, 0}};
};

}  // namespace tessera::run::automaton
