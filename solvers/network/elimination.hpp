// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/network/network.hpp"

#include <utility>

namespace tessera::solvers::network {

/// How far to eliminate.
struct Extent {
  int cheap = 4;            ///< vertices of at most so many neighbours go always
  int most = 24;            ///< of more never
  std::int32_t few = 2000;  ///< between the two while at most so many vertices are left,
  std::int32_t share = 10;  ///< or one in so many
};

/// Vertices taken away exactly, in order of their number of neighbours: a star of conductances g_k with sum s becomes a mesh of
/// g_k g_l / s (series, star-triangle, and so on). The electrodes stay apart, so nothing is subtracted anywhere, and the
/// conductances left are right to rounding whatever the condition. Near the percolation threshold nothing is left.
/// Cost: 0.05 to 0.5 us a vertex of at most 8 neighbours. The order depends on the numbers of the vertices alone.
class Elimination {
 public:
  Elimination(Network const& network, Extent const& extent);

  Network const& left() const { return left_; }
  Network take_left() { return std::move(left_); }
  std::int32_t eliminated() const { return static_cast<std::int32_t>(order_.size()); }

  /// Potentials of all vertices from those left, by differences to one neighbour: shares that add up to 1 - 1e-16 would
  /// leak. A vertex that hangs on nothing has potential 0.
  std::vector<double> expand(std::span<double const> left) const;

  /// Solves A x = r where nothing is left; r is overwritten.
  template <class Real>
  void solve(std::vector<Real>& r, std::vector<Real>& x) const;

 private:
  friend class Eliminator;
  Network left_;
  std::vector<std::int32_t> kept_, order_, neighbour_;
  std::vector<std::int64_t> first_{0};
  std::vector<double> share_, source_, sink_, inverse_;
};

template <class Real>
void Elimination::solve(std::vector<Real>& r, std::vector<Real>& x) const {
  for (std::size_t e = 0; e < order_.size(); ++e)
    for (auto k = first_[e]; k < first_[e + 1]; ++k) r[neighbour_[k]] += static_cast<Real>(share_[k] * r[order_[e]]);
  for (std::size_t e = order_.size(); e-- > 0;) {
    double sum = r[order_[e]] * inverse_[e];
    for (auto k = first_[e]; k < first_[e + 1]; ++k) sum += share_[k] * x[neighbour_[k]];
    x[order_[e]] = static_cast<Real>(sum);
  }
}

}  // namespace tessera::solvers::network
