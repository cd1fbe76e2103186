// SPDX-License-Identifier: Apache-2.0
#include "core/grid/tile_shape.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tessera::core {
namespace {

using Shape = Grid::Shape;

Count parts(Count cells, Count tile) { return (cells + tile - 1) / tile; }

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

}  // namespace

Count even_size(Count cells, Count n, Count whole) { return std::min(cells, parts(parts(cells, n), whole) * whole); }

TileFit judge_tile(Shape const& cells, Shape const& tile, std::span<double const> rates) {
  expect(!rates.empty(), "tiles are for one worker or more");
  double tiles = 1, depth = 16;
  for (std::size_t a = 0; a < 3; ++a) {
    tiles *= static_cast<double>(parts(cells[a], tile[a]));
    if (cells[a] > 1) depth = std::min(depth, std::max(1.0, std::floor(static_cast<double>(tile[a]) / 8)));
  }
  // the halo shrinks by a cell on both sides with each generation; no rows are beyond the ends of the grid
  double shape = 1 + 1.5 / depth;
  for (std::size_t a = 0; a < 3; ++a) {
    double more = a == 0 ? 64 : 0;
    if (tile[a] < cells[a]) more += a == 0 ? 64 : depth + 7;
    shape *= 1 + more / static_cast<double>(tile[a]);
  }
  auto const dealt = deal(tiles, rates);
  double const all = std::accumulate(rates.begin(), rates.end(), 0.0);
  return {shape, dealt.slowest * all / tiles, dealt.slowest / dealt.mean - 1};
}

Shape choose_tile(Shape const& cells, std::span<double const> rates) {
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
        double const n = static_cast<double>(parts(cells[0], i) * parts(cells[1], j) * parts(cells[2], k));
        if (n > most && !all.empty()) continue;
        all.push_back({{i, j, k}, n});
        nearest = std::max(nearest, std::min(n, fewest));
      }
  Shape best = all.front().tile;
  double least = std::numeric_limits<double>::infinity();
  for (auto const& [tile, n] : all) {
    if (n < nearest) continue;
    auto const fit = judge_tile(cells, tile, rates);
    double const time = fit.time() * (fit.imbalance > 0.04 ? 10 * (1 + fit.imbalance) : 1);
    if (time < least) {
      least = time;
      best = tile;
    }
  }
  // workers beyond the tiles would have nothing to do: parts down to four cells, the outermost axis first
  auto const tiles = [&] { return parts(cells[0], best[0]) * parts(cells[1], best[1]) * parts(cells[2], best[2]); };
  while (tiles() < static_cast<Count>(rates.size())) {
    std::size_t longest = 2;
    for (std::size_t const a : {std::size_t{1}, std::size_t{0}})
      if (best[a] > best[longest]) longest = a;
    if (best[longest] <= 4) break;
    best[longest] = parts(best[longest], 2);
  }
  return best;
}

Shape choose_tile(Shape const& cells, int workers) { return choose_tile(cells, std::vector<double>(workers, 1.0)); }

}  // namespace tessera::core
