// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conductance of a small plane medium by Kirchhoff's equations and Gauss' elimination.
#include "tests/support/percolation_reference.hpp"

#include <cmath>
#include <vector>

namespace tessera::tests {

/// Cells of the mask that are joined to its first row as far as they are joined to its last one: the rest carries
/// nothing, and would leave the equations without a solution.
inline Mask joined_to_both_ends(Mask const& m) {
  auto const flood = [&](int row) {
    Mask reached(m.nx, m.ny);
    std::vector<std::pair<int, int>> todo;
    auto const visit = [&](int i, int j) {
      if (!m.black(i, j) || reached.at(i, j)) return;
      reached.at(i, j) = 1;
      todo.emplace_back(i, j);
    };
    for (int i = 0; i < m.nx; ++i) visit(i, row);
    while (!todo.empty()) {
      auto const [i, j] = todo.back();
      todo.pop_back();
      visit(i - 1, j), visit(i + 1, j), visit(i, j - 1), visit(i, j + 1);
    }
    return reached;
  };
  Mask result = flood(0);
  Mask const other = flood(m.ny - 1);
  for (std::size_t n = 0; n < result.cells.size(); ++n) result.cells[n] &= other.cells[n];
  return result;
}

/// Current from an electrode below the first row (potential 1) to one above the last (0), bonds of conductance 1, and
/// `bond` to the electrodes.
inline double conductance(Mask const& m, double bond) {
  std::vector<int> number(m.cells.size(), -1);
  int n = 0;
  for (std::size_t c = 0; c < m.cells.size(); ++c)
    if (m.cells[c]) number[c] = n++;
  auto const at = [&](int i, int j) {
    return m.black(i, j)
               ? number[static_cast<std::size_t>(j) * static_cast<std::size_t>(m.nx) + static_cast<std::size_t>(i)]
               : -1;
  };
  auto const width = static_cast<std::size_t>(n) + 1;
  std::vector<double> a(static_cast<std::size_t>(n) * width, 0.0);
  auto const entry = [&](int row, int column) -> double& {
    return a[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column)];
  };
  for (int j = 0; j < m.ny; ++j)
    for (int i = 0; i < m.nx; ++i) {
      int const row = at(i, j);
      if (row < 0) continue;
      for (auto const& [di, dj] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}})
        if (int const other = at(i + di, j + dj); other >= 0) {
          entry(row, row) += 1;
          entry(row, other) -= 1;
        }
      if (j == 0) {
        entry(row, row) += bond;
        entry(row, n) += bond;
      }
      if (j == m.ny - 1) entry(row, row) += bond;
    }
  // the matrix is symmetric and positive definite: no pivoting
  for (int k = 0; k < n; ++k)
    for (int row = k + 1; row < n; ++row) {
      double const factor = entry(row, k) / entry(k, k);
      if (factor == 0) continue;
      for (int column = k; column <= n; ++column) entry(row, column) -= factor * entry(k, column);
    }
  std::vector<double> u(n);
  for (int row = n - 1; row >= 0; --row) {
    double x = entry(row, n);
    for (int column = row + 1; column < n; ++column) x -= entry(row, column) * u[column];
    u[row] = x / entry(row, row);
  }
  double current = 0;
  for (int i = 0; i < m.nx; ++i)
    if (int const row = at(i, 0); row >= 0) current += bond * (1 - u[row]);
  return current;
}

}  // namespace tessera::tests
