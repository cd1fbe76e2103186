// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/solid.hpp"
#include "run/balance/decompose.hpp"
#include "run/models/rating/drying.hpp"
#include "run/models/rating/mesh.hpp"
#include "solvers/heat.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tessera::run::rating {

/// What of a cable's section is heated, or whose temperature is asked for: numbers of parts.
struct CableParts {
  std::size_t conductor = 0, surface = 0;
  std::size_t insulation = 0;       ///< where a voltage lies across it
  std::vector<std::size_t> metals;  ///< of its metal layers, from inside outwards
};

/// Mean rise of each part [K]: linear in the loads, which are 1 W/m in a conductor or a metal layer each, and the last the heat
/// of all insulations under voltage.
struct Responses {
  std::vector<std::vector<double>> rise;  ///< [part][load]
  std::vector<double> offset;             ///< [part] added to that
  std::vector<CableParts> cables;
  std::vector<std::size_t> load_of;  ///< of each part; loads for parts that are not heated one by one: none
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t loads = 0;

  /// The slopes of the ground as it was found, and what soil that dries out can make of them, times them.
  std::vector<std::vector<double>> wet;
  double most = 1;

  double at(std::size_t part, std::vector<double> const& heat) const;
  /// Moves the offsets so that this heat gives these rises of the parts: what another mesh has found.
  void pass_through(std::vector<double> const& heat, std::vector<double> const& rises);
  /// Turns the slopes so that they lead from these rises to those of some more heat (Broyden's update): where soil dries
  /// out, rises grow faster than heat. Each slope stays between the wet one and `most` times it: U = integral of lambda dT is
  /// linear in heat, and rises are U over a conductivity between the two.
  void turn(std::vector<double> const& heat, std::vector<double> const& rises, std::vector<double> const& more_heat,
            std::vector<double> const& more_rises);
  /// Makes the slopes so steep that no heat, no rise stays possible after pass_through: rises grow faster than heat.
  void steepen(std::vector<double> const& heat, std::vector<double> const& rises);
};

/// The ground with its cables as a grid of cells, with cells cut by circles (run/models/heat/interfaces.hpp): heat conduction
/// across the cables. Heat is per metre of the cables.
class Section {
 public:
  /// On the layout of a grid (make_grid). `solver`: the entry as in system/fvSolution. Forms the matrix. Collective.
  Section(Site const& site, Decomposition parts, core::Dictionary& solver);
  ~Section();

  core::Layout const& layout() const { return *parts_.layout; }
  Decomposition const& decomposition() const { return parts_; }
  Body const& body() const { return body_; }
  Body& body() { return body_; }
  /// One solution a load, to a thousand times the solver's tolerance (at most 1e-4): they lead to currents whose temperatures are
  /// solved for then. Throws core::RunError where the solver does not converge. Collective.
  Responses responses();
  /// Mean rises of the parts for the heat of each load [W/m], that of insulations times the last. It begins with the
  /// temperature that was solved for last, and ends at `looser` times the solver's tolerance (at most 1e-4) where nothing dries
  /// out. Soil that dries out does so as the temperature wants it, until rises change by less than `settled` [K], and stays as
  /// it is for `responses` and what modes are found by. Collective.
  std::vector<double> solve(std::vector<double> const& heat, double looser, double settled);
  /// What was solved for last [K].
  core::Field<double> const& temperature();
  /// Soil that is dry at the temperature that was solved for last stays so. Collective.
  void keep_dry();
  /// Of soil that is dry at the temperature that was solved for last [m2]; none: nothing dries out. Collective.
  std::optional<double> dry_area() const;
  /// Of the temperature that was solved for last, steady; 1 m of the cables [W]. Collective.
  solvers::HeatBalance balance() const;

  /// What changes of the ground are answered by (sensitivity.hpp): G a = so many watts in each part. It begins with a.
  /// Collective.
  void solve_adjoint(std::vector<double> const& watts, core::Field<double>& a);
  core::Field<double>& rise() { return rise_; }
  solvers::StencilMatrix const& matrix() const { return heat_->matrix(); }
  /// The same ground of other materials, which must outlive it. Collective.
  solvers::Heat made_of(Body const& other) const { return {properties(other, nullptr), 0}; }

  /// What the modes of the section are found by (modes.hpp): C dT/dt + G T = heat, for rises T. Collective, all of them.
  /// rho c V of each cell [J/K].
  core::Field<double> heat_capacities();
  /// G T [W].
  void conduct(core::Field<double>& rise, core::Field<double>& heat) const { heat_->matrix().apply(rise, heat); }
  /// Gives `take` the solutions of (G + rate C) T = heat for 1 W/m of each of these loads, one after the other. rate [1/s].
  /// To a thousand times the solver's tolerance (at most 1e-4): a projection onto them errs by the square of their errors.
  void respond(double rate, std::vector<std::size_t> const& loads,
               std::function<void(std::size_t load, core::Field<double> const& rise)> const& take);
  /// Mean of a field over each part.
  std::vector<double> means(core::Field<double> const& field) const;
  /// What heat adds to the rises of parts beside that: K for the heat of each load.
  std::vector<double> beside(std::vector<double> const& heat) const;
  /// Heat of each load times the rise where it is made, of a field with these means over the parts.
  std::vector<double> driven_by(std::vector<double> const& means) const;
  std::size_t parts() const { return list_.size(); }
  std::size_t loads() const { return loads_; }

  std::vector<solvers::Performance> const& solves() const { return solves_; }

 private:
  /// Weights of cells in the mean over a part: its share of their areas over all of them. They sum to 1.
  struct Cell {
    int slot, k, j, i;
    double weight;
  };
  struct Part {
    std::vector<Cell> cells;
    /// Added to the mean: K for each W/m of all loads of the cable.
    double by_heat = 0;
    std::size_t cable = 0;
  };
  void make_parts();
  Part part_of(io::foam::Solid::Part const& shape) const;
  Part part_of(std::size_t shell) const;
  std::size_t add(Part part, bool load);
  std::vector<double> rises(core::Field<double> const& rise, std::vector<double> const& heat) const;
  double heat_of(std::size_t cable, std::vector<double> const& heat) const;
  double dielectric(std::size_t cable) const;
  void add_surface(Cable const& cable, CableParts& parts);
  void heat(Part const& part, double watts);
  void set_heat(std::vector<double> const& heat);
  void solve_for(solvers::LinearSolver& solver, core::Field<double>& rise, double looser = 1);
  void form();
  std::vector<double> solve_once(std::vector<double> const& heat, double looser);
  std::unique_ptr<solvers::LinearSolver> make_solver(solvers::StencilMatrix const& matrix) const;
  core::Field<double> const& rho_c();
  solvers::HeatProperties properties(Body const& body, core::Field<double> const* capacity) const;

  Site const& site_;
  Decomposition parts_;
  core::Dictionary& solver_entry_;
  Body body_;
  std::optional<Drying> drying_;
  std::vector<solvers::CutFace> dried_;
  core::Field<double> q_, b_, rise_, temperature_;
  std::optional<core::Field<double>> rho_c_;  // where it was asked for
  std::vector<Part> list_;
  std::vector<CableParts> cables_;
  std::vector<std::size_t> load_of_;
  std::size_t loads_ = 0;
  std::unique_ptr<solvers::Heat> heat_;
  std::unique_ptr<solvers::LinearSolver> solver_;
  std::vector<solvers::Performance> solves_;
};

}  // namespace tessera::run::rating
