// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/links.hpp"

#include <algorithm>
#include <vector>

namespace tessera::ca::parts {

/// What Joins asks of tiles whose cells have listed neighbours: steps may lead past a tile, and round an axis more than once.
class FarLinks {
 public:
  using Shown = Shell;
  FarLinks(core::Layout const& layout, std::vector<TileParts> const& tiles, Lattice const& lattice)
      : grid_(layout.grid()),
        layout_(layout),
        tiles_(tiles),
        steps_(lattice.offsets()),
        reach_(lattice.reach()) {
    steps_.resize(steps_.size() / 2);  // those to cells before
  }
  std::size_t borders(int slot) const { return tiles_[slot].borders.size(); }
  void set_records(int slot, Record* records) const {
    parts::set_records(tiles_[slot], grid_, layout_.info(slot), records);
  }
  /// Calls f(tile, periods, step) for the tiles where a step from the tile's cells leads; `step`: tiles further, of all images.
  template <class F>
  void for_each_looked_at(int slot, F const& f) const {
    for_each_image(slot, [&](core::Box const& here, Image const& image) {
      if (meet(here, image.box)) f(image.tile, image.periods, image.step);
    });
  }
  template <class F>
  void for_each_looking(int slot, F const& f) const {
    for_each_image(slot, [&](core::Box const& here, Image const& image) {
      if (meet(image.box, here)) f(image.tile, image.periods, image.step);
    });
  }
  Shell const& shown(int slot) const { return tiles_[slot].shell; }
  /// Calls f(a, b) for border parts a of a tile and b of tile `there`, which shows its shell; pairs may come many times.
  template <class F>
  void for_each_link(int slot, Step const& step, int, Shell const& other, F const& f) const {
    core::Box const here = grid_.tile_box(layout_.info(slot).tile), there = image(slot, step).box;
    Shell const& own = tiles_[slot].shell;
    for (core::Index const& d : steps_) {
      core::Box const from = core::intersect(here, core::shifted(there, core::Index{} - d));
      for (core::Count k = from.lo.k; k < from.hi.k; ++k)
        for (core::Count j = from.lo.j; j < from.hi.j; ++j) {
          Shell::Row const mine = own.row(j - here.lo.j, k - here.lo.k),
                           theirs = other.row(j + d.j - there.lo.j, k + d.k - there.lo.k);
          for (core::Count i = from.lo.i; i < from.hi.i; ++i) {
            Id const a = mine[i - here.lo.i], b = theirs[i + d.i - there.lo.i];
            if (a != 0 && b != 0) f(a - 1, b - 1);
          }
        }
    }
  }
  static void write(Shell const& shell, core::Bytes& bytes) {
    core::append(bytes, shell.reach);
    for (auto const& numbers : shell.slab) {
      core::append(bytes, static_cast<std::int64_t>(numbers.size()));
      core::append(bytes, std::span<Id const>(numbers));
    }
  }
  static void read(core::ByteReader& in, core::Index const& n, Shell& shell) {
    shell.cells = n;
    shell.reach = in.take<core::Index>();
    for (auto& numbers : shell.slab) {
      numbers.resize(static_cast<std::size_t>(in.take<std::int64_t>()));
      in.take(std::span<Id>(numbers));
    }
  }

 private:
  /// A tile in the endless grid of images.
  struct Image {
    int tile;
    Periods periods;
    Step step;
    core::Box box;
  };

  Image image(int slot, Step const& step) const {
    Image found{0, {}, step, {}};
    core::Index position = grid_.tile_position(layout_.info(slot).tile), by;
    for (int axis = 0; axis < 3; ++axis) {
      core::Count const tiles = grid_.tile_lattice()[axis];
      core::Count& at = along(position, axis);
      at += step[axis];
      core::Count const round = at >= 0 ? at / tiles : -((tiles - 1 - at) / tiles);
      at -= round * tiles;
      found.periods.n[axis] = static_cast<std::int32_t>(round);
      along(by, axis) = round * grid_.cells()[axis];
    }
    found.tile = grid_.tile_number(position);
    found.box = core::shifted(grid_.tile_box(found.tile), by);
    return found;
  }
  /// Whether a step leads from a cell of the one box to one of the other.
  bool meet(core::Box const& from, core::Box const& to) const {
    return std::any_of(steps_.begin(), steps_.end(), [&](core::Index const& d) {
      return !core::intersect(from, core::shifted(to, core::Index{} - d)).empty();
    });
  }
  /// Calls f(box of the tile, image) for the tiles within reach but for the tile itself.
  template <class F>
  void for_each_image(int slot, F const& f) const {
    core::Box const here = grid_.tile_box(layout_.info(slot).tile);
    Step low{}, high{};
    for (int axis = 0; axis < 3; ++axis) {
      bool const round = grid_.periodic(axis) && !grid_.thin(axis);
      core::Count const position = along(grid_.tile_position(layout_.info(slot).tile), axis);
      auto const there = [&](int by) {
        Step step{};
        step[axis] = by;
        return (round || (position + by >= 0 && position + by < grid_.tile_lattice()[axis])) ? image(slot, step).box
                                                                                             : core::Box{};
      };
      auto const within = [&](int by) {
        core::Box const box = there(by);
        return !box.empty() && along(box.hi, axis) > along(here.lo, axis) - along(reach_, axis) &&
               along(box.lo, axis) < along(here.hi, axis) + along(reach_, axis);
      };
      while (within(low[axis] - 1)) --low[axis];
      while (within(high[axis] + 1)) ++high[axis];
    }
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x)
          if (x != 0 || y != 0 || z != 0) f(here, image(slot, {x, y, z}));
  }

  core::Grid const& grid_;
  core::Layout const& layout_;
  std::vector<TileParts> const& tiles_;
  std::vector<core::Index> steps_;
  core::Index reach_;
};

}  // namespace tessera::ca::parts
