// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "core/grid/field.hpp"

#include <array>
#include <vector>

namespace tessera::ca::graph {

/// The neighbours of a lattice as steps through the memory of a field, and positions found back from memory: what work
/// lists of cells need. Axes of one cell have no neighbours.
class LatticeSteps {
 public:
  /// `halo` of the field: the lattice's depth on every axis that is not thin.
  /// Throws core::Error if the grid has several layers and the lattice joins none.
  template <class T>
  LatticeSteps(Lattice const& lattice, core::Grid const& grid, core::FieldView<T> const& view)
      : LatticeSteps(lattice, grid, view.row_stride, view.layer_stride) {}
  LatticeSteps(Lattice const& lattice, core::Grid const& grid, core::Count row, core::Count layer);

  int size() const { return static_cast<int>(offsets_.size()); }
  core::Index const& offset(int n) const { return offsets_[n]; }
  core::Count step(int n) const { return steps_[n]; }
  core::Count const* steps() const { return steps_.data(); }
  /// The neighbour of the opposite direction: offset(opposite(n)) = -offset(n).
  int opposite(int n) const { return size() - 1 - n; }

  /// Memory position relative to the tile's first own cell, and back.
  core::Count at(int k, int j, int i) const { return k * layer_ + j * row_ + i; }
  core::Index local(core::Count at) const {
    core::Count const u = at + layer_ * halo_k_ + row_ * halo_j_ + halo_i_;
    return {u % layer_ % row_ - halo_i_, u % layer_ / row_ - halo_j_, u / layer_ - halo_k_};
  }

  /// at() of the ring's first cell: negative.
  core::Count first_of_ring() const { return at(-halo_k_, -halo_j_, -halo_i_); }
  /// Whether there is such a cell: on a periodic axis, anywhere.
  bool in_grid(core::Index const& x) const {
    return (joined_[0] || (x.i >= 0 && x.i < n_[0])) && (joined_[1] || (x.j >= 0 && x.j < n_[1])) &&
           (joined_[2] || (x.k >= 0 && x.k < n_[2]));
  }

  /// Calls f(k, j, i) for the cells of the ring round a tile.
  template <class F>
  void for_each_ring(core::TileInfo const& t, F const& f) const {
    for (int k = -halo_k_; k < t.nk + halo_k_; ++k)
      for (int j = -halo_j_; j < t.nj + halo_j_; ++j) {
        bool const beside = k >= 0 && k < t.nk && j >= 0 && j < t.nj;
        for (int i = -halo_i_; i < t.ni + halo_i_; ++i) {
          if (beside && i == 0) i = t.ni;
          if (i < t.ni + halo_i_) f(k, j, i);
        }
      }
  }

 private:
  std::vector<core::Index> offsets_;
  std::vector<core::Count> steps_;
  core::Count row_, layer_;
  int halo_i_, halo_j_, halo_k_;
  core::Grid::Shape n_;
  std::array<bool, 3> joined_;  ///< periodic
};

}  // namespace tessera::ca::graph
