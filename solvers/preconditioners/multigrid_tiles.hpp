// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/field.hpp"
#include "solvers/preconditioners/multigrid_level.hpp"
#include "solvers/stencil_matrix.hpp"

#include <map>
#include <vector>

namespace tessera::solvers::multigrid {

/// The way between fields on tiles, of any owners, and arrays on slabs. Rows of a rank's own tiles that lie in its own
/// slab are copied; others travel in one message to each rank concerned. Where a rank owns the tiles of its slab, as
/// contiguous blocks of tiles do, nothing is sent.
class Shelves {
 public:
  explicit Shelves(core::Layout const& layout);

  Slab const& slab() const { return slab_; }

  /// Values of a field into the lines of the slab; ghost cells are not set. Collective.
  template <class T>
  void load(core::Field<double> const& from, Array<T>& to) const;
  /// The field's own cells become, or are increased by, the values of the slab. Collective.
  template <class T>
  void store(Array<T> const& from, core::Field<double>& to) const;
  template <class T>
  void add(Array<T> const& from, core::Field<double>& to) const;

  /// The matrix, ghost cells included: faces as conductances, and row sums. Collective.
  Level<double> matrix(StencilMatrix const& matrix) const;

 private:
  struct Piece {
    int slot;  // -1: another rank's tile
    core::Box box, tile;
  };
  static Slab make_slab(core::Layout const& layout);
  template <class T>
  T* at(Array<T>& a, core::Count k, core::Count j) const;
  template <class T, class Put>
  void put(Array<T> const& from, core::Field<double>& to, Put const& put) const;

  core::Layout const& layout_;
  Slab slab_;
  std::vector<Piece> local_;
  std::map<int, std::vector<Piece>> away_, here_;  // own tiles in slabs of others, tiles of others in the own slab
};

}  // namespace tessera::solvers::multigrid
