// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/rating/section.hpp"

#include <vector>

namespace tessera::run::rating {

/// A section in time by a few numbers: mode m falls by itself at a rate and is driven by the heat of loads,
///   x_m' = -rate_m x_m + sum_load in[m][load] heat[load],   rise of a part = sum_m out[part][m] x_m + what heat adds beside.
/// It is the Galerkin projection of C dT/dt + G T = heat onto the solutions of (G + s C) T = load for s = 0 and some rates s,
/// one set for each load, so that steady states are exact, and others nearly so: the transfer function of each pair of loads
/// is met at each s in value and slope (Grimme 1997, Krylov projection methods for model reduction; passive as in PRIMA,
/// Odabasioglu et al. 1998).
class Modes {
 public:
  /// Of loads that change in `shortest` seconds or more. Collective: some solutions a load, and as many fields of memory.
  Modes(Section& section, double shortest);

  using Amplitudes = std::vector<double>;
  std::size_t size() const { return rate_.size(); }
  /// Of the steady state with this heat of each load [W/m].
  Amplitudes steady(std::vector<double> const& heat) const;
  /// So many seconds later, with constant heat.
  void advance(Amplitudes& x, std::vector<double> const& heat, double seconds) const;
  /// At the beginning of a period that repeats for ever, made of steps of equal length with the heat of each.
  Amplitudes periodic(std::vector<std::vector<double>> const& heat, double step) const;
  /// Mean rises of the parts [K], the heat being this.
  std::vector<double> rises(Amplitudes const& x, std::vector<double> const& heat) const;

  /// Vectors that a section with so many loads needs at most.
  static std::size_t most(std::size_t loads);

 private:
  double drive(std::size_t mode, std::vector<double> const& heat) const;
  std::vector<double> rate_;                   // [1/s]
  std::vector<std::vector<double>> in_, out_;  // [mode][load], [part][mode]
  std::vector<std::vector<double>> beside_;    // [part][load]
};

}  // namespace tessera::run::rating
