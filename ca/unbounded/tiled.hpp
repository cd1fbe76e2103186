// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/unbounded/plane.hpp"
#include "ca/unbounded/stepper.hpp"

#include <compare>
#include <unordered_map>

namespace tessera::ca::unbounded {

/// A plane of tiles.
///
/// Tiles (Stepper::side cells wide) exist only where something is: one comes when life enters it, and goes when it is empty.
/// The rank of a tile follows from its place alone (blocks of 4 x 4 tiles are dealt out by a hash), so that no table of owners
/// grows and none is moved. A rank keeps copies of the tiles round its own; once in some generations it tells its neighbours
/// those that changed, so that a tile at rest costs neither messages nor time.
/// Memory: 512 B a tile of 64 x 64 cells of two states, 4 kB otherwise, and about 100 B to find it.
class TiledPlane final : public Plane {
 public:
  /// Throws core::Error as make_stepper does.
  TiledPlane(std::string const& rule, core::Dictionary& properties, core::Comm comm);
  TiledPlane(std::unique_ptr<Stepper> stepper, core::Comm comm);

  int states() const override { return stepper_->states(); }
  void put(std::span<Cell const> cells) override;
  void clear() override;
  void erase(core::Box const& box) override;
  void set_generation(std::int64_t generation) override;
  void advance(std::int64_t generations) override;
  /// Tiles, on all ranks.
  std::int64_t moved() const override;
  Population population() const override;
  std::vector<Population> census() const override;
  std::optional<core::Box> box() const override;
  std::string hash() const override;
  std::int64_t updates() const override { return updates_; }
  std::vector<std::pair<std::string, std::int64_t>> figures() const override { return {{"tiles", tiles()}}; }
  std::int64_t tiles() const;  ///< that exist, on all ranks. Collective

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
  void for_own_cells(std::function<void(Cell const&)> const& f) const override;
  template <class F>
  void for_cells(F const& f) const;

  std::unique_ptr<Stepper> stepper_;
  Words tiles_;               // own ones and copies
  std::vector<Place> moved_;  // own and copies, by the last generations
  std::int64_t own_moved_ = 0;
  bool odd_ = false;     // the generation that the cells are of
  int generations_ = 0;  // of the last time; 0: all moves
  std::int64_t updates_ = 0;
  std::vector<Word> next_;
};

}  // namespace tessera::ca::unbounded
