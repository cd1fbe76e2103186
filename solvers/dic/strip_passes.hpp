// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/dic/skewed_tiles.hpp"

#include <algorithm>
#include <cstddef>

/// The two passes of PcgDic over the vectors of one strip (solvers/methods/pcg_dic.hpp has the formulas).
namespace tessera::solvers::methods::strip_passes {

using Strip = SkewedTiles::Strip;

/// A row of values by column: contiguous, or one lane of a strip.
struct Row {
  double const* first;
  std::ptrdiff_t step;
  double operator[](int i) const { return first[i * step]; }
};
inline Row lane_row(Lanes const* vectors, int lane) {
  return {reinterpret_cast<double const*>(vectors + 1 + lane) + lane, lanes};
}

/// Lanes of vector s that lie in the tile: column s - 1 - l is one of 0 .. ni - 1, row l one of the strip's.
inline Mask inside(int s, int ni, int rows) {
  return (lane_numbers() < s) & (lane_numbers() >= s - ni) & (lane_numbers() < rows);
}
/// Adds the lanes of vector s to the sum of the tile that they lie in. Lanes of other tiles add a zero, which keeps a sum
/// of tiles as it is, to the bit.
template <bool split>
void add(Lanes term, int s, Chunk const& chunk, Lanes& sum, Lanes& next) {
  if constexpr (split) {
    Mask const past = lane_numbers() < s - chunk.border;
    sum += select(past, splat(0), term);
    next += select(past, term, splat(0));
  } else {
    sum += term;
  }
}

inline Mask top_lane(Strip const& strip) { return lane_numbers() == strip.rows - 1; }

/// The backward pass over one strip; vectors run from the last to the first.
struct Backward {
  Strip strip;
  int ni;
  double beta;
  double *z_row, *t_row;  // row above the strip; becomes its lowest row
  Lanes z, t;             // of the vector before
  Lanes* sums;            // of each tile along the row

  template <bool masked, bool split>
  void run(Chunk const& chunk, SkewedTiles const& tiles) {
    Mask const top = top_lane(strip);
    Lanes z1 = z, t1 = t, sum = sums[chunk.part], next = split ? sums[chunk.part + 1] : splat(0);
    int const h = strip.rows;
    SkewedCoefficients const* const pool = tiles.pool() + chunk.at;
    Lanes const* const pivots = tiles.pivots() + chunk.pivot_at;
    int const from = chunk.first, step = chunk.step, pivot_step = chunk.pivot_step;
    for (int s = std::min(chunk.last, ni + lanes) - 1; s >= std::max(from, 1); --s) {
      SkewedCoefficients const& c = pool[(s - from) * step];
      Lanes const east = c.east, north = c.north, rd = pivots[(s - from) * pivot_step], q = strip.q[s],
                  old = strip.t[s];
      // z = q + (f_E z_E + f_N z_N) / d
      Lanes const z_north = shift_down(z1, z_row[s - h], top);
      Lanes z0 = fma(rd * north, z_north, fma(rd * east, z1, q));
      // t = z + beta t
      Lanes t0 = fma(splat(beta), old, z0);
      if constexpr (masked) {
        z0 = select(inside(s, ni, h), z0, q);
        t0 = select(inside(s, ni, h), t0, old);
        strip.q[s] = z0;
      }
      // m t^2 + f_E (t_E - t)^2 + f_N (t_N - t)^2
      Lanes const to_east = t1 - t0, to_north = shift_down(t1, t_row[s - h], top) - t0;
      Lanes const term = fma(north * to_north, to_north, fma(east * to_east, to_east, (c.mass * t0) * t0));
      add<split>(masked ? select(inside(s, ni, h), term, splat(0)) : term, s, chunk, sum, next);
      strip.t[s] = t0;
      z_row[s - 1] = z0[0];
      t_row[s - 1] = t0[0];
      z1 = z0;
      t1 = t0;
    }
    z = z1;
    t = t1;
    sums[chunk.part] = sum;
    if (split) sums[chunk.part + 1] = next;
  }
};

/// The forward pass over one strip; vectors run from the first to the last.
struct Forward {
  Strip strip;
  int ni;
  double alpha;
  Row t_below, q_below, t_above;
  Lanes q, t, t_here, east, north, flux_east;  // of the vector before; t_here of this one
  Lanes *residuals, *rzs;                      // of each tile along the row

  template <bool masked, bool split>
  void run(Chunk const& chunk, SkewedTiles const& tiles) {
    Mask const top = top_lane(strip);
    // of the vector before, in registers
    Lanes q1 = q, t1 = t, east1 = east, north1 = north, flux1 = flux_east, here = t_here;
    Lanes residual = residuals[chunk.part], next_residual = split ? residuals[chunk.part + 1] : splat(0);
    Lanes rz = rzs[chunk.part], next_rz = split ? rzs[chunk.part + 1] : splat(0);
    int const h = strip.rows;
    SkewedCoefficients const* const pool = tiles.pool() + chunk.at;
    Lanes const* const pivots = tiles.pivots() + chunk.pivot_at;
    int const from = chunk.first, step = chunk.step, pivot_step = chunk.pivot_step;
    for (int s = std::max(from, 1); s < std::min(chunk.last, ni + lanes); ++s) {
      SkewedCoefficients const& c = pool[(s - from) * step];
      // A t as the sum of what flows out of a cell; the west flux is the east flux of the vector before
      Lanes const t0 = here, t_east = strip.t[s + 1];
      Lanes const t_north = shift_down(t_east, t_above[s - h], top), t_south = shift_up(t1, t_below[s - 1]);
      Lanes const west = east1, south = shift_up(north1, strip.south[s - 1]);
      Lanes const flux0 = c.east * (t0 - t_east);
      Lanes const at = (fma(c.mass, t0, flux0) - flux1) + fma(c.north, t0 - t_north, south * (t0 - t_south));
      // x += alpha t, r -= alpha A t
      strip.x[s] = fma(splat(alpha), t0, strip.x[s]);
      Lanes const r_old = strip.r[s];
      Lanes r = fma(splat(-alpha), at, r_old);
      if constexpr (masked) r = select(inside(s, ni, h), r, r_old);
      strip.r[s] = r;
      // q = (r + f_W q_W + f_S q_S) / d; the bracket is d q
      Lanes const rd = pivots[(s - from) * pivot_step], q_south = shift_up(q1, q_below[s - 1]);
      Lanes const dq = fma(south, q_south, fma(west, q1, r));
      Lanes q0 = fma(rd * south, q_south, fma(rd * west, q1, rd * r));
      if constexpr (masked) q0 = select(inside(s, ni, h), q0, strip.q[s]);
      strip.q[s] = q0;
      add<split>(magnitude(r), s, chunk, residual, next_residual);
      Lanes const term = q0 * dq;
      add<split>(masked ? select(inside(s, ni, h), term, splat(0)) : term, s, chunk, rz, next_rz);
      q1 = q0;
      t1 = t0;
      here = t_east;
      east1 = c.east;
      north1 = c.north;
      flux1 = flux0;
    }
    q = q1;
    t = t1;
    t_here = here;
    east = east1;
    north = north1;
    flux_east = flux1;
    residuals[chunk.part] = residual;
    rzs[chunk.part] = rz;
    if (split) {
      residuals[chunk.part + 1] = next_residual;
      rzs[chunk.part + 1] = next_rz;
    }
  }
};

template <class Pass>
void run(Pass& pass, Chunk const& chunk, SkewedTiles const& tiles) {
  if (chunk.split)
    chunk.masked ? pass.template run<true, true>(chunk, tiles) : pass.template run<false, true>(chunk, tiles);
  else
    chunk.masked ? pass.template run<true, false>(chunk, tiles) : pass.template run<false, false>(chunk, tiles);
}

}  // namespace tessera::solvers::methods::strip_passes
