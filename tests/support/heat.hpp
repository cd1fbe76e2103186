// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "solvers/heat.hpp"
#include "tests/support/layouts.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tessera::tests {

/// Calls f(cell centre, value) for every own cell of a field.
template <class T, class F>
void at_centres(core::Field<T>& field, F const& f) {
  auto const& grid = field.layout().grid();
  for_each_cell(field, [&](core::Index x, T& v) {
    f(std::array<double, 3>{grid.axis(0).centre(x.i), grid.axis(1).centre(x.j), grid.axis(2).centre(x.k)}, v);
  });
}

inline core::Dictionary settings(std::string const& text) {
  return core::Dictionary::parse("T { " + text + " }", "fvSolution").sub("T");
}

/// Sides of a 2-D body: one boundary all around, front and back empty.
inline std::array<solvers::Boundary, 6> around(solvers::Boundary const& b) {
  solvers::Boundary const none{solvers::Boundary::Type::empty, 0};
  return {b, b, b, b, none, none};
}
inline solvers::Boundary fixed(double value) { return {solvers::Boundary::Type::fixed_value, value}; }
inline solvers::Boundary insulated() { return {}; }

/// A grid of uniform axes on one rank, with the fields of a body.
struct Body {
  Body(core::Grid::Shape cells, std::array<double, 3> size, core::Grid::Shape tile = {0, 0, 0},
       std::array<bool, 3> periodic = {})
      : grid(std::make_shared<core::Grid const>(
            std::array<core::Axis, 3>{core::Axis::make_uniform(cells[0], 0, size[0], periodic[0]),
                                      core::Axis::make_uniform(cells[1], 0, size[1], periodic[1]),
                                      core::Axis::make_uniform(cells[2], 0, size[2], periodic[2])},
            tile)),
        layout(grid, core::block_owners(grid->tiles(), 1), core::Comm()),
        lambda("lambda", layout, 1, 1.0),
        rho_c("rhoC", layout, 1, 1.0),
        q("q", layout, 1, 0.0),
        t("T", layout, 1, 0.0) {}
  std::shared_ptr<core::Grid const> grid;
  core::Layout layout;
  core::Field<double> lambda, rho_c, q, t;
};

/// Three buried power cables: 2.0 x 1.6 m of soil, conductors of 384 W/(m K) heated with 24 kW/m^3 in insulation of
/// 0.286 W/(m K); 293.15 K at the start and on the border; steps of a day. Materials by the distance of cell centres.
struct Cables {
  Cables(core::Grid::Shape cells, core::Grid::Shape tile, core::Comm const& comm, std::vector<int> owners = {})
      : grid(std::make_shared<core::Grid const>(std::array<core::Axis, 3>{core::Axis::make_uniform(cells[0], 0, 2.0),
                                                                          core::Axis::make_uniform(cells[1], 0, 1.6),
                                                                          core::Axis::make_uniform(1, 0, 0.01)},
                                                tile)),
        layout(grid, owners.empty() ? core::block_owners(grid->tiles(), comm.size()) : std::move(owners), comm),
        lambda("lambda", layout, 1, 1.0),
        rho_c("rhoC", layout, 1, 2.4e6),
        q("q", layout, 1, 0.0),
        t("T", layout, 1, ambient) {
    at_centres(lambda, [](auto const& x, double& v) { v = choose(x, 384, 0.286, 1.0); });
    at_centres(q, [](auto const& x, double& v) { v = choose(x, 24000, 0, 0); });
  }

  static double choose(std::array<double, 3> const& x, double conductor, double insulation, double soil) {
    for (double centre : {0.8, 1.0, 1.2}) {
      double const r2 = (x[0] - centre) * (x[0] - centre) + (x[1] - 0.9) * (x[1] - 0.9);
      if (r2 < 0.020 * 0.020) return conductor;
      if (r2 < 0.045 * 0.045) return insulation;
    }
    return soil;
  }

  solvers::HeatProperties properties() const {
    return {lambda, rho_c, q, around(fixed(ambient)), solvers::Interpolation::harmonic};
  }

  static constexpr double ambient = 293.15, day = 86400;
  std::shared_ptr<core::Grid const> grid;
  core::Layout layout;
  core::Field<double> lambda, rho_c, q, t;
};

}  // namespace tessera::tests
