// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/hierarchy.hpp"

#include "core/error.hpp"
#include "solvers/multigrid/redistribution.hpp"
#include "solvers/multigrid/rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

namespace tessera::solvers::multigrid {
namespace detail {

/// a += b
template <class T>
struct AddArray {
  ArrayView<T const> b;
  ArrayView<T> a;
  struct Row {
    T const* b;
    T* a;
    KOKKOS_FUNCTION void operator()(int i) const { a[i] += b[i]; }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const { return {b.row(k, j), a.row(k, j)}; }
};

}  // namespace detail
namespace {

constexpr core::Count gathered = 8192;  // cells

bool any_coarsened(std::array<Lines, 3> const& lines) {
  return lines[0].coarsened() || lines[1].coarsened() || lines[2].coarsened();
}

/// The slab of the next coarser level, where the finer one lies.
Slab coarse_slab(Slab const& fine, std::array<Lines, 3> const& lines) {
  core::Grid::Shape const cells{lines[0].coarse(), lines[1].coarse(), lines[2].coarse()};
  std::array<bool, 3> const periodic{fine.periodic(0), fine.periodic(1), fine.periodic(2)};
  bool const device = fine.is_on_device();
  if (fine.whole()) return Slab(fine.comm(), cells, periodic, {}, true, fine.pool()).on_device(device);
  Lines const& outer = lines[fine.outer()];
  std::vector<core::Count> starts;
  for (core::Count s : fine.starts()) starts.push_back(s == outer.fine() ? outer.coarse() : outer.below(s));
  core::Count fewest = starts.back();
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) fewest = std::min(fewest, starts[r + 1] - starts[r]);
  bool const whole = cells[0] * cells[1] * cells[2] <= gathered || fewest < 2 * Slab::depth || cells[fine.outer()] == 1;
  return Slab(fine.comm(), cells, periodic, std::move(starts), whole, fine.pool()).on_device(device);
}

/// In precision T, with 1/D.
template <class T>
Level<T> in_precision(Level<double>& level) {
  Level<T> result = [&] {
    if constexpr (std::is_same_v<T, double>)
      return std::move(level);
    else
      return Level<T>::from(level);
  }();
  result.set_inverse();
  return result;
}
template <class T>
std::unique_ptr<Transfer<T>> in_precision(Transfer<double>& transfer) {
  if constexpr (std::is_same_v<T, double>)
    return std::make_unique<Transfer<T>>(std::move(transfer));
  else
    return std::make_unique<Transfer<T>>(Transfer<T>::from(transfer));
}

/// Whether the sum of all row sums is zero but for rounding. Collective.
bool without_mass(Level<double> const& level) {
  Slab const& slab = level.slab();
  double const mass = sum_over_cells<Term::value>(slab, level.row_sums(), level.row_sums());
  double couplings = 0;
  for (auto const& f : level.conductances()) couplings += sum_over_cells<Term::magnitude>(slab, f, f);
  return std::abs(mass) < 1e-12 * (mass + 2 * couplings);
}

}  // namespace

template <class T>
Hierarchy<T>::Hierarchy(Level<double> finest, Widths widths, int sweeps)
    : weights_(
          chebyshev_weights<T>(sweeps, !finest.slab().thin(2) && !finest.slab().thin(1) && !finest.slab().thin(0))),
      singular_(without_mass(finest)) {
  for (Level<double> level = std::move(finest);;) {
    auto const lines = choose_lines(level, widths);
    if (level.slab().total() <= Slab::direct || !any_coarsened(lines)) {
      if (level.slab().is_on_device()) level.move_to_host();
      invert(level);
      stages_.push_back({in_precision<T>(level), nullptr, {}, {}, false, {}, {}});
      break;
    }
    auto transfer = make_transfer(level, coarse_slab(level.slab(), lines), lines);
    Level<double> coarse = galerkin(level, transfer);
    if (coarse.slab().is_on_device() && !coarse.slab().fits_device()) coarse.move_to_host();
    stages_.push_back({in_precision<T>(level), in_precision<T>(transfer), {}, {}, false, {}, {}});
    for (std::size_t d = 0; d < 3; ++d) widths[d] = lines[d].coarse_widths();
    level = std::move(coarse);
  }
  allocate_vectors();
}

template <class T>
void Hierarchy<T>::allocate_vectors() {
  core::Count last = stages_.front().level.slab().total();
  for (std::size_t n = 1; n < stages_.size(); ++n) {
    Slab const& slab = stages_[n].level.slab();
    stages_[n].level.allocate_vectors();
    stages_[n].twice = n + 1 < stages_.size() && 3 * slab.total() <= last;
    if (stages_[n].twice) last = slab.total();
    if (stages_[n - 1].level.slab().is_on_device() && !slab.is_on_device()) {
      stages_[n].r_there = Array<T>(slab.on_device());
      stages_[n].z_there = Array<T>(slab.on_device());
    }
  }
}

template <class T>
void Hierarchy<T>::renew_finest(StencilMatrix const& matrix, Redistribution const& redistribution) {
  Level<T>& finest = stages_.front().level;
  redistribution.renew(matrix, finest);
  finest.set_inverse();
}

template <class T>
void Hierarchy<T>::allocate_finest(bool working_space) {
  Level<T>& level = stages_.front().level;
  if (level.r.empty()) {
    level.r = Array<T>(level.slab());
    level.z = Array<T>(level.slab());
  }
  if (working_space && level.t.empty()) level.t = Array<T>(level.slab());
}

template <class T>
std::size_t Hierarchy<T>::bytes() const {
  std::size_t sum = inverse_.size() * sizeof(T);
  for (auto const& s : stages_)
    sum += s.level.bytes() + (s.transfer ? s.transfer->bytes() : 0) + s.first.bytes() + s.right.bytes();
  return sum;
}

template <class T>
void Hierarchy<T>::invert(Level<double> const& level) {
  Slab const& slab = level.slab();
  core::expect(slab.whole(), "the coarsest level of multigrid is not held whole");
  auto const n = static_cast<std::size_t>(slab.total());
  auto const cells = slab.cells();
  auto const number = [&](core::Count i, core::Count j, core::Count k) {
    auto const wrap = [&](core::Count x, std::size_t d) { return (x + cells[d]) % cells[d]; };
    return static_cast<std::size_t>((wrap(k, 2) * cells[1] + wrap(j, 1)) * cells[0] + wrap(i, 0));
  };
  std::vector<double> a(n * n, 0.0);
  double trace = 0;
  slab.for_each_row_in_order(slab.lines(0), [&](int k, int j) {
    for (int i = 0; i < slab.held(0); ++i) {
      std::size_t const row = number(i, j, k);
      a[row * n + row] += level.row_sums().row(k, j)[i];
      for (std::size_t c = 0; c < level.numbers().size(); ++c) {
        // a pair of cells (x - y)^2 f; across a periodic side it may meet other entries, or itself
        Offset const& e = level.around()[level.numbers()[c]];
        double const f = level.conductances()[c].row(k, j)[i];
        if (f == 0) continue;
        std::size_t const other = number(i + e[0], j + e[1], k + e[2]);
        a[row * n + row] += f;
        a[other * n + other] += f;
        a[row * n + other] -= f;
        a[other * n + row] -= f;
      }
    }
  });
  for (std::size_t r = 0; r < n; ++r) trace += a[r * n + r];
  // the constant is the kernel; adding (trace / n^2) 1 1^T ties it and changes nothing else
  if (singular_)
    for (double& x : a) x += trace / static_cast<double>(n * n);
  // A = L L^T in place, then the columns of A^-1
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = c; r < n; ++r) {
      double s = a[r * n + c];
      for (std::size_t q = 0; q < c; ++q) s -= a[r * n + q] * a[c * n + q];
      if (r == c && !(s > 0))
        throw core::Error(fmt::format("the coarsest matrix of multigrid has the pivot {}, expected a value > 0: "
                                      "the matrix must be positive definite",
                                      s));
      a[r * n + c] = r == c ? std::sqrt(s) : s / a[c * n + c];
    }
  inverse_.resize(n * n);
  std::vector<double> y(n);
  for (std::size_t column = 0; column < n; ++column) {
    std::fill(y.begin(), y.end(), 0.0);
    y[column] = 1;
    for (std::size_t r = column; r < n; ++r) {
      for (std::size_t c = column; c < r; ++c) y[r] -= a[r * n + c] * y[c];
      y[r] /= a[r * n + r];
    }
    for (std::size_t r = n; r-- > 0;) {
      y[r] /= a[r * n + r];
      for (std::size_t c = 0; c < r; ++c) y[c] -= a[r * n + c] * y[r];
    }
    for (std::size_t r = 0; r < n; ++r) inverse_[r * n + column] = static_cast<T>(y[r]);
  }
}

template <class T>
void Hierarchy<T>::solve_directly(Level<T>& level) const {
  Slab const& slab = level.slab();
  auto const n = static_cast<std::size_t>(slab.total()), columns = static_cast<std::size_t>(slab.held(0));
  std::vector<T> x(n, T(0));
  std::size_t from = 0;
  // the inverse is symmetric: x = sum of its rows times r
  slab.for_each_row_in_order(slab.lines(0), [&](int k, int j) {
    for (std::size_t i = 0; i < columns; ++i) {
      T const r = level.r.row(k, j)[i], *const row = inverse_.data() + n * from++;
      for (std::size_t c = 0; c < n; ++c) x[c] += row[c] * r;
    }
  });
  std::size_t to = 0;
  slab.for_each_row_in_order(slab.lines(0), [&](int k, int j) {
    std::copy_n(x.data() + to, columns, level.z.row(k, j));
    to += columns;
  });
}

template <class T>
void Hierarchy<T>::descend(std::size_t n) {
  Level<T>& level = stages_[n].level;
  Transfer<T> const& transfer = *stages_[n].transfer;
  Level<T>& next = stages_[n + 1].level;
  // Each step needs one line more around than the next. The residual is needed one line around, and the last z as many
  // lines around as there are steps after the correction.
  int const steps = static_cast<int>(weights_.size());
  int extra = std::max(2, 2 * steps - 1);
  level.slab().complete(level.r, extra);
  level.first_step(weights_[0], level.r, level.z, extra);
  for (int s = 1; s < steps; ++s) {
    level.step(weights_[s], level.r, level.z, level.t, --extra);
    std::swap(level.z, level.t);
  }
  level.residual(level.r, level.z, level.t, 1);
  if (auto& there = stages_[n + 1].r_there; !there.empty()) {
    transfer.restrict_to(there, level.t);
    next.r.copy(there);
  } else {
    transfer.restrict_to(next.r, level.t);
  }
  if (next.slab().whole()) next.slab().collect(next.r, 0);
}

template <class T>
void Hierarchy<T>::ascend(std::size_t n) {
  Level<T>& level = stages_[n].level;
  int const steps = static_cast<int>(weights_.size());
  // z is known `steps` lines around
  int extra = steps;
  Stage& next = stages_[n + 1];
  if (!next.z_there.empty()) next.z_there.copy(next.level.z);
  stages_[n].transfer->interpolate(next.z_there.empty() ? next.level.z : next.z_there, level.z, extra);
  for (int s = steps - 1; s >= 0; --s) {
    level.step(weights_[s], level.r, level.z, level.t, --extra);
    std::swap(level.z, level.t);
  }
}

template <class T>
void Hierarchy<T>::cycle(std::size_t n, Cycle how) {
  if (n + 1 == stages_.size()) return solve_directly(stages_[n].level);
  descend(n);
  coarse(n + 1, how);
  ascend(n);
}

template <class T>
void Hierarchy<T>::coarse(std::size_t n, Cycle how) {
  Stage& stage = stages_[n];
  Level<T>& level = stage.level;
  cycle(n, how);
  if (how == Cycle::w && stage.twice) {
    // z = z1 + M^-1 (r - A z1)
    if (stage.first.empty()) {
      stage.first = Array<T>(level.slab());
      stage.right = Array<T>(level.slab());
    }
    level.slab().complete(level.z, 1);
    level.residual(level.r, level.z, stage.right, 0);
    std::swap(level.z, stage.first);
    std::swap(level.r, stage.right);
    cycle(n, how);
    std::swap(level.r, stage.right);
    level.slab().for_each_cell("add", level.slab().lines(0),
                               detail::AddArray<T>{std::as_const(stage.first).view(), level.z.view()});
  }
  level.slab().complete(level.z, 3);
}

template class Hierarchy<float>;
template class Hierarchy<double>;

}  // namespace tessera::solvers::multigrid
