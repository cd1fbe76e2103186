// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/mesh.hpp"
#include "partition/partitioner.hpp"
#include "tools/application.hpp"

#include <optional>
#include <span>

namespace tessera::tools {

/// The tiles of a grid shared over ranks, of which this process need not be one.
struct Shares {
  std::string method;
  partition::Load load;
  bool by_hand = false;     ///< the case or the caller names weights or owners
  std::vector<int> owners;  ///< one a tile, equal on all ranks
};

/// Speeds of ranks, in any unit.
struct RankRates {
  std::vector<double> rate;
  bool by_hand = false;  ///< the case or the caller names them
};

/// `weights`, where there are any, else those of system/decomposeParDict. Without weights, ranks are as fast as the last run
/// on so many ranks found them (on the same hosts where `ranks` are those of the communicator), or equal. Throws
/// core::Error if the dictionary does not fit. Collective.
RankRates rank_rates(Session& session, int ranks, std::optional<std::vector<double>> const& weights = {});
/// The same for the threads of these ranks: what core::choose_tile asks for. Collective.
std::vector<double> worker_rates(core::Comm const& comm, std::span<double const> rates);

/// Shares the tiles over ranks of these speeds as system/decomposeParDict asks. Ranks lie on the nodes and sockets of this
/// run; those of another number on nodes of `ranks_per_node`, 0: on one. Where there are more ranks than tiles, the fastest
/// have one each and the others none. Throws core::Error if the dictionary does not fit. Collective.
Shares share_out(Session& session, core::Grid const& grid, RankRates const& rates, int ranks_per_node = 0);
/// The decomposition that a run has, of ranks of these speeds; the log tells of ranks without a tile. Without `lay_out` its
/// layout has no owners: what is made on it takes no memory. Collective.
Decomposition decompose(Session& session, std::shared_ptr<core::Grid const> grid, RankRates const& rates, bool lay_out);

/// The grid that a case has on ranks of these speeds, from system/gridDict or blockMeshDict, without the rest of the case.
/// Throws core::Error. Collective.
std::shared_ptr<core::Grid const> case_grid(Session& session, RankRates const& rates);

/// The mesh of blockMeshDict, in system or constant/polyMesh; its tile shape is `tile` in decomposeParDict. Throws
/// core::Error. Collective.
io::foam::Mesh block_mesh(Case& files);

}  // namespace tessera::tools
