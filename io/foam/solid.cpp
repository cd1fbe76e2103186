// SPDX-License-Identifier: Apache-2.0
#include "io/foam/solid.hpp"

#include <algorithm>
#include <limits>

namespace tessera::io::foam {

void Solid::take(Step step, Part part) { steps_.emplace_back(step, std::move(part)); }

bool Solid::contains(Point const& c) const {
  bool inside = false;
  for (auto const& [step, part] : steps_) {
    if (step == Step::invert)
      inside = !inside;
    else if (inside != (step == Step::add))
      inside = part->contains(c) != (step == Step::subtract);
  }
  return inside;
}

std::array<Point, 2> Solid::bounds() const {
  constexpr double far = std::numeric_limits<double>::max();
  std::array<Point, 2> box{Point{far, far, far}, Point{-far, -far, -far}};
  for (auto const& [step, part] : steps_) {
    if (step == Step::invert) return {Point{-far, -far, -far}, Point{far, far, far}};
    if (step != Step::add) continue;
    auto const of = part->bounds();
    for (std::size_t a = 0; a < 3; ++a) {
      box[0][a] = std::min(box[0][a], of[0][a]);
      box[1][a] = std::max(box[1][a], of[1][a]);
    }
  }
  return box;
}

bool Solid::near_surface(Point const& c, Point const& reach) const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [&](auto const& step) { return step.second && step.second->near_surface(c, reach); });
}

void Solid::crossings(Point const& p, Point const& v, std::vector<double>& t) const {
  for (auto const& step : steps_)
    if (step.second) step.second->crossings(p, v, t);
}

void Solid::extremes(std::size_t axis, std::vector<double>& x) const {
  for (auto const& step : steps_)
    if (step.second) step.second->extremes(axis, x);
}

bool Solid::prismatic(std::size_t axis) const {
  return std::all_of(steps_.begin(), steps_.end(),
                     [&](auto const& step) { return !step.second || step.second->prismatic(axis); });
}

Solid::Part united(std::vector<Solid::Part> const& parts) {
  auto solid = std::make_shared<Solid>();
  for (auto const& part : parts) {
    if (!part) return nullptr;
    solid->take(Solid::Step::add, part);
  }
  return solid;
}

}  // namespace tessera::io::foam
