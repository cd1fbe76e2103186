// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/losses.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace tessera::run::rating {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

double distance(std::array<double, 2> const& a, std::array<double, 2> const& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1]);
}

/// x of the skin and proximity effects, squared.
double squared_argument(double resistance, double frequency, double k) {
  return 8 * pi * frequency / resistance * 1e-7 * k;
}

/// Solves a x = b by Gauss' elimination with pivots; both are spent.
std::vector<Complex> solve(std::vector<std::vector<Complex>> a, std::vector<Complex> b) {
  std::size_t const n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[best][c])) best = r;
    std::swap(a[c], a[best]);
    std::swap(b[c], b[best]);
    for (std::size_t r = c + 1; r < n; ++r) {
      Complex const factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t r = n; r-- > 0;) {
    for (std::size_t k = r + 1; k < n; ++k) b[r] -= a[r][k] * b[k];
    b[r] /= a[r][r];
  }
  return b;
}

/// lambda0, Delta1, Delta2 of [5.3.7.2] and [5.3.7.3].
std::array<double, 3> eddy_terms(Formation::Kind kind, bool middle, bool lags, double m, double ratio) {
  double const base = m * m / (1 + m * m) * ratio * ratio;
  bool const small = m <= 0.1;  // Delta1 and Delta2 may be neglected there
  if (kind == Formation::Kind::trefoil)
    return {3 * base, small ? 0 : (1.14 * std::pow(m, 2.45) + 0.33) * std::pow(ratio, 0.92 * m + 1.66), 0};
  if (middle) return {6 * base, small ? 0 : 0.86 * std::pow(m, 3.08) * std::pow(ratio, 1.4 * m + 0.7), 0};
  if (lags)
    return {1.5 * base,
            small ? 0 : -0.74 * (m + 2) * std::sqrt(m) / (2 + (m - 0.3) * (m - 0.3)) * std::pow(ratio, m + 1),
            small ? 0 : 0.92 * std::pow(m, 3.7) * std::pow(ratio, m + 2)};
  return {1.5 * base, small ? 0 : 4.7 * std::pow(m, 0.7) * std::pow(ratio, 0.16 * m + 2),
          small ? 0 : 21 * std::pow(m, 3.3) * std::pow(ratio, 1.47 * m + 5.06)};
}

}  // namespace

Formation formation_of(std::vector<std::array<double, 2>> const& positions) {
  using Kind = Formation::Kind;
  if (positions.size() == 1) return {Kind::single, 0, 0};
  if (positions.size() != 3) return {Kind::other, 0, 0};
  std::array<double, 3> const d{distance(positions[1], positions[2]), distance(positions[0], positions[2]),
                                distance(positions[0], positions[1])};  // of the two others
  auto const [least, most] = std::minmax_element(d.begin(), d.end());
  double const near = *least * 0.01;
  if (*most - *least <= near) return {Kind::trefoil, std::cbrt(d[0] * d[1] * d[2]), 0};
  std::size_t const middle = static_cast<std::size_t>(most - d.begin());
  double const a = d[(middle + 1) % 3], b = d[(middle + 2) % 3];
  if (std::abs(a - b) <= near && std::abs(a + b - *most) <= near) return {Kind::flat, std::sqrt(a * b), middle};
  return {Kind::other, std::sqrt(a * b), middle};
}

double dc_resistance(Construction const& c, double temperature) {
  return c.resistance20 * (1 + c.conductor.alpha20 * (temperature - 20));
}

double skin_effect(double resistance, double frequency, double ks) {
  double const x2 = squared_argument(resistance, frequency, ks), x = std::sqrt(x2), x4 = x2 * x2;
  if (x <= 2.8) return x4 / (192 + 0.8 * x4);
  if (x <= 3.8) return -0.136 - 0.0177 * x + 0.0563 * x2;
  return 0.354 * x - 0.733;
}

double proximity_effect(double resistance, double frequency, double kp, double diameter, double spacing) {
  double const x2 = squared_argument(resistance, frequency, kp), x4 = x2 * x2;
  double const f = x4 / (192 + 0.8 * x4), ratio = diameter * diameter / (spacing * spacing);
  return f * ratio * (0.312 * ratio + 1.18 / (f + 0.27));
}

double ac_resistance(Construction const& c, Formation const& formation, double frequency, double temperature) {
  double const dc = dc_resistance(c, temperature);
  if (frequency == 0) return dc;
  double const ys = c.skin.value_or(skin_effect(dc, frequency, c.ks));
  double const yp =
      c.proximity.value_or(formation.kind == Formation::Kind::single
                               ? 0.0
                               : proximity_effect(dc, frequency, c.kp, 2 * c.conductor_radius, formation.spacing));
  return dc * (1 + ys + yp);
}

double dielectric_loss(Construction const& c, double frequency) {
  if (c.voltage == 0 || frequency == 0) return 0;
  Layer const& insulation = c.layers[*c.insulation];
  double const capacitance =
      insulation.material.permittivity / (18 * std::log(insulation.outer / insulation.inner)) * 1e-9;
  return 2 * pi * frequency * capacitance * c.voltage * c.voltage / 3 * insulation.material.loss_factor;
}

double resistance(Layer const& layer, double temperature) {
  return layer.resistance20 * (1 + layer.material.alpha20 * (temperature - 20));
}

std::vector<double> circulating_currents(std::vector<Sheath> const& sheaths, double frequency) {
  std::vector<double> result(sheaths.size(), 0.0);
  std::vector<std::size_t> closed;
  std::vector<int> bonds;
  for (std::size_t n = 0; n < sheaths.size(); ++n)
    if (sheaths[n].bonded >= 0) {
      closed.push_back(n);
      if (std::find(bonds.begin(), bonds.end(), sheaths[n].bonded) == bonds.end()) bonds.push_back(sheaths[n].bonded);
    }
  if (closed.empty() || frequency == 0) return result;
  double const k = 2 * pi * frequency * 2e-7;
  auto const reactance = [&](std::size_t i, std::size_t j) {
    return Complex(0, -k * std::log(i == j ? sheaths[i].radius : distance(sheaths[i].position, sheaths[j].position)));
  };
  std::size_t const n = closed.size(), all = n + bonds.size();
  std::vector<std::vector<Complex>> a(all, std::vector<Complex>(all));
  std::vector<Complex> b(all);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) a[r][c] = reactance(closed[r], closed[c]);
    a[r][r] += sheaths[closed[r]].resistance;
    for (std::size_t j = 0; j < sheaths.size(); ++j)
      b[r] -= reactance(closed[r], j) * std::polar(sheaths[j].current, sheaths[j].phase);
    auto const bond =
        static_cast<std::size_t>(std::find(bonds.begin(), bonds.end(), sheaths[closed[r]].bonded) - bonds.begin());
    // volts of a bond are scaled as its reactances are, so that pivots compare
    a[r][n + bond] = -k;
    a[n + bond][r] = k;
  }
  auto const x = solve(std::move(a), std::move(b));
  for (std::size_t r = 0; r < n; ++r) result[closed[r]] = std::abs(x[r]);
  return result;
}

double eddy_factor(Layer const& sheath, Formation const& formation, bool middle, bool lags, double frequency,
                   double sheath_resistance, double conductor_resistance) {
  double const omega = 2 * pi * frequency, m = omega / sheath_resistance * 1e-7;
  double const ratio = sheath.mean_radius() / formation.spacing;  // d / 2 s
  auto const [lambda0, delta1, delta2] = eddy_terms(formation.kind, middle, lags, m, ratio);
  // resistivity at the temperature, from the resistance of the ring
  double const rho = sheath_resistance * 2 * pi * sheath.mean_radius() * sheath.thickness();
  double const beta = std::sqrt(4 * pi * omega / (1e7 * rho)), t = sheath.thickness(), outer = 2 * sheath.outer;
  double const gs = 1 + std::pow(t / outer, 1.74) * (beta * outer - 1.6);
  double const bt = beta * t;
  return sheath_resistance / conductor_resistance * (gs * lambda0 * (1 + delta1 + delta2) + bt * bt * bt * bt / 12);
}

double eddy_share(double m, double n) {
  return (4 * m * m * n * n + (m + n) * (m + n)) / (4 * (m * m + 1) * (n * n + 1));
}

}  // namespace tessera::run::rating
