// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera::solvers {

/// d/dt of T at the new time, as  now T - old T_old + past H  [1/s], H the history that the scheme keeps.
struct TimeWeights {
  double now = 0, old = 0, past = 0;
};

/// How the derivative in time is formed, as OpenFOAM forms it. With dt the step and dt0 the one before:
///   steady           0
///   euler            (T - T_old) / dt                                                          first order
///   crank_nicolson   (1 + psi) (T - T_old) / dt - psi H,  H = the derivative at the old time   second order at psi = 1
///   backward         (c T - (c + c2) T_old + c2 T_old_old) / dt,  c = 1 + dt / (dt + dt0),
///                    c2 = dt^2 / (dt0 (dt + dt0)),  H = T_old_old                              second order
/// All terms of the equation are taken at the new time; with Crank-Nicolson the old ones are in H. The first step is
/// Euler's in every scheme, as OpenFOAM starts.
struct TimeScheme {
  enum class Type { steady, euler, crank_nicolson, backward };
  Type type = Type::euler;
  double psi = 1;  ///< of Crank-Nicolson, 0 (Euler) to 1; OpenFOAM's number after the name

  /// For step `step`, counted from 1.
  TimeWeights weights(double dt, double dt0, long step) const {
    if (type == Type::steady) return {};
    if (step <= 1 || type == Type::euler) return {1 / dt, 1 / dt, 0};
    if (type == Type::crank_nicolson) return {(1 + psi) / dt, (1 + psi) / dt, -psi};
    double const c = 1 + dt / (dt + dt0), c2 = dt * dt / (dt0 * (dt + dt0));
    return {c / dt, (c + c2) / dt, c2 / dt};
  }
  /// Whether steps go on from the derivative at the old time: Crank-Nicolson's do, unless they are Euler's.
  bool goes_on_from_rate() const { return type == Type::crank_nicolson && psi > 0; }
  bool has_history() const { return type == Type::crank_nicolson || type == Type::backward; }
  /// Order of the error in time.
  int order() const { return type == Type::backward || (type == Type::crank_nicolson && psi == 1) ? 2 : 1; }
};

}  // namespace tessera::solvers
