// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "partition/partitioner.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <numeric>
#include <scotch.h>

namespace tessera::partition::methods {

/// Maps the tile graph onto the ranks with Scotch: vertex = tile weighted by its cost, edge = cells of the shared face,
/// target = complete graph of ranks weighted by their rates (SCOTCH_archCmpltw). Keys: none.
/// Throws core::RunError if Scotch fails. The seed is reset, so the answer depends on the arguments alone.
///
/// Source: Pellegrini & Roman 1996, Scotch: a software package for static mapping by dual recursive bipartitioning.
class Scotch final : public Partitioner {
 public:
  explicit Scotch(core::Dictionary&) {}

  std::vector<int> owners(core::Grid const& grid, Load const& load) const override {
    int const tiles = grid.tiles(), ranks = load.ranks();
    if (ranks == 1 || tiles < ranks) {
      std::vector<int> owners(static_cast<std::size_t>(tiles), 0);
      give_every_rank_a_tile(owners, ranks);
      return owners;
    }
    auto const graph = tile_graph(grid);
    std::vector<SCOTCH_Num> const first(graph.first.begin(), graph.first.end());
    std::vector<SCOTCH_Num> const neighbour(graph.neighbour.begin(), graph.neighbour.end());
    std::vector<SCOTCH_Num> const cells(graph.cells.begin(), graph.cells.end());
    // Scotch counts in integers: keep the total well below 2^31
    auto const costs = integers(load.tile_cost, 1e9 / tiles), rates = integers(load.rank_rate, 1e4);
    std::vector<SCOTCH_Num> const cost(costs.begin(), costs.end()), rate(rates.begin(), rates.end());

    SCOTCH_Context context;
    SCOTCH_Graph g, bound;
    SCOTCH_Arch arch;
    SCOTCH_Strat strategy;
    std::vector<SCOTCH_Num> part(static_cast<std::size_t>(tiles));
    SCOTCH_contextInit(&context);
    SCOTCH_graphInit(&g);
    SCOTCH_graphInit(&bound);
    SCOTCH_archInit(&arch);
    SCOTCH_stratInit(&strategy);
    // Scotch 7 maps with threads, whose order changes the answer unless it is told otherwise; the random numbers are ours
    bool const ok = SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
                    SCOTCH_contextThreadSpawn(&context, 1, nullptr) == 0 && clone_random(context) &&
                    SCOTCH_graphBuild(&g, 0, tiles, first.data(), nullptr, cost.data(), nullptr,
                                      static_cast<SCOTCH_Num>(neighbour.size()), neighbour.data(), cells.data()) == 0 &&
                    SCOTCH_archCmpltw(&arch, ranks, rate.data()) == 0 &&
                    SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, ranks, 0.01) == 0 &&
                    SCOTCH_contextBindGraph(&context, &g, &bound) == 0 &&
                    SCOTCH_graphMap(&bound, &arch, &strategy, part.data()) == 0;
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&arch);
    SCOTCH_graphExit(&bound);
    SCOTCH_graphExit(&g);
    SCOTCH_contextExit(&context);
    if (!ok) throw core::RunError(fmt::format("Scotch could not map {} tiles onto {} ranks", tiles, ranks));
    std::vector<int> owners(part.begin(), part.end());
    give_every_rank_a_tile(owners, ranks);
    return owners;
  }

 private:
  static bool clone_random(SCOTCH_Context& context) {
    bool const ok = SCOTCH_contextRandomClone(&context) == 0;
    SCOTCH_contextRandomSeed(&context, 1);
    SCOTCH_contextRandomReset(&context);
    return ok;
  }
};

[[maybe_unused]] static bool const added =
    Partitioners::add<Scotch>("scotch", "graph of tiles mapped by Scotch, least cut");

}  // namespace tessera::partition::methods
