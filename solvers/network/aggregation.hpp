// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/network/elimination.hpp"

#include <memory>

namespace tessera::solvers::network {

/// Multigrid on networks, a preconditioner that changes a little from call to call. A level's vertices are matched three times
/// in pairs, each with the neighbour that it is tied to most strongly (harmonic mean of both diagonals over the
/// conductance [Notay 2012]), to aggregates of about 8; these are a network again. Cycle: K (at most two steps of flexible
/// conjugate gradients on a coarser level), Gauss-Seidel forward before and backward after. Single precision inside.
/// Memory: 130 B a vertex of six neighbours. Needs vertices that all have a way to an electrode.
class Aggregation {
 public:
  explicit Aggregation(Network const& network);
  /// z is an approximate solution of A z = r.
  void apply(std::span<double const> r, std::span<double> z);
  int levels() const { return static_cast<int>(levels_.size()); }

 private:
  using Vector = std::vector<float>;
  struct Level {
    std::int32_t size = 0;
    std::vector<std::int64_t> begin, middle;  ///< of a row, and of its entries above the diagonal
    std::vector<std::int32_t> column, part;   ///< part: aggregate of a vertex
    Vector conductance, ground, inverse;
    Vector coarse_r, coarse_x, z, first, product, second;
    std::unique_ptr<Elimination> bottom;
  };
  void add_level(Network const& a);
  void cycle(std::size_t level, Vector const& r, Vector& z);
  void inner(std::size_t level, Vector& r, Vector& x);

  std::vector<Level> levels_;
  Vector in_, out_;
};

}  // namespace tessera::solvers::network
