// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/unbounded/stepper.hpp"
#include "core/comm/comm.hpp"
#include "core/grid/field.hpp"

#include <compare>
#include <optional>
#include <unordered_map>

namespace tessera::ca::unbounded {

/// A cell that is not 0. Any numbers up to 2^55 or so: the plane has no first cell.
struct Cell {
  core::Count i = 0, j = 0;
  std::uint8_t state = 0;
};

/// Cells of a plane without end, under one rule. All cells but finitely many are 0.
///
/// Tiles (Stepper::side cells wide) exist only where something is: one comes when life enters it, and goes when it is empty.
/// The rank of a tile follows from its place alone (blocks of 4 x 4 tiles are dealt out by a hash), so that no table of owners
/// grows and none is moved. A rank keeps copies of the tiles round its own; once in some generations it tells its neighbours
/// those that changed, so that a tile at rest costs neither messages nor time. Cells are the same on any number of ranks.
/// Memory: 512 B a tile of 64 x 64 cells of two states, 4 kB otherwise, and about 100 B to find it.
class Plane {
 public:
  /// Throws core::Error as make_stepper does.
  Plane(std::string rule, core::Dictionary& properties, core::Comm comm);
  Plane(std::unique_ptr<Stepper> stepper, core::Comm comm);

  int states() const { return stepper_->states(); }
  /// Sets cells; those given on each rank count, wherever they lie. Collective.
  void put(std::span<Cell const> cells);
  void clear();

  /// So many generations. Collective.
  void advance(std::int64_t generations);
  /// Tiles that the last generations changed, all ranks; 0: none, as they will stay. Collective.
  std::int64_t moved() const;

  std::int64_t population() const;           ///< cells that are not 0. Collective
  std::vector<std::int64_t> census() const;  ///< cells in each of the states, that of 0 left out. Collective
  std::optional<core::Box> box() const;      ///< the smallest that holds them; nothing where there are none. Collective
  std::string hash() const;                  ///< of places and states, 16 digits; the same for any ranks. Collective
  std::int64_t tiles() const;                ///< that exist, on all ranks. Collective
  std::int64_t updates() const { return updates_; }  ///< cells times generations that this rank has computed
  std::vector<Cell> own_cells() const;               ///< of this rank, in no order that means anything
  /// Sets a field, all 0, from the plane's cells: its cell (0, 0, 0) is the plane's `origin`. Collective.
  void copy(core::Field<std::uint8_t>& field, core::Index origin) const;

 private:
  /// Place of a tile in the lattice of tiles.
  struct Place {
    core::Count i, j;
    auto operator<=>(Place const&) const = default;
  };
  struct HashPlace {
    std::size_t operator()(Place const& p) const;
  };
  using Tile = std::unique_ptr<Word[]>;
  using Words = std::unordered_map<Place, Tile, HashPlace>;

  int owner(Place const& p) const;
  Place place_of(Cell const& cell) const;
  bool is_empty(Word const* tile) const;
  void keep(Place const& p, Word const* words);
  void advance_at_once(int generations);
  void tell(std::vector<Place> const& changed);
  template <class F>
  void for_own_cells(F const& f) const;

  std::unique_ptr<Stepper> stepper_;
  core::Comm comm_;
  Words tiles_;               // own ones and copies
  std::vector<Place> moved_;  // own and copies, by the last generations
  std::int64_t own_moved_ = 0;
  int generations_ = 0;  // of the last time; 0: all moves
  std::int64_t updates_ = 0;
  std::vector<Word> next_;
};

}  // namespace tessera::ca::unbounded
