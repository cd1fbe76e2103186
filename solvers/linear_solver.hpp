// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/registry.hpp"
#include "core/times.hpp"
#include "solvers/stencil_matrix.hpp"

#include <functional>
#include <string>

namespace tessera::solvers {

using Performance = core::SolveRecord;

/// OpenFOAM's line, as foamLog and PyFoam read it:
/// `DICPCG:  Solving for T, Initial residual = 1, Final residual = 9.4e-07, No Iterations 412`.
/// The name is preconditioner and solver in one word, `nonePCG` without a preconditioner; six digits, as OpenFOAM's
/// `writePrecision` has it by default.
std::string log_line(Performance const& performance, int digits = 6);

/// When to stop; keys and defaults are OpenFOAM's.
///   tolerance 1e-6   stop when the residual is below it
///   relTol    0      stop when the residual is below relTol times the initial one; 0: never
///   maxIter   1000   iterations at most
///   minIter   0      iterations at least
struct Controls {
  explicit Controls(core::Dictionary const& dictionary);
  bool converged(double initial, double now) const {
    return now < tolerance || (relative > 0 && now < relative * initial);
  }
  /// Whether to go on after `iterations` of them.
  bool go_on(int iterations, double initial, double now) const {
    if (abandon && abandon(iterations, expected(iterations, initial, now))) return false;
    return (iterations < most && !converged(initial, now)) || iterations < least;
  }
  /// How many iterations the solution may take, if the residual goes on falling as it has in the first ones.
  double expected(int iterations, double initial, double now) const;

  double tolerance, relative;
  int most, least;
  /// Asked after iterations, with how many there were and how many are expected: true from then on where nobody wants
  /// the solution any more, on all ranks alike. `solver auto` does not ask: what it measures would say little.
  using Abandon = std::function<bool(int done, double expected)>;
  Abandon abandon = {};
};

/// What a solver makes again when the coefficients of its matrix change.
enum class Follow {
  anew,     ///< everything, at once
  closely,  ///< what is dear to make may stay as it was
  loosely,  ///< all may stay, as far as the residuals of the new matrix fall by it: that of an iteration within a step
};

/// Solves A x = b for one matrix. Made once a matrix; what it sets up is used again by every solve.
class LinearSolver {
 public:
  static constexpr std::string_view kind = "solver";
  virtual ~LinearSolver() = default;

  /// x holds the first guess and gets the solution; it needs a halo of at least 1 and gives the field's name to the
  /// result. A solution that did not converge is no error: `converged` says so. Collective.
  virtual Performance solve(core::Field<double> const& b, core::Field<double>& x) = 0;

  /// When it stops; may be changed between solves.
  virtual Controls& controls() = 0;

  /// What it found out in its solves and goes by in the next ones, as a text, equal on all ranks; empty: nothing.
  virtual std::string learned() const { return {}; }
  /// Goes on with what a solver of the same settings had learned, for a matrix of the same kind: the one of the next step,
  /// of other owners, of a run that is restarted. To be called before the first solve. What does not fit the settings is
  /// left out. Collective.
  virtual void learn(std::string const&) {}

  /// The matrix has other coefficients now (StencilMatrix::change), those of a body whose conductivity has changed a little.
  /// Solutions are those of the matrix all the same, to the tolerance, in more iterations. Returns false where a solver of its
  /// kind must be made anew instead. Collective.
  virtual bool follow([[maybe_unused]] Follow how) { return false; }
  /// Whether what it kept has cost more iterations by now than making it anew would. By numbers of iterations and residuals
  /// alone, so that any ranks, tiles and machines say the same; part of what it has learned.
  virtual bool outdated() const { return false; }
};

/// Linear solvers by name; the dictionary is the field's entry in `solvers` of system/fvSolution. The matrix must
/// outlive the solver.
using Methods = core::Registry<LinearSolver, StencilMatrix const&, core::Dictionary&>;

/// Whether there is a solver of that name. PETSc is a module of its own, libtessera_petsc.so beside this library, which is
/// opened when it is asked for first: it brings some seventy libraries. Throws core::RunError if it is there and cannot
/// be opened.
bool have_solver(std::string const& name);

/// Throws core::Error, with the place of the entry `solver`, unless there is a solver of that name; names the package for
/// one that this build was made without.
void require_solver(core::Dictionary const& dictionary);

/// The solver that the entry `solver` names. Throws as require_solver does.
std::unique_ptr<LinearSolver> make_solver(StencilMatrix const& matrix, core::Dictionary& dictionary);

}  // namespace tessera::solvers
