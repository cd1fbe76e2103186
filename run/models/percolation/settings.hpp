// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/lattices/lattice.hpp"
#include "ca/percolation.hpp"
#include "core/grid/grid.hpp"
#include "core/random.hpp"
#include "run/input/mask_input.hpp"
#include "run/model.hpp"
#include "run/models/percolation/places.hpp"
#include "run/models/percolation/region.hpp"

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::run::percolation {

class Analysis;
class Method;

/// Fields of the currents, on request.
inline constexpr std::array<char const*, 3> current_fields{"potential", "flux", "dissipation"};

/// The bars and side rows that close a plane medium: its outermost cells, or cells added round it and left out of all
/// results. `none`: the medium as it is; where the exact backbone needs a frame, one is added all the same.
enum class Frame { inside, outside, none };

/// Where one end of a crossing lies: a side of the grid, or the cells of a mask.
struct Port {
  std::optional<core::Side> side;
  std::optional<MaskInput> mask;
};

/// One way in which the medium may be crossed.
struct Crossing {
  std::string name;       ///< x, y, z, or `ports` where inlet and outlet are given
  int axis = -1;          ///< 0, 1, 2; -1 where inlet and outlet are not opposite sides
  bool periodic = false;  ///< along a periodic axis: a cluster may wrap, there are no ends
  Port inlet, outlet;
  bool ends() const { return !periodic; }
};

/// Which medium: a draw, or a file.
struct Input {
  std::optional<MaskInput> file;
  // of random media
  bool bonds = false;  ///< are drawn, all sites being there; else sites
  std::vector<double> probabilities;
  core::Random random;       ///< of the first sample
  std::int64_t samples = 1;  ///< for each probability
  bool ensemble = false;     ///< several media: only numbers are kept
  bool each = false;         ///< write the numbers of each sample, too
  std::string sharing;       ///< auto | samples | tiles
};

/// A mask for cells of these axes. Throws core::Error with the place where the file has other cells. Collective.
MaskInput read_mask(Session& session, core::Dictionary& entry, std::array<core::Axis, 3> const& axes);

/// All of constant/percolationProperties and what it needs of other files, read and checked.
struct Settings {
  explicit Settings(Session& session);

  Input input;
  std::array<core::Axis, 3> axes;  ///< of the medium, without an added frame; with bonds, of them and the sites
  core::Grid::Shape tile{};
  ca::Lattice lattice;
  Places places;
  std::optional<Region> region;  ///< the cells that belong to the sample; else all
  std::vector<Crossing> crossings;
  /// By a method of the plane, within a frame: the square lattice with 4 neighbours between opposite sides, without a region.
  bool plane = true;
  Frame frame = Frame::inside;
  std::shared_ptr<Method> method;
  ca::Definition definition = ca::Definition::D1;
  bool backbone = true;  ///< searched for (in the plane it is always found)
  bool shortest_path = true;
  std::vector<std::shared_ptr<Analysis>> analyses;  ///< that are asked for
  std::set<std::string> fields;                     ///< kept and written
  std::optional<bool> picture;                      ///< drawn or not; nothing: where results are written
  bool conductivity = false;
  bool verify = false;  ///< that off the backbone no current flows
  double electrode_bond = 1;
  core::Dictionary* solvers = nullptr;  ///< `solvers` of system/fvSolution, where it is there
  core::Dictionary potential;           ///< its linear solver
  bool solver_named = false;            ///< by the case; else conduction goes the way that is predicted to be cheaper

  /// The entry of `solvers` for what is called so, looked at as a whole; nullptr where there is none. Throws core::Error with its
  /// place, before anything is computed.
  core::Dictionary const* solver(std::string const& name) const;
  bool keeps(std::string const& field) const { return fields.contains(field); }
  /// Whether somebody wants masks of the ends: between sides, labels and methods of the plane do not.
  bool needs_ends(Crossing const& crossing) const;
  bool wants_labels() const;
  /// Whether bits depend on the tiles, as those of currents in the whole grid do.
  bool knows_tiles() const;
  /// Bonds are between cells that share a face, and all of them are.
  bool through_faces() const;

 private:
  void read_input(Session& session, core::Dictionary& input);
  void read_grid(Session& session);
  void make_room_for_bonds();
  void read_places(core::Dictionary& properties);
  void place_file(Session& session, core::Dictionary const* dictionary);
  void read_lattice(Session& session, core::Dictionary& properties);
  void read_neighbours(Session& session, core::Dictionary& entry);
  void read_crossings(Session& session, core::Dictionary& properties);
  void read_ports(Session& session, core::Dictionary& properties);
  void read_region(Session& session, core::Dictionary& properties);
  void expect_ends_of_region(core::Dictionary const& properties) const;
  void read_method(core::Dictionary& properties);
  void read_frame(core::Dictionary& properties);
  void read_analyses(core::Dictionary& properties);
  void read_fields(core::Dictionary& properties);
  void read_conductivity(Session& session, core::Dictionary& properties);
};

}  // namespace tessera::run::percolation
