// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat.hpp"

#include "core/error.hpp"
#include "core/exact_sum.hpp"
#include "core/halo.hpp"
#include "core/sweep.hpp"
#include "solvers/require.hpp"

#include <cmath>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

namespace tessera::solvers {
namespace detail {

/// b = m T_old + q V + sum over fixed sides g value
struct RightSide {
  core::FieldView<double const> mass, t_old, q, volume, fixed;
  core::FieldView<double> b;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    b(slot, k, j, i) =
        mass(slot, k, j, i) * t_old(slot, k, j, i) + q(slot, k, j, i) * volume(slot, k, j, i) + fixed(slot, k, j, i);
  }
};

struct Value {
  core::FieldView<double const> x;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const { return x(slot, k, j, i); }
};

}  // namespace detail

namespace {

/// Widths, areas and volumes of cells [m, m^2, m^3]. On a uniform axis all widths are the same number, not differences of
/// coordinates, which differ in the last bits: equal materials then have equal coefficients, and who looks for that saves
/// reading them.
struct Geometry {
  explicit Geometry(core::Grid const& g) : grid(g) {
    for (int a = 0; a < 3; ++a) {
      auto const& axis = g.axis(a);
      auto& w = widths[static_cast<std::size_t>(a)];
      bool const uniform = axis.uniform();
      for (core::Count n = 0; n < axis.cells(); ++n)
        w.push_back(uniform ? (axis.faces.back() - axis.faces.front()) / static_cast<double>(axis.cells())
                            : axis.width(n));
    }
  }
  static core::Count along(core::Index const& x, int a) { return a == 0 ? x.i : a == 1 ? x.j : x.k; }
  double width(core::Index const& x, int a) const {
    return widths[static_cast<std::size_t>(a)][static_cast<std::size_t>(along(x, a))];
  }
  /// Of the cell below on this axis, across a periodic side too.
  double lower_width(core::Index const& x, int a) const {
    auto const& w = widths[static_cast<std::size_t>(a)];
    core::Count const n = along(x, a);
    return n > 0 ? w[static_cast<std::size_t>(n - 1)] : w.back();
  }
  double area(core::Index const& x, int a) const { return width(x, (a + 1) % 3) * width(x, (a + 2) % 3); }
  double volume(core::Index const& x) const { return width(x, 0) * width(x, 1) * width(x, 2); }
  /// Side of the grid that the cell touches on this axis, at its low or high end; -1 inside and on periodic axes.
  int side(core::Index const& x, int a, bool high) const {
    core::Count const edge = high ? grid.axis(a).cells() - 1 : 0;
    return !grid.periodic(a) && along(x, a) == edge ? 2 * a + (high ? 1 : 0) : -1;
  }
  /// g = lambda area / half width
  double conductance_to_side(core::Index const& x, int a, double lambda) const {
    return lambda * area(x, a) / (0.5 * width(x, a));
  }

  core::Grid const& grid;
  std::array<std::vector<double>, 3> widths;
};

double face_value(Interpolation interpolation, double w, double lower, double upper) {
  return interpolation == Interpolation::harmonic ? 1 / ((1 - w) / lower + w / upper) : w * lower + (1 - w) * upper;
}

template <class F>
void for_each_cell(core::TileInfo const& t, F const& f) {
  for (int k = 0; k < t.nk; ++k)
    for (int j = 0; j < t.nj; ++j)
      for (int i = 0; i < t.ni; ++i) f(k, j, i);
}

}  // namespace

Heat::Heat(HeatProperties const& p, double delta_t)
    : layout_(p.lambda.layout()),
      rho_c_(p.rho_c),
      q_(p.q),
      sides_(p.sides),
      delta_t_(delta_t),
      lambda_("lambda", layout_, 1),
      volume_("V", layout_, 1),
      mass_("m", layout_, 1),
      fixed_("fixed", layout_, 1),
      b_("b", layout_, 1) {
  core::expect(&p.rho_c.layout() == &layout_ && &p.q.layout() == &layout_,
               "the fields of a body lie on different layouts");
  if (!(delta_t >= 0) || std::isinf(delta_t))
    throw core::Error(fmt::format("deltaT is {}, expected a time step > 0 or 0 for steady", delta_t));
  check_sides();
  require_positive(p.lambda, p.lambda.name(), "a conductivity");
  if (delta_t > 0) require_positive(p.rho_c, p.rho_c.name(), "a heat capacity");
  assemble(p.lambda, p.interpolation);
}

void Heat::check_sides() const {
  bool fixed = false;
  auto const& grid = layout_.grid();
  for (int s = 0; s < 6; ++s) {
    auto const& side = sides_[static_cast<std::size_t>(s)];
    std::string const name = grid.patch(static_cast<core::Side>(s));
    bool const cyclic = side.type == Boundary::Type::cyclic;
    if (cyclic != grid.periodic(s / 2))
      throw core::Error(cyclic ? fmt::format("side '{}' is cyclic, but its axis is not periodic", name)
                               : fmt::format("side '{}' lies on a periodic axis, expected cyclic", name));
    if (side.type != Boundary::Type::fixed_value) continue;
    fixed = true;
    if (!std::isfinite(side.value))
      throw core::Error(fmt::format("fixedValue on side '{}' is {}, expected a number", name, side.value));
  }
  if (delta_t_ == 0 && !fixed)
    throw core::Error(
        "steady heat conduction without a fixedValue side has no unique solution: T is known up to a constant only");
}

void Heat::assemble(core::Field<double> const& lambda, Interpolation interpolation) {
  auto const from = lambda.host();
  auto const to = lambda_.host();
  core::for_each_tile_on_host("copy lambda", layout_, [&](int slot) {
    for_each_cell(layout_.info(slot), [&](int k, int j, int i) { to(slot, k, j, i) = from(slot, k, j, i); });
  });
  core::Halo halo(layout_, 1, core::Reach::faces);
  halo.exchange(lambda_);
  Coefficients a(layout_);
  for (int axis = 0; axis < 3; ++axis) {
    if (!a.has(axis)) continue;
    assemble_faces(a, axis, interpolation);
    halo.exchange(a.face(axis));
  }
  assemble_diagonal(a);
  matrix_ = std::make_unique<StencilMatrix>(std::move(a));
}

/// Conductances of the lower faces: f = lambda_f area / distance of centres.
void Heat::assemble_faces(Coefficients& a, int axis, Interpolation interpolation) const {
  Geometry const geometry(layout_.grid());
  auto const face = a.face(axis).host();
  auto const l = lambda_.host();
  core::for_each_tile_on_host("faces", layout_, [&](int slot) {
    auto const& t = layout_.info(slot);
    for_each_cell(t, [&](int k, int j, int i) {
      core::Index const x = t.global(k, j, i);
      if (geometry.side(x, axis, false) >= 0) return;
      double const below = geometry.lower_width(x, axis), here = geometry.width(x, axis);
      double const lambda_f = face_value(interpolation, here / (below + here),
                                         l(slot, k - (axis == 2), j - (axis == 1), i - (axis == 0)), l(slot, k, j, i));
      face(slot, k, j, i) = lambda_f * geometry.area(x, axis) / (0.5 * (below + here));
    });
  });
}

/// Diagonal: m + all faces + fixed sides; and what the right side needs.
void Heat::assemble_diagonal(Coefficients& a) {
  Geometry const geometry(layout_.grid());
  std::array<core::FieldView<double const>, 3> faces;
  for (int axis = 0; axis < 3; ++axis)
    if (a.has(axis)) faces[static_cast<std::size_t>(axis)] = std::as_const(a).face(axis).host();
  auto const l = std::as_const(lambda_).host(), rho_c = rho_c_.host();
  auto const volume = volume_.host(), mass = mass_.host(), fixed = fixed_.host(), diagonal = a.diagonal.host();
  core::for_each_tile_on_host("diagonal", layout_, [&](int slot) {
    auto const& t = layout_.info(slot);
    for_each_cell(t, [&](int k, int j, int i) {
      core::Index const x = t.global(k, j, i);
      double const v = geometry.volume(x), m = delta_t_ > 0 ? rho_c(slot, k, j, i) * v / delta_t_ : 0;
      double d = m, b = 0;
      for (int axis = 0; axis < 3; ++axis) {
        if (a.has(axis)) {
          auto const& face = faces[static_cast<std::size_t>(axis)];
          d += face(slot, k, j, i) + face(slot, k + (axis == 2), j + (axis == 1), i + (axis == 0));
        }
        for (bool high : {false, true}) {
          int const s = geometry.side(x, axis, high);
          if (s < 0 || sides_[static_cast<std::size_t>(s)].type != Boundary::Type::fixed_value) continue;
          double const g = geometry.conductance_to_side(x, axis, l(slot, k, j, i));
          d += g;
          b += g * sides_[static_cast<std::size_t>(s)].value;
        }
      }
      volume(slot, k, j, i) = v;
      mass(slot, k, j, i) = m;
      fixed(slot, k, j, i) = b;
      diagonal(slot, k, j, i) = d;
    });
  });
}

void Heat::right_side(core::Field<double> const& t_old, core::Field<double>& b) const {
  core::for_each("right side", layout_.all(),
                 detail::RightSide{mass_.view(), t_old.view(), q_.view(), volume_.view(), fixed_.view(), b.view()});
}

Performance Heat::advance(LinearSolver& solver, core::Field<double>& t) {
  right_side(t, b_);
  return solver.solve(b_, t);
}

HeatBalance Heat::balance(core::Field<double> const& t, core::Field<double> const& t_old) const {
  Geometry const geometry(layout_.grid());
  auto const now = t.host(), old = t_old.host(), q = q_.host(), l = lambda_.host(), volume = volume_.host(),
             mass = mass_.host();
  std::array<core::ExactSum, 8> sums;
  for (int slot = 0; slot < layout_.tiles(); ++slot) {
    auto const& tile = layout_.info(slot);
    std::array<double, 8> tile_sums{};
    for_each_cell(tile, [&](int k, int j, int i) {
      core::Index const x = tile.global(k, j, i);
      for (int axis = 0; axis < 3; ++axis)
        for (bool high : {false, true}) {
          int const s = geometry.side(x, axis, high);
          if (s < 0 || sides_[static_cast<std::size_t>(s)].type != Boundary::Type::fixed_value) continue;
          double const g = geometry.conductance_to_side(x, axis, l(slot, k, j, i));
          tile_sums[static_cast<std::size_t>(s)] +=
              g * (sides_[static_cast<std::size_t>(s)].value - now(slot, k, j, i));
        }
      tile_sums[6] += q(slot, k, j, i) * volume(slot, k, j, i);
      tile_sums[7] += mass(slot, k, j, i) * (now(slot, k, j, i) - old(slot, k, j, i));
    });
    for (std::size_t n = 0; n < 8; ++n) sums[n].add(tile_sums[n]);
  }
  core::ExactSum::all_reduce(layout_.comm(), sums);
  HeatBalance balance;
  for (std::size_t s = 0; s < 6; ++s) balance.in[s] = sums[s].round();
  balance.produced = sums[6].round();
  balance.stored = sums[7].round();
  return balance;
}

Range range(core::Field<double> const& field) {
  auto const& layout = field.layout();
  Geometry const geometry(layout.grid());
  auto const view = field.host();
  std::array<core::ExactSum, 2> sums;  // of x V, of V
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& t = layout.info(slot);
    std::array<double, 2> tile_sums{};
    for_each_cell(t, [&](int k, int j, int i) {
      double const v = geometry.volume(t.global(k, j, i));
      tile_sums[0] += view(slot, k, j, i) * v;
      tile_sums[1] += v;
    });
    for (std::size_t n = 0; n < 2; ++n) sums[n].add(tile_sums[n]);
  }
  core::ExactSum::all_reduce(layout.comm(), sums);
  detail::Value const value{field.view()};
  return {core::min("min", layout, value), core::max("max", layout, value), sums[0].round() / sums[1].round()};
}

}  // namespace tessera::solvers
