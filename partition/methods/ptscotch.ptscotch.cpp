// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "partition/blocks.hpp"
#include "partition/machine.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <numeric>
#include <ptscotch.h>

namespace tessera::partition::methods {

/// Maps the tile graph with PT-Scotch: as `scotch`, but all ranks of the run hold a part of the graph and work on it
/// together. For graphs that are large for one rank; the cut is a few percent longer than that of `scotch`. Where the
/// ranks lie on several nodes, all map the graph onto the nodes; what a node gets is then mapped onto its ranks by one
/// rank, each node's by another. The answer depends on the arguments and the number of ranks that work. Key: domains.
/// Throws core::RunError on all ranks if PT-Scotch fails.
///
/// Source: Chevalier & Pellegrini 2008, Parallel Computing 34:318.
class PtScotch final : public Partitioner {
 public:
  explicit PtScotch(core::Dictionary& dictionary) : machine_(coeffs(dictionary, "ptscotch")) {}

  std::vector<int> owners(core::Grid const& grid, Load const& load) const override {
    return *owners_by_all(grid, load, core::Comm(MPI_COMM_SELF));
  }

  std::optional<std::vector<int>> owners_by_all(core::Grid const& grid, Load const& load,
                                                core::Comm const& comm) const override {
    auto levels = machine_.levels(load);
    std::vector<int> everyone(load.ranks());
    std::iota(everyone.begin(), everyone.end(), 0);
    while (!levels.empty() && load.ranks() <= grid.tiles()) {
      auto const groups = split(everyone, levels.front());
      levels.erase(levels.begin());
      auto const theirs = tiles_of_groups(map(grid, load, rates_of_groups(groups, load), comm), groups);
      if (!theirs.empty()) return by_group(grid, load, groups, theirs, LevelMap(grid, load, levels, map_alone), comm);
    }
    std::vector<int> owners(grid.tiles(), 0);
    if (load.ranks() > 1 && load.ranks() <= grid.tiles()) owners = map(grid, load, load.rank_rate, comm);
    give_every_rank_a_tile(owners, load.ranks());
    return owners;
  }

 private:
  /// Owners where each group of ranks has its tiles: each rank finds those of some groups.
  static std::vector<int> by_group(core::Grid const& grid, Load const& load,
                                   std::vector<std::vector<int>> const& groups,
                                   std::vector<std::vector<int>> const& theirs, LevelMap const& inside,
                                   core::Comm const& comm) {
    std::vector<int> mine(grid.tiles(), 0);
    for (auto g = static_cast<std::size_t>(comm.rank()); g < groups.size(); g += static_cast<std::size_t>(comm.size()))
      inside.share(theirs[g], groups[g], 0, mine);
    std::vector<std::int64_t> all(mine.begin(), mine.end());
    comm.sum(all);
    std::vector<int> owners(all.begin(), all.end());
    give_every_rank_a_tile(owners, load.ranks());
    return owners;
  }

  /// The tiles that each rank holds: contiguous parts.
  static int first_tile(int tiles, core::Comm const& comm, int rank) {
    return static_cast<int>(core::Count{tiles} * rank / comm.size());
  }

  /// The whole grid onto parts with these rates.
  static std::vector<int> map(core::Grid const& grid, Load const& load, std::vector<double> const& rates,
                              core::Comm const& comm) {
    int const tiles = grid.tiles();
    int const mine = first_tile(tiles, comm, comm.rank()), end = first_tile(tiles, comm, comm.rank() + 1);
    // as in `scotch`: the total stays well below 2^31
    auto const costs = integers(load.tile_cost, 1e9 / tiles);
    return everywhere(map(tile_graph(grid, mine, end), {costs.begin() + mine, costs.begin() + end}, rates, comm), tiles,
                      comm);
  }
  static std::vector<int> map_alone(TileGraph const& graph, std::vector<double> const& costs,
                                    std::vector<double> const& rates) {
    return map(graph, integers(costs, 1e9 / static_cast<double>(costs.size())), rates, core::Comm(MPI_COMM_SELF));
  }

  /// A graph of which each rank holds a part. Collective over comm.
  static std::vector<int> map(TileGraph const& graph, std::vector<int> const& costs, std::vector<double> const& rates,
                              core::Comm const& comm) {
    int const parts = static_cast<int>(rates.size());
    std::vector<SCOTCH_Num> first(graph.first.begin(), graph.first.end());
    std::vector<SCOTCH_Num> neighbour(graph.neighbour.begin(), graph.neighbour.end());
    std::vector<SCOTCH_Num> cells(graph.cells.begin(), graph.cells.end());
    auto const rate_numbers = integers(rates, 1e4);
    std::vector<SCOTCH_Num> cost(costs.begin(), costs.end()), rate(rate_numbers.begin(), rate_numbers.end());
    std::vector<SCOTCH_Num> part(cost.size());
    auto const held = static_cast<SCOTCH_Num>(part.size()), edges = static_cast<SCOTCH_Num>(neighbour.size());

    SCOTCH_Context context;
    SCOTCH_Dgraph g, bound;
    SCOTCH_Arch arch;
    SCOTCH_Strat strategy;
    SCOTCH_contextInit(&context);
    SCOTCH_archInit(&arch);
    SCOTCH_stratInit(&strategy);
    // one thread and random numbers of our own: the same answer every time
    bool ok = SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
              SCOTCH_contextThreadSpawn(&context, 1, nullptr) == 0 && SCOTCH_contextRandomClone(&context) == 0 &&
              SCOTCH_archCmpltw(&arch, parts, rate.data()) == 0 &&
              SCOTCH_stratDgraphMapBuild(&strategy, SCOTCH_STRATQUALITY, comm.size(), parts, 0.01) == 0;
    SCOTCH_contextRandomSeed(&context, 1);
    SCOTCH_contextRandomReset(&context);
    SCOTCH_dgraphInit(&g, comm.handle());
    SCOTCH_dgraphInit(&bound, comm.handle());
    ok = !comm.any(!ok) &&
         !comm.any(SCOTCH_dgraphBuild(&g, 0, held, held, first.data(), nullptr, cost.data(), nullptr, edges, edges,
                                      neighbour.data(), nullptr, cells.data()) != 0) &&
         !comm.any(SCOTCH_contextBindDgraph(&context, &g, &bound) != 0) &&
         !comm.any(SCOTCH_dgraphMap(&bound, &arch, &strategy, part.data()) != 0);
    SCOTCH_dgraphExit(&bound);
    SCOTCH_dgraphExit(&g);
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&arch);
    SCOTCH_contextExit(&context);
    if (!ok) throw core::RunError(fmt::format("PT-Scotch could not map the tiles onto {} parts", parts));
    return {part.begin(), part.end()};
  }

  /// All owners on all ranks, from those that each rank found for the tiles it holds.
  static std::vector<int> everywhere(std::vector<int> const& part, int tiles, core::Comm const& comm) {
    std::vector<int> owners(tiles), counts, places;
    std::copy(part.begin(), part.end(), owners.begin() + first_tile(tiles, comm, comm.rank()));
    for (int r = 0; r < comm.size(); ++r) {
      places.push_back(static_cast<int>(sizeof(int)) * first_tile(tiles, comm, r));
      counts.push_back(static_cast<int>(sizeof(int)) * first_tile(tiles, comm, r + 1) - places.back());
    }
    comm.gather_in_place(reinterpret_cast<std::byte*>(owners.data()), counts, places);
    return owners;
  }

  Machine machine_;
};

[[maybe_unused]] static bool const added =
    Partitioners::add<PtScotch>("ptscotch", "the same by PT-Scotch: all ranks work on the graph together");

}  // namespace tessera::partition::methods
