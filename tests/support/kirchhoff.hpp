// SPDX-License-Identifier: Apache-2.0
#pragma once
// Currents of a small medium by Kirchhoff's equations on all sites joined to both ends, and Gauss' elimination.
#include "tests/support/lattice_reference.hpp"

namespace tessera::tests {

struct Kirchhoff {
  double conductance = 0;
  std::vector<double> potential, flux, dissipation;  ///< of each cell; 0 where there is no current or site
};

/// `neighbours` of each cell, twice where two bonds lead to one; resistors of conductance(a, b) between occupied ones, of
/// conductance bond(c) to the ends.
template <class Conductance, class Bond>
Kirchhoff kirchhoff(Medium const& m, std::vector<std::vector<int>> const& neighbours, Medium const& inlet,
                    Medium const& outlet, Conductance const& conductance, Bond const& bond) {
  auto const from = reference_distances(m, inlet, neighbours), to = reference_distances(m, outlet, neighbours);
  std::vector<int> number(m.cells.size(), -1), cell;
  for (int c = 0; c < m.size(); ++c)
    if (from[c] >= 0 && to[c] >= 0) {
      number[c] = static_cast<int>(cell.size());
      cell.push_back(c);
    }
  auto const n = cell.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0));
  for (std::size_t r = 0; r < n; ++r) {
    int const c = cell[r];
    for (int const o : neighbours[c])
      if (number[o] >= 0) {
        a[r][r] += conductance(c, o);
        a[r][number[o]] -= conductance(c, o);
      }
    a[r][r] += bond(c) * ((inlet.cells[c] != 0) + (outlet.cells[c] != 0));
    a[r][n] += bond(c) * (inlet.cells[c] != 0);
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t r = k + 1; r < n; ++r) {
      double const factor = a[r][k] / a[k][k];
      if (factor == 0) continue;
      for (std::size_t c = k; c <= n; ++c) a[r][c] -= factor * a[k][c];
    }
  Kirchhoff result{0, std::vector<double>(m.cells.size(), 0), {}, {}};
  result.flux = result.dissipation = result.potential;
  for (std::size_t r = n; r-- > 0;) {
    double x = a[r][n];
    for (std::size_t c = r + 1; c < n; ++c) x -= a[r][c] * result.potential[cell[c]];
    result.potential[cell[r]] = x / a[r][r];
  }
  for (int const c : cell) {
    double const u = result.potential[c];
    for (int const o : neighbours[c])
      if (number[o] >= 0) {
        double const difference = u - result.potential[o];
        result.flux[c] += 0.5 * conductance(c, o) * std::abs(difference);
        result.dissipation[c] += 0.5 * conductance(c, o) * difference * difference;
      }
    if (inlet.cells[c] != 0) {
      result.conductance += bond(c) * (1 - u);
      result.flux[c] += 0.5 * bond(c) * (1 - u);
      result.dissipation[c] += bond(c) * (1 - u) * (1 - u);
    }
    if (outlet.cells[c] != 0) {
      result.flux[c] += 0.5 * bond(c) * u;
      result.dissipation[c] += bond(c) * u * u;
    }
  }
  return result;
}

}  // namespace tessera::tests
