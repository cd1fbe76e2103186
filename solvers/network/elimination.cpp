// SPDX-License-Identifier: Apache-2.0
#include "solvers/network/elimination.hpp"

#include <algorithm>

namespace tessera::solvers::network {
namespace {

/// Rows that change: all in one arena, moved to its end when they outgrow their place.
class Rows {
 public:
  explicit Rows(Network const& a) : at_(a.size), length_(a.size), room_(a.size) {
    constexpr std::int32_t slack = 2;
    std::int64_t total = 0;
    for (std::int32_t i = 0; i < a.size; ++i) {
      at_[i] = total;
      length_[i] = static_cast<std::int32_t>(a.begin[i + 1] - a.begin[i]);
      room_[i] = length_[i] + slack;
      total += room_[i];
    }
    column_.resize(total);
    conductance_.resize(total);
    for (std::int32_t i = 0; i < a.size; ++i) {
      std::copy_n(a.column.begin() + a.begin[i], length_[i], column_.begin() + at_[i]);
      with_conductances(a.conductance, [&](auto const& g) {
        for (int k = 0; k < length_[i]; ++k) conductance_[at_[i] + k] = g(a.begin[i] + k);
      });
    }
  }

  std::int32_t length(std::int32_t i) const { return length_[i]; }
  std::int32_t column(std::int32_t i, int k) const { return column_[at_[i] + k]; }
  double conductance(std::int32_t i, int k) const { return conductance_[at_[i] + k]; }

  void remove(std::int32_t i, std::int32_t j) {
    std::int64_t k = at_[i];
    while (column_[k] != j) ++k;
    std::int64_t const last = at_[i] + --length_[i];
    column_[k] = column_[last];
    conductance_[k] = conductance_[last];
  }
  void add(std::int32_t i, std::int32_t j, double g) {
    add_half(i, j, g);
    add_half(j, i, g);
  }

 private:
  void add_half(std::int32_t i, std::int32_t j, double g) {
    for (auto k = at_[i]; k < at_[i] + length_[i]; ++k)
      if (column_[k] == j) {
        conductance_[k] += g;
        return;
      }
    if (length_[i] == room_[i]) grow(i);
    auto const k = at_[i] + length_[i]++;
    column_[k] = j;
    conductance_[k] = g;
  }
  void grow(std::int32_t i) {
    auto const to = static_cast<std::int64_t>(column_.size());
    room_[i] = 2 * room_[i] + 2;
    column_.resize(to + room_[i]);
    conductance_.resize(to + room_[i]);
    std::copy_n(column_.begin() + at_[i], length_[i], column_.begin() + to);
    std::copy_n(conductance_.begin() + at_[i], length_[i], conductance_.begin() + to);
    at_[i] = to;
  }

  std::vector<std::int64_t> at_;
  std::vector<std::int32_t> length_, room_, column_;
  std::vector<double> conductance_;
};

/// Vertices by number of neighbours, the last that came first; entries that are out of date are passed over.
class Queue {
 public:
  explicit Queue(int most) : buckets_(static_cast<std::size_t>(most) + 1) {}
  void push(std::int32_t v, std::int32_t degree) {
    auto const d = static_cast<std::size_t>(degree);
    if (d >= buckets_.size()) return;
    buckets_[d].push_back(v);
    low_ = std::min(low_, d);
  }
  /// -1: none. A vertex that is gone has a negative degree.
  std::int32_t pop(std::vector<std::int32_t> const& degree) {
    for (; low_ < buckets_.size(); ++low_)
      while (!buckets_[low_].empty()) {
        std::int32_t const v = buckets_[low_].back();
        buckets_[low_].pop_back();
        if (degree[v] == static_cast<std::int32_t>(low_)) return v;
      }
    return -1;
  }

 private:
  std::vector<std::vector<std::int32_t>> buckets_;
  std::size_t low_ = 0;
};

}  // namespace

/// The work of an elimination, gone when it is done.
class Eliminator {
 public:
  Eliminator(Network const& a, Elimination& result, int most)
      : r_(result),
        rows_(a),
        queue_(most),
        degree_(a.size),
        source_(a.source),
        sink_(a.sink),
        direct_(a.direct) {
    for (std::int32_t i = a.size; i-- > 0;) queue_.push(i, degree_[i] = rows_.length(i));
  }

  void run(Extent const& extent) {
    auto const all = static_cast<std::int32_t>(degree_.size());
    auto left = all;
    for (std::int32_t v; (v = queue_.pop(degree_)) >= 0; --left) {
      if (rows_.length(v) > extent.cheap && left > extent.few && left > all / extent.share) break;
      take_away(v);
    }
    keep();
  }

 private:
  void take_away(std::int32_t v) {
    int const n = rows_.length(v);
    degree_[v] = -1;
    double total = source_[v] + sink_[v];
    for (int k = 0; k < n; ++k) total += rows_.conductance(v, k);
    double const inverse = total > 0 ? 1 / total : 0;
    direct_ += source_[v] * sink_[v] * inverse;
    auto const first = r_.neighbour_.size();
    for (int k = 0; k < n; ++k) {
      std::int32_t const i = rows_.column(v, k);
      double const share = rows_.conductance(v, k) * inverse;
      r_.neighbour_.push_back(i);
      r_.share_.push_back(share);
      source_[i] += share * source_[v];
      sink_[i] += share * sink_[v];
      rows_.remove(i, v);
    }
    auto const* const star = r_.neighbour_.data() + first;
    auto const* const share = r_.share_.data() + first;
    for (int k = 0; k < n; ++k)
      for (int l = k + 1; l < n; ++l) rows_.add(star[k], star[l], share[k] * share[l] * total);
    for (int k = 0; k < n; ++k) queue_.push(star[k], degree_[star[k]] = rows_.length(star[k]));
    r_.order_.push_back(v);
    r_.first_.push_back(static_cast<std::int64_t>(r_.neighbour_.size()));
    r_.source_.push_back(source_[v] * inverse);
    r_.sink_.push_back(sink_[v] * inverse);
    r_.inverse_.push_back(inverse);
  }

  void keep() {
    std::vector<std::int32_t> number(degree_.size(), -1);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(degree_.size()); ++i)
      if (degree_[i] >= 0) {
        number[i] = static_cast<std::int32_t>(r_.kept_.size());
        r_.kept_.push_back(i);
      }
    Network& b = r_.left_;
    b.size = static_cast<std::int32_t>(r_.kept_.size());
    b.direct = direct_;
    for (std::int32_t i : r_.kept_) {
      for (int k = 0; k < rows_.length(i); ++k) {
        b.column.push_back(number[rows_.column(i, k)]);
        b.conductance.push_back(rows_.conductance(i, k));
      }
      b.begin.push_back(b.entries());
      b.lower_first(static_cast<std::int32_t>(b.source.size()));
      b.source.push_back(source_[i]);
      b.sink.push_back(sink_[i]);
    }
  }

  Elimination& r_;
  Rows rows_;
  Queue queue_;
  std::vector<std::int32_t> degree_;
  std::vector<double> source_, sink_;
  double direct_;
};

Elimination::Elimination(Network const& network, Extent const& extent) {
  Eliminator(network, *this, extent.most).run(extent);
}

std::vector<double> Elimination::expand(std::span<double const> left) const {
  std::vector<double> x(kept_.size() + order_.size());
  for (std::size_t i = 0; i < kept_.size(); ++i) x[kept_[i]] = left[i];
  for (std::size_t e = order_.size(); e-- > 0;) {
    if (first_[e] == first_[e + 1]) {
      x[order_[e]] = source_[e];
      continue;
    }
    double const base = x[neighbour_[first_[e]]];
    double sum = source_[e] * (1 - base) - sink_[e] * base;
    for (auto k = first_[e] + 1; k < first_[e + 1]; ++k) sum += share_[k] * (x[neighbour_[k]] - base);
    x[order_[e]] = base + sum;
  }
  return x;
}

}  // namespace tessera::solvers::network
