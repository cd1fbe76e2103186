// SPDX-License-Identifier: Apache-2.0
#include "io/foam/block_contacts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace tessera::io::foam {
namespace {

/// The vertices of a block, by the points of the lattice where they lie.
std::map<std::array<core::Count, 3>, std::int64_t> vertices_of(Block const& block) {
  std::map<std::array<core::Count, 3>, std::int64_t> found;
  for (std::size_t c = 0; c < 8; ++c) {
    std::array<core::Count, 3> at{};
    for (std::size_t own = 0; own < 3; ++own) {
      int const axis = block.turn.axis[own];
      bool const high = (corner_position[c][own] != 0) != block.turn.back[own];
      at[static_cast<std::size_t>(axis)] = along(high ? block.place.hi : block.place.lo, axis);
    }
    found[at] = block.corners[c];
  }
  return found;
}

/// Why two blocks that lie beside each other are not joined; empty where they are.
std::string fault(BlockLattice const& lattice, std::size_t b, std::size_t o, int side) {
  auto const &block = lattice.blocks[b], &other = lattice.blocks[o];
  if (lattice.beside(other, side ^ 1) != lattice.face(block, side))
    return fmt::format("block {} and block {} beside it along {} share a part of their faces, expected blocks that "
                       "share whole faces",
                       b, o, "xyz"[side / 2]);
  auto const mine = vertices_of(block), theirs = vertices_of(other);
  for (auto const& [point, vertex] : mine)
    if (auto const same = theirs.find(point); same != theirs.end() && same->second != vertex)
      return fmt::format("block {} has vertex {} where another block has vertex {} at the same point, expected one "
                         "vertex for both",
                         b, vertex, same->second);
  return {};
}

/// The axes of the grid along which a block's faces on a side are numbered, the faster first, and whether downwards.
struct Along {
  int axis;
  bool back;
};
std::array<Along, 2> numbered_along(Block const& block, int side) {
  std::size_t across = 0;
  while (block.turn.axis[across] != side / 2) ++across;
  // as Patch::Piece::number has it
  auto const own = [&](std::size_t a) { return Along{block.turn.axis[a], block.turn.back[a]}; };
  if (across == 0) return {own(1), own(2)};
  return across == 1 ? std::array{own(2), own(0)} : std::array{own(1), own(0)};
}

/// The layers of one place, or one cell, of a box across an axis, in the order in which faces are numbered.
std::vector<core::Box> layers(core::Box const& box, Along const& at) {
  std::vector<core::Box> all;
  for (core::Count n = along(box.lo, at.axis); n < along(box.hi, at.axis); ++n) {
    all.push_back(box);
    along(all.back().lo, at.axis) = n;
    along(all.back().hi, at.axis) = n + 1;
  }
  if (at.back) std::reverse(all.begin(), all.end());
  return all;
}

/// Cells behind the faces of a side at some places.
core::Box cells_behind(BlockLattice const& lattice, core::Box const& places, int side) {
  core::Box cells = lattice.cells(places);
  core::Count &lo = along(cells.lo, side / 2), &hi = along(cells.hi, side / 2);
  (side % 2 == 0 ? hi : lo) = side % 2 == 0 ? lo + 1 : hi - 1;
  return cells;
}

/// Whether no block lies beside a place on a side of it.
bool open_at(BlockLattice const& lattice, core::Index place, int side) {
  along(place, side / 2) += side % 2 == 0 ? -1 : 1;
  core::Index const end{lattice.places[0], lattice.places[1], lattice.places[2]};
  return !core::Box{{0, 0, 0}, end}.contains(place) || lattice.block_at(place) < 0;
}

/// The cells behind open faces of a row of places, in one box where they follow each other.
std::vector<core::Box> open_runs(BlockLattice const& lattice, core::Box const& row, Along const& fast, int side) {
  std::vector<core::Box> runs;
  bool goes_on = false;
  for (auto const& place : layers(row, fast)) {
    bool const open = open_at(lattice, place.lo, side);
    auto const cells = cells_behind(lattice, place, side);
    if (open && !goes_on) runs.push_back(cells);
    goes_on = open;
    if (!open) continue;
    core::Count &lo = along(runs.back().lo, fast.axis), &hi = along(runs.back().hi, fast.axis);
    lo = std::min(lo, along(cells.lo, fast.axis));
    hi = std::max(hi, along(cells.hi, fast.axis));
  }
  return runs;
}

}  // namespace

std::vector<Contact> contacts(BlockLattice const& lattice) {
  std::vector<Contact> found;
  for (std::size_t b = 0; b < lattice.blocks.size(); ++b)
    for (int side = 0; side < 6; ++side) {
      std::set<int> beside;
      over_places(lattice.beside(lattice.blocks[b], side),
                  [&](core::Index const& x) { beside.insert(lattice.block_at(x)); });
      for (int const o : beside)
        if (o >= 0)
          if (auto message = fault(lattice, b, static_cast<std::size_t>(o), side); !message.empty())
            found.push_back({b, static_cast<std::size_t>(o), side, std::move(message)});
    }
  return found;
}

std::vector<Patch::Piece> surface_of(BlockLattice const& lattice, Block const& block, int side) {
  auto const at = static_cast<core::Side>(side);
  core::Box const face = lattice.face(block, side);
  if (lattice.outside(block, side)) return {{at, cells_behind(lattice, face, side), block.turn}};
  auto const [fast, slow] = numbered_along(block, side);
  std::vector<Patch::Piece> pieces;
  for (auto const& row : layers(face, slow)) {
    auto const runs = open_runs(lattice, row, fast, side);
    if (runs.size() == 1) pieces.push_back({at, runs[0], block.turn});
    if (runs.size() < 2) continue;
    // the rows of cells of several runs: numbers go through all runs before the next row
    std::vector<std::vector<core::Box>> rows;
    for (auto const& run : runs) rows.push_back(layers(run, slow));
    for (std::size_t r = 0; r < rows[0].size(); ++r)
      for (auto const& of_run : rows) pieces.push_back({at, of_run[r], block.turn});
  }
  return pieces;
}

std::vector<std::array<std::string, 2>> read_merged_pairs(core::Dictionary const& dictionary) {
  if (!dictionary.contains("mergePatchPairs")) return {};
  return dictionary.get<std::vector<std::array<std::string, 2>>>("mergePatchPairs");
}

}  // namespace tessera::io::foam
