// SPDX-License-Identifier: Apache-2.0
#include "core/grid/tile_shape.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera::core {
namespace {

using Shape = Grid::Shape;

/// What was measured on two cores with AVX-512 (bench/tiles, bench/halo). Lengths are in cells.
namespace measured {

// sums. DIC takes a tenth longer in four tiles a row than in one, but ranks share only what is cut
constexpr Count shortest_row = 256, longest_row = 1024;
constexpr Count layers = 16, rows_of_a_solid = 32, most_rows = 128;
/// Rows of a tile in the plane, while they make so many tiles at most: many can be shared out finely (a rank ten times
/// slower than another wants ten of a hundred), but they cost multigrid on two ranks 3 %.
constexpr std::pair<Count, Count> rows[] = {{64, 512}, {32, 512}, {16, 200}};
constexpr Count fewest_tiles = 16;
constexpr Count shortest_side = 32;  ///< that is halved for more tiles; of clusters, too

// automata: explicit heat on 2048 x 2048 cells
constexpr double deepest = 16;     ///< generations of a pass, which is a pass over memory
constexpr double of_memory = 1.5;  ///< cost of a pass over memory, in generations
constexpr double of_a_row = 64;    ///< cost of the ends of a row; as much again where the grid goes on there
constexpr double of_a_tile = 7;    ///< rows that a tile costs beside its halo's
constexpr double unequal = 0.04;   ///< imbalance that is put up with

// clusters: rows are worked through by words of 64 cells. 512 x 128 cells take 1.4 times as long as 1024 x 1024
constexpr Count side = 1024, shortest_row_of_bits = 256, tiles_a_worker = 4;

// volumes: pieces of 62 x 64 x 64 cells are searched at once (ca/blocks)
constexpr Count longest_row_of_a_solid = 512, across = 64, solids_a_worker = 6;

}  // namespace measured

Count parts(Count cells, Count tile) { return (cells + tile - 1) / tile; }

Count tiles_of(Shape const& cells, Shape const& tile) {
  return parts(cells[0], tile[0]) * parts(cells[1], tile[1]) * parts(cells[2], tile[2]);
}

/// The size of n parts of an axis: nearly equal, so that the last one is not mostly empty, in steps of `whole` cells.
Count even_size(Count cells, Count n, Count whole) { return std::min(cells, parts(parts(cells, n), whole) * whole); }

/// The tile, halved along axis_of(tile) until there are as many as wanted, or that axis has fewer than `least` cells.
template <class AxisOf>
Shape halved(Shape const& cells, Shape tile, Count wanted, Count least, AxisOf const& axis_of) {
  while (tiles_of(cells, tile) < wanted) {
    std::size_t const axis = axis_of(tile);
    if (tile[axis] < least) break;
    tile[axis] = parts(tile[axis], 2);
  }
  return tile;
}

/// The time in which each worker's tiles are done, for tiles that take a worker of rate 1 a second each.
struct Dealt {
  double slowest, mean;
};
Dealt deal(double tiles, std::span<double const> rates) {
  double const all = std::accumulate(rates.begin(), rates.end(), 0.0);
  auto const done = [&](double seconds) {
    double n = 0;
    for (double rate : rates) n += std::floor(seconds * rate * (1 + 1e-12));
    return n;
  };
  auto const workers = static_cast<double>(rates.size());
  // nobody goes without a tile
  double const least = tiles < workers ? 0 : 1 / *std::min_element(rates.begin(), rates.end());
  double low = std::max(least, tiles / all), high = std::max(low, (tiles + workers) / all);
  if (done(low) >= tiles) high = low;
  for (int n = 0; n < 50 && high - low > 1e-9 * high; ++n) {
    double const middle = 0.5 * (low + high);
    (done(middle) >= tiles ? high : low) = middle;
  }
  double dealt = 0, seconds = 0;
  for (double rate : rates) {
    double const mine = std::floor(high * rate * (1 + 1e-9));
    dealt += mine;
    seconds += mine / rate;
  }
  // more tiles were dealt than there are: the time of those beyond is taken off
  return {high, (seconds - (dealt - tiles) * high * workers / std::max(1.0, dealt)) / workers};
}

/// Sizes along an axis, from `most` down to `least`, where there are such.
std::vector<Count> sizes(Count cells, Count most, Count least, Count whole, double step) {
  std::vector<Count> result;
  for (double n = static_cast<double>(parts(cells, most));; n = std::max(n + 1, std::floor(n * step))) {
    Count const tile = even_size(cells, static_cast<Count>(n), whole);
    if (!result.empty() && tile < least) return result;
    if (result.empty() || tile < result.back()) result.push_back(tile);
    if (tile <= least || n >= static_cast<double>(cells)) return result;
  }
}

Shape tile_for_sums(Shape const& cells) {
  bool const solid = cells[2] > 1;
  Shape tile{std::min(cells[0], std::clamp(parts(cells[0], 2), measured::shortest_row, measured::longest_row)),
             std::min(cells[1], solid ? measured::rows_of_a_solid : measured::most_rows),
             std::min(cells[2], measured::layers)};
  if (!solid)
    for (auto const& [rows, most] : measured::rows)
      if (Shape const lower{tile[0], std::min(tile[1], rows), 1}; tiles_of(cells, lower) <= most) tile = lower;
  // rows stay long
  tile = halved(cells, tile, measured::fewest_tiles, measured::shortest_side, [](Shape const& t) -> std::size_t {
    std::size_t const across = t[2] > t[1] ? 2 : 1;
    return t[across] >= measured::shortest_side && t[0] <= 8 * t[across] ? across : 0;
  });
  // as many, nearly equal
  for (std::size_t a = 0; a < 3; ++a)
    tile[a] = std::min(tile[a], even_size(cells[a], parts(cells[a], tile[a]), a == 0 ? 64 : 8));
  return tile;
}

Shape tile_for_clusters(Shape const& cells, Count workers) {
  Shape const largest{std::min(cells[0], measured::side), std::min(cells[1], measured::side), cells[2]};
  return halved(cells, largest, workers > 1 ? measured::tiles_a_worker * workers : 1, measured::shortest_side,
                [](Shape const& t) -> std::size_t { return t[1] >= t[0] || t[0] <= measured::shortest_row_of_bits; });
}

Shape tile_for_volumes(Shape const& cells, Count workers) {
  auto const size = [&](std::size_t a, Count most) { return even_size(cells[a], parts(cells[a], most), 1); };
  Shape const largest{size(0, measured::longest_row_of_a_solid), size(1, measured::across), size(2, measured::across)};
  return halved(cells, largest, workers > 1 ? measured::solids_a_worker * workers : 1, measured::shortest_side / 2,
                [](Shape const& t) -> std::size_t { return t[0] > 2 * t[1] ? 0
                                                           : t[2] >= t[1]  ? 2
                                                                           : 1; });
}

Shape tile_for_automata(Shape const& cells, std::span<double const> rates) {
  bool const solid = cells[2] > 1;
  auto const workers = static_cast<double>(rates.size());
  double const fewest = workers > 1 ? 2 * workers : 1, most = 64 * workers;
  struct Candidate {
    Shape tile;
    double tiles;
  };
  std::vector<Candidate> all;
  double nearest = 0;  // to the fewest, where all have fewer
  for (Count const k : sizes(cells[2], 64, 4, solid ? 4 : 1, 1.25))
    for (Count const j : sizes(cells[1], solid ? 64 : 512, solid ? 8 : 16, 8, 1.06))
      for (Count const i : sizes(cells[0], 2048, 32, cells[0] < 512 ? 8 : 64, 2)) {
        double const n = static_cast<double>(tiles_of(cells, {i, j, k}));
        if (n > most && !all.empty()) continue;
        all.push_back({{i, j, k}, n});
        nearest = std::max(nearest, std::min(n, fewest));
      }
  Shape best = all.front().tile;
  double least = std::numeric_limits<double>::infinity();
  for (auto const& [tile, n] : all) {
    if (n < nearest) continue;
    auto const fit = judge_tile(cells, tile, rates);
    double const time = fit.time() * (fit.imbalance > measured::unequal ? 10 * (1 + fit.imbalance) : 1);
    if (time < least) {
      least = time;
      best = tile;
    }
  }
  // workers beyond the tiles would have nothing to do: parts down to four cells, the outermost axis first
  return halved(cells, best, static_cast<Count>(rates.size()), 5, [](Shape const& t) -> std::size_t {
    std::size_t const across = t[1] > t[2] ? 1 : 2;
    return t[0] > t[across] ? 0 : across;
  });
}

}  // namespace

TileFit judge_tile(Shape const& cells, Shape const& tile, std::span<double const> rates) {
  expect(!rates.empty(), "tiles are for one worker or more");
  double tiles = 1, depth = measured::deepest;
  for (std::size_t a = 0; a < 3; ++a) {
    tiles *= static_cast<double>(parts(cells[a], tile[a]));
    if (cells[a] > 1) depth = std::min(depth, std::max(1.0, std::floor(static_cast<double>(tile[a]) / 8)));
  }
  // the halo shrinks by a cell on both sides with each generation; no rows are beyond the ends of the grid
  double shape = 1 + measured::of_memory / depth;
  for (std::size_t a = 0; a < 3; ++a) {
    double more = a == 0 ? measured::of_a_row : 0;
    if (tile[a] < cells[a]) more += a == 0 ? measured::of_a_row : depth + measured::of_a_tile;
    shape *= 1 + more / static_cast<double>(tile[a]);
  }
  auto const dealt = deal(tiles, rates);
  double const all = std::accumulate(rates.begin(), rates.end(), 0.0);
  return {shape, dealt.slowest * all / tiles, dealt.slowest / dealt.mean - 1};
}

Shape choose_tile(TileUse use, Shape const& cells, std::span<double const> rates) {
  if (use == TileUse::sums) return tile_for_sums(cells);
  if (use == TileUse::automata) return tile_for_automata(cells, rates);
  if (use == TileUse::volumes) return tile_for_volumes(cells, static_cast<Count>(rates.size()));
  return tile_for_clusters(cells, static_cast<Count>(rates.size()));
}

Shape choose_tile(TileUse use, Shape const& cells, int workers) {
  return choose_tile(use, cells, std::vector<double>(workers, 1.0));
}

}  // namespace tessera::core
