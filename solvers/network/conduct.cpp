// SPDX-License-Identifier: Apache-2.0
// Conduction by the way that a prediction calls cheaper: the network of the cells that conduct, or the stencil of all.
#include "core/error.hpp"
#include "core/grid/computed.hpp"
#include "solvers/conduction.hpp"
#include "solvers/network/gathered.hpp"
#include "solvers/network/potentials.hpp"

#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace tessera::solvers {
namespace {

/// Seconds that either way is predicted to take on one core.
struct Predicted {
  double network, stencil;
};

/// From measurements on random media and pore spaces. The stencil's multigrid takes more iterations where the medium has holes.
Predicted predict(network::Sites const& sites, core::Count cells) {
  double const n = static_cast<double>(sites.count()), all = static_cast<double>(cells), degree = sites.degree();
  double const site = degree < 3 ? 0.3e-6 : degree < network::dense_degree ? 0.9e-6 : 1.0e-6;
  double const cell = n < 0.75 * all ? 1.5e-6 : 0.6e-6;
  return {site * n, cell * all};
}

/// What rank 0 finds, for all.
struct Found {
  network::Currents currents;
  double seconds = 0, initial = 0, final = 0, excess = 0;
  std::int64_t eliminated = 0;
  int iterations = 0, converged = 0;
};

Found solve(network::Network const& a, double tolerance, std::vector<double>& x) {
  constexpr int most_iterations = 1000;
  auto const begin = core::RunClock::now();
  auto solution = network::potentials(a, tolerance, most_iterations);
  Found found{network::currents(a, solution.x),
              0,
              solution.initial,
              solution.final,
              solution.excess,
              solution.eliminated,
              solution.iterations,
              solution.converged ? 1 : 0};
  found.seconds = std::chrono::duration<double>(core::RunClock::now() - begin).count();
  x = std::move(solution.x);
  return found;
}

/// The network of these sites, solved on rank 0, which alone has `x`. `note` goes on with what was done. Collective.
Conduction solve_gathered(network::Sites& sites, core::Comm const& comm, double tolerance, std::string& note,
                          std::vector<double>& x, Found& found) {
  core::note_computed("currents of a network", core::By::one_thread);
  {
    auto const network = sites.gather();
    if (comm.root()) found = solve(network, tolerance, x);
  }
  comm.broadcast(found);
  bool const eliminated = found.eliminated == sites.count();
  note += fmt::format("; {} eliminated{}, on rank 0", found.eliminated,
                      eliminated ? "" : fmt::format(", {} iterated on", sites.count() - found.eliminated));
  Conduction result{.conductance = found.currents.dissipation,
                    .in = found.currents.in,
                    .out = found.currents.out,
                    .solves = {},
                    .notes = {note},
                    .potential = nullptr};
  result.solves.push_back({.solver = eliminated ? "elimination" : "PCG",
                           .preconditioner = eliminated ? "" : "aggregation",
                           .field = "potential",
                           .iterations = found.iterations,
                           .initial = found.initial,
                           .final = found.final,
                           .converged = found.converged != 0,
                           .seconds = found.seconds});
  return result;
}

}  // namespace

Conduction conduct(core::Field<std::uint8_t> const& conducting, Electrodes const& electrodes,
                   ConductionOptions const& options) {
  core::Timed const timed(core::Part::compute);
  core::Layout const& layout = conducting.layout();
  core::Count const cells = layout.grid().total();
  bool const faces = options.neighbours.empty();
  std::string note;
  {
    network::Sites sites(conducting, electrodes, options.neighbours);
    if (sites.count() == 0) {
      Conduction nothing;
      if (options.potential) nothing.potential = make_potential(layout, options.neighbours);
      return nothing;
    }
    auto const predicted = predict(sites, cells);
    note = faces ? fmt::format("{} sites of {:.2f} neighbours: predicted {:.2g} s as a network, {:.2g} s as a stencil",
                               sites.count(), sites.degree(), predicted.network, predicted.stencil)
                 : fmt::format("{} sites of {:.2f} neighbours: a network", sites.count(), sites.degree());
    if (sites.count() > most_gathered) {
      if (!faces)
        throw core::RunError(
            fmt::format("{} sites conduct; with bonds to other neighbours than those that share a face, "
                        "one rank solves at most {}",
                        sites.count(), most_gathered));
      note += fmt::format("; the stencil, as more than {} sites are too many for one rank", most_gathered);
    } else if (!faces || predicted.network <= predicted.stencil) {
      Found found;
      std::vector<double> x;
      auto result = solve_gathered(sites, layout.comm(), options.tolerance, note, x, found);
      if (found.converged != 0 && found.currents.gap() <= agreement) {
        if (options.potential) {
          result.potential = make_potential(layout, options.neighbours);
          sites.scatter(std::move(x), *result.potential);
        }
        return result;
      }
      if (!faces)
        throw core::RunError(
            fmt::format("the potential did not converge in {} iterations: current in {:.9g}, out {:.9g}, "
                        "dissipation {:.9g}, expected equal ones to {:g}",
                        found.iterations, result.in, result.out, result.conductance, agreement));
      note += "; its currents do not agree, the stencil instead";
    }
  }
  auto settings = conduction_solver(cells);
  settings.set("tolerance", fmt::format("{:.17g}", 10 * options.tolerance), settings.location());
  auto result = conduct(conducting, electrodes, settings, options.potential);
  result.notes.insert(result.notes.begin(), note);
  return result;
}

Conduction conduct(core::Field<double> const& conductivity, Electrodes const& electrodes, core::Count cells,
                   double contrast, std::string const& entry) {
  core::Layout const& layout = conductivity.layout();
  std::string note;
  if (contrast > network_contrast) {
    core::Timed const timed(core::Part::compute);
    network::Sites sites(conductivity, electrodes);
    note = fmt::format("conductivities differ by a factor of {:.2g}: a network of {} cells", contrast, sites.count());
    if (sites.count() > most_gathered) {
      note += fmt::format("; the stencil, as more than {} are too many for one rank", most_gathered);
    } else {
      constexpr double tolerance = 1e-9, settled = 1e-8;
      Found found;
      std::vector<double> x;
      auto result = solve_gathered(sites, layout.comm(), tolerance, note, x, found);
      if (found.excess <= settled && found.currents.gap() <= rough_agreement) {
        if (found.currents.gap() > agreement)
          result.notes.push_back(network::agree_alone(found.currents.gap(), found.excess));
        return result;
      }
      note += "; its currents do not agree, the stencil instead";
    }
  }
  auto result = conduct(conductivity, electrodes, conduction_solver(cells, contrast), false, entry);
  if (!note.empty()) result.notes.insert(result.notes.begin(), note);
  return result;
}

}  // namespace tessera::solvers
