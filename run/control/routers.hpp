// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/model.hpp"

namespace tessera::run {

/// Reads `system/routerDict` (radix, levels, chunkSize, ranksPerNode, readers, transport; all optional) and sets the
/// routers of this run, and how ranks of a node exchange halos and sums.
/// Throws core::Error if they do not reach all ranks. Collective.
void set_routers(Session& session);

/// What the routers did, as report["routers"]; nothing where no field was loaded or gathered. Collective.
void report_routers(core::Comm const& comm, core::Report& report);

/// Numbers of nodes and of what halo exchanges sent, over all ranks, as report["nodes"] and ["halo"]. Collective.
void report_halos(core::Comm const& comm, core::Report& report);

}  // namespace tessera::run
