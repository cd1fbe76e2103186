// SPDX-License-Identifier: Apache-2.0
#include "solvers/methods/pcg_multigrid.hpp"

#include "core/grid/sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::solvers::methods {
namespace detail {

/// a_ii |x_i|
struct Terms {
  core::FieldView<double const> diagonal, x;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    double const xi = x(slot, k, j, i);
    return diagonal(slot, k, j, i) * (xi < 0 ? -xi : xi);
  }
};

}  // namespace detail

using multigrid::Cycle;

namespace {
constexpr double safety = 0.99;  // the residual of the iteration stays a little below the true one
}

PcgMultigrid::PcgMultigrid(preconditioners::Multigrid const& multigrid)
    : multigrid_(multigrid),
      defect_(multigrid.matrix()),
      single_(multigrid.single()),
      cycle_(multigrid.cycle()) {}

template <class T>
PcgMultigrid::Levels<T>& PcgMultigrid::levels() {
  auto& levels = std::get<std::unique_ptr<Levels<T>>>(levels_);
  if (!levels) levels = std::make_unique<Levels<T>>(multigrid_.make_levels<T>(true));
  return *levels;
}

void PcgMultigrid::iterate(Controls const& controls, Residual const& residual, core::Field<double> const& b,
                           core::Field<double>& x, core::Field<double>& r, Performance& p) {
  int broken = 0;
  int const done = p.iterations;
  bool const loosely = behind_;
  do {
    double const before = p.final;
    double claimed = before;
    End const end = single_ ? one_pass<float>(controls, residual.norm, x, r, p, claimed)
                            : one_pass<double>(controls, residual.norm, x, r, p, claimed);
    p.final = defect_(b, x, r) / residual.norm;
    if (end == End::slow || end == End::limit) continue;
    bool const stuck = !(p.final < 0.5 * before);
    if (controls.converged(p.initial, p.final)) {
      if (stuck) break;
      continue;
    }
    if (stuck && p.final < rounding(x) / residual.norm) {
      p.at_rounding = true;
      break;
    }
    broken += end == End::broken;
    bool const lost = p.final > 0.03 * before && p.final > 3 * claimed;
    if (behind_ && (lost || stuck || broken > 0)) {
      renew_finest();
      broken = 0;
      continue;
    }
    if (!single_ && (stuck || broken > 1)) break;
    if (lost || stuck || broken > 1) {
      single_ = false;
      broken = 0;
      pace_.wanted = true;  // levels in double are those of this matrix
      std::get<0>(levels_).reset();
    }
  } while (controls.go_on(p.iterations, p.initial, p.final));
  if (!loosely) pace_.record(p.iterations - done, std::log10(p.initial / p.final));
}

void PcgMultigrid::Pace::record(int more_iterations, double more_decades) {
  if (more_iterations == 0 || !(more_decades > 0)) return;
  if (iterations == 0) {
    iterations = more_iterations;
    decades = more_decades;
  } else {
    excess = std::max(0.0, excess + more_iterations - more_decades * iterations / decades);
  }
}

bool PcgMultigrid::follow(Follow how) {
  follows_ = true;
  stale_ = how != Follow::anew;
  behind_ = behind_ || how == Follow::loosely;
  if (how == Follow::closely) renew_finest();
  if (how != Follow::anew) return true;
  behind_ = false;
  pace_ = {};
  levels_ = {};
  single_ ? static_cast<void>(levels<float>()) : static_cast<void>(levels<double>());
  return true;
}

void PcgMultigrid::renew_finest() {
  behind_ = false;
  auto const renew = [this](auto const& levels) {
    if (!levels) return;
    levels->hierarchy->renew_finest(multigrid_.matrix(), multigrid_.redistribution());
    levels->passes.renewed();
  };
  std::apply([&](auto const&... all) { (renew(all), ...); }, levels_);
}

std::string PcgMultigrid::learned() const {
  std::string words = !single_ && multigrid_.single() ? "double" : "";
  if (cycle_ == Cycle::w && multigrid_.cycle() != Cycle::w) words += words.empty() ? "W" : " W";
  if (follows_)
    words += fmt::format("{}pace {:a} {:a} {:a} {}", words.empty() ? "" : " ", pace_.iterations, pace_.decades,
                         pace_.excess, int{pace_.wanted});
  return words;
}

void PcgMultigrid::learn(std::string const& words) {
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    if (word == "double") single_ = false;
    if (word == "W" && multigrid_.automatic()) cycle_ = Cycle::w;
    if (word == "pace") {
      follows_ = true;
      std::array<std::string, 4> numbers;
      for (auto& number : numbers) in >> number;
      auto const value = [&](int n) { return std::strtod(numbers[n].c_str(), nullptr); };
      pace_ = {.iterations = value(0), .decades = value(1), .excess = value(2), .wanted = value(3) != 0};
      if (!(pace_.decades > 0) || !(pace_.iterations > 0)) pace_.iterations = 0;
    }
  }
}

double PcgMultigrid::rounding(core::Field<double> const& x) const {
  auto const& matrix = multigrid_.matrix();
  return 2 * 1.1e-16 * core::sum("rounding", matrix.layout(), detail::Terms{matrix.diagonal().view(), x.view()});
}

template <class T>
PcgMultigrid::End PcgMultigrid::one_pass(Controls const& controls, double norm, core::Field<double>& x,
                                         core::Field<double> const& r, Performance& p, double& claimed) {
  auto& levels = this->levels<T>();
  auto& cg = levels.passes;
  cg.load(r, multigrid_.redistribution());
  double alpha = 0;
  End const end = correct(levels, controls, norm, p, claimed, alpha);
  if (end == End::broken) cg.forget();
  cg.add_to(x, static_cast<T>(alpha), multigrid_.redistribution());
  return end;
}

template <class T>
PcgMultigrid::End PcgMultigrid::correct(Levels<T>& levels, Controls const& controls, double norm, Performance& p,
                                        double& claimed, double& alpha) {
  auto& cg = levels.passes;
  double const sum = cg.sum_of_r(), mass = cg.sum_of_row_sums();
  double mean = 0;
  if (levels.hierarchy->singular()) {
    cg.remove_mean_of_r();
  } else if (std::abs(sum) > 0.5 * claimed * norm && mass > 0) {
    mean = sum / mass;
    cg.subtract_row_sums(static_cast<T>(mean));
  }
  cg.start(mean);
  // single precision cannot follow a residual further down than this
  double const lowest = (std::is_same_v<T, float> ? 1e-6 : 1e-13) * claimed;
  std::vector<double> norms{claimed};
  double rz = 0;
  cg.update_and_descend(0);
  for (;;) {
    cg.coarse(cycle_);
    double const rz_old = rz;
    rz = cg.ascend();
    double const beta = norms.size() == 1 ? 0 : rz / rz_old;
    double const pw = cg.direction(static_cast<T>(alpha), static_cast<T>(beta));
    if (!(rz > 0) || !(pw > 0) || !std::isfinite(rz / pw)) {
      alpha = 0;  // x keeps what the directions before gave
      return End::broken;
    }
    alpha = rz / pw;
    ++p.iterations;
    auto const enough = [&](double now) {
      return now < lowest || !controls.go_on(p.iterations, p.initial, now / safety);
    };
    // smoothing and restriction are left out where this is likely to be the last iteration
    double const rate = norms.size() > 1 ? norms.back() / norms[norms.size() - 2] : 0.1;
    bool const last = enough(norms.back() * rate);
    norms.push_back((last ? cg.update(static_cast<T>(alpha)) : cg.update_and_descend(static_cast<T>(alpha))) / norm);
    claimed = norms.back();
    bool const slow = norms.size() > 10 && too_slow(std::pow(claimed / norms[norms.size() - 11], 0.1), p);
    if (enough(claimed) || slow)
      return !enough(claimed) ? End::slow : p.iterations >= controls.most ? End::limit : End::reached;
    if (last) cg.update_and_descend(0);
  }
}

bool PcgMultigrid::too_slow(double rate, Performance& p) {
  if (stale_) {
    // levels of the matrix itself may well be good enough
    pace_.wanted = pace_.wanted || rate > 0.5;
    return false;
  }
  if (cycle_ == Cycle::v && multigrid_.automatic() && rate > 0.6) {
    cycle_ = Cycle::w;
    return true;
  }
  p.slow = rate > 0.7;
  return false;
}

}  // namespace tessera::solvers::methods
