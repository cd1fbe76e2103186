// SPDX-License-Identifier: Apache-2.0
// A metal screen thinner than cells, against the exact field of a sheet.
#include "io/foam/solid.hpp"
#include "run/models/heat/interfaces.hpp"
#include "run/models/heat/shells.hpp"
#include "tests/support/heat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace tessera::tests::shells {
namespace {

using namespace io::foam;

constexpr double pi = std::numbers::pi;
constexpr double conductor = 0.010, screen = 0.01815, thickness = 0.0003, metal = 385, copper = 384, xlpe = 0.286;

/// Copper of 10 mm, insulation, the screen, ground of 1 W/(m K): T = x far away. In each layer T = (a + b / r^2) x.
struct Dipole {
  std::array<double, 4> radius{conductor, screen - thickness / 2, screen + thickness / 2, 1e9},
      lambda{copper, xlpe, metal, 1};
  std::array<double, 4> a{1, 0, 0, 0}, b{0, 0, 0, 0};
  Dipole() {
    for (std::size_t n = 0; n < 3; ++n) {
      // T and lambda dT/dr are continuous
      double const r = radius[n] * radius[n], t = a[n] + b[n] / r, flow = lambda[n] / lambda[n + 1] * (a[n] - b[n] / r);
      a[n + 1] = (t + flow) / 2;
      b[n + 1] = (t - flow) / 2 * r;
    }
    double const whole = a[3];
    for (std::size_t n = 0; n < 4; ++n) {
      a[n] /= whole;
      b[n] /= whole;
    }
  }
  double operator()(double x, double y) const {
    double const r = std::max(1e-18, x * x + y * y);
    std::size_t n = 0;
    while (r > radius[n] * radius[n]) ++n;
    return (a[n] + b[n] / r) * x;
  }
};

/// 1 W/m in the conductor: 0 at 60 mm.
struct Source {
  double operator()(double x, double y) const {
    double const r = std::max(1e-9, std::hypot(x, y));
    double t = std::log(0.06 / std::max(r, screen + thickness / 2)) / (2 * pi);
    if (r < screen) t += std::log((screen + thickness / 2) / (screen - thickness / 2)) / (2 * pi * metal);
    if (r < screen) t += std::log((screen - thickness / 2) / std::max(r, conductor)) / (2 * pi * xlpe);
    if (r < conductor) t += (1 - r * r / (conductor * conductor)) / (4 * pi * copper);
    return t;
  }
};

struct Ground {
  /// A square of 60 mm round the cable, whose axis lies at parts of a cell from its middle.
  Ground(int cells_a_radius, double shift, std::function<double(double, double)> exact, bool heated, bool shell)
      : h(conductor / cells_a_radius),
        x0(shift * h),
        y0(0.37 * shift * h),
        exact(std::move(exact)),
        grid(std::make_shared<core::Grid const>(
            std::array<core::Axis, 3>{core::Axis::make_uniform(6 * cells_a_radius, -0.03, 0.06),
                                      core::Axis::make_uniform(6 * cells_a_radius, -0.03, 0.06),
                                      core::Axis::make_uniform(1, -0.5, 1)},
            core::Grid::Shape{13, 7, 1})),
        layout(grid, core::block_owners(grid->tiles(), 1), core::Comm()),
        lambda("lambda", layout, 1, 1.0),
        q("q", layout, 1, 0.0),
        t("T", layout, 1, 0.0) {
    auto const drawing = drawn(metal), without = drawn(xlpe);
    at_centres(lambda, [&](Point const& c, double& v) { v = drawing.at(c); });
    if (heated) {
      auto const share = shares(make_disc(x0, y0, conductor), layout);
      auto const values = q.host();
      core::for_own_cells(layout, [&](int s, int k, int j, int i) {
        values(s, k, j, i) = share.host()(s, k, j, i) / (pi * conductor * conductor);
      });
    }
    solvers::HeatProperties p{lambda, 1.0, q, {}};
    for (int s = 0; s < 4; ++s) p.sides[static_cast<std::size_t>(s)] = side(s);
    p.sides[4] = p.sides[5] = {solvers::Boundary::Type::empty};
    p.cut_faces = run::heat::cut_faces(drawing, layout);
    run::heat::Shells const shells({{x0, y0, screen, metal * thickness}}, *grid);
    EXPECT_TRUE(shells.has(0));
    if (shell)
      for (auto const& face : shells.faces(drawing, without, layout)) p.cut_faces.push_back(face);
    heat = std::make_unique<solvers::Heat>(p, 0);
    auto entry = settings("solver PCG; preconditioner multigrid; tolerance 1e-11; maxIter 500;");
    EXPECT_TRUE(heat->advance(*solvers::make_solver(heat->matrix(), entry), t).converged);
  }
  Drawing drawn(double of_screen) const {
    Drawing result(1);
    result.draw(make_disc(x0, y0, screen + thickness / 2), of_screen);
    result.draw(make_disc(x0, y0, screen - thickness / 2), xlpe);
    result.draw(make_disc(x0, y0, conductor), copper);
    return result;
  }
  solvers::Boundary side(int s) const {
    std::vector<double> values;
    double const at = s % 2 == 1 ? 0.03 : -0.03;
    for (core::Count n = 0; n < grid->axis(1 - s / 2).cells(); ++n) {
      double const along = grid->axis(1 - s / 2).centre(n);
      values.push_back(s / 2 == 0 ? exact(at - x0, along - y0) : exact(along - x0, at - y0));
    }
    return {solvers::Boundary::Type::fixed_value, values};
  }
  /// Of T along the exact field over cells between two radii, in parts of it.
  double error(double from, double to, std::function<double(double, double)> const& part) {
    double sum = 0, whole = 0;
    at_centres(t, [&](Point const& c, double v) {
      double const x = c[0] - x0, y = c[1] - y0, r = std::hypot(x, y), e = part(x, y);
      if (r < from || r > to) return;
      sum += (v - exact(x, y)) * e;
      whole += e * e;
    });
    return std::abs(sum / whole);
  }

  double h, x0, y0;
  std::function<double(double, double)> exact;
  std::shared_ptr<core::Grid const> grid;
  core::Layout layout;
  core::Field<double> lambda, q, t;
  std::unique_ptr<solvers::Heat> heat;
};

double worst(std::function<double(double)> const& of_shift) {
  double result = 0;
  for (double const shift : {0.0, 0.13, 0.31, 0.5, 0.77}) result = std::max(result, of_shift(shift));
  return result;
}

/// What the screen adds to the field outside.
double dipole_error(int cells, bool shell) {
  Dipole const exact;
  return worst([&](double shift) {
    Ground ground(cells, shift, exact, false, shell);
    return ground.error(screen + 1.5 * ground.h, 0.028,
                        [&](double x, double y) { return exact.b[3] * x / (x * x + y * y); });
  });
}

double conductor_error(int cells, bool shell) {
  Source const exact;
  return worst([&](double shift) {
    Ground ground(cells, shift, exact, true, shell);
    return ground.error(0, conductor - ground.h, exact);
  });
}

TEST(Shells, CarryHeatAlongThemselvesToSecondOrder) {
  double const five = dipole_error(5, true), ten = dipole_error(10, true);
  EXPECT_LT(five, 0.002);
  EXPECT_LT(ten, 0.0006);
  EXPECT_GT(five / ten, 3);
  EXPECT_GT(dipole_error(10, false), 0.1);  // lines alone lose it
}

TEST(Shells, LetHeatAcrossToSecondOrder) {
  double const ten = conductor_error(10, true), twenty = conductor_error(20, true);
  EXPECT_LT(conductor_error(5, true), 0.004);
  EXPECT_LT(ten, 0.0005);
  EXPECT_GT(ten / twenty, 3);
}

/// The arcs of a closed chain make one circumference, on any grid and place.
TEST(Shells, PassAClosedChainOfCells) {
  for (double const width : {0.0007, 0.0031, 0.004}) {
    auto const n = static_cast<core::Count>(0.06 / width);
    core::Grid const grid({core::Axis::make_uniform(n, -0.03, 0.06), core::Axis::make_uniform(n + 3, -0.03, 0.06),
                           core::Axis::make_uniform(1, 0, 1)});
    for (double const shift : {0.0, 0.0003, 0.001}) {
      run::heat::Shells const shells({{shift, shift, 0.018, 0.1}, {0.0001 - shift, 0, 0.0182, 0.1}}, grid);
      ASSERT_TRUE(shells.has(0));
      EXPECT_FALSE(shells.has(1));  // in the same cells
      double whole = 0;
      for (auto const& [place, share] : shells.arcs(0)) {
        whole += share;
        double const x = grid.axis(0).centre(place.first) - shift, y = grid.axis(1).centre(place.second) - shift;
        EXPECT_LT(std::abs(std::hypot(x, y) - 0.018), 0.75 * 0.06 / static_cast<double>(n));
      }
      EXPECT_NEAR(whole, 1, 1e-12);
    }
  }
}

TEST(Shells, OutsideTheGridAreNone) {
  core::Grid const grid(core::Grid::unit({40, 40, 1}));
  run::heat::Shells const shells({{0.5, 0.5, 5, 1}, {20, 39.9, 3, 1}}, grid);
  EXPECT_FALSE(shells.has(0));
}

}  // namespace
}  // namespace tessera::tests::shells
