// SPDX-License-Identifier: Apache-2.0
// DIC and Gauss-Seidel against plain loops over the whole grid: the same bits on any tiles, ranks and kernels.
#include "core/grid/sweep.hpp"
#include "solvers/preconditioner.hpp"
#include "solvers/smoother.hpp"
#include "tests/support/heat.hpp"
#include "tests/support/layouts.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace tessera;
using namespace tessera::tests;

namespace tessera::tests {

/// The matrix and the loops as a book has them: arrays over the whole grid, known to every rank.
class Book {
 public:
  explicit Book(core::Grid const& grid) : grid_(grid), n_(grid.cells()), diagonal_(all(), 0.1) {
    for (int a = 0; a < 3; ++a) {
      face_[a].resize(all());
      for_each([&](std::size_t c, core::Index x) {
        bool const has = !grid.thin(a) && (core::along(x, a) > 0 || grid.periodic(a));
        face_[a][c] = has ? 1 + 0.9 * std::sin(3.0 * static_cast<double>(c) + a) : 0;
      });
    }
    for_each([&](std::size_t c, core::Index x) {
      for (int a = 0; a < 3; ++a) diagonal_[c] += face_[a][c] + at(face_[a], x, a, 1, true);
    });
  }
  std::size_t all() const { return static_cast<std::size_t>(grid_.total()); }
  std::vector<double> numbers(double phase) const {
    std::vector<double> values(all());
    for (std::size_t c = 0; c < values.size(); ++c) values[c] = std::cos(1.7 * static_cast<double>(c) + phase);
    return values;
  }
  solvers::StencilMatrix matrix(core::Layout const& layout) const {
    solvers::Coefficients a(layout);
    fill(a.diagonal, diagonal_);
    for (int axis = 0; axis < 3; ++axis)
      if (a.has(axis)) fill(a.face(axis), face_[axis]);
    return solvers::StencilMatrix(std::move(a));
  }

  std::vector<double> dic(std::vector<double> const& r) const {
    std::vector<double> rd(all()), z(all());
    for_each([&](std::size_t c, core::Index x) {
      double d = diagonal_[c];
      for (int a = 0; a < 3; ++a)
        if (double const f = inner(x, a, 0)) d -= f * f * at(rd, x, a, -1, false);
      rd[c] = 1 / d;
    });
    for_each([&](std::size_t c, core::Index x) {
      z[c] = r[c];
      for (int a = 1; a < 3; ++a) z[c] += inner(x, a, 0) * at(z, x, a, -1, false);
      z[c] *= rd[c];
      if (!grid_.thin(0)) z[c] += rd[c] * face_[0][c] * at(z, x, 0, -1, false);
    });
    for_each_backwards([&](std::size_t c, core::Index x) {
      for (int a = 1; a < 3; ++a) z[c] += rd[c] * (inner(x, a, 1) * at(z, x, a, 1, false));
      if (!grid_.thin(0)) z[c] += rd[c] * inner(x, 0, 1) * at(z, x, 0, 1, false);
    });
    return z;
  }
  /// A sweep of Gauss and Seidel up, and one down where `back`; across periodic sides what x was before both.
  void relax(std::vector<double> const& b, std::vector<double>& x, bool back) const {
    std::vector<double> const before = x;
    auto const neighbour = [&](core::Index p, int a, int to) {
      core::Count const there = core::along(p, a) + to;
      return at(there < 0 || there >= n_[a] ? before : x, p, a, to, true);
    };
    auto const cell = [&](bool up) {
      return [&, up](std::size_t c, core::Index p) {
        double sum = b[c];
        for (int a = 1; a < 3; ++a)
          if (!grid_.thin(a))
            sum += face_[a][c] * neighbour(p, a, -1) + at(face_[a], p, a, 1, true) * neighbour(p, a, 1);
        if (grid_.thin(0)) {
          x[c] = sum / diagonal_[c];
          return;
        }
        double const west = face_[0][c], east = at(face_[0], p, 0, 1, true);
        sum += up ? east * neighbour(p, 0, 1) : west * neighbour(p, 0, -1);
        x[c] = sum / diagonal_[c] + (up ? west : east) / diagonal_[c] * neighbour(p, 0, up ? -1 : 1);
      };
    };
    for_each(cell(true));
    if (back) for_each_backwards(cell(false));
  }

  void fill(core::Field<double>& field, std::vector<double> const& values) const {
    for_each_cell(field, [&](core::Index x, double& v) { v = values[static_cast<std::size_t>(grid_.number(x))]; });
  }
  void expect_equal(core::Field<double> const& field, std::vector<double> const& values,
                    std::string const& what) const {
    int wrong = 0;
    for_each_cell(field,
                  [&](core::Index x, double v) { wrong += v != values[static_cast<std::size_t>(grid_.number(x))]; });
    EXPECT_EQ(wrong, 0) << what;
  }

 private:
  template <class F>
  void for_each(F const& f) const {
    for (core::Count c = 0; c < grid_.total(); ++c) f(static_cast<std::size_t>(c), place(c));
  }
  template <class F>
  void for_each_backwards(F const& f) const {
    for (core::Count c = grid_.total(); c-- > 0;) f(static_cast<std::size_t>(c), place(c));
  }
  core::Index place(core::Count c) const { return {c % n_[0], c / n_[0] % n_[1], c / n_[0] / n_[1]}; }
  /// The value `to` cells on along an axis; beyond the grid that of the other side where it is periodic and `round`, else 0.
  double at(std::vector<double> const& values, core::Index x, int axis, int to, bool round) const {
    core::Count& place = core::along(x, axis);
    place += to;
    if (place < 0 || place >= n_[axis]) {
      if (!round || !grid_.periodic(axis)) return 0;
      place = (place + n_[axis]) % n_[axis];
    }
    return values[static_cast<std::size_t>(grid_.number(x))];
  }
  /// The face below a cell, or (1) above it, that DIC knows.
  double inner(core::Index x, int axis, int to) const {
    bool const border = to == 0 ? core::along(x, axis) == 0 : core::along(x, axis) + 1 == n_[axis];
    return border || grid_.thin(axis) ? 0 : at(face_[axis], x, axis, to, false);
  }

  core::Grid const& grid_;
  core::Grid::Shape n_;
  std::vector<double> diagonal_, face_[3];
};

}  // namespace tessera::tests

TEST(Substitution, HasTheBitsOfLoopsOverTheWholeGrid) {
  core::Comm const world;
  struct Trial {
    core::Grid::Shape cells, tile;
    std::array<bool, 3> periodic;
  };
  for (Trial const& trial : {Trial{{37, 29, 1}, {8, 5, 1}, {}}, Trial{{37, 29, 1}, {37, 29, 1}, {true, false, false}},
                             Trial{{17, 11, 9}, {5, 4, 3}, {}}, Trial{{12, 10, 8}, {4, 5, 8}, {false, true, true}},
                             Trial{{1, 23, 14}, {1, 6, 3}, {}}, Trial{{61, 1, 1}, {7, 1, 1}, {}},
                             Trial{{9, 1, 13}, {2, 1, 13}, {true, false, false}}}) {
    auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(trial.cells, trial.tile, trial.periodic));
    Book const book(*grid);
    auto const r = book.numbers(0.3), start = book.numbers(0.9);
    for (auto const& owners : owner_tables(*grid, world.size())) {
      core::Layout const layout(grid, owners, world);
      auto const matrix = book.matrix(layout);
      core::Field<double> b("b", layout, 1), x("x", layout, 1);
      book.fill(b, r);
      std::string const where = " of " + std::to_string(trial.cells[0]) + " x " + std::to_string(trial.cells[1]) +
                                " x " + std::to_string(trial.cells[2]) + " cells";
      auto none = settings("");
      auto const dic = solvers::Preconditioners::make("DIC", matrix, none);
      for (int repeat = 0; repeat < 2; ++repeat) {
        dic->apply(b, x);
        book.expect_equal(x, book.dic(r), "DIC" + where);
      }
      for (bool const back : {false, true}) {
        auto expected = start;
        book.fill(x, start);
        solvers::Smoothers::make(back ? "symGaussSeidel" : "GaussSeidel", matrix, none)->smooth(2, b, x);
        for (int sweep = 0; sweep < 2; ++sweep) book.relax(r, expected, back);
        book.expect_equal(x, expected, (back ? "symGaussSeidel" : "GaussSeidel") + where);
      }
    }
  }
}

TEST(Substitution, CopiesNoFieldOnceItIsOnTheDevice) {
  if (core::on_host) GTEST_SKIP() << "the host's memory is all there is";
  core::Comm const world;
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({17, 11, 9}, {5, 4, 3}));
  core::Layout const layout(grid, owner_tables(*grid, world.size())[2], world);
  Book const book(*grid);
  auto const matrix = book.matrix(layout);
  core::Field<double> b("b", layout, 1), x("x", layout, 1);
  book.fill(b, book.numbers(0.3));
  auto none = settings("");
  auto const dic = solvers::Preconditioners::make("DIC", matrix, none);
  auto const smoother = solvers::Smoothers::make("symGaussSeidel", matrix, none);
  auto const work = [&] {
    dic->apply(b, x);
    smoother->smooth(1, b, x);
  };
  auto const copied = [] {
    std::int64_t bytes = 0;
    for (auto const& [field, copies] : core::copies()) bytes += copies.to_device + copies.to_host;
    return bytes;
  };
  work();
  auto const before = copied();
  EXPECT_GT(before, 0);
  work();
  EXPECT_EQ(copied(), before);
}
