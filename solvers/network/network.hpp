// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tessera::solvers::network {

/// Gives the memory of a list back, which `list = {}` would keep.
template <class T>
void release(std::vector<T>& list) {
  std::vector<T>().swap(list);
}

/// Conductances between n vertices, an electrode of potential 1 (source) and one of potential 0 (sink). The row of vertex i
/// holds its neighbours column[begin[i]] .. column[begin[i + 1] - 1], each once, both ways, those of lower number first. The
/// equations are
///   sum_j g_ij (x_i - x_j) + source_i (x_i - 1) + sink_i x_i = 0.
/// Memory: 4 B an entry and 24 B a vertex, 12 B an entry where conductances differ from 1.
struct Network {
  std::int32_t size = 0;
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> column;
  std::vector<double> conductance;  ///< of the entries; none: all are 1
  std::vector<double> source, sink;
  double direct = 0;  ///< from source to sink past all vertices

  std::int64_t entries() const { return static_cast<std::int64_t>(column.size()); }
  /// Sum of all conductances at a vertex.
  double diagonal(std::int32_t i) const;
  /// Brings the neighbours of lower number to the front of row i.
  void lower_first(std::int32_t i);
};

/// Calls f with what gives the conductance of an entry: 1, which costs neither memory nor time, or what `given` lists.
template <class Real, class F>
auto with_conductances(std::vector<Real> const& given, F const& f) {
  if (given.empty()) return f([](std::int64_t) { return Real{1}; });
  return f([g = given.data()](std::int64_t k) { return g[k]; });
}

/// Puts a network together: all bonds are counted first, and then added in the same order.
class NetworkRows {
 public:
  NetworkRows(std::vector<double> source, std::vector<double> sink);
  void count(std::int32_t one, std::int32_t other, double conductance) {
    ++a_.begin[one + 1], ++a_.begin[other + 1];
    unit_ = unit_ && conductance == 1;
  }
  void all_counted();
  void add(std::int32_t one, std::int32_t other, double conductance) {
    auto const k = next_[one]++, l = next_[other]++;
    a_.column[k] = other, a_.column[l] = one;
    if (!unit_) a_.conductance[k] = a_.conductance[l] = conductance;
  }
  Network finish();

 private:
  Network a_;
  std::vector<std::int64_t> next_;
  bool unit_ = true;
};

/// The network of the bonds that bonds(f) calls f(one, other, conductance) for, the same ones whenever it is called; parallel ones
/// are added up. Linear cost.
template <class Bonds>
Network make_network(Bonds const& bonds, std::vector<double> source, std::vector<double> sink) {
  NetworkRows rows(std::move(source), std::move(sink));
  bonds([&](std::int32_t one, std::int32_t other, double g) { rows.count(one, other, g); });
  rows.all_counted();
  bonds([&](std::int32_t one, std::int32_t other, double g) { rows.add(one, other, g); });
  return rows.finish();
}

/// What flows in from the source and out to the sink at these potentials, and the dissipation: one number for the solution.
/// The dissipation is above it by the square of the error alone.
struct Currents {
  double in = 0, out = 0, dissipation = 0;
  /// Largest difference of two of them over the dissipation.
  double gap() const;
};
Currents currents(Network const& network, std::span<double const> x);

/// r = b - A x by differences g (x_i - x_j), never as diagonal x_i - g x_j: a diagonal that is rounded leaks a current of 1e-16 x_i
/// at every vertex, which in a long pore adds up to an error of 1e-7.
void residual(Network const& network, std::span<double const> x, std::span<double> r);

}  // namespace tessera::solvers::network
