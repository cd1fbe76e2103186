// SPDX-License-Identifier: Apache-2.0
#include "solvers/network/potentials.hpp"

#include "solvers/network/aggregation.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::solvers::network {
namespace {

/// Flexible conjugate gradients on one network.
class Gradients {
 public:
  Gradients(Network const& a, double tolerance) : a_(a), tolerance_(tolerance) {
    for (std::int32_t i = 0; i < a.size; ++i)
      if (a.source[i] + a.sink[i] > 0) at_electrodes_.push_back(i);
  }

  void run(int most, Potentials& result) {
    Aggregation m(a_);  // takes most while it is made: before the vectors
    for (auto* v : {&result.x, &r_, &p_, &q_}) v->assign(a_.size, 0);
    result.levels = m.levels();
    look_anew(result.x);
    for (int looks = 0;;) {
      bool const enough = small_enough(result.x, result.final, tolerance_), rounding = fresh_ && looks == most_looks;
      if (looks == 0 && result.iterations == 0) result.initial = result.final;
      if (fresh_ && (enough || rounding)) {
        result.converged = enough || small_enough(result.x, result.final, std::max(tolerance_, rounded));
        result.excess = excess(m, result.x);
        return;
      }
      if (result.iterations >= most || !std::isfinite(result.final)) return;
      if (enough) {
        look_anew(result.x);
        ++looks;
        continue;
      }
      ++result.iterations;
      step(m, result.x);
    }
  }

 private:
  /// So often the residual of the potentials themselves is larger than that of the recursion before rounding is what is left.
  static constexpr int most_looks = 4;

  /// Of a residual.
  struct Sums {
    double all = 0, with_x = 0, square = 0, largest = 0;
    void add(double r, double x) {
      all += r;
      with_x += r * x;
      square += r * r;
      largest = std::max(largest, std::abs(r));
    }
  };

  void look_anew(std::vector<double> const& x) {
    residual(a_, x, r_);
    sums_ = {};
    for (std::size_t i = 0; i < r_.size(); ++i) sums_.add(r_[i], x[i]);
    fresh_ = true;
    last_ = 0;
  }

  /// The currents differ by linear forms of the residual: in - out by its sum, dissipation - in by x r.
  bool small_enough(std::vector<double> const& x, double& relative, double tolerance) const {
    double const all = dissipation(x);
    relative = all > 0 ? std::sqrt(sums_.square) / all : std::sqrt(sums_.square);
    double const gap = std::max({std::abs(sums_.all), std::abs(sums_.with_x), std::abs(sums_.all - sums_.with_x)});
    return gap <= tolerance * all && relative <= 10 * tolerance;
  }

  double dissipation(std::vector<double> const& x) const {
    double current = a_.direct;
    for (std::int32_t i : at_electrodes_) current += a_.source[i] * (1 - x[i]);
    return std::abs(current - sums_.with_x);
  }

  /// The square of the error is (r, A^-1 r).
  double excess(Aggregation& m, std::vector<double> const& x) const {
    double const all = dissipation(x);
    double sum = 0;
    auto const z = m.apply(r_, sums_.largest);
    for (std::size_t i = 0; i < z.size(); ++i) sum += r_[i] * z[i];
    return all > 0 ? std::abs(sum) * sums_.largest / all : 0;
  }

  void step(Aggregation& m, std::vector<double>& x) {
    auto const z = m.apply(r_, sums_.largest);
    double next = 0, turn = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      next += r_[i] * z[i];
      turn += q_[i] * z[i];
    }
    // Polak and Ribiere: the residual has changed by -length_ q since the last step
    double const beta = last_ > 0 ? -length_ * turn / last_ : 0;
    last_ = next;
    for (std::size_t i = 0; i < z.size(); ++i) p_[i] = z[i] + beta * p_[i];
    multiply();
    sums_ = {};
    for (std::size_t i = 0; i < z.size(); ++i) {
      x[i] += length_ * p_[i];
      r_[i] -= length_ * q_[i];
      sums_.add(r_[i], x[i]);
    }
    fresh_ = false;
  }

  /// q = A p by differences, and how far to go along p.
  void multiply() {
    double with_q = 0, with_r = 0;
    with_conductances(a_.conductance, [&](auto const& g) {
      auto const* const begin = a_.begin.data();
      auto const* const column = a_.column.data();
      for (std::int32_t i = 0; i < a_.size; ++i) {
        double const here = p_[i];
        double sum = 0;
        for (auto k = begin[i]; k < begin[i + 1]; ++k) sum += g(k) * (here - p_[column[k]]);
        q_[i] = sum;
        with_q += here * sum;
        with_r += here * r_[i];
      }
    });
    for (std::int32_t i : at_electrodes_) {
      double const current = (a_.source[i] + a_.sink[i]) * p_[i];
      q_[i] += current;
      with_q += p_[i] * current;
    }
    length_ = with_r / with_q;
  }

  Network const& a_;
  double tolerance_, last_ = 0, length_ = 0;
  bool fresh_ = true;  ///< r is that of x, not of the recursion
  std::vector<std::int32_t> at_electrodes_;
  std::vector<double> r_, p_, q_;
  Sums sums_;
};

}  // namespace

Potentials potentials(Network const& a, double tolerance, int most_iterations) {
  Potentials result;
  if (static_cast<double>(a.entries()) >= dense_degree * a.size) {
    Gradients(a, tolerance).run(most_iterations, result);
    return result;
  }
  Elimination const reduced(a, {});
  result.eliminated = reduced.eliminated();
  if (reduced.left().size == 0) {
    result.x = reduced.expand({});
    result.converged = true;
    result.excess = 0;
    return result;
  }
  Gradients(reduced.left(), tolerance).run(most_iterations, result);
  result.x = reduced.expand(result.x);
  return result;
}

}  // namespace tessera::solvers::network
