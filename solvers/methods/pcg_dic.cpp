// SPDX-License-Identifier: Apache-2.0
#include "solvers/methods/pcg_dic.hpp"

#include "core/exact_sum.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tessera::solvers::methods {
namespace {

using Strip = SkewedTiles::Strip;
constexpr int margin = SkewedTiles::margin;
constexpr int row_guard = 2 * lanes;

/// A row of values by column: contiguous, or one lane of a strip.
struct Row {
  double const* first;
  std::ptrdiff_t step;
  double operator[](int i) const { return first[i * step]; }
};
Row lane_row(Lanes const* vectors, int lane) {
  return {reinterpret_cast<double const*>(vectors + 1 + lane) + lane, lanes};
}

/// Lanes of vector s that lie in the tile: column s - 1 - l is one of 0 .. ni - 1, row l one of the strip's.
Mask inside(int s, int ni, int rows) {
  return (lane_numbers() < s) & (lane_numbers() >= s - ni) & (lane_numbers() < rows);
}
Mask top_lane(Strip const& strip) { return lane_numbers() == strip.rows - 1; }

/// The backward pass over one strip; vectors run from the last to the first.
struct Backward {
  Strip strip;
  int ni;
  double beta;
  double *z_row, *t_row;  // row above the strip; becomes its lowest row
  Vector z, t;            // of the vector before
  Vector sum;

  template <bool masked>
  void run(Chunk const& chunk, SkewedTiles const& tiles) {
    Mask const top = top_lane(strip);
    Vector z1 = z, t1 = t, total = sum;
    int const h = strip.rows;
    SkewedCoefficients const* const pool = tiles.pool() + chunk.at;
    Lanes const* const pivots = tiles.pivots() + chunk.pivot_at;
    for (int s = std::min(chunk.last, ni + lanes) - 1; s >= std::max(chunk.first, 1); --s) {
      SkewedCoefficients const& c = pool[(s - chunk.first) * chunk.step];
      Vector const east = c.east.v, north = c.north.v, rd = pivots[(s - chunk.first) * chunk.pivot_step].v,
                   q = strip.q[s].v, old = strip.t[s].v;
      // z = q + (f_E z_E + f_N z_N) / d
      Vector const z_north = shift_down(z1, z_row[s - h], top);
      Vector z0 = fma(rd * north, z_north, fma(rd * east, z1, q));
      // t = z + beta t
      Vector t0 = fma(splat(beta), old, z0);
      if constexpr (masked) {
        z0 = inside(s, ni, h) ? z0 : q;
        t0 = inside(s, ni, h) ? t0 : old;
        strip.q[s].v = z0;
      }
      // m t^2 + f_E (t_E - t)^2 + f_N (t_N - t)^2
      Vector const to_east = t1 - t0, to_north = shift_down(t1, t_row[s - h], top) - t0;
      Vector const term = fma(north * to_north, to_north, fma(east * to_east, to_east, (c.mass.v * t0) * t0));
      total += masked ? (inside(s, ni, h) ? term : splat(0)) : term;
      strip.t[s].v = t0;
      z_row[s - 1] = z0[0];
      t_row[s - 1] = t0[0];
      z1 = z0;
      t1 = t0;
    }
    z = z1;
    t = t1;
    sum = total;
  }
};

/// The forward pass over one strip; vectors run from the first to the last.
struct Forward {
  Strip strip;
  int ni;
  double alpha;
  Row t_below, q_below, t_above;
  Vector q, t, t_here, east, north, flux_east;  // of the vector before; t_here of this one
  Vector residual, rz;

  template <bool masked>
  void run(Chunk const& chunk, SkewedTiles const& tiles) {
    Mask const top = top_lane(strip);
    Forward a = *this;  // the state in registers
    int const h = strip.rows;
    SkewedCoefficients const* const pool = tiles.pool() + chunk.at;
    Lanes const* const pivots = tiles.pivots() + chunk.pivot_at;
    for (int s = std::max(chunk.first, 1); s < std::min(chunk.last, ni + lanes); ++s) {
      SkewedCoefficients const& c = pool[(s - chunk.first) * chunk.step];
      // A t as the sum of what flows out of a cell; the west flux is the east flux of the vector before
      Vector const t0 = a.t_here, t_east = strip.t[s + 1].v;
      Vector const t_north = shift_down(t_east, t_above[s - h], top), t_south = shift_up(a.t, t_below[s - 1]);
      Vector const west = a.east, south = shift_up(a.north, strip.south[s - 1]);
      Vector const flux_east = c.east.v * (t0 - t_east);
      Vector const at =
          (fma(c.mass.v, t0, flux_east) - a.flux_east) + fma(c.north.v, t0 - t_north, south * (t0 - t_south));
      // x += alpha t, r -= alpha A t
      strip.x[s].v = fma(splat(alpha), t0, strip.x[s].v);
      Vector const r_old = strip.r[s].v;
      Vector r = fma(splat(-alpha), at, r_old);
      if constexpr (masked) r = inside(s, ni, h) ? r : r_old;
      strip.r[s].v = r;
      // q = (r + f_W q_W + f_S q_S) / d; the bracket is d q
      Vector const rd = pivots[(s - chunk.first) * chunk.pivot_step].v, q_south = shift_up(a.q, q_below[s - 1]);
      Vector const dq = fma(south, q_south, fma(west, a.q, r));
      Vector q0 = fma(rd * south, q_south, fma(rd * west, a.q, rd * r));
      if constexpr (masked) q0 = inside(s, ni, h) ? q0 : strip.q[s].v;
      strip.q[s].v = q0;
      a.residual += magnitude(r);
      Vector const term = q0 * dq;
      a.rz += masked ? (inside(s, ni, h) ? term : splat(0)) : term;
      a.q = q0;
      a.t = t0;
      a.t_here = t_east;
      a.east = c.east.v;
      a.north = c.north.v;
      a.flux_east = flux_east;
    }
    *this = a;
  }
};

/// Values of a column from or to the lanes of strip n, row by row; lane l of the column `i` is in vector i + 1 + l. To be
/// called just before or after the strip's pass, which has these vectors in the cache.
template <class F>
void over_column(Strip const& strip, int n, int i, F const& f) {
  for (int l = 0; l < strip.rows; ++l)
    f(n * lanes + l, reinterpret_cast<double*>(strip.q + i + 1 + l)[l],
      reinterpret_cast<double*>(strip.t + i + 1 + l)[l]);
}

/// First and second half of what a neighbour sent, or zeros, to the start of two rows.
void receive_rows(std::span<double const> in, int n, double* first, double* second) {
  std::size_t const size = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < size; ++i) {
    first[i] = in.empty() ? 0 : in[i];
    second[i] = in.empty() ? 0 : in[size + i];
  }
}

}  // namespace

bool PcgDic::can(StencilMatrix const& matrix, preconditioners::Dic const& dic) {
  auto const& grid = matrix.layout().grid();
  return dic.global() && grid.thin(2) && !grid.thin(0) && !grid.thin(1) && !grid.periodic(0) && !grid.periodic(1);
}

PcgDic::PcgDic(StencilMatrix const& matrix, preconditioners::Dic const& dic)
    : layout_(matrix.layout()),
      tiles_(matrix, dic.reciprocal_pivots()),
      up_(layout_, Wavefront::Direction::up, 2),
      down_(layout_, Wavefront::Direction::down, 2) {
  for (auto* row : {&t_row_, &q_row_, &t_above_})
    row->assign(static_cast<std::size_t>(layout_.grid().tile()[0]) + 2 * row_guard, 0.0);
}

void PcgDic::iterate(Controls const& controls, Residual const& residual, core::Field<double>& x,
                     core::Field<double> const& r, Performance& p) {
  tiles_.load(x, r);
  double rz = forward(0).rz, beta = 0;
  do {
    double const tat = backward(beta);
    if (singular(tat, residual)) break;
    Sums const sums = forward(rz / tat);
    beta = sums.rz / rz;
    rz = sums.rz;
    p.final = sums.residual / residual.norm;
  } while (controls.go_on(++p.iterations, p.initial, p.final));
  tiles_.store(x);
}

double PcgDic::backward(double beta) {
  std::array<core::ExactSum, 1> sums;
  down_.run([&](int slot) { sums[0].add(total(backward_tile(slot, beta))); });
  core::ExactSum::all_reduce(layout_.comm(), sums);
  return sums[0].round();
}

PcgDic::Sums PcgDic::forward(double alpha) {
  std::array<core::ExactSum, 2> sums;
  up_.run([&](int slot) {
    Vector residual = splat(0), rz = splat(0);
    forward_tile(slot, alpha, residual, rz);
    sums[0].add(total(residual));
    sums[1].add(total(rz));
  });
  core::ExactSum::all_reduce(layout_.comm(), sums);
  return {sums[0].round(), sums[1].round()};
}

Vector PcgDic::backward_tile(int slot, double beta) {
  auto const& tile = layout_.info(slot);
  double *const z_row = q_row_.data() + row_guard, *const t_row = t_row_.data() + row_guard;
  receive_rows(down_.in(slot, 1), tile.ni, z_row, t_row);
  std::span<double const> const in = down_.in(slot, 0);
  std::span<double> const out = down_.out(slot, 0);

  Vector sum = splat(0);
  for (int n = tiles_.strips(slot) - 1; n >= 0; --n) {
    Strip const strip = tiles_.strip(slot, n);
    if (!in.empty())
      over_column(strip, n, tile.ni, [&](int j, double& z, double& t) {
        z = in[static_cast<std::size_t>(j)];
        t = in[static_cast<std::size_t>(tile.nj + j)];
      });
    int const behind = tile.ni + margin - 1;
    Backward pass{strip, tile.ni, beta, z_row, t_row, strip.q[behind].v, strip.t[behind].v, sum};
    for (Chunk const* chunk = strip.last_chunk; chunk-- != strip.first_chunk;)
      chunk->masked ? pass.run<true>(*chunk, tiles_) : pass.run<false>(*chunk, tiles_);
    sum = pass.sum;
    if (!out.empty())  // z was left in q there
      over_column(strip, n, 0, [&](int j, double& z, double& t) {
        out[static_cast<std::size_t>(j)] = z;
        out[static_cast<std::size_t>(tile.nj + j)] = t;
      });
  }

  if (auto const below = down_.out(slot, 1); !below.empty()) {
    std::copy(z_row, z_row + tile.ni, below.begin());
    std::copy(t_row, t_row + tile.ni, below.begin() + tile.ni);
  }
  return sum;
}

void PcgDic::forward_tile(int slot, double alpha, Vector& residual, Vector& rz) {
  auto const& tile = layout_.info(slot);
  double *const q_row = q_row_.data() + row_guard, *const t_row = t_row_.data() + row_guard,
                *const t_above = t_above_.data() + row_guard;
  receive_rows(up_.in(slot, 1), tile.ni, q_row, t_row);
  std::span<double const> const in = up_.in(slot, 0);
  std::span<double> const out = up_.out(slot, 0);
  std::span<double const> const above = down_.in(slot, 1);
  for (int i = 0; i < tile.ni; ++i) t_above[i] = above.empty() ? 0 : above[static_cast<std::size_t>(tile.ni + i)];

  int const strips = tiles_.strips(slot);
  for (int n = 0; n < strips; ++n) {
    Strip const s = tiles_.strip(slot, n);
    if (!in.empty())
      over_column(s, n, -1, [&](int j, double& q, double& t) {
        q = in[static_cast<std::size_t>(j)];
        t = in[static_cast<std::size_t>(tile.nj + j)];
      });
    Row const t_below = n > 0 ? lane_row(tiles_.strip(slot, n - 1).t, lanes - 1) : Row{t_row, 1};
    Row const q_below = n > 0 ? lane_row(tiles_.strip(slot, n - 1).q, lanes - 1) : Row{q_row, 1};
    Row const t_over = n + 1 < strips ? lane_row(tiles_.strip(slot, n + 1).t, 0) : Row{t_above, 1};
    SkewedCoefficients const& c = tiles_.pool()[s.first_chunk->at];
    Forward pass{s,        tile.ni,  alpha,    t_below,  q_below,   t_over,
                 s.q[0].v, s.t[0].v, s.t[1].v, c.east.v, c.north.v, c.east.v * (s.t[0].v - s.t[1].v),
                 residual, rz};
    for (Chunk const* chunk = s.first_chunk; chunk != s.last_chunk; ++chunk)
      chunk->masked ? pass.run<true>(*chunk, tiles_) : pass.run<false>(*chunk, tiles_);
    residual = pass.residual;
    rz = pass.rz;
    if (!out.empty())
      over_column(s, n, tile.ni - 1, [&](int j, double& q, double& t) {
        out[static_cast<std::size_t>(j)] = q;
        out[static_cast<std::size_t>(tile.nj + j)] = t;
      });
  }

  if (auto const north = up_.out(slot, 1); !north.empty()) {
    Strip const s = tiles_.strip(slot, strips - 1);
    Row const q_top = lane_row(s.q, s.rows - 1), t_top = lane_row(s.t, s.rows - 1);
    for (int i = 0; i < tile.ni; ++i) {
      north[static_cast<std::size_t>(i)] = q_top[i];
      north[static_cast<std::size_t>(tile.ni + i)] = t_top[i];
    }
  }
}

}  // namespace tessera::solvers::methods
