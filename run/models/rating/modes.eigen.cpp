// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/modes.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"

#define EIGEN_DONT_VECTORIZE  // small matrices; GCC 12 warns of its own AVX-512 functions
#include <Eigen/Eigenvalues>
#include <cmath>
#include <numeric>

namespace tessera::run::rating {
namespace detail {

using View = core::FieldView<double>;
using ConstView = core::FieldView<double const>;
constexpr int together = 8;  ///< vectors in one pass

struct Group {
  ConstView q[together];
};
/// Products of a vector with some others.
struct Products {
  Group of;
  ConstView w;
  KOKKOS_FUNCTION core::Values<together> operator()(int s, int k, int j, int i) const {
    core::Values<together> result;
    double const x = w(s, k, j, i);
    for (int n = 0; n < together; ++n) result.v[n] = of.q[n](s, k, j, i) * x;
    return result;
  }
};
struct Subtract {
  Group of;
  double by[together];
  View v;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    double x = v(s, k, j, i);
    for (int n = 0; n < together; ++n) x -= by[n] * of.q[n](s, k, j, i);
    v(s, k, j, i) = x;
  }
};
struct Square {
  ConstView v, w;
  KOKKOS_FUNCTION double operator()(int s, int k, int j, int i) const { return v(s, k, j, i) * w(s, k, j, i); }
};
struct Copy {
  ConstView from;
  View to;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { to(s, k, j, i) = from(s, k, j, i); }
};
struct Multiply {
  ConstView a, b;
  View to;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { to(s, k, j, i) = a(s, k, j, i) * b(s, k, j, i); }
};
struct Times {
  View v;
  double by;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { v(s, k, j, i) *= by; }
};

}  // namespace detail

namespace {

using Field = core::Field<double>;

/// Vectors of unit length, right-angled to one another, in the product of the cells' heat capacities.
class Basis {
 public:
  explicit Basis(Section& section) : section_(section), capacity_(section.heat_capacities()), w_("w", layout(), 1) {}

  /// Takes the part of v that lies outside, unless next to nothing is left.
  void add(Field const& v) {
    Field q("mode", layout(), 1);
    core::for_each("copy", layout().all(), detail::Copy{v.view(), q.view()});
    double const whole = length(q);
    orthogonalise(q);
    orthogonalise(q);  // the first time leaves rounding errors of what was taken off
    double const left = length(q);
    if (!(left > 1e-8 * whole)) return;
    core::for_each("scale", layout().all(), detail::Times{q.view(), 1 / left});
    vectors_.push_back(std::move(q));
  }
  std::size_t size() const { return vectors_.size(); }
  Field& operator[](std::size_t n) { return vectors_[n]; }
  /// G between them.
  Eigen::MatrixXd conduction() {
    auto const n = static_cast<Eigen::Index>(size());
    Eigen::MatrixXd g(n, n);
    for (Eigen::Index col = 0; col < n; ++col) {
      section_.conduct(vectors_[static_cast<std::size_t>(col)], w_);
      auto const products = with(w_, static_cast<std::size_t>(col) + 1);
      for (Eigen::Index row = 0; row <= col; ++row) g(row, col) = g(col, row) = products[static_cast<std::size_t>(row)];
    }
    return g;
  }

 private:
  core::Layout const& layout() const { return section_.layout(); }
  double length(Field const& v) {
    weigh(v);
    return std::sqrt(core::sum("length", layout(), detail::Square{v.view(), std::as_const(w_).view()}));
  }
  void weigh(Field const& v) {
    core::for_each("weigh", layout().all(), detail::Multiply{std::as_const(capacity_).view(), v.view(), w_.view()});
  }
  void orthogonalise(Field& v) {
    weigh(v);
    auto const products = with(w_, size());
    for (std::size_t first = 0; first < size(); first += detail::together) {
      detail::Subtract kernel{group(first), {}, v.view()};
      for (std::size_t n = 0; n < detail::together && first + n < size(); ++n) kernel.by[n] = products[first + n];
      core::for_each("subtract", layout().all(), kernel);
    }
  }
  /// Products of w with the first of the vectors.
  std::vector<double> with(Field const& w, std::size_t count) const {
    std::vector<double> result;
    for (std::size_t first = 0; first < count; first += detail::together) {
      auto const some =
          core::sums<detail::together>("products", layout(), layout().all(), detail::Products{group(first), w.view()});
      for (std::size_t n = 0; n < detail::together && first + n < count; ++n) result.push_back(some[n]);
    }
    return result;
  }
  detail::Group group(std::size_t first) const {
    detail::Group result;
    for (std::size_t n = 0; n < detail::together; ++n) result.q[n] = vectors_[std::min(first + n, size() - 1)].view();
    return result;
  }

  Section& section_;
  Field capacity_, w_;
  std::vector<Field> vectors_;
};

std::vector<std::vector<double>> rows_of(Eigen::MatrixXd const& matrix) {
  std::vector<std::vector<double>> result;
  for (auto const row : matrix.rowwise()) result.emplace_back(row.begin(), row.end());
  return result;
}

/// 0, and rates from that of some months to that of the shortest time, in equal ratios: a factor M to 2e-4 of itself (twelve: to
/// 1e-5).
std::vector<double> shifts(double shortest) {
  constexpr double longest = 1e7;  // [s]
  constexpr int count = 8;
  std::vector<double> result{0};
  for (int n = 0; n < count; ++n)
    result.push_back(std::pow(shortest / longest, static_cast<double>(n) / (count - 1)) / shortest);
  return result;
}

}  // namespace

std::size_t Modes::most(std::size_t loads) { return (loads - 1) * shifts(1).size() + 1; }

Modes::Modes(Section& section, double shortest) {
  std::vector<std::size_t> loads(section.loads() - 1);  // the heat of insulations is always the same
  std::iota(loads.begin(), loads.end(), std::size_t{0});
  Basis basis(section);
  for (double s : shifts(shortest)) {
    auto some = loads;
    if (s == 0) some.push_back(loads.size());
    section.respond(s, some, [&](std::size_t, Field const& rise) { basis.add(rise); });
  }
  auto const n = static_cast<Eigen::Index>(basis.size());
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> const found(basis.conduction());
  if (found.info() != Eigen::Success || !(found.eigenvalues()[0] > 0))
    throw core::RunError("the modes of the section were not found: its solver wants a smaller tolerance");
  auto const parts = static_cast<Eigen::Index>(section.parts()), all = static_cast<Eigen::Index>(section.loads());
  Eigen::MatrixXd out(parts, n), in(n, all), beside(parts, all);
  auto const column = [](std::vector<double> const& values) {
    return Eigen::Map<Eigen::VectorXd const>(values.data(), static_cast<Eigen::Index>(values.size()));
  };
  for (Eigen::Index mode = 0; mode < n; ++mode) {
    auto const means = section.means(basis[static_cast<std::size_t>(mode)]);
    out.col(mode) = column(means);
    in.row(mode) = column(section.driven_by(means)).transpose();
  }
  for (Eigen::Index load = 0; load < all; ++load) {
    std::vector<double> one(section.loads(), 0.0);
    one[static_cast<std::size_t>(load)] = 1;
    beside.col(load) = column(section.beside(one));
  }
  rate_.assign(found.eigenvalues().begin(), found.eigenvalues().end());
  in_ = rows_of(found.eigenvectors().transpose() * in);
  out_ = rows_of(out * found.eigenvectors());
  beside_ = rows_of(beside);
}

double Modes::drive(std::size_t mode, std::vector<double> const& heat) const {
  return std::inner_product(heat.begin(), heat.end(), in_[mode].begin(), 0.0);
}

Modes::Amplitudes Modes::steady(std::vector<double> const& heat) const {
  Amplitudes x(size());
  for (std::size_t m = 0; m < size(); ++m) x[m] = drive(m, heat) / rate_[m];
  return x;
}

void Modes::advance(Amplitudes& x, std::vector<double> const& heat, double seconds) const {
  for (std::size_t m = 0; m < size(); ++m) x[m] -= std::expm1(-rate_[m] * seconds) * (drive(m, heat) / rate_[m] - x[m]);
}

Modes::Amplitudes Modes::periodic(std::vector<std::vector<double>> const& heat, double step) const {
  Amplitudes x(size(), 0.0);
  for (auto const& of_step : heat) advance(x, of_step, step);
  double const period = step * static_cast<double>(heat.size());
  for (std::size_t m = 0; m < size(); ++m) x[m] /= -std::expm1(-rate_[m] * period);
  return x;
}

std::vector<double> Modes::rises(Amplitudes const& x, std::vector<double> const& heat) const {
  std::vector<double> result;
  for (std::size_t part = 0; part < out_.size(); ++part)
    result.push_back(std::inner_product(x.begin(), x.end(), out_[part].begin(), 0.0) +
                     std::inner_product(heat.begin(), heat.end(), beside_[part].begin(), 0.0));
  return result;
}

}  // namespace tessera::run::rating
