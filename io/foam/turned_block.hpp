// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "io/foam/list_file.hpp"
#include "io/foam/mesh.hpp"

#include <span>
#include <vector>

namespace tessera::io::foam {

/// The values of a block from a list in OpenFOAM's order, as rows of the grid; 0 in cells that do not exist. One rank, which
/// holds them, and has the order of the cells where they have one.
std::vector<double> read_turned(ListRows& list, CellBlock const& block);

/// Values of `bytes` each of the block's cells, as rows of the grid, in OpenFOAM's order.
std::vector<std::byte> in_own_order(std::span<std::byte const> rows, CellBlock const& block, std::size_t bytes);

/// `list` (given on the root) goes to the cells of the block. A block that lies straight is streamed, another one, or cells
/// with an order of their own, held by the root. Collective.
void distribute_block(ListRows* list, core::Field<double>& field, CellBlock const& block);

/// The cells of the block go to the sink (given on the root) in OpenFOAM's order; the same of memory. Collective.
void gather_block(core::FieldBase const& field, CellBlock const& block, RowSink* sink);

}  // namespace tessera::io::foam
