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
    TileInfo const& t = info[slot];
    double lane[K][lanes] = {};
    double buffer[K][chunk];
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i0 = 0; i0 < t.ni; i0 += chunk) {
          int const m = t.ni - i0 < chunk ? t.ni - i0 : chunk;
          TESSERA_INDEPENDENT
          for (int i = 0; i < m; ++i) {
            auto const x = f(slot, k, j, i0 + i);
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
    TileInfo const& t = info[slot];
    T result = f.start();
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i = 0; i < t.ni; ++i) f.join(result, slot, k, j, i);
    results[n] = result;
  }
};

/// The same by a team a tile, for devices: lane l folds cells l, l + lanes, ... of each row, then lanes are merged in order.
/// With AddValues and eight lanes the bits are those of TileSums.
template <class T, class F, int lanes>
struct TeamFold {
  TileInfo const* info;
  int const* slots;
  F f;
  T* results;
  static std::size_t scratch() { return lanes * sizeof(T) + alignof(T); }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const slot = slots[team.league_rank()];
    TileInfo const& t = info[slot];
    T* const lane = static_cast<T*>(team.team_shmem().get_shmem_aligned(lanes * sizeof(T), alignof(T)));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, lanes), [&](int l) {
      T result = f.start();
      for (int k = 0; k < t.nk; ++k)
        for (int j = 0; j < t.nj; ++j)
          for (int i = l; i < t.ni; i += lanes) f.join(result, slot, k, j, i);
      lane[l] = result;
    });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      T result = f.start();
      for (int l = 0; l < lanes; ++l) f.merge(result, lane[l]);
      results[team.league_rank()] = result;
    });
  }
};

template <int K, class F>
struct AddValues {
  F f;
  KOKKOS_FUNCTION Values<K> start() const { return {}; }
  KOKKOS_FUNCTION void join(Values<K>& a, int t, int k, int j, int i) const {
    auto const x = f(t, k, j, i);
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(x)>>)
      a.v[0] += x;
    else
      merge(a, x);
  }
  KOKKOS_FUNCTION void merge(Values<K>& a, Values<K> const& b) const {
    for (int q = 0; q < K; ++q) a.v[q] += b.v[q];
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
