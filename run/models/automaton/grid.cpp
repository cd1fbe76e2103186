// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/grid.hpp"

#include "ca/automaton.hpp"
#include "ca/engine/boundary.hpp"
#include "core/grid/tile_shape.hpp"

namespace tessera::run::automaton {
namespace {

/// Words of a row of a tile at most, so that the generations that follow each other through it stay in the cache (bench/automata).
constexpr core::Count most_words = 256;

core::Grid::Shape tile_of_words(core::Grid::Shape const& cells, std::span<double const> rates) {
  core::Count const words = (cells[0] + 63) / 64, parts = (words + most_words - 1) / most_words;
  // a word weighs as much as a number of double precision
  auto tile = core::choose_tile(core::TileUse::automata, {words, cells[1], cells[2]}, rates);
  tile[0] = std::min(tile[0], (words + parts - 1) / parts) * 64;
  return tile;
}

}  // namespace

io::foam::Mesh read_grid(core::Dictionary& grid, core::Dictionary& properties, std::string const& rule,
                         std::span<double const> rates) {
  bool const by_hand = io::foam::tile_by_hand(grid);
  auto mesh = io::foam::read_grid_dict(grid, ca::periodic_axes(properties), rates);
  auto const known = ca::known_rule(rule);
  if (by_hand || !known || known->bits == 0 || properties.get_or<std::string>("storage", "auto") == "bytes")
    return mesh;
  auto tiled = mesh.grid.with_tile(tile_of_words(mesh.grid.cells(), rates));
  bool const idle = tiled.tiles() < static_cast<int>(rates.size()) && tiled.tiles() < mesh.grid.tiles();
  if (!idle) mesh.grid = std::move(tiled);
  return mesh;
}

}  // namespace tessera::run::automaton
