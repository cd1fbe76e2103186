// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "solvers/conduction.hpp"
#include "solvers/network/network.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::solvers::network {

/// The steps that lead to other cells of a grid: none along axes of one cell. Without any, those to the lower face of each
/// axis.
std::vector<core::Index> steps_within(core::Grid const& grid, std::vector<core::Index> const& steps);

/// How deep a halo has to be for these steps: at least 1.
int depth_of(std::vector<core::Index> const& steps);

/// Conductance between the centres of two cells that share a face: of cells of a mask 1, if both are; of conductivities, that of
/// two half cells in series.
KOKKOS_INLINE_FUNCTION double between(std::uint8_t a, std::uint8_t b) { return a * b; }
KOKKOS_INLINE_FUNCTION double between(double a, double b) { return a > 0 && b > 0 ? 2 / (1 / a + 1 / b) : 0; }

/// The conducting cells of a mask, or those of a conductivity above 0, numbered tile by tile in the order of the tiles' numbers
/// and in raster order in each: the same numbers on any ranks. Memory: 5 B a cell of the grid, on its owner.
class Sites {
 public:
  /// `neighbours`: steps to those that a site has a bond with, one of each two opposite ones. Collective.
  Sites(core::Field<std::uint8_t> const& conducting, Electrodes const& electrodes,
        std::vector<core::Index> const& neighbours);
  /// With bonds between cells that share a face. 8 B a conducting cell more.
  Sites(core::Field<double> const& conductivity, Electrodes const& electrodes);

  std::int64_t count() const { return count_; }
  std::int64_t bonds() const { return bonds_; }
  /// Mean number of neighbours.
  double degree() const { return count_ > 0 ? 2.0 * static_cast<double>(bonds_) / static_cast<double>(count_) : 0; }

  /// Resistors between neighbours and those to the electrodes, on rank 0; nothing elsewhere. Collective, and once: each rank
  /// forgets the rows of its sites. 16 B a site of six neighbours are sent, and rank 0 takes 70 B; of conductivities 24 B and 160 B.
  Network gather();

  /// Writes the values of the sites, which rank 0 has, to their cells. Collective. 8 B a site are sent to all.
  void scatter(std::vector<double> values, core::Field<double>& field) const;

 private:
  Sites(core::Layout const& layout, double bond, std::vector<core::Index> neighbours, bool units);
  template <class T>
  void number(core::Field<T> const& conducting);
  template <class T>
  void find_rows(core::Field<T> const& conducting, Electrodes const& electrodes);
  /// Numbers that a site sends: whether it is at the inlet (1), the outlet (2) or both (3), and its neighbours (-1: none).
  std::size_t row() const { return neighbours_.size() + 1; }

  core::Layout const& layout_;
  double bond_;
  std::vector<core::Index> neighbours_;
  int depth_;
  core::Field<std::int32_t> number_;
  std::vector<std::int64_t> first_;  ///< of each tile of the grid, and behind the last
  std::vector<std::int32_t> rows_;   ///< of this rank's sites, by slot
  bool units_;                       ///< all bonds between sites are 1
  std::vector<double> values_;       ///< conductivities of this rank's sites, unless all bonds are 1
  std::int64_t count_ = 0, bonds_ = 0;
};

/// The note on currents that agree to `gap` alone, where the dissipation is known to `settled`. `tolerance`: of a solve that might
/// have gone on, 0 where conductivities keep the currents apart.
std::string agree_alone(double gap, double settled, double tolerance = 0);

}  // namespace tessera::solvers::network
