// SPDX-License-Identifier: Apache-2.0
#include "solvers/network/aggregation.hpp"

#include <algorithm>
#include <utility>

namespace tessera::solvers::network {
namespace {

constexpr std::int32_t smallest = 60;  ///< vertices that are eliminated
constexpr int passes = 3;
constexpr double slow_coarsening = 0.9;
constexpr double good_step = 0.0625;  ///< square of the reduction by which one step of the inner iteration is enough

/// Ties below this do not make a pair, or half of those of a vertex that is tied to all of so many neighbours alike.
double least_tie(Network const& a) {
  return std::min(0.05,
                  0.5 * static_cast<double>(a.size) / static_cast<double>(std::max<std::int64_t>(a.entries(), 1)));
}

/// Pairs of vertices: the number of the pair of each. `diagonal`: of the vertices that one consists of, on the level whose parts
/// these are, added up: Gauss-Seidel smooths with them. A vertex without a tie of `least` stays alone: were two that hold well
/// together in themselves, or one of them and an electrode, in one part, that could not move them against each other, and neither
/// could Gauss-Seidel.
std::vector<std::int32_t> match(Network const& a, std::vector<double> const& diagonal, double least,
                                std::int32_t& count) {
  return with_conductances(a.conductance, [&](auto const& g) {
    std::vector<float> inverse(a.size);
    for (std::int32_t i = 0; i < a.size; ++i) inverse[i] = static_cast<float>(1 / diagonal[i]);
    std::vector<std::int32_t> part(a.size, -1);
    count = 0;
    for (std::int32_t i = 0; i < a.size; ++i) {
      if (part[i] >= 0) continue;
      auto best = static_cast<float>(least);
      std::int32_t with = -1;
      for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) {
        std::int32_t const j = a.column[k];
        if (part[j] >= 0) continue;
        float const tie = static_cast<float>(g(k)) * (inverse[i] + inverse[j]);
        if (tie > best) best = tie, with = j;
      }
      part[i] = count;
      if (with >= 0) part[with] = count;
      ++count;
    }
    return part;
  });
}

/// The network of the parts: conductances between two of them are added up, those inside of one are gone.
Network join(Network const& a, std::vector<std::int32_t> const& part, std::int32_t count) {
  Network b;
  b.size = count;
  b.source.assign(count, 0);
  b.sink.assign(count, 0);
  b.begin.reserve(static_cast<std::size_t>(count) + 1);
  b.column.reserve(a.entries());  // memory that is never touched costs nothing
  b.conductance.reserve(a.entries());
  std::vector<std::int32_t> end(count, 0), member(a.size);  // of the members of a part
  for (std::int32_t p : part) ++end[p];
  for (std::int32_t c = 0, first = 0; c < count; ++c) first += std::exchange(end[c], first);
  for (std::int32_t i = 0; i < a.size; ++i) member[end[part[i]]++] = i;
  std::vector<std::int64_t> seen(count, -1);
  with_conductances(a.conductance, [&](auto const& g) {
    std::int32_t m = 0;
    for (std::int32_t c = 0; c < count; ++c) {
      for (; m < end[c]; ++m) {
        std::int32_t const i = member[m];
        b.source[c] += a.source[i];
        b.sink[c] += a.sink[i];
        for (auto k = a.begin[i]; k < a.begin[i + 1]; ++k) {
          std::int32_t const other = part[a.column[k]];
          if (other == c) continue;
          if (seen[other] >= b.begin[c]) {
            b.conductance[seen[other]] += g(k);
            continue;
          }
          seen[other] = b.entries();
          b.column.push_back(other);
          b.conductance.push_back(g(k));
        }
      }
      b.begin.push_back(b.entries());
      b.lower_first(c);
    }
  });
  return b;
}

}  // namespace

Aggregation::Aggregation(Network const& network) {
  Network joined;
  for (std::unique_ptr<Network> own;; own = std::make_unique<Network>(std::move(joined))) {
    Level& level = levels_.emplace_back();
    level.own = std::move(own);
    level.rows = level.own ? level.own.get() : &network;
    Network const& a = *level.rows;
    std::int32_t count = a.size;
    std::vector<double> diagonal(a.size);
    level.inverse.resize(a.size);
    for (std::int32_t i = 0; i < a.size; ++i) {
      diagonal[i] = a.diagonal(i);
      level.inverse[i] = static_cast<float>(1 / diagonal[i]);
    }
    double const least = least_tie(a);
    if (a.size > smallest)
      for (int pass = 0; pass < passes; ++pass) {
        Network const& from = pass > 0 ? joined : a;
        auto const part = match(from, diagonal, least, count);
        std::vector<double> sums(count, 0);
        for (std::int32_t i = 0; i < from.size; ++i) sums[part[i]] += diagonal[i];
        diagonal = std::move(sums);
        if (pass == 0)
          level.part = part;
        else
          for (auto& p : level.part) p = part[p];
        joined = join(from, part, count);
      }
    if (a.size <= smallest || count > slow_coarsening * a.size) {
      constexpr int all = smallest;
      level.bottom = std::make_unique<Elimination>(a, Extent{std::max(all, a.size), std::max(all, a.size)});
      break;
    }
    prepare(level);
    level.coarse_r.resize(count);
    level.coarse_x.resize(count);
  }
  in_.resize(network.size);
  out_.resize(network.size);
}

void Aggregation::prepare(Level& level) {
  Network const& a = *level.rows;
  level.lower.resize(a.size);
  for (std::int32_t i = 0; i < a.size; ++i) {
    auto const first = a.column.begin() + a.begin[i], last = a.column.begin() + a.begin[i + 1];
    level.lower[i] =
        static_cast<std::int32_t>(std::find_if(first, last, [i](std::int32_t j) { return j > i; }) - first);
  }
  level.conductance.assign(a.conductance.begin(), a.conductance.end());
  if (!level.own) return;
  release(level.own->conductance);
  level.ground.resize(a.size);
  for (std::int32_t i = 0; i < a.size; ++i) level.ground[i] = static_cast<float>(a.source[i] + a.sink[i]);
  release(level.own->source);
  release(level.own->sink);
  for (Vector* v : {&level.z, &level.first, &level.product}) v->resize(a.size);
}

void Aggregation::cycle(std::size_t n, Vector const& r, Vector& z) {
  Level& l = levels_[n];
  if (l.bottom) {
    Vector copy = r;
    l.bottom->solve(copy, z);
    return;
  }
  with_conductances(l.conductance, [&](auto const& g) { smooth_down(l, g, r.data(), z.data()); });
  inner(n + 1, l.coarse_r, l.coarse_x);
  with_conductances(l.conductance, [&](auto const& g) { smooth_up(l, g, r.data(), z.data()); });
}

template <class Conductances>
void Aggregation::smooth_down(Level& l, Conductances const& g, float const* r, float* z) {
  auto const* const begin = l.rows->begin.data();
  auto const *const column = l.rows->column.data(), *const part = l.part.data();
  float* const coarse = l.coarse_r.data();
  std::fill(l.coarse_r.begin(), l.coarse_r.end(), 0.0F);
  for (std::int32_t i = 0; i < l.rows->size; ++i) {
    auto const first = begin[i], middle = first + l.lower[i];
    float sum = r[i];
    for (auto k = first; k < middle; ++k) sum += g(k) * z[column[k]];
    z[i] = sum * l.inverse[i];
    // what the sweep leaves is what flows to vertices that it had not seen
    for (auto k = first; k < middle; ++k) coarse[part[column[k]]] += g(k) * z[i];
  }
}

template <class Conductances>
void Aggregation::smooth_up(Level& l, Conductances const& g, float const* r, float* z) {
  auto const* const begin = l.rows->begin.data();
  auto const *const column = l.rows->column.data(), *const part = l.part.data();
  float const* const coarse = l.coarse_x.data();
  for (std::int32_t i = 0; i < l.rows->size; ++i) z[i] += coarse[part[i]];
  for (std::int32_t i = l.rows->size; i-- > 0;) {
    auto const first = begin[i], middle = first + l.lower[i];
    float sum = r[i];
    for (auto k = first; k < middle; ++k) sum += g(k) * z[column[k]];
    for (auto k = begin[i + 1]; k-- > middle;) sum += g(k) * z[column[k]];  // the one that was found last comes last
    z[i] = sum * l.inverse[i];
  }
}

template <class AtEach>
void Aggregation::multiply(Level const& l, Vector const& v, AtEach const& at_each) {
  with_conductances(l.conductance, [&](auto const& g) {
    auto const* const begin = l.rows->begin.data();
    auto const* const column = l.rows->column.data();
    for (std::int32_t i = 0; i < l.rows->size; ++i) {
      float sum = l.ground[i] * v[i];
      for (auto k = begin[i]; k < begin[i + 1]; ++k) sum += g(k) * (v[i] - v[column[k]]);
      at_each(i, sum);
    }
  });
}

void Aggregation::inner(std::size_t n, Vector& r, Vector& x) {
  Level& l = levels_[n];
  if (l.bottom) {
    l.bottom->solve(r, x);
    return;
  }
  auto const times = [](float a, float b) { return static_cast<double>(a) * b; };
  double rho = 0, down = 0, before = 0;
  cycle(n, r, l.first);
  multiply(l, l.first, [&](std::int32_t i, float product) {
    l.product[i] = product;
    rho += times(l.first[i], product);
    down += times(l.first[i], r[i]);
    before += times(r[i], r[i]);
  });
  if (!(rho > 0)) {
    x = l.first;
    return;
  }
  double const step = down / rho;
  double after = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    r[i] -= static_cast<float>(step) * l.product[i];
    after += times(r[i], r[i]);
  }
  double one = step, two = 0;
  if (after > good_step * before) {
    double gamma = 0, length = 0, rest = 0;
    cycle(n, r, l.z);
    multiply(l, l.z, [&](std::int32_t i, float product) {
      gamma += times(l.z[i], l.product[i]);
      length += times(l.z[i], product);
      rest += times(l.z[i], r[i]);
    });
    length -= gamma * gamma / rho;
    if (length > 0) {
      two = rest / length;
      one -= gamma * two / rho;
    }
  }
  if (two == 0) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(one) * l.first[i];
    return;
  }
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(one) * l.first[i] + static_cast<float>(two) * l.z[i];
}

std::span<float const> Aggregation::apply(std::span<double const> r, double largest) {
  double const scale = largest > 0 ? 1 / largest : 1;  // single precision has no room for squares of small residuals
  for (std::size_t i = 0; i < r.size(); ++i) in_[i] = static_cast<float>(r[i] * scale);
  cycle(0, in_, out_);
  return out_;
}

}  // namespace tessera::solvers::network
