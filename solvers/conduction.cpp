// SPDX-License-Identifier: Apache-2.0
#include "solvers/conduction.hpp"

#include "core/error.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"
#include "solvers/network/gathered.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera::solvers {
namespace detail {

/// Whether a cell lies at the inlet or the outlet.
struct AtElectrode {
  core::Box box;
  bool masked;
  core::FieldView<std::uint8_t const> mask;
  core::TileInfo const* info;
  KOKKOS_FUNCTION bool operator()(int s, int k, int j, int i) const {
    return masked ? mask(s, k, j, i) != 0 : box.contains(info[s].global(k, j, i));
  }
};

AtElectrode at_electrode(core::Layout const& layout, core::Box const& box, core::Field<std::uint8_t> const* mask) {
  return {box, mask != nullptr, mask ? mask->view() : core::FieldView<std::uint8_t const>{}, layout.all().info.data()};
}

template <class T>
struct OnMask {
  core::FieldView<T const> mask;
  core::FieldView<double const> from;
  core::FieldView<double> to;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    if (mask(s, k, j, i) != 0) to(s, k, j, i) = from(s, k, j, i);
  }
};

struct CopyMask {
  core::FieldView<std::uint8_t const> from;
  core::FieldView<std::uint8_t> to;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { to(s, k, j, i) = from(s, k, j, i) != 0; }
};
struct CopyConductivity {
  core::FieldView<double const> from;
  core::FieldView<double> to;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { to(s, k, j, i) = from(s, k, j, i); }
};

using network::between;

/// Row i of the matrix: faces to the lower neighbours, the diagonal, and the right side g [i at the inlet]. T: uint8, a mask
/// of 0 and 1, or double, conductivities.
template <class T>
struct Assemble {
  core::FieldView<T const> cells;
  AtElectrode inlet, outlet;
  double bond;
  bool has[3];
  core::FieldView<double> face[3], diagonal, b;
  /// Cells that carry nothing stand alone with potential 0. Small, so that they weigh nothing in the residual's norm.
  double alone = 0x1p-40;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    T const own = cells(s, k, j, i);
    if (own == 0) {
      for (int a = 0; a < 3; ++a)
        if (has[a]) face[a](s, k, j, i) = 0;
      diagonal(s, k, j, i) = alone;
      b(s, k, j, i) = 0;
      return;
    }
    double bonds = 0;
    for (int a = 0; a < 3; ++a) {
      if (!has[a]) continue;
      int const di = a == 0, dj = a == 1, dk = a == 2;
      double const lower = between(own, cells(s, k - dk, j - dj, i - di));
      face[a](s, k, j, i) = lower;
      bonds += lower + between(own, cells(s, k + dk, j + dj, i + di));
    }
    double const in = inlet(s, k, j, i) ? bond * own : 0, out = outlet(s, k, j, i) ? bond * own : 0;
    diagonal(s, k, j, i) = bonds + in + out;
    b(s, k, j, i) = in;
  }
};

/// Currents through the electrodes, and the dissipation of the bonds to lower neighbours and to the electrodes.
template <class T>
struct Currents {
  core::FieldView<T const> cells;
  AtElectrode inlet, outlet;
  double bond;
  bool has[3];
  core::FieldView<double const> u;
  KOKKOS_FUNCTION core::Values<3> operator()(int s, int k, int j, int i) const {
    T const own = cells(s, k, j, i);
    if (own == 0) return {{0, 0, 0}};
    double const here = u(s, k, j, i);
    double dissipation = 0;
    for (int a = 0; a < 3; ++a) {
      if (!has[a]) continue;
      int const di = a == 0, dj = a == 1, dk = a == 2;
      double const conductance = between(own, cells(s, k - dk, j - dj, i - di));
      if (conductance == 0) continue;
      double const difference = here - u(s, k - dk, j - dj, i - di);
      dissipation += conductance * (difference * difference);
    }
    double const electrode = bond * own;
    double const in = inlet(s, k, j, i) ? electrode * (1 - here) : 0, out = outlet(s, k, j, i) ? electrode * here : 0;
    return {{in, out, dissipation + (in * in + out * out) / electrode}};
  }
};

}  // namespace detail

namespace {

/// The matrix, its right side, and the currents of a potential.
template <class T>
struct System {
  System(core::Field<T> const& conducting, Electrodes const& electrodes)
      : layout(conducting.layout()),
        mask("conducting", layout, 1),
        inlet(detail::at_electrode(layout, electrodes.inlet, electrodes.inlet_mask)),
        outlet(detail::at_electrode(layout, electrodes.outlet, electrodes.outlet_mask)),
        bond(electrodes.bond),
        b("b", layout, 0),
        halo(layout, 1, core::Reach::faces) {
    using Copy = std::conditional_t<std::is_same_v<T, double>, detail::CopyConductivity, detail::CopyMask>;
    core::for_each("conducting", layout.all(), Copy{conducting.view(), mask.view()});
    halo.exchange(mask);
    Coefficients a(layout);
    detail::Assemble<T> assemble{std::as_const(mask).view(), inlet, outlet, bond, {}, {}, a.diagonal.view(), b.view()};
    for (int axis = 0; axis < 3; ++axis)
      if ((has[axis] = assemble.has[axis] = a.has(axis))) assemble.face[axis] = a.face(axis).view();
    core::for_each("assemble", layout.all(), assemble);
    matrix = std::make_unique<StencilMatrix>(std::move(a));
  }

  /// In, out, dissipation. Collective.
  std::array<double, 3> currents(core::Field<double>& u) {
    halo.exchange(u);
    detail::Currents<T> f{std::as_const(mask).view(), inlet, outlet, bond, {has[0], has[1], has[2]},
                          std::as_const(u).view()};
    return core::sums<3>("currents", layout, layout.all(), f);
  }

  core::Layout const& layout;
  core::Field<T> mask;  ///< or conductivities
  detail::AtElectrode inlet, outlet;
  double bond;
  bool has[3] = {};
  core::Field<double> b;
  core::Halo halo;
  std::unique_ptr<StencilMatrix> matrix;
};

/// By how much of the dissipation the three currents differ.
double gap(std::array<double, 3> const& c) {
  double const most = std::max(std::abs(c[0] - c[1]), std::abs(c[0] - c[2]));
  return std::isfinite(c[2]) && most <= c[2] ? most / std::max(c[2], 1e-300) : std::numeric_limits<double>::infinity();
}

/// Solves with tolerances from the given one downwards until the currents agree, or the dissipation changes no more where
/// conductivities differ. False if a solve did not converge.
template <class T>
bool solve(System<T>& system, core::Dictionary settings, core::Field<double>& u, Conduction& result) {
  constexpr double tight = 1e-8;  // residuals below keep no currents apart
  double tolerance = settings.get_or<double>("tolerance", tight);
  for (int attempt = 0; attempt < 6; ++attempt, tolerance *= 1e-2) {
    settings.set("tolerance", fmt::format("{:.17g}", tolerance), settings.location());
    result.solves.push_back(make_solver(*system.matrix, settings)->solve(system.b, u));
    auto const currents = system.currents(u);
    result.in = currents[0];
    result.out = currents[1];
    double const before = std::exchange(result.conductance, currents[2]);
    if (auto const& p = result.solves.back(); !p.converged && !p.at_rounding) return false;
    if (gap(currents) <= agreement) return true;
    bool const settled = attempt > 0 && std::abs(result.conductance - before) <= agreement * result.conductance;
    if (std::is_same_v<T, double> && settled && gap(currents) <= rough_agreement) {
      result.notes.push_back(
          network::agree_alone(gap(currents), std::abs(result.conductance - before) / result.conductance,
                               tolerance > tight && !result.solves.back().at_rounding ? tolerance : 0));
      return true;
    }
  }
  return false;
}

std::string preconditioner_of(core::Dictionary const& settings) {
  if (!settings.contains("preconditioner")) return "none";
  return settings.is_dictionary("preconditioner") ? settings.sub("preconditioner").get<std::string>("preconditioner")
                                                  : settings.get<std::string>("preconditioner");
}

}  // namespace

std::unique_ptr<core::Field<double>> make_potential(core::Layout const& layout,
                                                    std::vector<core::Index> const& neighbours) {
  return std::make_unique<core::Field<double>>(
      core::FieldInfo{
          .name = "potential", .description = "1 at the inlet, 0 at the outlet, -1 where nothing flows", .units = "1"},
      layout, network::depth_of(neighbours), no_potential);
}

core::Dictionary conduction_solver(core::Count cells, std::optional<double> contrast) {
  constexpr core::Count small = core::Count{1} << 16;
  bool const multigrid = cells > small && contrast.value_or(1) <= most_contrast;
  return core::Dictionary::parse(fmt::format("solver PCG; preconditioner {}; tolerance 1e-8; maxIter {};",
                                             multigrid ? "multigrid" : "DIC",
                                             !contrast   ? 1000000
                                             : multigrid ? 1000
                                                         : 100000),
                                 "the default solver of the potential");
}

namespace {

/// What can be done where the last solve ended so.
std::string advice(bool converged, bool conductivities, std::string const& entry) {
  if (!converged)
    return fmt::format("raise maxIter of solvers.{} in system/fvSolution, or name another preconditioner there", entry);
  return conductivities ? "the conductivities lie too far apart for numbers of 16 digits: expected values closer to "
                          "each other, or 0 for what hardly conducts"
                        : fmt::format("lower the tolerance of solvers.{} in system/fvSolution", entry);
}

template <class T>
Conduction conduct_cells(core::Field<T> const& conducting, Electrodes const& electrodes,
                         core::Dictionary const& settings, bool potential, std::string const& entry) {
  constexpr bool conductivities = std::is_same_v<T, double>;
  core::Timed const timed(core::Part::compute);
  System<T> system(conducting, electrodes);
  core::Field<double> u("potential", system.layout, 1);
  Conduction result;
  auto const finished = [&] {
    if (potential) {
      result.potential = make_potential(system.layout);
      core::for_each(
          "potential", system.layout.all(),
          detail::OnMask<T>{std::as_const(system.mask).view(), std::as_const(u).view(), result.potential->view()});
    }
    return std::move(result);
  };
  std::string why;
  auto const converged = [&] { return result.solves.back().converged || result.solves.back().at_rounding; };
  auto const failed = [&] {
    return converged() ? "is found, but its currents do not agree"
                       : fmt::format("did not converge in {} iterations", result.solves.back().iterations);
  };
  try {
    if (solve(system, settings, u, result)) return finished();
    why = failed();
  } catch (core::Error const& error) {  // a preconditioner that this matrix is not made for
    why = error.what();
  }
  auto const first = preconditioner_of(settings);
  if (first != "DIC") {
    result.notes.push_back(fmt::format("preconditioner {}: {}; DIC instead", first, why));
    u.fill(0);
    if (solve(system, conduction_solver(0, conductivities ? std::optional(1.0) : std::nullopt), u, result))
      return finished();
    why = failed();
  }
  bool const none = result.solves.empty();  // the preconditioner cannot be set up
  std::string const hint = none && !conductivities ? fmt::format("name another preconditioner in solvers.{}", entry)
                                                   : advice(none || converged(), conductivities, entry);
  throw core::RunError(fmt::format(
      "the potential {}: current in {:.9g}, out {:.9g}, dissipation {:.9g}, expected equal ones to {:g}; {}", why,
      result.in, result.out, result.conductance, conductivities ? rough_agreement : agreement, hint));
}

}  // namespace

Conduction conduct(core::Field<std::uint8_t> const& conducting, Electrodes const& electrodes,
                   core::Dictionary const& settings, bool potential, std::string const& entry) {
  return conduct_cells(conducting, electrodes, settings, potential, entry);
}

Conduction conduct(core::Field<double> const& conductivity, Electrodes const& electrodes,
                   core::Dictionary const& settings, bool potential, std::string const& entry) {
  return conduct_cells(conductivity, electrodes, settings, potential, entry);
}

}  // namespace tessera::solvers
