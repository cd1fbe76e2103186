// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work on boxes of cells: halos, sides, cells that are held.
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <vector>

namespace tessera::core {

/// A box of ni x nj x nk cells of one tile, `from` here and `to` there (local positions), cell `at` of a buffer.
struct BoxCopy {
  int from_slot, to_slot;
  int from[3], to[3];  // i, j, k
  int n[3];
  Count at;
};

namespace detail {
template <class F>
struct ForEachInBox {
  BoxCopy const* boxes;
  F f;
  KOKKOS_FUNCTION void operator()(Count b) const {
    // copies on the stack: bytes that f writes cannot be parts of them, so that loops over bytes vectorise, too
    BoxCopy const box = boxes[b];
    F const kernel = f;
    Count at = box.at;
    for (int k = 0; k < box.n[2]; ++k)
      for (int j = 0; j < box.n[1]; ++j) {
        TESSERA_INDEPENDENT
        for (int i = 0; i < box.n[0]; ++i) kernel(box, k, j, i, at + i);
        at += box.n[0];
      }
  }
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    BoxCopy const& box = boxes[team.league_rank()];
    int const ni = box.n[0], nj = box.n[1];
    over_team(team, ni * nj * box.n[2], [&](int c) { f(box, c / (ni * nj), c / ni % nj, c % ni, box.at + c); });
  }
  std::size_t scratch() const { return 0; }
};

/// Sum over each box in raster order.
template <class F>
struct SumBox {
  BoxCopy const* boxes;
  F f;
  double* sums;
  KOKKOS_FUNCTION void operator()(Count b) const {
    BoxCopy const& box = boxes[b];
    Count at = box.at;
    double sum = 0;
    for (int k = 0; k < box.n[2]; ++k)
      for (int j = 0; j < box.n[1]; ++j)
        for (int i = 0; i < box.n[0]; ++i) sum += f(box, k, j, i, at++);
    sums[b] = sum;
  }
};
}  // namespace detail

/// Sum over all boxes on all ranks of f(box, k, j, i, at), with `at` as in for_each_in_boxes. The sums of the boxes are
/// added exactly, so the bits depend on the boxes alone: not on ranks or owners, as long as no box crosses a tile. One
/// thread a box. Collective.
template <class F>
double sum_over_boxes(char const* label, Comm const& comm, Kokkos::View<BoxCopy const*> const& boxes, F const& f) {
  Count const n = static_cast<Count>(boxes.extent(0));
  std::array<ExactSum, 1> total;
  for (double part : detail::results_on_host<double>(n, [&](double* sums) {
         detail::over(label, n, detail::SumBox<F>{boxes.data(), f, sums});
       }))
    total[0].add(part);
  ExactSum::all_reduce(comm, total);
  return total[0].round();
}

/// Calls f(box, k, j, i, at) for every cell of every box; `at` counts on from box.at in raster order.
template <class F>
void for_each_in_boxes(char const* label, Kokkos::View<BoxCopy const*> const& boxes, F const& f) {
  if (boxes.extent(0) == 0) return;
  OpenPages const open(OpenPages::For::kernel);
  detail::ForEachInBox<F> const kernel{boxes.data(), f};
  if constexpr (on_host)
    detail::over(label, static_cast<Count>(boxes.extent(0)), kernel);
  else
    detail::over_teams(label, static_cast<Count>(boxes.extent(0)), kernel);
  Kokkos::fence();
}

/// The same, for hosts, in those boxes of which wanted(box) holds.
template <class Wanted, class F>
void for_each_in_some_boxes(char const* label, Kokkos::View<BoxCopy const*> const& boxes, Wanted const& wanted,
                            F const& f) {
  std::vector<BoxCopy> some;
  Count cells = 0;
  for (std::size_t n = 0; n < boxes.extent(0); ++n)
    if (BoxCopy const& box = boxes(n); wanted(box)) {
      some.push_back(box);
      cells += Count{box.n[0]} * box.n[1] * box.n[2];
    }
  detail::ForEachInBox<F> const kernel{some.data(), f};
  auto const count = static_cast<Count>(some.size());
  for_each_by_threads(label, count, cells / std::max<Count>(1, count), kernel);
}

}  // namespace tessera::core
