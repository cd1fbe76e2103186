// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/network/elimination.hpp"

#include <memory>

namespace tessera::solvers::network {

/// Multigrid on networks, a preconditioner that changes a little from call to call. A level's vertices are matched three times
/// in pairs, each with the neighbour that it is tied to most strongly (harmonic mean of both diagonals over the
/// conductance [Notay 2012], the diagonals those that the level's smoother has), to aggregates of about 8; these are a network
/// again. Cycle: K (at most two steps of flexible conjugate gradients on a coarser level), Gauss-Seidel forward before and backward
/// after. Single precision inside. Iterations hardly grow with the size of the network or the contrast of its conductances.
/// Memory: 50 B a vertex of six neighbours beside the network, which has to outlive it. Needs vertices that all have a way to an
/// electrode.
class Aggregation {
 public:
  explicit Aggregation(Network const& network);
  /// z, an approximate solution of A z = r / largest, until the next call. largest: of |r|, greater than 0.
  std::span<float const> apply(std::span<double const> r, double largest);
  int levels() const { return static_cast<int>(levels_.size()); }

 private:
  using Vector = std::vector<float>;
  struct Level {
    std::unique_ptr<Network> own;  ///< of a coarser level, less its conductances
    Network const* rows = nullptr;
    std::vector<std::int32_t> lower, part;  ///< neighbours of lower number; aggregate of a vertex
    Vector conductance;                     ///< of the entries; none: all are 1
    Vector ground, inverse;                 ///< to the electrodes (coarser levels); of the sum of all conductances
    Vector coarse_r, coarse_x, z, first, product;
    std::unique_ptr<Elimination> bottom;
  };
  static void prepare(Level& level);
  void cycle(std::size_t level, Vector const& r, Vector& z);
  void inner(std::size_t level, Vector& r, Vector& x);
  /// Gauss-Seidel from z = 0, and what is left by aggregates; what the aggregates found is added, and Gauss-Seidel backward.
  template <class Conductances>
  static void smooth_down(Level& level, Conductances const& conductances, float const* r, float* z);
  template <class Conductances>
  static void smooth_up(Level& level, Conductances const& conductances, float const* r, float* z);
  /// Calls at_each(i, value) for the elements of A v, by differences.
  template <class AtEach>
  static void multiply(Level const& level, Vector const& v, AtEach const& at_each);

  std::vector<Level> levels_;
  Vector in_, out_;
};

}  // namespace tessera::solvers::network
