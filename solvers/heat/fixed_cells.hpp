// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/halo.hpp"
#include "solvers/heat/cells.hpp"
#include "solvers/stencil_matrix.hpp"

#include <memory>
#include <vector>

namespace tessera::solvers::heat {

/// A face between a free and a fixed cell, or a fixed cell itself.
struct Contact {
  double conductance;  ///< of the face; of a fixed cell the sum of all its faces
  int zone;
};

/// Cells with their contacts: of the cell of box n, contacts first(n) .. first(n + 1) - 1.
struct Contacts {
  Kokkos::View<core::BoxCopy const*> boxes;
  Kokkos::View<Contact const*> contact;
  Kokkos::View<int const*> first;
};

/// Cells held at given temperatures, as OpenFOAM's fvMatrix::setValues holds them: their faces are taken out of the
/// matrix, f value goes to the right side of each neighbour, and their own rows become d T = d value. Cells that do not
/// exist have T = 0 and rows d T = 0, with a d that no norm feels; their neighbours lose a face.
class FixedCells {
 public:
  /// `zones`: the cells of each temperature; a cell of several belongs to the last. With `absent` those of the last zone do
  /// not exist. Collective.
  explicit FixedCells(std::vector<Cells> const& zones, bool absent = false);

  /// Number of the zone + 1, 0 in free cells; halos are filled.
  Cells::Mask const& mask() const { return mask_; }
  /// In the mask of cells that do not exist; 0: there are none.
  std::uint8_t absent() const { return absent_; }
  /// How many these are, on all ranks.
  core::Count count_absent() const { return count_absent_; }
  /// Of zone n [K].
  void set(std::size_t zone, double value);

  /// Takes the faces of fixed cells out of the coefficients, whose halos are filled; the halos must be exchanged again.
  void cut(Coefficients& a);
  /// What the faces taken out leave on the diagonal. The rows of fixed cells are set, so it comes last.
  void add_to_diagonal(core::Field<double>& diagonal) const;
  /// The same for the right side.
  void add_to_right_side(core::Field<double>& b) const;
  /// T = value in fixed cells.
  void impose(core::Field<double>& t) const;
  /// Heat that flows from the fixed cells into the others at T [W]. Collective.
  double heat(core::Field<double> const& t) const;

 private:
  core::Layout const& layout_;
  Cells::Mask mask_;
  std::uint8_t absent_;
  core::Count count_absent_ = 0;
  Contacts neighbours_, own_;
  Kokkos::View<double*> values_;
};

}  // namespace tessera::solvers::heat
