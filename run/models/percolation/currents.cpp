// SPDX-License-Identifier: Apache-2.0
// Currents through the backbone: what a case says of them, and what is found.
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "run/models/percolation/explorer.hpp"
#include "solvers/conduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::run::percolation {
namespace {

/// Reads the entry once, for a matrix of two cells: what is wrong with it is said before anything is computed.
void check_solver(core::Dictionary& entry) {
  core::Layout const layout(std::make_shared<core::Grid const>(core::Grid::unit({2, 2, 1})), {0},
                            core::Comm(MPI_COMM_SELF));
  solvers::Coefficients a(layout);
  a.diagonal.fill(1);
  solvers::make_solver(solvers::StencilMatrix(std::move(a)), entry);
}

using Mask = core::Field<std::uint8_t>;
using solvers::Electrodes;

/// Steps to the cells that a cell has bonds with, one of each two opposite ones; none: to those that share a face.
std::vector<core::Index> bonds_of(Settings const& settings) {
  if (settings.through_faces()) return {};
  auto steps = settings.lattice.offsets();
  steps.resize(steps.size() / 2);
  return steps;
}

}  // namespace

core::Dictionary const* Settings::solver(std::string const& name) const {
  auto* const entry = solvers == nullptr ? nullptr : solvers->find_sub(name);
  if (entry != nullptr) check_solver(*entry);
  return entry;
}

bool Settings::through_faces() const {
  return lattice.name == "square" ? lattice.connectivity == 4 : lattice.name == "cubic" && lattice.connectivity == 6;
}

void Settings::read_conductivity(Session& session, core::Dictionary& properties) {
  conductivity = properties.get_or<bool>("conductivity", false);
  for (auto const& crossing : crossings)
    if (conductivity && !crossing.ends())
      properties.fail_entry(
          "conductivity",
          fmt::format("is yes, expected no: axis {} is periodic, there are no electrodes", crossing.name));
  if (conductivity && !method->exact())
    properties.fail_entry("conductivity", "is yes, expected no: currents want an exact method");
  if (conductivity && input.bonds && !places.apart(lattice))
    properties.fail_entry(
        "conductivity",
        fmt::format("is yes, expected no: of bonds of lattice {} clusters alone are found", lattice.name));
  if (auto* const solution = session.files.find("system/fvSolution"))
    solution->get_choice("deterministic", {"yes", "on", "true"}, "yes");
  if (!conductivity) {
    if (solvers != nullptr && solvers->contains("potential"))
      solvers->fail_entry(
          "potential", "is for conductivity yes, expected no such entry; that of effectiveConductivity has its name");
    for (char const* key : {"electrodes", "verify"})
      if (properties.contains(key)) properties.fail_entry(key, "is for conductivity yes");
    return;
  }
  verify = properties.get_or<bool>("verify", false);
  if (verify && !backbone)
    properties.fail_entry("verify", "is yes, expected no: without the backbone there is nothing to compare with");
  for (std::size_t a = 1; a < 3 && through_faces(); ++a)
    if (axes[a].cells() > 1 && std::abs(axes[a].width(0) / axes[0].width(0) - 1) > 1e-9) {
      session.log.line(
          "The cells are no cubes: conductance and conductivity are those of equal resistors all the same");
      break;
    }
  electrode_bond =
      properties.get_choice("electrodes", {"sites", "faces"}, input.file ? "faces" : "sites") == "faces" ? 2 : 1;
  potential = solvers::conduction_solver(axes[0].cells() * axes[1].cells() * axes[2].cells());
  if (solvers != nullptr && solvers->contains("potential") && !through_faces())
    solvers->fail_entry("potential", fmt::format("is for the whole grid, lattice square 4 or cubic 6; the currents on "
                                                 "{} {} are those of a network, expected no such entry",
                                                 lattice.name, lattice.connectivity));
  if (auto const* const entry = solver("potential")) {
    potential = *entry;
    solver_named = true;
  }
}

/// Conductance of the backbone, and what it says of the medium between opposite sides, where bonds are between all cells
/// that share a face:
///   conductivity      in units of the conductivity of a fully occupied medium: conductance x length / area, the mean one in a region
///   tortuosityFactor  porosity / conductivity, as image tools define it
void Explorer::add_currents(Crossing const& crossing, Ends const& ends, double occupation, Mask const& conducting,
                            Crossed& found) const {
  // a bond that is a cell of its own is two resistors: half of all conductances are solved for
  double const halves = settings_.input.bonds ? 2 : 1;
  Electrodes const electrodes{.inlet = ends.inlet_box,
                              .outlet = ends.outlet_box,
                              .inlet_mask = ends.masks || settings_.input.bonds ? ends.inlet.get() : nullptr,
                              .outlet_mask = ends.masks || settings_.input.bonds ? ends.outlet.get() : nullptr,
                              .bond = settings_.electrode_bond / halves};
  auto const neighbours = bonds_of(settings_);
  bool const keep = std::ranges::any_of(current_fields, [&](char const* name) { return settings_.keeps(name); });
  solvers::Conduction result;
  if (found.spans)
    result = settings_.solver_named
                 ? solvers::conduct(conducting, electrodes, settings_.potential, keep)
                 : solvers::conduct(conducting, electrodes,
                                    {.neighbours = neighbours, .potential = keep, .tolerance = keep ? 1e-12 : 1e-9});
  else if (keep)
    result.potential = solvers::make_potential(layout_, neighbours);
  found.add("conductance", halves * result.conductance);
  found.solves = std::move(result.solves);
  found.notes = std::move(result.notes);
  if (keep) keep_current_fields(electrodes, std::move(result.potential), found);
  if (settings_.verify) verify_currents(electrodes, conducting, result.conductance, found);
  if (crossing.axis < 0 || !settings_.through_faces()) return;
  auto along = static_cast<double>(core::along(medium_.bounds.shape(), crossing.axis));
  double area = medium_.area(crossing.axis);
  if (settings_.input.bonds) {
    along = std::floor((along + 1) / 2);
    area = static_cast<double>(medium_.sites) / along;
  }
  double const length = settings_.electrode_bond == 1 ? along + 1 : along;
  double const conductivity = halves * result.conductance * length / area;
  found.add("conductivity", conductivity);
  if (!settings_.input.bonds)
    found.add("tortuosityFactor", found.spans ? occupation / conductivity : std::numeric_limits<double>::quiet_NaN());
}

void Explorer::keep_current_fields(Electrodes const& electrodes, std::unique_ptr<core::Field<double>> potential,
                                   Crossed& found) const {
  if (settings_.keeps("flux") || settings_.keeps("dissipation")) {
    auto currents = solvers::site_currents(*potential, electrodes, bonds_of(settings_));
    if (settings_.input.bonds)
      for (auto* field : {currents.flux.get(), currents.dissipation.get()})
        core::for_each_on_host("of two halves", field->layout(),
                               [&, v = field->host()](int slot, int k, int j, int i) { v(slot, k, j, i) *= 2; });
    if (settings_.keeps("flux")) found.more.push_back(std::move(currents.flux));
    if (settings_.keeps("dissipation")) found.more.push_back(std::move(currents.dissipation));
  }
  if (settings_.keeps("potential")) found.more.push_back(std::move(potential));
}

/// Solves the currents of the whole spanning clusters: they are those of the backbone, and nothing flows elsewhere. A solver
/// leaves currents of the size of its tolerance in dead ends, so it is tightened before the certificate is refused.
void Explorer::verify_currents(Electrodes const& electrodes, Mask const& backbone, double conductance,
                               Crossed& found) const {
  double off = found.spans ? std::numeric_limits<double>::infinity() : 0;
  for (double tolerance = 1e-9; found.spans && off > solvers::agreement && tolerance > 1e-14; tolerance *= 1e-2) {
    auto all = solvers::conduct(*found.spanning, electrodes,
                                {.neighbours = bonds_of(settings_), .potential = true, .tolerance = tolerance});
    double const outside = solvers::largest_current_outside(*all.potential, backbone, electrodes, bonds_of(settings_));
    off = std::max(outside, std::abs(all.conductance - conductance)) / all.conductance;
  }
  found.add("currentOffBackbone", off);
  found.refuted = !(off <= solvers::agreement);
}

}  // namespace tessera::run::percolation
