// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/blocks.hpp"

#include <string>
#include <vector>

namespace tessera::io::foam {

/// A side of a block (by core::Side, of the grid) that another block touches without sharing the whole face by its four
/// vertices: blockMesh leaves two boundary faces there, unless `mergePatchPairs` joins them.
struct Contact {
  std::size_t block, other;
  int side;
  std::string message;  ///< of the error, where nothing joins them
};

/// All of them, block by block in the order of the file.
std::vector<Contact> contacts(BlockLattice const& lattice);

/// The faces of a block's side towards no block, in the order in which blockMesh lists the side's: its pieces follow each
/// other. One piece where that is the whole side.
std::vector<Patch::Piece> surface_of(BlockLattice const& lattice, Block const& block, int side);

/// The entry `mergePatchPairs ((MASTER SLAVE) ...)`; none where it is empty or not there.
std::vector<std::array<std::string, 2>> read_merged_pairs(core::Dictionary const& dictionary);

}  // namespace tessera::io::foam
