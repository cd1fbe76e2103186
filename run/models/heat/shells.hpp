// SPDX-License-Identifier: Apache-2.0
#pragma once
// Thin layers round axes along z that conduct along themselves: metal screens thinner than a cell.
#include "io/foam/drawing.hpp"
#include "solvers/heat.hpp"

#include <map>
#include <utility>
#include <vector>

namespace tessera::run::heat {

/// A ring of a good conductor in the plane, thinner than two thirds of the cells that it passes.
struct Shell {
  double x = 0, y = 0, radius = 0;  ///< its middle [m]
  double sheet = 0;                 ///< conductivity times thickness [W/K]
};

/// Shells on a grid. The middle of each passes through a closed chain of cells, whose temperature is that of the shell where it
/// passes them, not that at their centres:
///   - a face that it crosses conducts, beside what is round it, sheet / (half the arc before + half the arc after) a metre of
///     depth, so that the resistance round the shell is exact on any grid;
///   - a face between a cell of the chain and another conducts from the shell to the other's centre: the resistance along the
///     shell's normal over the cosine between it and the face's.
/// The matrix stays one of the five points, symmetric, with positive conductances. Of second order: a screen of 0.3 mm round a
/// cable of 10 mm is right to 0.04 % at ten cells a radius, in the conductor's rise and in the heat that it leads round the
/// cable, of which a layer across lines alone keeps next to nothing.
class Shells {
 public:
  /// Those of the shells that no other shares a cell with. Cost: 0.1 us a cell of the chains, on every rank.
  Shells(std::vector<Shell> const& shells, core::Grid const& grid);

  /// Whether it is one of those.
  bool has(std::size_t shell) const { return !arcs_[shell].empty(); }
  /// The part of its circumference that passes through a cell of the grid.
  std::map<std::pair<core::Count, core::Count>, double> const& arcs(std::size_t shell) const { return arcs_[shell]; }

  /// Conductivities of faces of chains, instead of those that cut_faces gives. `conductivity`: of all there is; `without`: the
  /// same, the layers of the shells having the conductivity of the poorer of their neighbours.
  std::vector<solvers::CutFace> faces(io::foam::Drawing const& conductivity, io::foam::Drawing const& without,
                                      core::Layout const& layout) const;

 private:
  using Place = std::pair<core::Count, core::Count>;  // i, j
  bool pass(std::size_t shell);
  double between(io::foam::Drawing const& conductivity, io::foam::Drawing const& without, Place const& a,
                 Place const& b) const;
  double from_shell(io::foam::Drawing const& conductivity, std::size_t shell, io::foam::Point const& neighbour,
                    io::foam::Point const& p) const;
  double conductivity_below(io::foam::Drawing const& conductivity, io::foam::Drawing const& without, int axis,
                            Place const& x) const;
  io::foam::Point centre(Place const& x) const;
  double off(std::size_t shell, io::foam::Point const& p) const;

  core::Grid const& grid_;
  std::vector<Shell> shells_;
  std::vector<std::map<Place, double>> arcs_;
  std::map<Place, std::size_t> chain_;             // the shell that passes a cell
  std::map<std::pair<int, Place>, double> links_;  // by axis and the cell above the face [W/K] a metre of depth
};

}  // namespace tessera::run::heat
