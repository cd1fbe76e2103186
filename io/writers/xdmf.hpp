// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/grid.hpp"
#include "io/snapshot.hpp"

#include <map>
#include <string>

namespace tessera::io::writers {

/// The text of an XDMF 2.2 time series over snapshot files that lie beside it, for the part `region` of a grid:
/// one-cell-thick 3DCoRectMesh where the grid is uniform, else 3DRectMesh with the faces read from the snapshot.
/// This is the form that all three XDMF readers of ParaView 5.11 take, serial and parallel.
std::string xdmf(std::string const& case_name, core::Grid const& grid, core::Box const& region,
                 std::map<std::int64_t, SnapshotInfo> const& snapshots);

}  // namespace tessera::io::writers
