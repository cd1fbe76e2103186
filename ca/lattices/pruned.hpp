// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/backbones.hpp"
#include "ca/lattices/cell_mail.hpp"
#include "ca/lattices/lattice_steps.hpp"
#include "ca/lattices/search.hpp"
#include "core/grid/loops.hpp"

namespace tessera::ca::graph {

/// The cells of a medium without dead ends, over tiles and ranks, and the search among them; see backbone_between.
class Pruned {
 public:
  /// Keeps the clusters that hold cells of the inlet and of the outlet. Collective.
  Pruned(core::Field<std::uint8_t> const& occupied, core::Field<std::uint8_t> const& inlets,
         core::Field<std::uint8_t> const& outlets, Lattice const& lattice);

  bool spans() const { return spans_; }
  /// Takes cells with at most one neighbour away, again and again. Collective.
  void prune();
  /// Gathers what is left on rank 0, searches there, and brings the marks back; returns the number of cells over all
  /// ranks. Collective. Throws core::RunError if there are too many.
  std::int64_t search();
  /// The marks of a tile's own cells in raster order, cells pruned included: f(k, j, i, marks). After search.
  template <class F>
  void for_each_mark(int slot, F const& f) const {
    std::size_t n = first_[slot];
    core::for_cells(layout_.info(slot), [&](int k, int j, int i) {
      std::uint8_t const c = cell_(slot, k, j, i);
      int marks = (c & holding) != 0 ? is_articulation : 0;
      if ((c & alive) != 0) marks |= std::to_integer<int>(marks_[n++]);
      f(k, j, i, marks);
    });
  }

 private:
  enum Cell : std::uint8_t { alive = 1, inlet = 2, outlet = 4, elsewhere = 8, holding = 16 };

  int degree(std::uint8_t const* cell, core::Count at) const;
  void visit(int slot);
  void take_away(int slot, core::Count at);
  void read_mail(int slot);
  core::Bytes lists_of_neighbours(std::vector<std::int64_t> const& counts, std::int64_t offset) const;

  core::Layout const& layout_;
  Lattice const& lattice_;
  core::Field<std::uint8_t> cells_;
  core::FieldView<std::uint8_t> cell_;
  LatticeSteps steps_;
  CellMail<std::int32_t> mail_;
  std::vector<std::vector<core::Count>> work_;  ///< cells to look at, by slot
  std::vector<std::size_t> first_;              ///< of a tile's cells that are left, by slot
  core::Bytes marks_;                           ///< of this rank's cells that are left
  bool spans_ = false;
};

}  // namespace tessera::ca::graph
