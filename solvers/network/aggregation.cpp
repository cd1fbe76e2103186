// SPDX-License-Identifier: Apache-2.0
#include "solvers/network/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::solvers::network {
namespace {

constexpr std::int32_t smallest = 60;  ///< vertices that are eliminated
constexpr int passes = 3;
constexpr double slow_coarsening = 0.9;
constexpr double good_step = 0.0625;  ///< square of the reduction by which one step of the inner iteration is enough

/// Pairs of vertices: the number of the pair of each.
std::vector<std::int32_t> match(Network const& a, std::int32_t& count) {
  std::vector<double> sum(a.size);
  for (std::int32_t i = 0; i < a.size; ++i) sum[i] = a.diagonal(i) - a.source[i] - a.sink[i];
  std::vector<std::int32_t> part(a.size, -1);
  count = 0;
  for (std::int32_t i = 0; i < a.size; ++i) {
    if (part[i] >= 0) continue;
    double best = std::numeric_limits<double>::infinity();
    std::int32_t with = -1;
    for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) {
      std::int32_t const j = a.column[k];
      if (part[j] >= 0) continue;
      double const quality = sum[i] * sum[j] / (sum[i] + sum[j]) / a.conductance[k];
      if (quality < best) best = quality, with = j;
    }
    part[i] = count;
    if (with >= 0) part[with] = count;
    ++count;
  }
  return part;
}

/// The network of the parts: conductances between two of them are added up, those inside of one are gone.
Network join(Network const& a, std::vector<std::int32_t> const& part, std::int32_t count) {
  Network b;
  b.size = count;
  b.source.assign(count, 0);
  b.sink.assign(count, 0);
  std::vector<std::int32_t> first(static_cast<std::size_t>(count) + 1, 0), member(a.size);
  for (std::int32_t p : part) ++first[p + 1];
  for (std::int32_t c = 0; c < count; ++c) first[c + 1] += first[c];
  auto next = first;
  for (std::int32_t i = 0; i < a.size; ++i) member[next[part[i]]++] = i;
  std::vector<std::int64_t> seen(count, -1);
  for (std::int32_t c = 0; c < count; ++c) {
    for (std::int32_t m = first[c]; m < first[c + 1]; ++m) {
      std::int32_t const i = member[m];
      b.source[c] += a.source[i];
      b.sink[c] += a.sink[i];
      for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) {
        std::int32_t const other = part[a.column[k]];
        if (other == c) continue;
        if (seen[other] >= b.begin[c]) {
          b.conductance[seen[other]] += a.conductance[k];
          continue;
        }
        seen[other] = b.entries();
        b.column.push_back(other);
        b.conductance.push_back(a.conductance[k]);
      }
    }
    b.begin.push_back(b.entries());
  }
  return b;
}

double dot(std::vector<float> const& x, std::vector<float> const& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * y[i];
  return sum;
}

}  // namespace

Aggregation::Aggregation(Network const& network) : in_(network.size), out_(network.size) {
  Network coarse;
  for (Network const* a = &network;;) {
    add_level(*a);
    Level& level = levels_.back();
    Network joined;
    std::int32_t count = a->size;
    if (a->size > smallest)
      for (int pass = 0; pass < passes; ++pass) {
        Network const& from = pass > 0 ? joined : *a;
        auto const part = match(from, count);
        if (pass == 0)
          level.part = part;
        else
          for (auto& p : level.part) p = part[p];
        joined = join(from, part, count);
      }
    if (a->size <= smallest || count > slow_coarsening * a->size) {
      constexpr int all = smallest;
      level.bottom = std::make_unique<Elimination>(*a, Extent{std::max(all, a->size), std::max(all, a->size)});
      return;
    }
    level.coarse_r.resize(count);
    level.coarse_x.resize(count);
    coarse = std::move(joined);
    a = &coarse;
  }
}

void Aggregation::add_level(Network const& a) {
  Level& level = levels_.emplace_back();
  level.size = a.size;
  level.begin = level.middle = a.begin;
  level.column.resize(a.entries());
  level.conductance.resize(a.entries());
  level.ground.resize(a.size);
  level.inverse.resize(a.size);
  std::vector<std::pair<std::int32_t, double>> row;
  for (std::int32_t i = 0; i < a.size; ++i) {
    row.clear();
    for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) row.emplace_back(a.column[k], a.conductance[k]);
    std::sort(row.begin(), row.end());
    auto k = a.begin[i];
    for (auto const& [j, g] : row) {
      level.middle[i] += j < i;
      level.column[k] = j;
      level.conductance[k++] = static_cast<float>(g);
    }
    level.ground[i] = static_cast<float>(a.source[i] + a.sink[i]);
    level.inverse[i] = static_cast<float>(1 / a.diagonal(i));
  }
  if (levels_.size() > 1)
    for (Vector* v : {&level.z, &level.first, &level.product, &level.second}) v->resize(a.size);
}

void Aggregation::cycle(std::size_t n, Vector const& r, Vector& z) {
  Level& l = levels_[n];
  if (l.bottom) {
    Vector copy = r;
    l.bottom->solve(copy, z);
    return;
  }
  for (std::int32_t i = 0; i < l.size; ++i) {
    float sum = r[i];
    for (auto k = l.begin[i]; k < l.middle[i]; ++k) sum += l.conductance[k] * z[l.column[k]];
    z[i] = sum * l.inverse[i];
  }
  // what the sweep leaves is what flows to vertices that it had not seen
  std::fill(l.coarse_r.begin(), l.coarse_r.end(), 0.0F);
  for (std::int32_t i = 0; i < l.size; ++i) {
    float sum = 0;
    for (auto k = l.middle[i]; k < l.begin[i + 1]; ++k) sum += l.conductance[k] * z[l.column[k]];
    l.coarse_r[l.part[i]] += sum;
  }
  inner(n + 1, l.coarse_r, l.coarse_x);
  for (std::int32_t i = 0; i < l.size; ++i) z[i] += l.coarse_x[l.part[i]];
  for (std::int32_t i = l.size; i-- > 0;) {
    float sum = r[i];
    for (auto k = l.begin[i]; k < l.begin[i + 1]; ++k) sum += l.conductance[k] * z[l.column[k]];
    z[i] = sum * l.inverse[i];
  }
}

void Aggregation::inner(std::size_t n, Vector& r, Vector& x) {
  Level& l = levels_[n];
  if (l.bottom) {
    l.bottom->solve(r, x);
    return;
  }
  auto const multiply = [&l](Vector const& v, Vector& y) {
    for (std::int32_t i = 0; i < l.size; ++i) {
      float sum = l.ground[i] * v[i];
      for (auto k = l.begin[i]; k < l.begin[i + 1]; ++k) sum += l.conductance[k] * (v[i] - v[l.column[k]]);
      y[i] = sum;
    }
  };
  cycle(n, r, l.first);
  multiply(l.first, l.product);
  double const rho = dot(l.first, l.product), before = dot(r, r);
  if (!(rho > 0)) {
    x = l.first;
    return;
  }
  double const step = dot(l.first, r) / rho;
  for (std::int32_t i = 0; i < l.size; ++i) r[i] -= static_cast<float>(step) * l.product[i];
  double one = step, two = 0;
  if (dot(r, r) > good_step * before) {
    cycle(n, r, l.z);
    multiply(l.z, l.second);
    double const gamma = dot(l.z, l.product), rest = dot(l.z, l.second) - gamma * gamma / rho;
    if (rest > 0) {
      two = dot(l.z, r) / rest;
      one -= gamma * two / rho;
    }
  }
  if (two == 0) {
    for (std::int32_t i = 0; i < l.size; ++i) x[i] = static_cast<float>(one) * l.first[i];
    return;
  }
  for (std::int32_t i = 0; i < l.size; ++i)
    x[i] = static_cast<float>(one) * l.first[i] + static_cast<float>(two) * l.z[i];
}

void Aggregation::apply(std::span<double const> r, std::span<double> z) {
  double scale = 0;  // single precision has no room for squares of small residuals
  for (double v : r) scale = std::max(scale, std::abs(v));
  if (scale == 0) scale = 1;
  for (std::size_t i = 0; i < r.size(); ++i) in_[i] = static_cast<float>(r[i] / scale);
  cycle(0, in_, out_);
  for (std::size_t i = 0; i < r.size(); ++i) z[i] = out_[i] * scale;
}

}  // namespace tessera::solvers::network
