// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/halo.hpp"
#include "solvers/stencil_matrix.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace tessera::solvers::multigrid {

using View = core::FieldView<double>;
using ConstView = core::FieldView<double const>;
using Offset = std::array<int, 3>;  ///< along x, y, z

/// Steps in memory from a cell to its neighbour at an offset.
inline core::Count memory_step(ConstView const& view, Offset const& e) {
  return e[0] + e[1] * view.row_stride + e[2] * view.layer_stride;
}

/// Steps in memory from the first cell of slot 0 to a cell of a tile or of its halo.
inline core::Count memory_place(ConstView const& view, int slot, core::Index const& c) {
  return slot * view.tile_stride + c.k * view.layer_stride + c.j * view.row_stride + c.i;
}

/// The offsets {-1, 0, 1}^D of a cell and its neighbours over the D axes that are not thin, numbered in raster order.
/// `centre()` is the cell itself, the numbers below it are the lower half, and n and 2 centre - n are opposite.
class Neighbourhood {
 public:
  explicit Neighbourhood(core::Grid const& grid);
  int count() const { return static_cast<int>(offsets_.size()); }
  int centre() const { return count() / 2; }
  Offset const& operator[](int n) const { return offsets_[static_cast<std::size_t>(n)]; }
  int number(Offset const& e) const { return centre() + e[0] * stride_[0] + e[1] * stride_[1] + e[2] * stride_[2]; }

 private:
  std::vector<Offset> offsets_;
  Offset stride_{};
};

/// The conductance f = -A_ij of each cell i to its neighbour j at the offset `number` of the lower half.
struct Coupling {
  int number;
  core::Field<double> const* conductance;
};

/// Where the lines of cells of a level lie along each axis, as lines of the finest grid, which has `finest` of them.
struct Positions {
  core::Grid::Shape finest;
  std::array<std::vector<core::Count>, 3> lines;
};

/// What a coarse level owns: its layout, and its matrix by diagonal and the conductances of the lower half.
struct CoarseMatrix {
  Positions positions;
  std::unique_ptr<core::Layout> layout;
  core::Field<double> diagonal;
  std::vector<core::Field<double>> conductances;  ///< by number of the offset; halos filled
};

/// One level: a symmetric matrix A of 3, 9 or 27 points (the finest: 3, 5 or 7), its smoother, and working space.
///
/// The smoother is Jacobi's with Chebyshev weights on [0.6, 2], D_i = max(a_ii, sum_j |a_ij| / 2), the diagonal counted
/// in the sum: the spectrum of D^-1 A lies in (0, 2] by Gershgorin, so that every step contracts and the cycle is
/// positive definite. Galerkin matrices with the plain diagonal pass 2.
/// Cost of a step in 2-D: one pass, 56 B a cell on the finest level, 80 B on coarse ones; one exchange of halos.
class Level {
 public:
  /// The finest level; refers to the matrix.
  explicit Level(StencilMatrix const& matrix);
  explicit Level(CoarseMatrix matrix);
  Level(Level const&) = delete;
  Level& operator=(Level const&) = delete;

  core::Layout const& layout() const { return diagonal_->layout(); }
  core::Grid const& grid() const { return layout().grid(); }
  Neighbourhood const& around() const { return around_; }
  core::Field<double> const& diagonal() const { return *diagonal_; }
  std::vector<Coupling> const& couplings() const { return couplings_; }
  Positions const& positions() const { return positions_; }
  std::size_t bytes() const;

  /// x = `steps` of the smoother for A x = b, from zero.
  void smooth_from_zero(int steps, core::Field<double> const& b, core::Field<double>& x);
  /// The same steps in reverse order, from x + correction: `add(from, to)` sets to = from + correction on owned cells.
  template <class Add>
  void smooth_after(int steps, core::Field<double> const& b, core::Field<double>& x, Add const& add) {
    // an odd number of steps starts from the working space, so that the last one ends in x
    core::Field<double>& start = steps % 2 == 1 ? work_ : x;
    add(x, start);
    reverse_steps(steps, b, start, &start == &x ? work_ : x);
  }
  /// The residual b - A x, in the working space, halos filled.
  core::Field<double>& residual(core::Field<double> const& b, core::Field<double>& x);

  void exchange(core::Field<double>& field) { halo_.exchange(field); }

 private:
  void set_inverse();
  void reverse_steps(int steps, core::Field<double> const& b, core::Field<double>& from, core::Field<double>& to);
  void step(double weight, core::Field<double> const& b, core::Field<double>& from, core::Field<double>& to);

  std::optional<CoarseMatrix> own_;
  Positions positions_;
  core::Field<double> const* diagonal_;
  std::vector<Coupling> couplings_;
  Neighbourhood around_;
  core::Halo halo_;
  core::Field<double> inverse_, work_;
};

/// All entries of the rows of a level's matrix, also those of halo cells: working space of the set-up.
/// Bytes a cell: 8 for each of the 5 (finest) or 9 entries in 2-D. Collective.
class Entries {
 public:
  explicit Entries(Level& level);
  /// Where a cell of a tile (or of its halo) lies in memory, and the step to its neighbour at an offset.
  core::Count place(int slot, core::Index const& c) const { return memory_place(any(), slot, c); }
  core::Count step(Offset const& e) const { return memory_step(any(), e); }
  /// A_ij of the cell i at this place and its neighbour at the offset of this number.
  double at(int number, core::Count place) const {
    double const* const first = views_[static_cast<std::size_t>(number)].first;
    if (first == nullptr) return 0;
    return number == centre_ ? first[place] : -first[place];
  }
  double operator()(int number, int slot, core::Index const& c) const { return at(number, place(slot, c)); }

 private:
  ConstView const& any() const { return views_[static_cast<std::size_t>(centre_)]; }
  int centre_;
  std::vector<core::Field<double>> fields_;
  std::vector<ConstView> views_;  // by number; none where there is no entry
};

}  // namespace tessera::solvers::multigrid
