// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/algebra/fused_pcg.hpp"
#include "solvers/methods/defect.hpp"
#include "solvers/multigrid/cg_passes.hpp"
#include "solvers/preconditioners/multigrid.hpp"

#include <memory>
#include <tuple>
#include <utility>

namespace tessera::solvers::methods {

/// Conjugate gradients preconditioned by multigrid: defect correction in double around conjugate gradients in single
/// precision.
///
///   r = b - A x in double;  A dx = r by conjugate gradients in single precision, dx in double;  x += dx;  and again
/// until r itself is small enough, as a rule once or twice. Three passes over the finest level an iteration (CgPasses).
/// Iterations are counted over all corrections.
///
/// Where there is no boundary value, or hardly any, the mean of the error is taken out at the start of each correction:
/// dx = sum r / sum m, if most of r has one sign. In a singular system the means of r and z are removed.
/// Goes on in double if single precision fails: twice a direction without positive curvature, or a true residual that
/// falls by less than 30 where the iteration claims more. Stops if a correction in double gains less than a factor 2.
/// Stops in any precision if it gains less than that and the residual is below the rounding of b - A x: no method can
/// reduce it further, so it counts as converged.
/// Where it follows a matrix whose coefficients change, the finest level has those of the matrix, and coarse levels may be those of
/// an earlier one. Once these have cost as many iterations as a set-up takes they are outdated. Where it follows loosely the
/// finest level, too, is that of the matrix before, and takes the coefficients over once a correction by it falls short.
/// With `cycle auto` the W-cycle is taken after ten iterations that gain less than 2 each; if these stay above 0.7 with
/// it, `slow` is set in Performance: the medium is not one for geometric multigrid.
class PcgMultigrid final : public FusedPcg {
 public:
  explicit PcgMultigrid(preconditioners::Multigrid const& multigrid);

  /// solvers::residual in one pass less.
  Residual residual(core::Field<double> const& b, core::Field<double>& x, core::Field<double>& r) override {
    return defect_.normalised(b, x, r);
  }
  /// Iterates from the residual r of x until the controls say so; fills p.iterations, p.final and p.slow, and sets
  /// p.at_rounding where the rounding level is reached. `r` becomes the residual of the result. Collective.
  void iterate(Controls const& controls, Residual const& residual, core::Field<double> const& b, core::Field<double>& x,
               core::Field<double>& r, Performance& p) override;

  /// Where it left what the settings start with: words of `double` and `W`.
  std::string learned() const override;
  void learn(std::string const& words) override;

  bool follow(Follow how) override;
  bool outdated() const override { return pace_.wanted || pace_.excess > Pace::worth; }

 private:
  /// What levels that were set up for an earlier matrix cost. With n iterations for d decades of the residual in the first
  /// solution after the set-up, one of m iterations for e decades has taken m - e n / d too many.
  struct Pace {
    static constexpr double worth = 20;  ///< iterations that take as long as a set-up
    double iterations = 0, decades = 0;  ///< n and d
    double excess = 0;                   ///< sum of what was too many
    bool wanted = false;                 ///< a set-up, whatever it costs
    void record(int more_iterations, double more_decades);
  };
  enum class End { reached, limit, broken, slow };
  /// The levels in precision T, and the passes over the finest one.
  template <class T>
  struct Levels {
    explicit Levels(std::unique_ptr<multigrid::Hierarchy<T>> of) : hierarchy(std::move(of)), passes(*hierarchy) {}
    std::unique_ptr<multigrid::Hierarchy<T>> hierarchy;
    multigrid::CgPasses<T> passes;
  };
  /// Those that there are, else new ones of the matrix as it is. Collective.
  template <class T>
  Levels<T>& levels();
  /// One run of conjugate gradients for A dx = r; `claimed` is the normalised |r|_1 at the start, and in the end. What
  /// is found is x + alpha p.
  template <class T>
  End correct(Levels<T>& levels, Controls const& controls, double norm, Performance& p, double& claimed, double& alpha);
  template <class T>
  End one_pass(Controls const& controls, double norm, core::Field<double>& x, core::Field<double> const& r,
               Performance& p, double& claimed);
  /// What the rounding of b - A x may amount to: 1.1e-16 sum over cells and faces of f (|x_i| + |x_neighbour|).
  double rounding(core::Field<double> const& x) const;
  /// The finest level gets the coefficients of the matrix.
  void renew_finest();
  /// Whether ten iterations gained too little; takes the W-cycle if that is new.
  bool too_slow(double rate, Performance& p);

  preconditioners::Multigrid const& multigrid_;
  Defect defect_;
  bool single_;
  multigrid::Cycle cycle_;
  Pace pace_;
  bool follows_ = false;  // matrices: there were some with other coefficients
  bool stale_ = false;    // coarse levels are those of an earlier matrix
  bool behind_ = false;   // the finest level is that of the matrix before
  std::tuple<std::unique_ptr<Levels<float>>, std::unique_ptr<Levels<double>>> levels_;
};

}  // namespace tessera::solvers::methods
