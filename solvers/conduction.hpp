// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/field.hpp"
#include "solvers/linear_solver.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::solvers {

/// Where current enters a medium (potential 1) and where it leaves (potential 0): a box of cells each, or a mask where
/// one is given. A conducting cell in both is joined to both.
struct Electrodes {
  core::Box inlet{}, outlet{};
  core::Field<std::uint8_t> const* inlet_mask = nullptr;
  core::Field<std::uint8_t> const* outlet_mask = nullptr;
  /// Conductance between such a cell and its electrode: 1, the electrode is a site one cell away (a bar); 2, it is the
  /// face of the cell, half a cell away, as finite volumes have it.
  double bond = 1;
};

/// Stationary conduction on the cells of a mask.
struct Conduction {
  double conductance = 0;  ///< current at unit difference of potential; 0 where nothing conducts
  double in = 0, out = 0;  ///< current through each electrode: equal up to the tolerance of the solver
  std::vector<Performance> solves;
  std::vector<std::string> notes;  ///< what a solver could not do, and what was done instead
  /// Where it is asked for: 0 .. 1 on conducting cells, no_potential elsewhere; all of them where nothing conducts.
  std::unique_ptr<core::Field<double>> potential;
};

/// What a potential is on cells that do not conduct.
inline constexpr double no_potential = -1;

/// A potential of no_potential, with the halo that site_currents needs for these steps.
std::unique_ptr<core::Field<double>> make_potential(core::Layout const& layout,
                                                    std::vector<core::Index> const& neighbours = {});

/// How conduction is to be solved, where the defaults are not meant.
struct ConductionOptions {
  /// Steps to the cells that a cell has a bond with, one of each two opposite ones; empty: those that share a face. Steps
  /// along an axis of one cell are left out.
  std::vector<core::Index> neighbours{};
  bool potential = false;   ///< keep it
  double tolerance = 1e-9;  ///< to which the currents of a network agree; ten times that is the residual of the stencil
};

/// Potential u with  sum over conducting neighbours j (u_i - u_j) + g [i at an electrode] (u_i - electrode) = 0,
/// unit conductance between any two conducting cells that share a face (4 or 6 neighbours); everything else carries
/// nothing. Each component of `conducting` must touch an electrode: spanning clusters, or a backbone, which is smaller
/// and better conditioned and carries the same current.
///
/// The conductance is the dissipation sum (u_i - u_j)^2 + g sum (u_i - electrode)^2 at the potential found: never below
/// the exact one, with the square of the potential's error, while the currents are off by the error itself. The
/// solver's tolerance is tightened until current in and out and the dissipation agree to `agreement`.
///
/// `settings`: the solver's entry as in system/fvSolution, called `entry` there. If its preconditioner cannot be set up or does not
/// converge, DIC takes over and `notes` says so. Throws core::RunError if the currents do not agree in the end: never a wrong number.
/// The bits depend on the mask and the tile shape alone. Collective.
/// Cost: 130 B a cell of the grid with PCG and DIC, 240 B with multigrid; iterations grow like the length of the ways.
Conduction conduct(core::Field<std::uint8_t> const& conducting, Electrodes const& electrodes,
                   core::Dictionary const& settings, bool potential = false, std::string const& entry = "potential");

/// The same of cells of any conductivity (0: none), by finite volumes: faces have the conductance of two half cells in series,
/// cells at an electrode `bond` times their own. Each component that conducts must touch an electrode. 7 B a cell more.
/// Where conductivities lie far apart, the potential falls by less than its rounding in cells that conduct well, so that current in
/// and out cannot agree so closely. The dissipation is then taken once a hundredth of the tolerance no longer changes it by
/// `agreement`, while the currents agree to `rough_agreement`; `notes` says so.
Conduction conduct(core::Field<double> const& conductivity, Electrodes const& electrodes,
                   core::Dictionary const& settings, bool potential = false, std::string const& entry = "potential");

/// As the first, by the way that a prediction calls cheaper:
/// - the network of the conducting cells alone, gathered on rank 0: elimination, and conjugate gradients with aggregation for
///   what that leaves (solvers/network). Up to most_gathered cells that conduct. The currents agree to 1e-9.
/// - the stencil of the whole grid with conduction_solver: dense media, and those too large for one rank. It takes over, too,
///   should the network's currents not agree. It knows bonds between cells that share a face alone: with others the network
///   is the only way, and throws core::RunError where it is too large or does not converge.
/// The first note says which, and why. The choice and the bits depend on the mask and the tile shape alone. Collective.
/// Cost: 5 B a cell, and on rank 0 up to 180 B a conducting cell (six neighbours); 0.05 to 0.5 us a conducting cell near the
/// threshold, 1 us in pore spaces. Keeping the potential takes 8 B a cell, and 8 B a conducting cell on each rank.
Conduction conduct(core::Field<std::uint8_t> const& conducting, Electrodes const& electrodes,
                   ConductionOptions const& options = {});

/// Of cells of any conductivity, by the way that takes fewer iterations. `cells`: of the medium; `contrast`: the greatest
/// conductivity over the least that is not 0. Beyond `network_contrast` it is the network of the cells that conduct, gathered on
/// rank 0: conjugate gradients with aggregation, whose iterations hardly grow with the contrast. Up to that, for more cells than
/// most_gathered, and where the network's currents do not agree, it is the stencil with conduction_solver. Where rounding keeps
/// currents apart, the dissipation is taken if the currents agree to `rough_agreement` and the residual's energy is 1e-8 of it.
/// `entry`: as above. Collective. Memory: 290 B a cell, of a network all of it on rank 0.
Conduction conduct(core::Field<double> const& conductivity, Electrodes const& electrodes, core::Count cells,
                   double contrast, std::string const& entry = "potential");

/// What passes each cell at a potential of `conduct`, at unit difference between the electrodes; 0 where it is no_potential.
struct SiteCurrents {
  /// Half the sum of |current| over the bonds of a cell, those to electrodes included: what enters it, which is what leaves it.
  std::unique_ptr<core::Field<double>> flux;
  /// Half of what each bond of a cell dissipates, and all of what its bonds to electrodes do: their sum is the conductance.
  std::unique_ptr<core::Field<double>> dissipation;
};
/// The halo of `potential` is exchanged. Collective. Cost: one pass, 16 B a cell.
SiteCurrents site_currents(core::Field<double>& potential, Electrodes const& electrodes,
                           std::vector<core::Index> const& neighbours = {});

/// The largest current in a bond that has an end outside `mask`, those to the electrodes included. Exchanges the halos of
/// `potential` and of a copy of the mask. Collective.
double largest_current_outside(core::Field<double>& potential, core::Field<std::uint8_t> const& mask,
                               Electrodes const& electrodes, std::vector<core::Index> const& neighbours = {});

/// Conducting cells that rank 0 takes.
inline constexpr std::int64_t most_gathered = std::int64_t{1} << 24;

/// The default solver of conduct for a grid of so many cells: PCG with DIC up to 64 Ki cells, with multigrid beyond.
/// Measured on backbones of random media: at 128 x 128 DIC takes 0.8 of multigrid's time, which its set-up costs; at 512 x
/// 512 and 64 x 64 x 64, from the threshold to well above it, multigrid takes a quarter to two thirds of DIC's iterations
/// and 0.6 to 1 of its time.
///
/// Where conductivities differ by a factor: DIC beyond `most_contrast`, where multigrid takes more iterations the larger the
/// factor (`contrast`) is, and at last does not converge. After 1000 iterations of multigrid DIC takes over, which has 100000.
core::Dictionary conduction_solver(core::Count cells, std::optional<double> contrast = {});
inline constexpr double most_contrast = 1e5;
/// From here on the network of a medium of conductivities is solved sooner on one rank: 64 x 64 x 64 cells, two fifths of them good
/// conductors, take 9, 43 and 112 iterations of multigrid at 10, 1e3 and 1e4, and 35 of aggregation at any contrast, which cost
/// three times as much each.
inline constexpr double network_contrast = 1e4;

/// Relative difference of the currents in and out that is accepted.
inline constexpr double agreement = 1e-6;
/// The same where rounding hides what the currents are.
inline constexpr double rough_agreement = 1e-3;

}  // namespace tessera::solvers
