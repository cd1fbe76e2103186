// SPDX-License-Identifier: Apache-2.0
// Cables on Cartesian meshes against the exact field of concentric layers.
#include "run/models/heat/interfaces.hpp"
#include "tests/support/heat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace tessera::tests {
namespace {

using namespace io::foam;

/// A conductor of radius 10 mm that is heated with 1 W/m, insulation, soil: T = 0 at 60 mm, T rises inwards.
struct Layers {
  std::vector<double> radius{0.010, 0.018}, lambda{384, 0.286, 1};
  double outside = 0.06;

  double at(double r) const {
    double t = 0, from = outside;
    for (std::size_t n = radius.size(); n > 0; --n) {
      t += std::log(from / std::max(r, radius[n - 1])) / (2 * std::numbers::pi * lambda[n]);
      if (r > radius[n - 1]) return t;
      from = radius[n - 1];
    }
    double const a = radius[0];
    return t + (a * a - r * r) / (4 * std::numbers::pi * a * a * lambda[0]);
  }
  /// Mean over the conductor.
  double rise() const { return at(radius[0]) + 1 / (8 * std::numbers::pi * lambda[0]); }
  Drawing drawing(double x, double y) const {
    Drawing result(lambda.back());
    for (std::size_t n = radius.size(); n-- > 0;) result.draw(Solid::Part(make_disc(x, y, radius[n])), lambda[n]);
    return result;
  }
};

/// A square of 60 mm round the cable, whose sides have the exact temperature.
struct Square {
  Square(Layers const& layers, int cells_a_radius, double shift, bool exact)
      : layers(layers),
        h(0.01 / cells_a_radius),
        x0(shift * h),
        y0(0.37 * shift * h),
        grid(make_grid(6 * cells_a_radius)),
        layout(grid, core::block_owners(grid->tiles(), 1), core::Comm()),
        lambda("lambda", layout, 1, 1.0),
        q("q", layout, 1, 0.0),
        t("T", layout, 1, 0.0) {
    Drawing const drawing = layers.drawing(x0, y0);
    at_centres(lambda, [&](Point const& c, double& v) { v = drawing.at(c); });
    double const area = std::numbers::pi * layers.radius[0] * layers.radius[0];
    Solid::Part const conductor = make_disc(x0, y0, layers.radius[0]);
    auto const share = shares(conductor, layout);
    double cells = 0;
    at_centres(q, [&](Point const& c, double& v) { cells += v = conductor->contains(c) ? 1 / area : 0; });
    for_each_cell(q, [&](core::Index const& x, double& v) {
      int const slot = 0;
      v = exact ? share.host()(slot, 0, static_cast<int>(x.j), static_cast<int>(x.i)) / area : v / (cells * h * h);
      produced += v * h * h;
    });
    solvers::HeatProperties p{lambda, 1.0, q, {}};
    for (int s = 0; s < 4; ++s) p.sides[static_cast<std::size_t>(s)] = side(static_cast<core::Side>(s));
    p.sides[4] = p.sides[5] = {solvers::Boundary::Type::empty};
    if (exact) p.cut_faces = run::heat::cut_faces(drawing, layout);
    heat = std::make_unique<solvers::Heat>(p, 0);
  }
  static std::shared_ptr<core::Grid const> make_grid(core::Count n) {
    return std::make_shared<core::Grid const>(std::array<core::Axis, 3>{core::Axis::make_uniform(n, -0.03, 0.06),
                                                                        core::Axis::make_uniform(n, -0.03, 0.06),
                                                                        core::Axis::make_uniform(1, -0.5, 1)},
                                              core::Grid::Shape{n, n, 1});
  }
  solvers::Boundary side(core::Side s) const {
    std::vector<double> values;
    int const axis = static_cast<int>(s) / 2;
    double const at = static_cast<int>(s) % 2 ? 0.03 : -0.03;
    for (core::Count n = 0; n < grid->axis(1 - axis).cells(); ++n) {
      double const along = grid->axis(1 - axis).centre(n);
      values.push_back(axis == 0 ? layers.at(std::hypot(at - x0, along - y0))
                                 : layers.at(std::hypot(along - x0, at - y0)));
    }
    return {solvers::Boundary::Type::fixed_value, values};
  }
  solvers::Performance solve(std::string const& preconditioner = "DIC") {
    auto entry = settings("solver PCG; preconditioner " + preconditioner + "; tolerance 1e-11; maxIter 5000;");
    auto const solver = solvers::make_solver(heat->matrix(), entry);
    return heat->advance(*solver, t);
  }
  /// Of the mean over cells wholly inside the conductor, in parts of its rise.
  double error() {
    double sum = 0, exact = 0;
    at_centres(t, [&](Point const& c, double v) {
      double const r = std::hypot(std::abs(c[0] - x0) + h / 2, std::abs(c[1] - y0) + h / 2);
      if (r > layers.radius[0]) return;
      sum += v;
      exact += layers.at(std::hypot(c[0] - x0, c[1] - y0));
    });
    return std::abs(sum / exact - 1);
  }

  Layers const& layers;
  double h, x0, y0, produced = 0;
  std::shared_ptr<core::Grid const> grid;
  core::Layout layout;
  core::Field<double> lambda, q, t;
  std::unique_ptr<solvers::Heat> heat;
};

double worst_error(Layers const& layers, int cells_a_radius, bool exact = true) {
  double worst = 0;
  for (double const shift : {0.0, 0.13, 0.31, 0.5, 0.77}) {
    Square square(layers, cells_a_radius, shift, exact);
    EXPECT_TRUE(square.solve().converged);
    worst = std::max(worst, square.error());
  }
  return worst;
}

TEST(Interfaces, OfACableGiveItsTemperatureAtSecondOrder) {
  Layers const xlpe;
  double const five = worst_error(xlpe, 5), ten = worst_error(xlpe, 10), twenty = worst_error(xlpe, 20);
  EXPECT_LT(five, 0.0015);
  EXPECT_LT(ten, 0.0005);
  EXPECT_LT(twenty, 0.0001);
  EXPECT_GT(five / twenty, 12) << five << " " << ten << " " << twenty;  // 16 at second order
  EXPECT_GT(worst_error(xlpe, 10, false), 0.004);                       // whole cells
}

TEST(Interfaces, ThinnerThanACellCount) {
  Layers const gap{{0.010, 0.018, 0.0183}, {384, 0.286, 0.026, 1}};
  EXPECT_LT(worst_error(gap, 10), 0.0005);
  EXPECT_GT(worst_error(gap, 10, false), 0.05);
}

TEST(Interfaces, KeepTheMatrixSymmetricAndTheIterationsOfWholeCells) {
  Layers const xlpe;
  for (auto const* preconditioner : {"DIC", "multigrid"}) {
    Square exact(xlpe, 20, 0.31, true), whole(xlpe, 20, 0.31, false);
    auto const a = exact.solve(preconditioner), b = whole.solve(preconditioner);
    EXPECT_TRUE(a.converged && b.converged);
    EXPECT_LE(a.iterations, 1.1 * b.iterations + 0.5) << preconditioner;
  }
  Square square(xlpe, 10, 0.31, true);
  EXPECT_NEAR(square.produced, 1, 1e-8);
  for (int axis = 0; axis < 2; ++axis)
    for_each_cell(square.lambda, [&](core::Index const& x, double&) {
      EXPECT_GE(square.heat->matrix().face(axis).host()(0, 0, static_cast<int>(x.j), static_cast<int>(x.i)), 0);
    });
}

TEST(Interfaces, OnFacesOfCellsAreTheHarmonicMean) {
  Body body({8, 4, 3}, {8, 4, 3});
  Drawing drawing(2);
  drawing.draw(Solid::Part(make_box({3, -9, -9}, {5, 9, 9})), 50);
  at_centres(body.lambda, [&](Point const& c, double& v) { v = drawing.at(c); });
  solvers::HeatProperties p{body.lambda, 1.0, 0.0, around(fixed(0))};
  solvers::Heat const whole(p, 1);
  p.cut_faces = run::heat::cut_faces(drawing, body.layout);
  EXPECT_FALSE(p.cut_faces.empty());
  solvers::Heat const exact(p, 1);
  for (int axis = 0; axis < 3; ++axis)
    for_each_cell(body.t, [&](core::Index const& x, double&) {
      auto const at = [&](solvers::Heat const& heat) {
        return heat.matrix().face(axis).host()(0, static_cast<int>(x.k), static_cast<int>(x.j), static_cast<int>(x.i));
      };
      EXPECT_NEAR(at(exact), at(whole), 1e-12 * at(whole));
    });
}

TEST(Interfaces, LetBarsConductAlongTheirTrueSection) {
  // a round bar along z through cells of 1 mm
  auto const axis = [](core::Count n, double low, double length) { return core::Axis::make_uniform(n, low, length); };
  auto const grid = std::make_shared<core::Grid const>(
      std::array<core::Axis, 3>{axis(8, -4, 8), axis(8, -4, 8), axis(3, -0.5, 1)}, core::Grid::Shape{8, 8, 3});
  core::Layout const layout(grid, {0}, core::Comm());
  Drawing drawing(0.5);
  drawing.draw(Solid::Part(make_disc(0.2, -0.1, 2.7)), 400);
  double sum = 0;
  std::vector<double> lambda(64, 0.5);
  auto const at = [&](int j, int i) -> double& { return lambda[static_cast<std::size_t>(8 * j + i)]; };
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 8; ++i) at(j, i) = drawing.at(centre(*grid, {i, j, 1}));
  for (auto const& cut : run::heat::cut_faces(drawing, layout))
    if (cut.axis == 2 && cut.k == 1) at(cut.j, cut.i) = cut.lambda;
  for (double const l : lambda) sum += l;
  double const section = std::numbers::pi * 2.7 * 2.7;
  EXPECT_NEAR(sum, 400 * section + 0.5 * (64 - section), 1e-6 * sum);
}

TEST(Interfaces, OnSidesCountUpToTheFace) {
  Body const body({4, 1, 1}, {4, 1, 1});
  Drawing drawing(1);
  drawing.draw(Solid::Part(make_box({3.75, -9, -9}, {9, 9, 9})), 0.25);
  EXPECT_FALSE(run::heat::cut_side(drawing, *body.grid, core::Side::left));
  auto const lambda = run::heat::cut_side(drawing, *body.grid, core::Side::right);
  ASSERT_TRUE(lambda);
  EXPECT_NEAR((*lambda)[0], 0.5 / (0.25 / 1 + 0.25 / 0.25), 1e-12);
}

}  // namespace
}  // namespace tessera::tests
