// SPDX-License-Identifier: Apache-2.0
#include "solvers/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::solvers::network {

double Network::diagonal(std::int32_t i) const {
  double sum = source[i] + sink[i];
  with_conductances(conductance, [&](auto const& g) {
    for (auto k = begin[i]; k < begin[i + 1]; ++k) sum += g(k);
  });
  return sum;
}

void Network::lower_first(std::int32_t i) {
  auto front = begin[i];
  for (auto k = front; k < begin[i + 1]; ++k) {
    if (column[k] > i) continue;
    if (k != front) {
      std::swap(column[k], column[front]);
      if (!conductance.empty()) std::swap(conductance[k], conductance[front]);
    }
    ++front;
  }
}

NetworkRows::NetworkRows(std::vector<double> source, std::vector<double> sink) {
  a_.size = static_cast<std::int32_t>(source.size());
  a_.source = std::move(source);
  a_.sink = std::move(sink);
  a_.begin.assign(static_cast<std::size_t>(a_.size) + 1, 0);
}

void NetworkRows::all_counted() {
  for (std::int32_t i = 0; i < a_.size; ++i) a_.begin[i + 1] += a_.begin[i];
  a_.column.resize(a_.begin.back());
  if (!unit_) a_.conductance.resize(a_.begin.back());
  next_.assign(a_.begin.begin(), a_.begin.end() - 1);
}

/// Adds up entries of one column in each row, and closes the gaps.
Network NetworkRows::finish() {
  release(next_);
  std::int64_t to = 0, from = 0;
  for (std::int32_t i = 0; i < a_.size; ++i) {
    std::int64_t const first = to;
    for (; from < a_.begin[i + 1]; ++from) {
      auto const begin = a_.column.begin() + first, end = a_.column.begin() + to;
      auto const at = std::find(begin, end, a_.column[from]);
      if (at != end) {
        if (a_.conductance.empty()) a_.conductance.assign(a_.column.size(), 1);
        a_.conductance[at - a_.column.begin()] += a_.conductance[from];
        continue;
      }
      a_.column[to] = a_.column[from];
      if (!a_.conductance.empty()) a_.conductance[to] = a_.conductance[from];
      ++to;
    }
    a_.begin[i] = first;
  }
  a_.begin[a_.size] = to;
  a_.column.resize(to);
  if (!a_.conductance.empty()) a_.conductance.resize(to);
  for (std::int32_t i = 0; i < a_.size; ++i)
    if (a_.conductance.empty())
      std::sort(a_.column.begin() + a_.begin[i], a_.column.begin() + a_.begin[i + 1]);  // near ones beside the middle
    else
      a_.lower_first(i);
  return std::move(a_);
}

double Currents::gap() const {
  double const largest = std::max({std::abs(in - out), std::abs(in - dissipation), std::abs(out - dissipation)});
  return largest == 0 ? 0 : largest / std::abs(dissipation);
}

Currents currents(Network const& a, std::span<double const> x) {
  Currents c{a.direct, a.direct, a.direct};
  with_conductances(a.conductance, [&](auto const& g) {
    for (std::int32_t i = 0; i < a.size; ++i) {
      double const in = a.source[i] * (1 - x[i]), out = a.sink[i] * x[i];
      c.in += in;
      c.out += out;
      double heat = in * (1 - x[i]) + out * x[i];
      for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) {
        double const difference = x[i] - x[a.column[k]];
        heat += 0.5 * g(k) * difference * difference;
      }
      c.dissipation += heat;
    }
  });
  return c;
}

void residual(Network const& a, std::span<double const> x, std::span<double> r) {
  with_conductances(a.conductance, [&](auto const& g) {
    for (std::int32_t i = 0; i < a.size; ++i) {
      double const here = x[i];
      double sum = a.source[i] * (1 - here) - a.sink[i] * here;
      for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) sum -= g(k) * (here - x[a.column[k]]);
      r[i] = sum;
    }
  });
}

}  // namespace tessera::solvers::network
