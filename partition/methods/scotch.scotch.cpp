// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "partition/blocks.hpp"
#include "partition/machine.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <scotch.h>

namespace tessera::partition::methods {

/// Maps the tile graph with Scotch: vertex = tile weighted by its cost, edge = cells of the shared face, target =
/// complete graph weighted by rates (SCOTCH_archCmpltw): of the nodes first, then of what a node holds (see Machine).
/// Key: domains. Throws core::RunError if Scotch fails. The seed is reset, so the answer depends on the arguments alone.
///
/// Source: Pellegrini & Roman 1996, Scotch: a software package for static mapping by dual recursive bipartitioning.
class Scotch final : public Partitioner {
 public:
  explicit Scotch(core::Dictionary& dictionary) : machine_(coeffs(dictionary, "scotch")) {}

  std::vector<int> owners(core::Grid const& grid, Load const& load) const override {
    return machine_.owners(grid, load, map);
  }

 private:
  static std::vector<int> map(TileGraph const& graph, std::vector<double> const& costs,
                              std::vector<double> const& rates) {
    int const tiles = static_cast<int>(costs.size()), parts = static_cast<int>(rates.size());
    std::vector<SCOTCH_Num> const first(graph.first.begin(), graph.first.end());
    std::vector<SCOTCH_Num> const neighbour(graph.neighbour.begin(), graph.neighbour.end());
    std::vector<SCOTCH_Num> const cells(graph.cells.begin(), graph.cells.end());
    // Scotch counts in integers: keep the total well below 2^31
    auto const cost_numbers = integers(costs, 1e9 / tiles), rate_numbers = integers(rates, 1e4);
    std::vector<SCOTCH_Num> const cost(cost_numbers.begin(), cost_numbers.end());
    std::vector<SCOTCH_Num> const rate(rate_numbers.begin(), rate_numbers.end());

    SCOTCH_Context context;
    SCOTCH_Graph g, bound;
    SCOTCH_Arch arch;
    SCOTCH_Strat strategy;
    std::vector<SCOTCH_Num> part(tiles);
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
                    SCOTCH_archCmpltw(&arch, parts, rate.data()) == 0 &&
                    SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, parts, 0.01) == 0 &&
                    SCOTCH_contextBindGraph(&context, &g, &bound) == 0 &&
                    SCOTCH_graphMap(&bound, &arch, &strategy, part.data()) == 0;
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&arch);
    SCOTCH_graphExit(&bound);
    SCOTCH_graphExit(&g);
    SCOTCH_contextExit(&context);
    if (!ok) throw core::RunError(fmt::format("Scotch could not map {} tiles onto {} parts", tiles, parts));
    return {part.begin(), part.end()};
  }

  static bool clone_random(SCOTCH_Context& context) {
    bool const ok = SCOTCH_contextRandomClone(&context) == 0;
    SCOTCH_contextRandomSeed(&context, 1);
    SCOTCH_contextRandomReset(&context);
    return ok;
  }

  Machine machine_;
};

[[maybe_unused]] static bool const added =
    Partitioners::add<Scotch>("scotch", "graph of tiles mapped by Scotch, least cut");

}  // namespace tessera::partition::methods
