// SPDX-License-Identifier: Apache-2.0
#include "solvers/methods/pcg_dic.hpp"

#include "core/comm/slowdown.hpp"
#include "solvers/dic/strip_passes.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tessera::solvers::methods {
namespace {

using strip_passes::Backward;
using strip_passes::Forward;
using strip_passes::lane_row;
using strip_passes::Row;
using Strip = SkewedTiles::Strip;
constexpr int margin = SkewedTiles::margin;
constexpr int row_guard = 2 * lanes;

/// Sums of all tiles go to the exact one, and begin anew.
void flush(std::vector<Lanes>& sums, core::ExactSum& to) {
  for (Lanes& sum : sums) {
    to.add(total(sum));
    sum = splat(0);
  }
}

/// Values of a column from or to the lanes of strip n, row by row; lane l of the column `i` is in vector i + 1 + l. To be
/// called just before or after the strip's pass, which has these vectors in the cache.
template <class F>
void over_column(Strip const& strip, int n, int i, F const& f) {
  for (int l = 0; l < strip.rows; ++l)
    f(n * lanes + l, reinterpret_cast<double*>(strip.q + i + 1 + l)[l],
      reinterpret_cast<double*>(strip.t + i + 1 + l)[l]);
}

/// What comes from a neighbour or goes to it; nothing where the grid is one block.
std::span<double const> in(std::unique_ptr<Wavefront> const& wave, int slot, int axis) {
  return wave ? wave->in(slot, axis) : std::span<double const>();
}
std::span<double> out(std::unique_ptr<Wavefront> const& wave, int slot, int axis) {
  return wave ? wave->out(slot, axis) : std::span<double>();
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
    : matrix_(matrix),
      layout_(matrix.layout()),
      tiles_(matrix, dic.reciprocal_pivots()) {
  if (!tiles_.whole()) {
    up_ = std::make_unique<Wavefront>(layout_, Wavefront::Direction::up, 2);
    down_ = std::make_unique<Wavefront>(layout_, Wavefront::Direction::down, 2);
  }
  core::Count const longest = layout_.grid().cells()[0], tile = layout_.grid().tile()[0];
  for (auto* row : {&t_row_, &q_row_, &t_above_})
    row->assign(static_cast<std::size_t>(tiles_.whole() ? longest : tile) + 2 * row_guard, 0.0);
  int const tiles = tiles_.whole() ? layout_.tiles() : 1;
  sums_.resize(tiles);
  more_sums_.resize(tiles);
}

Lanes* PcgDic::sums_of(std::vector<Lanes>& sums, int b, int strip) {
  return sums.data() + tiles_.row_of_tiles(strip) * tiles_.block(b).parts;
}

void PcgDic::iterate(Controls const& controls, Residual const& residual, core::Field<double> const&,
                     core::Field<double>& x, core::Field<double>& r, Performance& p) {
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
  if (tiles_.whole()) {
    core::Sweep const sweep;
    backward_block(0, beta, sums[0]);
  } else {
    down_->run([&](int slot) { backward_block(slot, beta, sums[0]); });
  }
  core::ExactSum::all_reduce(layout_.comm(), sums);
  return sums[0].round();
}

PcgDic::Sums PcgDic::forward(double alpha) {
  std::array<core::ExactSum, 2> sums;
  if (tiles_.whole()) {
    core::Sweep const sweep;
    forward_block(0, alpha, sums[0], sums[1]);
  } else {
    up_->run([&](int slot) { forward_block(slot, alpha, sums[0], sums[1]); });
  }
  core::ExactSum::all_reduce(layout_.comm(), sums);
  return {sums[0].round(), sums[1].round()};
}

void PcgDic::backward_block(int b, double beta, core::ExactSum& tat) {
  auto const& block = tiles_.block(b);
  double *const z_row = q_row_.data() + row_guard, *const t_row = t_row_.data() + row_guard;
  receive_rows(in(down_, b, 1), block.ni, z_row, t_row);
  std::span<double const> const east = in(down_, b, 0);
  std::span<double> const west = out(down_, b, 0), below = out(down_, b, 1);

  int const strips = block.strips(), end = block.ni + margin;
  auto const work = [&](int turn) {
    int const n = strips - 1 - turn;
    Strip const strip = tiles_.strip(b, n);
    if (!east.empty())
      over_column(strip, n, block.ni, [&](int j, double& z, double& t) {
        z = east[j];
        t = east[block.nj + j];
      });
    Backward pass{strip, block.ni, beta, z_row, t_row, strip.q[end - 1], strip.t[end - 1], sums_of(sums_, b, n)};
    bool const shares_sums = n + 1 < strips && tiles_.row_of_tiles(n + 1) == tiles_.row_of_tiles(n);
    int above = 0;  // how far the strip above has come: vectors from the end
    for (Chunk const* chunk = strip.last_chunk; chunk-- != strip.first_chunk;) {
      // the row above, `rows` columns further on, and all that the strip above adds to the sums of the same tile
      int first = chunk->first - strip.rows + 1;
      if (shares_sums) first = std::min(first, chunk->part > 0 ? tiles_.first_column(chunk->part) + 1 : 0);
      if (int const needed = first > 0 ? end - first : core::Pipeline::done; above < needed)
        above = strips_.wait_for(turn - 1, needed);
      strip_passes::run(pass, *chunk, tiles_);
      strips_.reach(turn, end - chunk->first);
    }
    if (!west.empty())  // z was left in q there
      over_column(strip, n, 0, [&](int j, double& z, double& t) {
        west[j] = z;
        west[block.nj + j] = t;
      });
  };
  strips_.run("DIC backward", strips, core::Count{block.ni} * block.nj, work);
  flush(sums_, tat);

  if (!below.empty()) {
    std::copy(z_row, z_row + block.ni, below.begin());
    std::copy(t_row, t_row + block.ni, below.begin() + block.ni);
  }
}

void PcgDic::forward_block(int b, double alpha, core::ExactSum& residual, core::ExactSum& rz) {
  auto const& block = tiles_.block(b);
  double *const q_row = q_row_.data() + row_guard, *const t_row = t_row_.data() + row_guard,
                *const t_above = t_above_.data() + row_guard;
  receive_rows(in(up_, b, 1), block.ni, q_row, t_row);
  std::span<double const> const west = in(up_, b, 0), above = in(down_, b, 1);
  std::span<double> const east = out(up_, b, 0), north = out(up_, b, 1);
  for (int i = 0; i < block.ni; ++i) t_above[i] = above.empty() ? 0 : above[block.ni + i];

  int const strips = block.strips();
  auto const work = [&](int n) {
    Strip const s = tiles_.strip(b, n);
    if (!west.empty())
      over_column(s, n, -1, [&](int j, double& q, double& t) {
        q = west[j];
        t = west[block.nj + j];
      });
    Row const t_below = n > 0 ? lane_row(tiles_.strip(b, n - 1).t, lanes - 1) : Row{t_row, 1};
    Row const q_below = n > 0 ? lane_row(tiles_.strip(b, n - 1).q, lanes - 1) : Row{q_row, 1};
    Row const t_over = n + 1 < strips ? lane_row(tiles_.strip(b, n + 1).t, 0) : Row{t_above, 1};
    SkewedCoefficients const& c = tiles_.pool()[s.first_chunk->at];
    Forward pass{s,
                 block.ni,
                 alpha,
                 t_below,
                 q_below,
                 t_over,
                 s.q[0],
                 s.t[0],
                 s.t[1],
                 c.east,
                 c.north,
                 c.east * (s.t[0] - s.t[1]),
                 sums_of(sums_, b, n),
                 sums_of(more_sums_, b, n)};
    bool const shares_sums = n > 0 && tiles_.row_of_tiles(n - 1) == tiles_.row_of_tiles(n);
    int under = 0;  // how far the strip below has come
    for (Chunk const* chunk = s.first_chunk; chunk != s.last_chunk; ++chunk) {
      // the row below, and all that the strip below adds to the sums of the same tiles
      int needed = chunk->last + lanes - 1;
      if (int const behind = chunk->part + chunk->split + 1; shares_sums)
        needed = behind < block.parts ? std::max(needed, tiles_.first_column(behind) + lanes) : core::Pipeline::done;
      if (under < needed) under = strips_.wait_for(n - 1, needed);
      strip_passes::run(pass, *chunk, tiles_);
      strips_.reach(n, chunk->last);
    }
    if (!east.empty())
      over_column(s, n, block.ni - 1, [&](int j, double& q, double& t) {
        east[j] = q;
        east[block.nj + j] = t;
      });
  };
  strips_.run("DIC forward", strips, core::Count{block.ni} * block.nj, work);
  flush(sums_, residual);
  flush(more_sums_, rz);

  if (!north.empty()) {
    Strip const s = tiles_.strip(b, strips - 1);
    Row const q_top = lane_row(s.q, s.rows - 1), t_top = lane_row(s.t, s.rows - 1);
    for (int i = 0; i < block.ni; ++i) {
      north[i] = q_top[i];
      north[block.ni + i] = t_top[i];
    }
  }
}

}  // namespace tessera::solvers::methods
