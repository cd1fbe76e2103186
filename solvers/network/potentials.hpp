// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/network/network.hpp"

#include <limits>

namespace tessera::solvers::network {

/// Potentials of all vertices, and how they were found.
struct Potentials {
  std::vector<double> x;
  std::int32_t eliminated = 0;
  int iterations = 0, levels = 0;  ///< of conjugate gradients and of their multigrid; 0: nothing was left to iterate on
  double initial = 0, final = 0;   ///< |r| over the current, 2-norm
  /// What the dissipation is too large by, relative: (r, z) of the potentials' own residual, z by one cycle of multigrid; infinite
  /// where the iterations ended before.
  double excess = std::numeric_limits<double>::infinity();
  bool converged = false;
};

/// Mean number of neighbours from which on elimination fills in more than it takes away, and is left out.
inline constexpr double dense_degree = 4;

/// To which currents agree, too, where rounding keeps them from the tolerance that is asked for.
inline constexpr double rounded = 1e-9;

/// Solves the network: elimination where the mean degree is below dense_degree, and conjugate gradients with Aggregation for
/// what it leaves. Stops when the currents in and out and the dissipation agree to `tolerance` and |r| <= 10 `tolerance`
/// times the current, with the residual of the potentials themselves, not of the recursion; or where rounding lets them come no
/// nearer, which is converged if that is `rounded`. Where conductances lie far apart, rounding keeps the currents further apart
/// than the dissipation is from its value: `excess` tells. The same bits for the same network.
/// Cost: 0.05 to 0.5 us a vertex eliminated, 1 us one that is iterated on; 120 B a vertex beside the network.
Potentials potentials(Network const& network, double tolerance, int most_iterations);

}  // namespace tessera::solvers::network
