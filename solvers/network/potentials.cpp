// SPDX-License-Identifier: Apache-2.0
#include "solvers/network/potentials.hpp"

#include "solvers/network/aggregation.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::solvers::network {
namespace {

double dot(std::vector<double> const& x, std::vector<double> const& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// Flexible conjugate gradients on one network.
class Gradients {
 public:
  Gradients(Network const& a, double tolerance)
      : a_(a),
        tolerance_(tolerance),
        x_(a.size),
        r_(a.size),
        z_(a.size),
        p_(a.size),
        q_(a.size),
        old_(a.size) {}

  void run(int most, Potentials& result) {
    Aggregation m(a_);
    result.levels = m.levels();
    residual(a_, x_, r_);
    bool fresh = true;  // r is that of x, not of the recursion
    for (bool first = true;; first = false) {
      bool const enough = small_enough(result.final);
      if (first) result.initial = result.final;
      if (enough && fresh) {
        result.converged = true;
        return;
      }
      if (result.iterations >= most || !std::isfinite(result.final)) return;
      if (enough) {
        residual(a_, x_, r_);
        fresh = true;
        last_ = 0;
        continue;
      }
      fresh = false;
      ++result.iterations;
      step(m);
    }
  }
  std::vector<double> const& x() const { return x_; }

 private:
  /// The currents differ by linear forms of the residual: in - out by its sum, dissipation - in by x r.
  bool small_enough(double& relative) const {
    double current = a_.direct, sum = 0, weighted = 0, square = 0;
    for (std::int32_t i = 0; i < a_.size; ++i) {
      current += a_.source[i] * (1 - x_[i]);
      sum += r_[i];
      weighted += r_[i] * x_[i];
      square += r_[i] * r_[i];
    }
    double const all = std::abs(current - weighted);
    relative = all > 0 ? std::sqrt(square) / all : std::sqrt(square);
    double const gap = std::max({std::abs(sum), std::abs(weighted), std::abs(sum - weighted)});
    return gap <= tolerance_ * all && relative <= 10 * tolerance_;
  }

  void step(Aggregation& m) {
    m.apply(r_, z_);
    double const next = dot(r_, z_);
    double const beta = last_ > 0 ? (next - dot(z_, old_)) / last_ : 0;
    last_ = next;
    old_ = r_;
    for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = z_[i] + beta * p_[i];
    multiply(a_, p_, q_);
    double const length = dot(p_, r_) / dot(p_, q_);
    for (std::size_t i = 0; i < p_.size(); ++i) {
      x_[i] += length * p_[i];
      r_[i] -= length * q_[i];
    }
  }

  Network const& a_;
  double tolerance_, last_ = 0;
  std::vector<double> x_, r_, z_, p_, q_, old_;
};

}  // namespace

Potentials potentials(Network const& a, double tolerance, int most_iterations) {
  Potentials result;
  if (static_cast<double>(a.entries()) >= dense_degree * a.size) {
    Gradients gradients(a, tolerance);
    gradients.run(most_iterations, result);
    result.x = gradients.x();
    return result;
  }
  Elimination const reduced(a, {});
  result.eliminated = reduced.eliminated();
  if (reduced.left().size == 0) {
    result.x = reduced.expand({});
    result.converged = true;
    return result;
  }
  Gradients gradients(reduced.left(), tolerance);
  gradients.run(most_iterations, result);
  result.x = reduced.expand(gradients.x());
  return result;
}

}  // namespace tessera::solvers::network
