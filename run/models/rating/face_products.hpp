// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/stencil_matrix.hpp"

namespace tessera::run::rating {

/// Products of two fields t, a over the faces of a section's matrix G: f (t_P - t_N) (a_P - a_N) for a face of conductance f, and
/// g t a for one of the boundary. Their sum is a^T G t, without the differences of large terms that a product with the matrix
/// would leave; each is what the answer a^T heat loses where the face conducts better, in parts of its conductance.
class FaceProducts {
 public:
  /// Both fields have a halo, which is filled. They and the matrix must outlive this. Collective.
  FaceProducts(solvers::StencilMatrix const& matrix, core::Field<double>& t, core::Field<double>& a);

  /// Of all faces; the same bits on any ranks. Collective.
  double sum() const;

  /// By cell: of a face between two cells each has the part that its half of the way resists, of one of the boundary the cell what it
  /// resists itself, and `film` the rest. `lambda`: at the cells' centres, its halo is filled.
  struct Parts {
    std::array<core::Field<double>, 2> axis;
    core::Field<double> film;
  };
  Parts by_cell(core::Field<double> const& lambda) const;

 private:
  /// Of the face of a cell to its lower neighbour; none at the low side of the grid.
  double lower(int axis, int s, int k, int j, int i) const;
  double outside(int s, int k, int j, int i) const;

  core::Layout const& layout_;
  core::FieldView<double const> t_, a_, sums_;
  std::array<core::FieldView<double const>, 2> face_;
};

}  // namespace tessera::run::rating
