// SPDX-License-Identifier: Apache-2.0
#include "solvers/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::solvers::network {

double Network::diagonal(std::int32_t i) const {
  double sum = source[i] + sink[i];
  for (auto k = begin[i]; k < begin[i + 1]; ++k) sum += conductance[k];
  return sum;
}

namespace {

/// Adds up entries of one column in each row, and closes the gaps.
void add_parallel(Network& a) {
  std::int64_t to = 0, from = 0;
  for (std::int32_t i = 0; i < a.size; ++i) {
    std::int64_t const first = to;
    for (; from < a.begin[i + 1]; ++from) {
      auto const begin = a.column.begin() + first, end = a.column.begin() + to;
      auto const at = std::find(begin, end, a.column[from]);
      if (at != end) {
        a.conductance[at - a.column.begin()] += a.conductance[from];
        continue;
      }
      a.column[to] = a.column[from];
      a.conductance[to++] = a.conductance[from];
    }
    a.begin[i] = first;
  }
  a.begin[a.size] = to;
  a.column.resize(to);
  a.conductance.resize(to);
}

}  // namespace

Network make_network(std::span<Bond const> bonds, std::vector<double> source, std::vector<double> sink) {
  Network a;
  a.size = static_cast<std::int32_t>(source.size());
  a.source = std::move(source);
  a.sink = std::move(sink);
  a.begin.assign(static_cast<std::size_t>(a.size) + 1, 0);
  for (Bond const& b : bonds) ++a.begin[b.one + 1], ++a.begin[b.other + 1];
  for (std::int32_t i = 0; i < a.size; ++i) a.begin[i + 1] += a.begin[i];
  a.column.resize(a.begin.back());
  a.conductance.resize(a.begin.back());
  std::vector<std::int64_t> next(a.begin.begin(), a.begin.end() - 1);
  for (Bond const& b : bonds) {
    auto const k = next[b.one]++, l = next[b.other]++;
    a.column[k] = b.other, a.column[l] = b.one;
    a.conductance[k] = a.conductance[l] = b.conductance;
  }
  add_parallel(a);
  return a;
}

double Currents::gap() const {
  double const largest = std::max({std::abs(in - out), std::abs(in - dissipation), std::abs(out - dissipation)});
  return largest == 0 ? 0 : largest / std::abs(dissipation);
}

Currents currents(Network const& a, std::span<double const> x) {
  Currents c{a.direct, a.direct, a.direct};
  for (std::int32_t i = 0; i < a.size; ++i) {
    double const in = a.source[i] * (1 - x[i]), out = a.sink[i] * x[i];
    c.in += in;
    c.out += out;
    double heat = in * (1 - x[i]) + out * x[i];
    for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) {
      double const difference = x[i] - x[a.column[k]];
      heat += 0.5 * a.conductance[k] * difference * difference;
    }
    c.dissipation += heat;
  }
  return c;
}

void multiply(Network const& a, std::span<double const> x, std::span<double> y) {
  for (std::int32_t i = 0; i < a.size; ++i) {
    double const here = x[i];
    double sum = (a.source[i] + a.sink[i]) * here;
    for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) sum += a.conductance[k] * (here - x[a.column[k]]);
    y[i] = sum;
  }
}

void residual(Network const& a, std::span<double const> x, std::span<double> r) {
  for (std::int32_t i = 0; i < a.size; ++i) {
    double const here = x[i];
    double sum = a.source[i] * (1 - here) - a.sink[i] * here;
    for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) sum -= a.conductance[k] * (here - x[a.column[k]]);
    r[i] = sum;
  }
}

}  // namespace tessera::solvers::network
