// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "partition/partitioner.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <ptscotch.h>

namespace tessera::partition::methods {

/// Maps the tile graph onto the ranks with PT-Scotch: as `scotch`, but all ranks of the run hold a part of the graph and
/// work on it together. For graphs that are large for one rank; the cut is a few percent longer than that of `scotch`.
/// The answer depends on the arguments and the number of ranks that work. Keys: none.
/// Throws core::RunError on all ranks if PT-Scotch fails.
///
/// Source: Chevalier & Pellegrini 2008, Parallel Computing 34:318.
class PtScotch final : public Partitioner {
 public:
  explicit PtScotch(core::Dictionary&) {}

  std::vector<int> owners(core::Grid const& grid, Load const& load) const override {
    return *owners_by_all(grid, load, core::Comm(MPI_COMM_SELF));
  }

  std::optional<std::vector<int>> owners_by_all(core::Grid const& grid, Load const& load,
                                                core::Comm const& comm) const override {
    int const tiles = grid.tiles(), ranks = load.ranks();
    std::vector<int> owners(static_cast<std::size_t>(tiles), 0);
    if (ranks > 1 && tiles >= ranks) owners = map(grid, load, comm);
    give_every_rank_a_tile(owners, ranks);
    return owners;
  }

 private:
  /// The tiles that each rank holds: contiguous parts.
  static int first_tile(int tiles, core::Comm const& comm, int rank) {
    return static_cast<int>(core::Count{tiles} * rank / comm.size());
  }

  static std::vector<int> map(core::Grid const& grid, Load const& load, core::Comm const& comm) {
    int const tiles = grid.tiles(), ranks = load.ranks();
    int const mine = first_tile(tiles, comm, comm.rank()), end = first_tile(tiles, comm, comm.rank() + 1);
    auto const graph = tile_graph(grid, mine, end);
    std::vector<SCOTCH_Num> first(graph.first.begin(), graph.first.end());
    std::vector<SCOTCH_Num> neighbour(graph.neighbour.begin(), graph.neighbour.end());
    std::vector<SCOTCH_Num> cells(graph.cells.begin(), graph.cells.end());
    // as in `scotch`: the total stays well below 2^31
    auto const costs = integers(load.tile_cost, 1e9 / tiles), rates = integers(load.rank_rate, 1e4);
    std::vector<SCOTCH_Num> cost(costs.begin() + mine, costs.begin() + end), rate(rates.begin(), rates.end());
    std::vector<SCOTCH_Num> part(static_cast<std::size_t>(end - mine));
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
              SCOTCH_archCmpltw(&arch, ranks, rate.data()) == 0 &&
              SCOTCH_stratDgraphMapBuild(&strategy, SCOTCH_STRATQUALITY, comm.size(), ranks, 0.01) == 0;
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
    if (!ok) throw core::RunError(fmt::format("PT-Scotch could not map {} tiles onto {} ranks", tiles, ranks));
    return everywhere(std::vector<int>(part.begin(), part.end()), tiles, comm);
  }

  /// All owners on all ranks, from those that each rank found for the tiles it holds.
  static std::vector<int> everywhere(std::vector<int> const& part, int tiles, core::Comm const& comm) {
    std::vector<int> owners(static_cast<std::size_t>(tiles)), counts, places;
    std::copy(part.begin(), part.end(), owners.begin() + first_tile(tiles, comm, comm.rank()));
    for (int r = 0; r < comm.size(); ++r) {
      places.push_back(static_cast<int>(sizeof(int)) * first_tile(tiles, comm, r));
      counts.push_back(static_cast<int>(sizeof(int)) * first_tile(tiles, comm, r + 1) - places.back());
    }
    comm.gather_in_place(reinterpret_cast<std::byte*>(owners.data()), counts, places);
    return owners;
  }
};

[[maybe_unused]] static bool const added =
    Partitioners::add<PtScotch>("ptscotch", "the same by PT-Scotch: all ranks work on the graph together");

}  // namespace tessera::partition::methods
