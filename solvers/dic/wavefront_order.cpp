// SPDX-License-Identifier: Apache-2.0
#include "solvers/dic/wavefront_order.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace tessera::solvers {
namespace {

std::size_t index(int n) { return static_cast<std::size_t>(n); }

}  // namespace

int tile_beside(core::Grid const& grid, int tile, int axis, int towards) {
  core::Index p = grid.tile_position(tile);
  core::Count& x = along(p, axis);
  x += towards;
  return x < 0 || x >= grid.tile_lattice()[axis] ? -1 : grid.tile_number(p);
}

std::vector<WavefrontTurn> wavefront_turns(core::Grid const& grid, std::span<int const> owners, int ahead,
                                           std::span<int const> takes_all) {
  int const tiles = grid.tiles(), first = ahead > 0 ? 0 : tiles - 1;
  auto const owner = [&](int tile) { return owners[index(tile)]; };
  // steps to the nearest tile of another rank that waits for this one; tile numbers are a topological order
  constexpr int far = std::numeric_limits<int>::max();
  std::vector<int> distance(index(tiles), far), missing(index(tiles), 0);
  for (int n = 0; n < tiles; ++n) {
    int const tile = ahead > 0 ? tiles - 1 - n : n;
    for (int axis = 0; axis < 3; ++axis) {
      if (tile_beside(grid, tile, axis, -ahead) >= 0) ++missing[index(tile)];
      int const behind = tile_beside(grid, tile, axis, ahead);
      if (behind < 0) continue;
      int const d = owner(behind) != owner(tile) ? 0 : distance[index(behind)];
      distance[index(tile)] = std::min(distance[index(tile)], d == far ? far : d + 1);
    }
  }
  using Ready = std::tuple<int, int, int>;          // distance, order, tile
  using Event = std::tuple<core::Count, int, int>;  // time, order of the first tile, rank
  std::vector<std::priority_queue<Ready, std::vector<Ready>, std::greater<>>> ready(takes_all.size());
  std::vector<std::vector<int>> at_work(ready.size());  // tiles that a rank has begun
  std::priority_queue<Event, std::vector<Event>, std::greater<>> finishing;
  std::vector<WavefrontTurn> turns;
  int begun_of_all = 0;
  auto const order = [&](int tile) { return ahead * (tile - first); };
  auto const start = [&](int rank, core::Count now) {
    auto& queue = ready[index(rank)];
    auto& begun = at_work[index(rank)];
    if (!begun.empty() || queue.empty()) return;
    core::Count longest = 0;
    do {
      int const tile = std::get<2>(queue.top());
      queue.pop();
      begun.push_back(tile);
      longest = std::max(longest, grid.tile_box(tile).cells());
    } while (takes_all[index(rank)] != 0 && !queue.empty());
    finishing.emplace(now + longest, order(begun.front()), rank);
    begun_of_all += static_cast<int>(begun.size());
    turns.push_back({rank, begun});
  };
  auto const make_ready = [&](int tile) {
    ready[index(owner(tile))].emplace(distance[index(tile)], order(tile), tile);
  };
  make_ready(first);
  start(owner(first), 0);
  while (!finishing.empty()) {
    auto const [now, position, rank] = finishing.top();
    finishing.pop();
    std::vector<int> const finished = std::move(at_work[index(rank)]);
    at_work[index(rank)].clear();
    auto const for_behind = [&](auto const& f) {
      for (int const tile : finished)
        for (int axis = 0; axis < 3; ++axis)
          if (int const behind = tile_beside(grid, tile, axis, ahead); behind >= 0) f(behind);
    };
    for_behind([&](int behind) {
      if (--missing[index(behind)] == 0) make_ready(behind);
    });
    start(rank, now);
    for_behind([&](int behind) { start(owner(behind), now); });
  }
  core::expect(begun_of_all == tiles, "the wavefront does not reach every tile");
  return turns;
}

double wavefront_seconds(core::Grid const& grid, std::span<int const> owners, int ahead,
                         std::vector<WavefrontTurn> const& turns, std::function<double(int)> const& tile_seconds,
                         std::function<double(int, int)> const& latency) {
  std::vector<double> done(index(grid.tiles())), free;
  double last = 0;
  for (auto const& turn : turns) {
    if (free.size() <= index(turn.rank)) free.resize(index(turn.rank) + 1, 0);
    double begin = free[index(turn.rank)], work = 0;
    for (int const tile : turn.tiles) {
      work += tile_seconds(tile);
      for (int axis = 0; axis < 3; ++axis)
        if (int const before = tile_beside(grid, tile, axis, -ahead); before >= 0) {
          int const from = owners[index(before)];
          begin = std::max(begin, done[index(before)] + (from == turn.rank ? 0 : latency(from, turn.rank)));
        }
    }
    double const end = begin + work;
    for (int const tile : turn.tiles) done[index(tile)] = end;
    free[index(turn.rank)] = end;
    last = std::max(last, end);
  }
  return last;
}

}  // namespace tessera::solvers
