// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/linear_solver.hpp"

#include <array>
#include <memory>

namespace tessera::solvers {

/// How lambda comes from two cells P, N to the face between them, with OpenFOAM's weight w of P (the distance of N to
/// the face over the distance between the centres):
///   harmonic: lambda_f = 1 / ((1 - w) / lambda_P + w / lambda_N)   the resistances of two half cells in series, exact
///             across a jump on any grid, as OpenFOAM's `harmonic` (which exchanges w and 1 - w, too: reverseLinear)
///   linear:   lambda_f = w lambda_P + (1 - w) lambda_N
enum class Interpolation { harmonic, linear };

/// What holds on one side of the grid.
struct Boundary {
  enum class Type {
    fixed_value,    ///< T = value [K] on the face, half a cell from the centre
    zero_gradient,  ///< no heat flows
    empty,          ///< a direction that is not solved, as OpenFOAM's 2-D cases have
    cyclic          ///< the axis is periodic: both its sides must say so
  };
  Type type = Type::zero_gradient;
  double value = 0;
};

/// What a body is made of and what happens to it. The fields live on one layout; halos are not needed.
struct HeatProperties {
  core::Field<double> const& lambda;  ///< conductivity [W/(m K)]
  core::Field<double> const& rho_c;   ///< heat capacity [J/(m^3 K)]; for laplacianFoam's equation 1, with lambda = DT
  core::Field<double> const& q;       ///< heat source [W/m^3]
  std::array<Boundary, 6> sides;      ///< by core::Side
  Interpolation interpolation = Interpolation::harmonic;
};

/// Heat balance of a body [W]: sum of `in` + produced = stored, to the tolerance of the solver.
struct HeatBalance {
  std::array<double, 6> in{};  ///< through each side, by core::Side
  double produced = 0;         ///< sum q V
  double stored = 0;           ///< sum rho c V (T - T_old) / deltaT; 0 when steady
  double total_in() const { return in[0] + in[1] + in[2] + in[3] + in[4] + in[5]; }
};

/// Heat conduction by cell-centred finite volumes on a rectilinear grid:
///
///   rho c dT/dt = div(lambda grad T) + q,   implicit Euler, or steady.
///
/// Row i of A T = b, each term in W:  m (T - T_old) = sum over faces f (T_neighbour - T) + sum over fixed sides g (value - T) + q V
/// with m = rho c V / deltaT, f = lambda_f area / distance of centres, g = lambda area / half the cell's width.
/// The matrix is assembled once for a time step and lambda; b once a step. rho_c and q must outlive the object; q may
/// change between steps. Cost of b: one pass, 48 B a cell.
///
/// Throws core::Error naming cell and value if lambda or rho c is not > 0; if a steady problem has no fixedValue side
/// (T is then known up to a constant only); if deltaT is negative or not a number; if cyclic sides and periodic axes
/// disagree.
class Heat {
 public:
  /// `delta_t` [s]; 0: steady. Collective.
  Heat(HeatProperties const& properties, double delta_t);

  StencilMatrix const& matrix() const { return *matrix_; }
  double delta_t() const { return delta_t_; }

  /// b for the step that starts from T_old [W].
  void right_side(core::Field<double> const& t_old, core::Field<double>& b) const;

  /// One step: T holds the old temperature, which is also the first guess, and gets the new one.
  Performance advance(LinearSolver& solver, core::Field<double>& t);

  /// At the temperature T reached from T_old. One pass on the host. Collective.
  HeatBalance balance(core::Field<double> const& t, core::Field<double> const& t_old) const;

 private:
  void check_sides() const;
  void assemble(core::Field<double> const& lambda, Interpolation interpolation);
  void assemble_faces(Coefficients& a, int axis, Interpolation interpolation) const;
  void assemble_diagonal(Coefficients& a);

  core::Layout const& layout_;
  core::Field<double> const& rho_c_;
  core::Field<double> const& q_;
  std::array<Boundary, 6> sides_;
  double delta_t_;
  core::Field<double> lambda_;                 // a copy with a halo
  core::Field<double> volume_, mass_, fixed_;  // V; m; sum over fixed sides g value
  core::Field<double> b_;
  std::unique_ptr<StencilMatrix> matrix_;
};

/// Smallest and largest value, and the mean weighted by cell volume. Collective.
struct Range {
  double min, max, mean;
};
Range range(core::Field<double> const& field);

}  // namespace tessera::solvers
