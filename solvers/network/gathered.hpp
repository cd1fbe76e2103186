// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "solvers/conduction.hpp"
#include "solvers/network/network.hpp"

namespace tessera::solvers::network {

/// The conducting cells of a mask, numbered tile by tile in the order of the tiles' numbers and in raster order in each:
/// the same numbers on any ranks. Memory: 5 B a cell of the grid, on its owner.
class Sites {
 public:
  /// Collective.
  Sites(core::Field<std::uint8_t> const& conducting, Electrodes const& electrodes);

  std::int64_t count() const { return count_; }
  std::int64_t bonds() const { return bonds_; }
  /// Mean number of neighbours.
  double degree() const { return count_ > 0 ? 2.0 * static_cast<double>(bonds_) / static_cast<double>(count_) : 0; }

  /// Unit resistors between neighbours and those to the electrodes, on rank 0; nothing elsewhere. Collective. 16 B a site are
  /// sent, and rank 0 takes 170 B a site of six neighbours.
  Network gather() const;

 private:
  struct Row {
    std::int32_t lower[3];  ///< neighbours, -1: none
    std::int32_t ends;      ///< 1: at the inlet, 2: at the outlet, 3: at both
  };
  void number(core::Field<std::uint8_t> const& conducting);
  void find_rows(Electrodes const& electrodes);

  core::Layout const& layout_;
  double bond_;
  core::Field<std::int32_t> number_;
  std::vector<std::int64_t> first_;  ///< of each tile of the grid, and behind the last
  std::vector<Row> rows_;            ///< of this rank's sites, by slot
  std::int64_t count_ = 0, bonds_ = 0;
};

}  // namespace tessera::solvers::network
