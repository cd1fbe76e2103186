// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/shapes.hpp"

#include <memory>
#include <vector>

namespace tessera::io::foam {

/// A region made of shapes as a set of cells is made of sources: added, taken away, cut with, turned inside out.
class Solid final : public CellShape {
 public:
  using Part = std::shared_ptr<CellShape const>;
  enum class Step { add, subtract, subset, invert };
  /// Carries out a step after those before it; `part` is none of an inversion.
  void take(Step step, Part part = nullptr);

  bool contains(Point const& centre) const override;
  /// All space once it was turned inside out; of nothing the upper corner lies below the lower one.
  std::array<Point, 2> bounds() const override;
  bool near_surface(Point const& c, Point const& reach) const override;
  void crossings(Point const& p, Point const& v, std::vector<double>& t) const override;
  void extremes(std::size_t axis, std::vector<double>& x) const override;
  bool prismatic(std::size_t axis) const override;

 private:
  std::vector<std::pair<Step, Part>> steps_;
};

/// All that is in any of some regions; none where one of them is none.
Solid::Part united(std::vector<Solid::Part> const& parts);

}  // namespace tessera::io::foam
