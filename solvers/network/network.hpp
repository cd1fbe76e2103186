// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::solvers::network {

/// A resistor between two vertices.
struct Bond {
  std::int32_t one, other;
  double conductance;
};

/// Conductances between n vertices, an electrode of potential 1 (source) and one of potential 0 (sink). The row of vertex i
/// holds its neighbours column[begin[i]] .. column[begin[i + 1] - 1], each once, both ways. The equations are
///   sum_j g_ij (x_i - x_j) + source_i (x_i - 1) + sink_i x_i = 0.
/// Memory: 12 B an entry and 36 B a vertex.
struct Network {
  std::int32_t size = 0;
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> column;
  std::vector<double> conductance;
  std::vector<double> source, sink;
  double direct = 0;  ///< from source to sink past all vertices

  std::int64_t entries() const { return static_cast<std::int64_t>(column.size()); }
  /// Sum of all conductances at a vertex.
  double diagonal(std::int32_t i) const;
};

/// The network of these bonds; parallel ones are added up, in their order. Linear cost.
Network make_network(std::span<Bond const> bonds, std::vector<double> source, std::vector<double> sink);

/// What flows in from the source and out to the sink at these potentials, and the dissipation: one number for the solution.
/// The dissipation is above it by the square of the error alone.
struct Currents {
  double in = 0, out = 0, dissipation = 0;
  /// Largest difference of two of them over the dissipation.
  double gap() const;
};
Currents currents(Network const& network, std::span<double const> x);

/// y = A x and r = b - A x by differences g (x_i - x_j), never as diagonal x_i - g x_j: a diagonal that is rounded leaks a
/// current of 1e-16 x_i at every vertex, which in a long pore adds up to an error of 1e-7.
void multiply(Network const& network, std::span<double const> x, std::span<double> y);
void residual(Network const& network, std::span<double const> x, std::span<double> r);

}  // namespace tessera::solvers::network
