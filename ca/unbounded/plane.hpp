// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/grid/field.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::ca::unbounded {

/// A cell that is not 0. Any numbers up to 2^55 or so: the plane has no first cell.
struct Cell {
  core::Count i = 0, j = 0;
  std::uint8_t state = 0;
};

/// A number of cells, which may be more than 2^64.
__extension__ typedef unsigned __int128 Population;
std::string decimal(Population n);

/// Cells of a plane without end, under one rule. All cells but finitely many are 0. What keeps them and computes their generations is
/// an algorithm's business (TiledPlane, HashPlane): cells are the same by any of them, on any number of ranks.
class Plane {
 public:
  explicit Plane(core::Comm comm) : comm_(comm) {}
  virtual ~Plane() = default;
  Plane(Plane const&) = delete;
  Plane& operator=(Plane const&) = delete;

  virtual int states() const = 0;
  /// Sets cells; those given on each rank count, wherever they lie. Collective.
  virtual void put(std::span<Cell const> cells) = 0;
  virtual void clear() = 0;
  /// Cells of a box, however large, become 0. Collective; the same box on all ranks.
  virtual void erase(core::Box const& box) = 0;

  /// Which generation the cells are of, 0 at first: there are rules to which odd ones differ from even ones.
  virtual void set_generation([[maybe_unused]] std::int64_t generation) {}
  /// So many generations. Collective.
  virtual void advance(std::int64_t generations) = 0;
  /// Parts of the plane that the last generations changed; 0: none, as they will stay. Collective.
  virtual std::int64_t moved() const = 0;

  virtual Population population() const = 0;           ///< cells that are not 0. Collective
  virtual std::vector<Population> census() const = 0;  ///< cells in each of the states, that of 0 left out. Collective
  virtual std::optional<core::Box> box() const = 0;    ///< the smallest that holds them; nothing if none. Collective
  virtual std::string hash() const = 0;                ///< of places and states (PlaceHash), 16 digits. Collective
  virtual std::int64_t updates() const = 0;            ///< cells times generations that this rank has computed
  /// What the algorithm keeps, by names for the report. Collective.
  virtual std::vector<std::pair<std::string, std::int64_t>> figures() const = 0;

  std::vector<Cell> own_cells() const;  ///< of this rank, in no order that means anything
  /// Sets a field, all 0, from the plane's cells: its cell (0, 0, 0) is the plane's `origin`. Collective.
  void copy(core::Field<std::uint8_t>& field, core::Index origin) const;

 protected:
  virtual void for_own_cells(std::function<void(Cell const&)> const& f) const = 0;
  core::Comm comm_;
};

}  // namespace tessera::ca::unbounded
