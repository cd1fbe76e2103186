// SPDX-License-Identifier: Apache-2.0
#include "ca/pores/pores.hpp"

#include "ca/pores/balls.hpp"
#include "ca/pores/distance_map.hpp"
#include "ca/pores/paths.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tessera::ca {
namespace {

using Mask = core::Field<std::uint8_t>;
using Squares = core::Field<std::int32_t>;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Whether a cell counts, as pore or as solid.
class Counts {
 public:
  explicit Counts(PoreSpace const& pores) : layout_(pores.mask.layout()), box_(pores.box) {
    if (pores.part != nullptr) part_ = pores.part->host();
  }
  bool operator()(int s, int k, int j, int i) const {
    return box_.contains(layout_.info(s).global(k, j, i)) && (!part_ || (*part_)(s, k, j, i) != 0);
  }
  bool all() const { return !part_ && box_ == layout_.grid().box(); }

 private:
  core::Layout const& layout_;
  core::Box box_;
  std::optional<core::FieldView<std::uint8_t const>> part_;
};

/// The balls about pore cells that touch no solid.
Squares inscribed(PoreSpace const& pores) {
  core::Layout const& layout = pores.mask.layout();
  core::Grid const& grid = layout.grid();
  double const width = grid.axis(0).length() / static_cast<double>(grid.axis(0).cells());
  Mask free("free", layout, 0);
  auto const mask = pores.mask.host();
  Counts const counts(pores);
  core::for_each_on_host("free of solid", layout, [&, to = free.host()](int s, int k, int j, int i) {
    to(s, k, j, i) = mask(s, k, j, i) != 0 || !counts(s, k, j, i);
  });
  auto const distances = distance_map(free);
  auto const d = distances.host();
  double farthest = 0;
  core::for_own_cells(layout, [&](int s, int k, int j, int i) {
    if (!std::isinf(d(s, k, j, i))) farthest = std::max(farthest, d(s, k, j, i));
  });
  farthest = layout.comm().max(farthest);
  if (farthest / width >= 46340.5)
    throw core::RunError("a ball in the pore space has a radius of more than 46340 cells, expected less");
  Squares squares("squares", layout, 0);
  core::for_each_on_host("squares", layout, [&, to = squares.host()](int s, int k, int j, int i) {
    if (mask(s, k, j, i) == 0 || !counts(s, k, j, i)) return;
    double const x = d(s, k, j, i) / width;
    to(s, k, j, i) = std::isinf(x) ? no_wall : static_cast<std::int32_t>(std::lround(x * x));
  });
  return squares;
}

PoreSizes counted(Squares squares) {
  parts::Sizes sizes;
  core::for_own_cells(squares.layout(), [&, values = std::as_const(squares).host()](int s, int k, int j, int i) {
    if (values(s, k, j, i) != 0) sizes.add(values(s, k, j, i));
  });
  auto counts = sizes.counts(squares.layout().comm());
  return {std::move(squares), std::move(counts)};
}

/// On each pore cell the largest of the balls over it: all of them have a wall, or none.
Squares covered(Squares balls, PoreSpace const& pores) {
  core::Layout const& layout = balls.layout();
  auto const view = std::as_const(balls).host();
  bool unbounded = false;
  core::for_own_cells(layout,
                      [&](int s, int k, int j, int i) { unbounded = unbounded || view(s, k, j, i) == no_wall; });
  if (layout.comm().any(unbounded)) return balls;
  Squares result = largest_balls(balls);
  Counts const counts(pores);
  if (counts.all()) return result;
  core::for_each_on_host("of what counts", layout, [&, to = result.host()](int s, int k, int j, int i) {
    if (!counts(s, k, j, i)) to(s, k, j, i) = 0;
  });
  return result;
}

}  // namespace

PoreSizes local_thickness(PoreSpace const& pores) {
  core::Timed const timed(core::Part::compute);
  return counted(covered(inscribed(pores), pores));
}

Drainage drainage(PoreSpace const& pores, DrainageOptions const& options) {
  core::Timed const timed(core::Part::compute);
  core::Layout const& layout = pores.mask.layout();
  // the radius at which a centre is joined to the inlet: the least on a path, the largest of all paths
  Squares balls = inscribed(pores);
  core::Field<double> cost("cost", layout, 0);
  core::for_each_on_host("radii", layout,
                         [from = std::as_const(balls).host(), to = cost.host()](int s, int k, int j, int i) {
                           auto const square = from(s, k, j, i);
                           to(s, k, j, i) = square == 0 ? infinity : -std::sqrt(static_cast<double>(square));
                         });
  std::int64_t breakthrough = 0;
  {
    auto const pass = lowest_passes(cost, options.inlet, options.lattice);
    core::for_own_cells(
        layout, [&, to = balls.host(), from = pass.host(), out = options.outlet.host()](int s, int k, int j, int i) {
          double const r = from(s, k, j, i);
          to(s, k, j, i) = r == infinity ? 0 : static_cast<std::int32_t>(std::llround(r * r));
          if (out(s, k, j, i) != 0) breakthrough = std::max<std::int64_t>(breakthrough, to(s, k, j, i));
        });
  }
  Squares reached = covered(std::move(balls), pores);
  std::int64_t trapped = 0;
  if (options.trapping) {
    // a cell is cut off when all its ways out are entered: at the largest, on the best way, of the radii that enter its cells
    core::for_each_on_host("radii", layout,
                           [&, from = std::as_const(reached).host(), to = cost.host()](int s, int k, int j, int i) {
                             if (to(s, k, j, i) != infinity)
                               to(s, k, j, i) = std::sqrt(static_cast<double>(from(s, k, j, i)));
                           });
    auto const pass = lowest_passes(cost, options.outlet, options.lattice);
    core::for_own_cells(layout, [&, to = reached.host(), out = pass.host(),
                                 at = std::as_const(cost).host()](int s, int k, int j, int i) {
      if (at(s, k, j, i) == infinity || out(s, k, j, i) <= at(s, k, j, i)) return;
      ++trapped;
      to(s, k, j, i) = 0;
    });
    trapped = layout.comm().sum(trapped);
  }
  return {counted(std::move(reached)), static_cast<std::int32_t>(layout.comm().max(breakthrough)), trapped};
}

}  // namespace tessera::ca
