// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/solid.hpp"
#include "run/balance/decompose.hpp"
#include "run/models/rating/mesh.hpp"
#include "solvers/heat.hpp"

#include <memory>
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

  double at(std::size_t part, std::vector<double> const& heat) const;
  /// Moves the offsets so that this heat gives these rises of the parts: what another mesh has found.
  void pass_through(std::vector<double> const& heat, std::vector<double> const& rises);
};

/// The ground with its cables as a grid of cells, with cells cut by circles (run/models/heat/interfaces.hpp): heat conduction
/// across the cables, steady. Heat is per metre of the cables.
class Section {
 public:
  /// On the layout of a grid (make_grid). `solver`: the entry as in system/fvSolution. Forms the matrix. Collective.
  Section(Site const& site, Decomposition parts, core::Dictionary& solver);
  ~Section();

  core::Layout const& layout() const { return *parts_.layout; }
  Decomposition const& decomposition() const { return parts_; }
  /// One solution a load. Throws core::RunError where the solver does not converge. Collective.
  Responses responses();
  /// Mean rises of the parts for the heat of each load [W/m], that of insulations times the last. It begins with the
  /// temperature that was solved for last. Collective.
  std::vector<double> solve(std::vector<double> const& heat);
  /// What was solved for last [K].
  core::Field<double> const& temperature();
  /// Of the temperature that was solved for last; 1 m of the cables [W]. Collective.
  solvers::HeatBalance balance() const;
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
  std::size_t add(io::foam::Solid::Part const& shape, bool load);
  double mean(Part const& part, std::vector<double> const& heat) const;
  double heat_of(std::size_t cable, std::vector<double> const& heat) const;
  void add_surface(Cable const& cable, CableParts& parts);
  void heat(Part const& part, double watts);
  void set_heat(std::vector<double> const& heat);
  void solve_rise();

  Site const& site_;
  Decomposition parts_;
  core::Field<double> lambda_, q_, b_, rise_, temperature_;
  std::vector<Part> list_;
  std::vector<CableParts> cables_;
  std::vector<std::size_t> load_of_;
  std::size_t loads_ = 0;
  std::unique_ptr<solvers::Heat> heat_;
  std::unique_ptr<solvers::LinearSolver> solver_;
  std::vector<solvers::Performance> solves_;
};

}  // namespace tessera::run::rating
