// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/multigrid/hierarchy.hpp"

#include <vector>

namespace tessera::solvers::multigrid {

/// A few rows that move along a slab: row j of eight stays until row j + 8 is written.
template <class T>
class Window {
 public:
  explicit Window(int columns);
  T* row(int j) { return first_ + (j & (rows - 1)) * stride_; }

 private:
  static constexpr int rows = 8;
  core::Count stride_;
  std::vector<T> values_;
  T* first_;
};

/// The passes of CgPasses in two dimensions with two steps of the smoother, row by row: each row of r is read once a pass,
/// and what is needed of the rows between the steps of a pass stays in the cache. The smoothed z before the correction
/// is not stored but computed again on the way up, which is cheaper. Same bits as the separate passes.
///
/// Each thread has lines of its own, as ranks have: a pass begins with the lines at their ends, so that the threads beside
/// find them done, and computes the steps in between up to three lines beyond them anew.
///
/// Cost a cell in single precision: A 36 B, B 32 B, C 44 B.
template <class T>
class Stream {
 public:
  /// Whether this form exists for the finest level; singular matrices need the mean of z before (r, z).
  static bool can(Hierarchy<T> const& levels);
  explicit Stream(Hierarchy<T>& levels);

  /// Pass A: r -= alpha w, smoothing, restriction. Returns |r|_1.
  double update_and_descend(T alpha, Array<T> const& w);
  /// Pass B. Returns (r, z).
  double ascend();
  /// Pass C: x += alpha p, p = z + beta p, w = A p. With `first`, x starts as that number. Returns
  /// (p, w). w may be z.
  double direction(T alpha, T beta, Array<T>& p, Array<T>& w, Array<double>& x, double const* first);

 private:
  struct Rows;
  /// What a thread works on.
  struct Worker {
    Range lines, coarse;  // of the finest level and of the next
    Window<T> first, second, third;
    /// Whether a line is one of the worker's, or up to `extra` beyond, as far as the slab has them.
    bool has(Slab const& slab, int line, int extra) const;
    /// Whether it is one of the first or last `edge` lines.
    bool at_edge(int line, int edge) const { return line < lines.first + edge || line >= lines.last - edge; }
  };
  /// Calls f(worker) for all workers, each on a thread.
  template <class F>
  void work(char const* label, F const& f);

  Rows rows(int j) const;
  void first_step(int j, T* to) const;
  void relax(T weight, int j, Window<T>& from, T* to) const;
  void residual(int j, Window<T>& from, T* to) const;
  void wrap(T* row) const;
  void restrict_lines(Worker& worker, int known, int& next);

  Hierarchy<T>& levels_;
  Level<T>& level_;
  Slab const& slab_;
  int columns_;
  std::vector<Worker> workers_;
};

}  // namespace tessera::solvers::multigrid
