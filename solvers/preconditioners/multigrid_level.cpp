// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/multigrid_level.hpp"

#include "core/error.hpp"
#include "core/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace tessera::solvers::multigrid {
namespace {

/// Weight of step n of `steps`: Chebyshev on [0.6, 2].
double weight(int n, int steps) { return 1 / (1.3 + 0.7 * std::cos(std::numbers::pi * (2 * n + 1) / (2.0 * steps))); }

/// The lower half of a stencil of 2 K + 1 points on one tile row after the other, with steps in memory.
template <int K>
struct Half {
  ConstView diagonal, conductance[K];
  core::Count step_f[K], step_x[K];

  Half(Level const& level, ConstView const& x) : diagonal(level.diagonal().host()) {
    for (int n = 0; n < K; ++n) {
      auto const& c = level.couplings()[static_cast<std::size_t>(n)];
      conductance[n] = c.conductance->host();
      step_f[n] = -memory_step(conductance[n], level.around()[c.number]);
      step_x[n] = -memory_step(x, level.around()[c.number]);
    }
  }

  /// Calls store(i, b_i - (A x)_i) for the cells of a row.
  template <class Store>
  void row(int slot, int k, int j, int ni, ConstView const& bv, ConstView const& xv, Store const& store) const {
    double const *f[K], *const b = bv.row(slot, k, j), *const x = xv.row(slot, k, j),
                               *const d = diagonal.row(slot, k, j);
    for (int n = 0; n < K; ++n) f[n] = conductance[n].row(slot, k, j);
    TESSERA_INDEPENDENT
    for (int i = 0; i < ni; ++i) {
      double r = b[i] - d[i] * x[i];
#pragma GCC unroll 13
      for (int n = 0; n < K; ++n) r += f[n][i] * x[i - step_x[n]] + f[n][i + step_f[n]] * x[i + step_x[n]];
      store(i, r);
    }
  }
};

Positions all_lines(core::Grid const& grid) {
  Positions p{grid.cells(), {}};
  for (std::size_t a = 0; a < 3; ++a) {
    p.lines[a].resize(static_cast<std::size_t>(p.finest[a]));
    std::iota(p.lines[a].begin(), p.lines[a].end(), core::Count{0});
  }
  return p;
}

template <class F>
void for_each_row(core::Layout const& layout, F const& f) {
  core::for_each_tile_on_host("multigrid", layout, [&](int slot) {
    auto const& t = layout.info(slot);
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j) f(slot, k, j, t.ni);
  });
}

/// Calls f(Half<K>) with the number of couplings of the level.
template <class F>
void with_half(Level const& level, ConstView const& x, F const& f) {
  switch (level.couplings().size()) {
  case 0:
    return;
  case 1:
    return f(Half<1>(level, x));
  case 2:
    return f(Half<2>(level, x));
  case 3:
    return f(Half<3>(level, x));
  case 4:
    return f(Half<4>(level, x));
  default:
    core::expect(level.couplings().size() == 13, "a stencil of multigrid has 1, 2, 3, 4 or 13 couplings a cell");
    return f(Half<13>(level, x));
  }
}

}  // namespace

Neighbourhood::Neighbourhood(core::Grid const& grid) {
  int const w[3] = {!grid.thin(0), !grid.thin(1), !grid.thin(2)};
  stride_ = {w[0], w[1] * (2 * w[0] + 1), w[2] * (2 * w[0] + 1) * (2 * w[1] + 1)};
  for (int k = -w[2]; k <= w[2]; ++k)
    for (int j = -w[1]; j <= w[1]; ++j)
      for (int i = -w[0]; i <= w[0]; ++i) offsets_.push_back({i, j, k});
}

Level::Level(StencilMatrix const& matrix)
    : positions_(all_lines(matrix.layout().grid())),
      diagonal_(&matrix.diagonal()),
      around_(matrix.layout().grid()),
      halo_(matrix.layout()),
      inverse_("1/D", matrix.layout(), 1),
      work_("t", matrix.layout(), 1) {
  // in the order of their numbers, as on coarse levels
  for (int axis = 2; axis >= 0; --axis) {
    if (!matrix.has(axis)) continue;
    Offset lower{};
    lower[static_cast<std::size_t>(axis)] = -1;
    couplings_.push_back({around_.number(lower), &matrix.face(axis)});
  }
  set_inverse();
}

Level::Level(CoarseMatrix matrix)
    : own_(std::move(matrix)),
      positions_(std::move(own_->positions)),
      diagonal_(&own_->diagonal),
      around_(own_->layout->grid()),
      halo_(*own_->layout),
      inverse_("1/D", *own_->layout, 1),
      work_("t", *own_->layout, 1) {
  int number = 0;
  for (auto& f : own_->conductances) {
    halo_.exchange(f);
    couplings_.push_back({number++, &f});
  }
  set_inverse();
}

std::size_t Level::bytes() const {
  std::size_t sum = inverse_.bytes() + work_.bytes();
  if (own_) {
    sum += own_->diagonal.bytes();
    for (auto const& f : own_->conductances) sum += f.bytes();
  }
  return sum;
}

void Level::set_inverse() {
  Entries const a(*this);
  View const inverse = inverse_.host();
  for_each_row(layout(), [&](int slot, int k, int j, int ni) {
    for (int i = 0; i < ni; ++i) {
      double sum = 0;
      for (int n = 0; n < around_.count(); ++n) sum += std::abs(a(n, slot, {i, j, k}));
      inverse(slot, k, j, i) = 1 / std::max(a(around_.centre(), slot, {i, j, k}), 0.5 * sum);
    }
  });
}

void Level::smooth_from_zero(int steps, core::Field<double> const& b, core::Field<double>& x) {
  // the first step from zero is x = w b / D; an odd number of steps ends in the field where it starts
  core::Field<double>*from = steps % 2 == 1 ? &x : &work_, *to = steps % 2 == 1 ? &work_ : &x;
  double const w = weight(0, steps);
  ConstView const bv = b.host(), inverse = std::as_const(inverse_).host();
  View const xv = from->host();
  for_each_row(layout(), [&](int slot, int k, int j, int ni) {
    double const *const br = bv.row(slot, k, j), *const d = inverse.row(slot, k, j);
    double* const xr = xv.row(slot, k, j);
    TESSERA_INDEPENDENT
    for (int i = 0; i < ni; ++i) xr[i] = w * d[i] * br[i];
  });
  for (int n = 1; n < steps; ++n) {
    step(weight(n, steps), b, *from, *to);
    std::swap(from, to);
  }
}

void Level::reverse_steps(int steps, core::Field<double> const& b, core::Field<double>& from, core::Field<double>& to) {
  core::Field<double>*now = &from, *next = &to;
  for (int n = steps - 1; n >= 0; --n) {
    step(weight(n, steps), b, *now, *next);
    std::swap(now, next);
  }
}

void Level::step(double w, core::Field<double> const& b, core::Field<double>& from, core::Field<double>& to) {
  // to = from + w D^-1 (b - A from)
  halo_.exchange(from);
  ConstView const bv = b.host(), xv = std::as_const(from).host(), inverse = std::as_const(inverse_).host();
  View const yv = to.host();
  with_half(*this, xv, [&](auto const& half) {
    for_each_row(layout(), [&](int slot, int k, int j, int ni) {
      double* const y = yv.row(slot, k, j);
      double const *const x = xv.row(slot, k, j), *const d = inverse.row(slot, k, j);
      half.row(slot, k, j, ni, bv, xv, [=](int i, double r) { y[i] = x[i] + w * d[i] * r; });
    });
  });
}

core::Field<double>& Level::residual(core::Field<double> const& b, core::Field<double>& x) {
  halo_.exchange(x);
  ConstView const bv = b.host(), xv = std::as_const(x).host();
  View const tv = work_.host();
  with_half(*this, xv, [&](auto const& half) {
    for_each_row(layout(), [&](int slot, int k, int j, int ni) {
      double* const t = tv.row(slot, k, j);
      half.row(slot, k, j, ni, bv, xv, [=](int i, double r) { t[i] = r; });
    });
  });
  halo_.exchange(work_);
  return work_;
}

Entries::Entries(Level& level) : centre_(level.around().centre()) {
  auto const& layout = level.layout();
  auto const& around = level.around();
  fields_.reserve(2 * level.couplings().size() + 1);
  views_.resize(static_cast<std::size_t>(around.count()));
  // to(c) = from(c + e) on owned cells, then everywhere by an exchange
  auto const add = [&](int number, core::Field<double> const& from, Offset const& e) {
    auto& to = fields_.emplace_back("entry", layout, 1);
    ConstView const source = from.host();
    View const target = to.host();
    core::Count const step = memory_step(source, e);
    for_each_row(layout, [&](int slot, int k, int j, int ni) {
      double const* const s = source.row(slot, k, j) + step;
      double* const t = target.row(slot, k, j);
      TESSERA_INDEPENDENT
      for (int i = 0; i < ni; ++i) t[i] = s[i];
    });
    level.exchange(to);
    views_[static_cast<std::size_t>(number)] = std::as_const(to).host();
  };
  add(centre_, level.diagonal(), {0, 0, 0});
  for (auto const& c : level.couplings()) {
    add(c.number, *c.conductance, {0, 0, 0});
    int const opposite = 2 * centre_ - c.number;
    add(opposite, *c.conductance, around[opposite]);
  }
}

}  // namespace tessera::solvers::multigrid
