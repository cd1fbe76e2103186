// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/layout.hpp"
#include "io/foam/mesh.hpp"
#include "partition/partitioner.hpp"
#include "run/model.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::run {

/// A layout of tiles over the ranks as system/decomposeParDict asks (default: scotch; ranks as fast as the last run of
/// the case found them on the same hosts, or equal), and whether they may move (system/balanceDict, see LoadBalance).
struct Decomposition {
  std::unique_ptr<core::Layout> layout;
  std::string method;
  std::vector<double> weights;      ///< of the ranks
  bool by_hand = false;             ///< the case names weights or owners
  bool rebalance = false;           ///< tiles may move while the run goes on, where the application can
  double threshold = 0.05;          ///< imbalance that is left alone then
  std::optional<double> move_cost;  ///< [s] what moving takes, until it is measured
  double largest_share = 1;         ///< of the cells, on one rank
};
/// Ranks beyond the number of tiles have none, which the log says. Throws core::Error if the dictionary does not fit. A
/// session that `checks` gets a layout without owners. Collective.
Decomposition decompose(Session& session, std::shared_ptr<core::Grid const> grid);

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

/// Shares the tiles over ranks of these speeds as system/decomposeParDict asks. Ranks lie on `nodes`, a number for each;
/// empty: on the nodes and sockets of this run, those of another number all on one. Where there are more ranks than tiles,
/// the fastest have one each and the others none. Throws core::Error if the dictionary does not fit. Collective.
Shares share_out(Session& session, core::Grid const& grid, RankRates const& rates, std::vector<int> const& nodes = {});
/// The decomposition that a run has, of ranks of these speeds; the log tells of ranks without a tile. Without `lay_out` its
/// layout has no owners: what is made on it takes no memory. Collective.
Decomposition decompose(Session& session, std::shared_ptr<core::Grid const> grid, RankRates const& rates, bool lay_out);

/// The grid that a case has on ranks of these speeds, from system/gridDict, blockMeshDict or constant/polyMesh, without the rest of the case.
/// Throws core::Error. Collective.
std::shared_ptr<core::Grid const> case_grid(Session& session, RankRates const& rates);

/// The mesh of blockMeshDict, in system or constant/polyMesh, or of constant/polyMesh where there is no such dictionary or
/// controlDict says `readMesh yes`; the log tells of the latter, and where the two differ; of an application with regions, the
/// meshes of all in one. Its tile shape is `tile` in decomposeParDict. Throws core::Error. Collective.
io::foam::Mesh mesh_of(Session& session);
/// A grid in the tiles that decomposeParDict says.
core::Grid in_tiles(Session& session, core::Grid const& grid);

}  // namespace tessera::run
