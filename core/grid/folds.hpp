// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels that fold the cells of a tile to one value: sweep.hpp starts them.
#include "core/grid/layout.hpp"

#include <Kokkos_Core.hpp>
#include <limits>

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#define TESSERA_INDEPENDENT _Pragma("GCC ivdep")  // iterations of the next loop touch different cells
#else
#define TESSERA_INDEPENDENT
#endif
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSERA_UNROLL(n)
#else
#define TESSERA_PRAGMA(text) _Pragma(#text)
#define TESSERA_UNROLL(n) TESSERA_PRAGMA(GCC unroll n)  // all iterations of the next loop, of which there are n
#endif

namespace tessera::core {

/// K numbers a cell, for sums that share one pass and one reduction.
template <int K>
struct Values {
  double v[K];
};

struct Extremes {
  double min, max;
};

/// A team works on n numbers: f(0) .. f(n - 1), each by one of its threads.
template <class Member, class F>
KOKKOS_INLINE_FUNCTION void over_team(Member const& team, int n, F const& f) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), f);
}

/// Memory that a team shares, for n values.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION T* of_team(Member const& team, int n) {
  return static_cast<T*>(team.team_shmem().get_shmem_aligned(static_cast<std::size_t>(n) * sizeof(T), alignof(T)));
}
/// Bytes that a team asks for to have it.
template <class T>
constexpr std::size_t team_bytes(int n) {
  return static_cast<std::size_t>(n) * sizeof(T) + alignof(T);
}

namespace detail {

/// Tile sums in a fixed order: eight lanes along a row, added up at the tile's end.
template <int K, class F>
struct TileSums {
  TileInfo const* info;
  int const* slots;
  F f;
  Values<K>* sums;
  KOKKOS_FUNCTION void operator()(Count n) const {
    constexpr int lanes = 8, chunk = 128;
    int const slot = slots[n];
    TileInfo const t = info[slot];
    F const term = f;
    double lane[K][lanes] = {};
    double buffer[K][chunk];
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i0 = 0; i0 < t.ni; i0 += chunk) {
          int const m = t.ni - i0 < chunk ? t.ni - i0 : chunk;
          TESSERA_INDEPENDENT
          for (int i = 0; i < m; ++i) {
            auto const x = term(slot, k, j, i0 + i);
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(x)>>)
              buffer[0][i] = x;
            else
              for (int q = 0; q < K; ++q) buffer[q][i] = x.v[q];
          }
          for (int q = 0; q < K; ++q) {
            for (int i = m; i % lanes != 0; ++i) buffer[q][i] = 0;
            for (int i = 0; i < m; i += lanes)
              for (int l = 0; l < lanes; ++l) lane[q][l] += buffer[q][i + l];
          }
        }
    for (int q = 0; q < K; ++q) {
      double s = 0;
      for (int l = 0; l < lanes; ++l) s += lane[q][l];
      sums[n].v[q] = s;
    }
  }
};

template <class T, class F>
struct TileFold {
  TileInfo const* info;
  int const* slots;
  F f;
  T* results;
  KOKKOS_FUNCTION void operator()(Count n) const {
    int const slot = slots[n];
    // copies on the stack: what threads share is not looked at again for each cell, so that loops vectorise
    TileInfo const t = info[slot];
    F const fold = f;
    T result = fold.start();
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i = 0; i < t.ni; ++i) fold.join(result, slot, k, j, i);
    results[n] = result;
  }
};

/// The bits of TileSums by a team a tile, for devices. All its threads ask f for the cells of some rows, of which each is filled up
/// to whole eights; then a thread for each lane of each sum adds what its lane has of them, in order.
template <int K, class F>
struct TeamSums {
  TileInfo const* info;
  int const* slots;
  F f;
  Values<K>* results;

  static constexpr int lanes = 8, cells = 2048 / K / lanes * lanes;
  static std::size_t scratch() { return team_bytes<double>(K * cells) + team_bytes<double>(K * lanes); }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const slot = slots[team.league_rank()];
    TileInfo const& t = info[slot];
    double* const values = of_team<double>(team, K * cells);
    double* const sums = of_team<double>(team, K * lanes);
    int const row = (t.ni + lanes - 1) / lanes * lanes;
    Count const all = Count{row} * t.nj * t.nk;
    over_team(team, K * lanes, [&](int n) { sums[n] = 0; });
    for (Count first = 0; first < all; first += cells) {
      int const n = all - first < cells ? static_cast<int>(all - first) : cells;
      int const before = static_cast<int>(first / row), start = static_cast<int>(first % row);
      over_team(team, n, [&](int c) {
        int const rows = (start + c) / row, r = before + rows, i = start + c - rows * row;
        Values<K> x{};
        if (i < t.ni) x = f_at(slot, r / t.nj, r % t.nj, i);
        for (int q = 0; q < K; ++q) values[q * cells + c] = x.v[q];
      });
      team.team_barrier();
      over_team(team, K * lanes, [&](int lane) {
        double const* const of_lane = values + lane / lanes * cells;
        double sum = sums[lane];
        for (int c = lane % lanes; c < n; c += lanes) sum += of_lane[c];
        sums[lane] = sum;
      });
      team.team_barrier();
    }
    over_team(team, K, [&](int q) {
      double s = 0;
      for (int l = 0; l < lanes; ++l) s += sums[q * lanes + l];
      results[team.league_rank()].v[q] = s;
    });
  }
  KOKKOS_FUNCTION Values<K> f_at(int slot, int k, int j, int i) const {
    auto const x = f(slot, k, j, i);
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(x)>>)
      return {{x}};
    else
      return x;
  }
};

/// The same as TileFold by a team a tile, for devices and for folds that have no order: cells are shared out over lanes, which are
/// merged at last.
template <class T, class F>
struct TeamFold {
  TileInfo const* info;
  int const* slots;
  F f;
  T* results;

  static constexpr int lanes = 256, along = 32;
  static std::size_t scratch() { return team_bytes<T>(lanes); }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const slot = slots[team.league_rank()];
    TileInfo const& t = info[slot];
    T* const lane = of_team<T>(team, lanes);
    over_team(team, lanes, [&](int l) {
      T result = f.start();
      for (int r = l / along; r < t.nj * t.nk; r += lanes / along)
        for (int i = l % along; i < t.ni; i += along) f.join(result, slot, r / t.nj, r % t.nj, i);
      lane[l] = result;
    });
    team.team_barrier();
    over_team(team, 1, [&](int) {
      T result = f.start();
      for (int l = 0; l < lanes; ++l) f.merge(result, lane[l]);
      results[team.league_rank()] = result;
    });
  }
};

template <class F>
struct CountCells {
  F f;
  KOKKOS_FUNCTION std::int64_t start() const { return 0; }
  KOKKOS_FUNCTION void join(std::int64_t& a, int t, int k, int j, int i) const {
    merge(a, static_cast<std::int64_t>(f(t, k, j, i)));
  }
  KOKKOS_FUNCTION void merge(std::int64_t& a, std::int64_t b) const {
    a = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};
template <class F>
struct FindExtremes {
  F f;
  double infinity = std::numeric_limits<double>::infinity();
  KOKKOS_FUNCTION Extremes start() const { return {infinity, -infinity}; }
  KOKKOS_FUNCTION void join(Extremes& a, int t, int k, int j, int i) const {
    double const x = f(t, k, j, i);
    merge(a, {x, x});
  }
  KOKKOS_FUNCTION void merge(Extremes& a, Extremes const& b) const {
    a.min = b.min < a.min || b.min != b.min ? b.min : a.min;
    a.max = b.max > a.max || b.max != b.max ? b.max : a.max;
  }
};

}  // namespace detail
}  // namespace tessera::core
