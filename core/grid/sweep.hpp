// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kokkos::parallel_* is called here and in folds.hpp alone. Kernels are named functors (nvcc refuses or misruns lambdas in private
// members, test bodies and anonymous namespaces) with KOKKOS_FUNCTION operator().
#include "core/comm/slowdown.hpp"
#include "core/grid/exact_sum.hpp"
#include "core/grid/folds.hpp"
#include "core/grid/loops.hpp"
#include "core/grid/pages.hpp"
#include "core/grid/workspace.hpp"
#include "core/times.hpp"

#include <Kokkos_Core.hpp>
#include <span>
#include <vector>

namespace tessera::core {

/// Whether this program computes on the host: sweeps may then use what only a host has.
inline constexpr bool on_host =
    !fenced && std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;

namespace detail {

using Device = Kokkos::DefaultExecutionSpace;
using HostSpace = Kokkos::DefaultHostExecutionSpace;

/// Row `row` of the tile in slot `slot`; none (ni = 0) where an edge tile is shorter than the tile shape.
struct Row {
  int slot, k, j, ni;
};
KOKKOS_INLINE_FUNCTION Row row_of(TileInfo const* info, int const* slots, int rows, int rows_y, Count n) {
  int const slot = slots[n / rows];
  int const row = static_cast<int>(n % rows);
  int const k = row / rows_y, j = row % rows_y;
  TileInfo const& t = info[slot];
  return {slot, k, j, k < t.nk && j < t.nj ? t.ni : 0};
}

template <class F>
struct ForEachRow {
  TileInfo const* info;
  int const* slots;
  int rows, rows_y;
  F f;
  KOKKOS_FUNCTION void operator()(Count n) const {
    Row const r = row_of(info, slots, rows, rows_y, n);
    F const cell = f;  // on the stack: bytes that it writes are then no parts of it, and the loop vectorises
    TESSERA_INDEPENDENT
    for (int i = 0; i < r.ni; ++i) cell(r.slot, r.k, r.j, i);
  }
};

/// Threads of a team on a device. On a host a team has as many as it happens to have.
inline constexpr int team_threads = 256;
/// How many of them work along a row of so many cells.
inline int threads_along(int cells) {
  int n = 1;
  while (n < 32 && n < cells) n *= 2;
  return n;
}
/// Teams of so many threads, `along` (a power of two up to 32) of which share what a thread of them works on.
inline auto teams(Count n, [[maybe_unused]] int along = 1) {
  int const league = static_cast<int>(n);
  if constexpr (std::is_same_v<Device, HostSpace>)
    return Kokkos::TeamPolicy<Device>(league, Kokkos::AUTO);
  else
    return Kokkos::TeamPolicy<Device>(league, team_threads / along, along);
}

/// How a device shares out rows of as many cells: in pieces of some cells a thread, so that a grid of few long rows keeps all its
/// threads busy, too. A team has pieces that follow each other; `along` of its threads work on one.
struct PiecesOfRows {
  Count all;
  int columns, along, cells, of_a_row, of_a_team;
  PiecesOfRows(Count rows, int columns)
      : columns(columns),
        along(threads_along(columns)),
        cells(8 * along),
        of_a_row((columns + cells - 1) / cells),
        of_a_team(team_threads / along) {
    all = rows * of_a_row;
  }
  auto policy() const { return teams((all + of_a_team - 1) / of_a_team, along); }
  /// f(row, first, end) for the pieces of a team.
  template <class Member, class F>
  KOKKOS_FUNCTION void each(Member const& team, F const& f) const {
    Count const first = Count{team.league_rank()} * of_a_team;
    int const n = all - first < of_a_team ? static_cast<int>(all - first) : of_a_team;
    over_team(team, n, [&](int q) {
      Count const row = (first + q) / of_a_row;
      int const from = static_cast<int>(first + q - row * of_a_row) * cells;
      f(row, from, from + cells < columns ? from + cells : columns);
    });
  }
};
/// Those of the rows of tiles, as a kernel sees them.
struct PiecesOfTiles {
  TileInfo const* info;
  int const* slots;
  int rows, rows_y;
  PiecesOfRows pieces;
  explicit PiecesOfTiles(Tiles const& tiles)
      : info(tiles.info.data()),
        slots(tiles.slots.data()),
        rows(tiles.rows),
        rows_y(tiles.rows_y),
        pieces(Count{tiles.count()} * tiles.rows, tiles.row_cells) {}
  /// f(row, first, end) for the pieces of a team; of edge tiles, which are shorter, they may be empty.
  template <class Member, class F>
  KOKKOS_FUNCTION void each(Member const& team, F const& f) const {
    pieces.each(team, [&](Count n, int first, int end) {
      Row const r = row_of(info, slots, rows, rows_y, n);
      if (first < r.ni) f(r, first, end < r.ni ? end : r.ni);
    });
  }
};
/// The kernel of for_each on a device.
template <class F>
struct ForEachOfTeams {
  PiecesOfTiles tiles;
  F f;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    tiles.each(team, [&](Row const& r, int first, int end) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, end), [&](int i) { f(r.slot, r.k, r.j, i); });
    });
  }
};
/// That of count_by_tiles.
template <class F>
struct CountOfTeams {
  PiecesOfTiles tiles;
  F f;
  std::int64_t* totals;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    tiles.each(team, [&](Row const& r, int first, int end) {
      std::int64_t n = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, first, end),
          [&](int i, std::int64_t& sum) { sum += static_cast<std::int64_t>(f(r.slot, r.k, r.j, i)); }, n);
      // an atomic addition of the hardware, which there is for unsigned numbers alone, one a piece
      if (n != 0)
        Kokkos::single(Kokkos::PerThread(team), [&]() {
          Kokkos::atomic_add(reinterpret_cast<unsigned long long*>(totals + r.slot),
                             static_cast<unsigned long long>(n));
        });
    });
  }
};

template <class F>
struct ForEachTile {
  int const* slots;
  F f;
  KOKKOS_FUNCTION void operator()(Count n) const { f(slots[n]); }
};

template <class Kernel>
void over(char const* label, Count n, Kernel const& kernel) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Device, Kokkos::IndexType<Count>>(0, n), kernel);
}

/// n results that `kernel` writes on the device, on the host. They stay until the next call.
template <class T, class Kernel>
std::span<T const> results_on_host(Count n, Kernel const& kernel) {
  Sweep const sweep;
  auto const bytes = static_cast<std::size_t>(n) * sizeof(T);
  {
    OpenPages const open(OpenPages::For::kernel);
    kernel(reinterpret_cast<T*>(device_workspace(bytes)));
    Kokkos::fence();
  }
  return {reinterpret_cast<T const*>(workspace_on_host(bytes)), static_cast<std::size_t>(n)};
}

/// kernel(member) by n teams, each with kernel.scratch() bytes of memory that it shares (of_team).
template <class Kernel>
void over_teams(char const* label, Count n, Kernel const& kernel) {
  auto policy = teams(n);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(kernel.scratch())));
  Kokkos::parallel_for(label, policy, kernel);
}

/// One T a tile, by one thread a tile on a host, by a team a tile on a device.
template <class T, class F>
std::span<T const> fold_tiles(char const* label, Tiles const& tiles, F const& f) {
  return results_on_host<T>(tiles.count(), [&](T* results) {
    if constexpr (on_host)
      over(label, tiles.count(), TileFold<T, F>{tiles.info.data(), tiles.slots.data(), f, results});
    else
      over_teams(label, tiles.count(), TeamFold<T, F>{tiles.info.data(), tiles.slots.data(), f, results});
  });
}

template <int K, class F>
std::span<Values<K> const> sum_tiles(char const* label, Tiles const& tiles, F const& f) {
  return results_on_host<Values<K>>(tiles.count(), [&](Values<K>* sums) {
    if constexpr (on_host)
      over(label, tiles.count(), TileSums<K, F>{tiles.info.data(), tiles.slots.data(), f, sums});
    else
      over_teams(label, tiles.count(), TeamSums<K, F>{tiles.info.data(), tiles.slots.data(), f, sums});
  });
}

/// The kernel of for_each_in_rows.
template <class F>
struct InRowsOfTeams {
  PiecesOfRows pieces;
  F f;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    pieces.each(team, [&](Count n, int first, int end) {
      auto const row = f.row(n);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, end), [&](int i) { row(i); });
    });
  }
};

}  // namespace detail

/// Threads, over all ranks, that tiles can be shared over: choose_tile. The same number on all ranks, also where
/// their programs are built for unlike machines. On a device rows are shared, so it counts as one. Collective.
inline int workers(Comm const& comm) {
  std::int64_t const threads = on_host ? detail::Device().concurrency() : 1;
  return static_cast<int>(comm.size() * comm.max(threads));
}

/// Calls f(slot, k, j, i) once for every cell of `tiles`. Rows are the parallel index; along a row the cells are
/// independent and contiguous, so a plain f vectorises. f must write its own cell only.
template <class F>
void for_each(char const* label, Tiles const& tiles, F const& f) {
  Sweep const sweep;
  OpenPages const open(OpenPages::For::kernel);
  if constexpr (on_host) {
    detail::over(label, Count{tiles.count()} * tiles.rows,
                 detail::ForEachRow<F>{tiles.info.data(), tiles.slots.data(), tiles.rows, tiles.rows_y, f});
  } else if (detail::PiecesOfTiles const rows(tiles); rows.pieces.all > 0) {
    Kokkos::parallel_for(label, rows.pieces.policy(), detail::ForEachOfTeams<F>{rows, f});
  }
  Kokkos::fence();
}

/// For devices: calls f(slot, k, j, i) as for_each does, and adds the whole numbers that it returns to totals[slot].
template <class F>
void count_by_tiles(char const* label, Tiles const& tiles, F const& f, std::int64_t* totals) {
  Sweep const sweep;
  OpenPages const open(OpenPages::For::kernel);
  if (detail::PiecesOfTiles const rows(tiles); rows.pieces.all > 0)
    Kokkos::parallel_for(label, rows.pieces.policy(), detail::CountOfTeams<F>{rows, f, totals});
  Kokkos::fence();
}

/// For devices: calls kernel(member) once for each of `count` teams of threads, which share kernel.scratch() bytes of memory: see
/// over_team and of_team.
template <class Kernel>
void for_each_team(char const* label, Count count, Kernel const& kernel) {
  if (count == 0) return;
  Sweep const sweep;
  OpenPages const open(OpenPages::For::kernel);
  detail::over_teams(label, count, kernel);
  Kokkos::fence();
}

/// For devices: calls f.row(n)(i) once for i = 0 .. columns - 1 of n = 0 .. rows - 1, wherever these rows lie.
template <class F>
void for_each_in_rows(char const* label, Count rows, int columns, F const& f) {
  if (rows == 0 || columns == 0) return;
  Sweep const sweep;
  OpenPages const open(OpenPages::For::kernel);
  detail::PiecesOfRows const pieces(rows, columns);
  Kokkos::parallel_for(label, pieces.policy(), detail::InRowsOfTeams<F>{pieces, f});
  Kokkos::fence();
}

/// Calls f(slot) once for every tile, on the device; tiles are the parallel index.
template <class F>
void for_each_tile(char const* label, Tiles const& tiles, F const& f) {
  Sweep const sweep;
  OpenPages const open(OpenPages::For::kernel);
  detail::over(label, tiles.count(), detail::ForEachTile<F>{tiles.slots.data(), f});
  Kokkos::fence();
}

/// Threads of this process that loops on the host are shared over.
inline int host_threads() {
  static int const threads = static_cast<int>(detail::HostSpace().concurrency());
  return threads;
}
/// As many of them as have something to do with work on so many cells. Beginning and ending threads takes some
/// microseconds: below 16 thousand cells one thread is faster.
inline int host_threads_for(Count cells) { return cells < 16384 ? 1 : host_threads(); }

namespace detail {
/// f of any type behind a pointer: compiled once, and never for a device.
struct HostLoop {
  void (*call)(void const* f, Count n);
  void const* f;
  void operator()(Count n) const { call(f, n); }
};
inline void on_threads(char const* label, Count count, HostLoop const& loop) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<HostSpace, Kokkos::IndexType<Count>>(0, count), loop);
}
}  // namespace detail

/// Calls f(n) once for n = 0 .. count - 1 on the host, numbers in a row by one thread. A call works on about `cells` cells.
/// f may be any callable; it must not throw, nor read or write what another call writes.
template <class F>
void for_each_by_threads(char const* label, Count count, Count cells, F const& f) {
  if (host_threads_for(count * cells) == 1)
    for (Count n = 0; n < count; ++n) f(n);
  else
    detail::on_threads(label, count, {[](void const* g, Count n) { (*static_cast<F const*>(g))(n); }, &f});
}

/// Calls f(slot) once for every tile on the host (host views): for work that is sequential inside a tile.
/// f may be any callable; it must not throw.
template <class F>
void for_each_tile_on_host(char const* label, Layout const& layout, F const& f) {
  Sweep const sweep;
  Count const tiles = layout.tiles();
  for_each_by_threads(label, tiles, tiles > 0 ? layout.cells() / tiles : 0,
                      [&f](Count slot) { f(static_cast<int>(slot)); });
}

/// Calls f(slot, k, j, i) once for every own cell on the host (host views); tiles are the parallel index. f may be any
/// callable; it must not throw, and write its own cell, or what belongs to its tile.
template <class F>
void for_each_on_host(char const* label, Layout const& layout, F const& f) {
  for_each_tile_on_host(
      label, layout, [&](int slot) { for_cells(layout.info(slot), [&](int k, int j, int i) { f(slot, k, j, i); }); });
}

/// Sums over all cells of `tiles` on all ranks; f(slot, k, j, i) returns a double or Values<K>, and may write its own
/// cell (fused passes). Tile sums are formed in a fixed order, then added exactly (ExactSum), so the bits depend on the
/// tile shape alone: not on ranks, owners or threads. Collective.
template <int K, class F>
std::array<double, K> sums(char const* label, Layout const& layout, Tiles const& tiles, F const& f) {
  std::array<ExactSum, K> totals;
  for (auto const& part : detail::sum_tiles<K>(label, tiles, f))
    for (std::size_t q = 0; q < K; ++q) totals[q].add(part.v[q]);
  ExactSum::all_reduce(layout.comm(), totals);
  std::array<double, K> result;
  for (std::size_t q = 0; q < K; ++q) result[q] = totals[q].round();
  return result;
}
template <class F>
double sum(char const* label, Layout const& layout, F const& f) {
  return sums<1>(label, layout, layout.all(), f)[0];
}

/// Sum modulo 2^64 of integers f(slot, k, j, i) over all own cells of all ranks. Collective.
template <class F>
std::int64_t count(char const* label, Layout const& layout, F const& f) {
  std::uint64_t total = 0;
  for (auto x : detail::fold_tiles<std::int64_t>(label, layout.all(), detail::CountCells<F>{f}))
    total += static_cast<std::uint64_t>(x);
  return layout.comm().sum(static_cast<std::int64_t>(total));
}

/// Smallest and largest f(slot, k, j, i) over all own cells of all ranks, both NaN if any is NaN: one pass, one reduction.
/// Collective.
template <class F>
Extremes extremes(char const* label, Layout const& layout, F const& f) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::array<double, 3> all{-infinity, -infinity, 0};  // -min, max, 1 if any is NaN
  for (Extremes const& tile : detail::fold_tiles<Extremes>(label, layout.all(), detail::FindExtremes<F>{f})) {
    if (-tile.min > all[0]) all[0] = -tile.min;
    if (tile.max > all[1]) all[1] = tile.max;
    if (tile.max != tile.max) all[2] = 1;
  }
  layout.comm().max(std::span<double>(all));
  return all[2] > 0 ? Extremes{nan, nan} : Extremes{-all[0], all[1]};
}
template <class F>
double max(char const* label, Layout const& layout, F const& f) {
  return extremes(label, layout, f).max;
}
template <class F>
double min(char const* label, Layout const& layout, F const& f) {
  return extremes(label, layout, f).min;
}

}  // namespace tessera::core
