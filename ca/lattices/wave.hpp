// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/distances.hpp"
#include "ca/lattices/cell_mail.hpp"
#include "ca/lattices/lattice_steps.hpp"

#include <limits>

namespace tessera::ca::graph {

/// One breadth-first search over tiles and ranks; see `distances`.
class Wave {
 public:
  /// `occupied` null: all cells. `target`, if any, ends the search early.
  Wave(core::Field<std::uint8_t> const* occupied, core::Field<std::uint8_t> const& source,
       core::Field<std::uint8_t> const* target, Lattice const& lattice);

  /// The distance of the nearest target cell, -1 if none is reached (or there is no target). Collective.
  std::int32_t run();
  /// The distances found, with the counts; after run without a target.
  Distances take();

 private:
  static constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();
  enum Cell : std::uint8_t { closed = 0, open = 1, elsewhere = 2, target = 4 };
  struct Waiting {
    core::Count at;
    std::int32_t distance;
  };

  /// Writes a distance that is shorter than the one known and tells whether it was.
  bool improve(std::size_t slot, core::Count at, std::int32_t distance);
  void visit(int slot, std::int32_t last);
  std::int32_t first_waiting() const;

  core::Layout const& layout_;
  std::unique_ptr<core::Field<std::int32_t>> distance_;
  core::FieldView<std::int32_t> known_;
  std::vector<std::uint8_t> cells_;
  core::FieldView<std::uint8_t> cell_;  ///< what a cell is, with the strides of the distances
  LatticeSteps steps_;
  CellMail<std::int32_t> mail_;
  std::vector<std::vector<Waiting>> waiting_;  ///< by slot
  std::vector<std::int32_t> first_;            ///< smallest distance waiting, by slot
  std::vector<std::int32_t> hit_;              ///< smallest distance of a target, by slot
  std::vector<std::int64_t> relaxations_;      ///< by slot
  std::int64_t rounds_ = 0;
};

}  // namespace tessera::ca::graph
