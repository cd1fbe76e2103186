// SPDX-License-Identifier: Apache-2.0
#include "partition/blocks.hpp"

namespace tessera::partition::methods {

/// Cuts every axis once, through the whole grid, into n = (px py pz) slabs whose cost follows the rates of their ranks.
///
/// Rank of part (x, y, z): (z py + y) px + x. Keys: `simpleCoeffs { n (px py pz); }`, by default as square as can be.
/// Source: OpenFOAM's `simple` decomposition, which ignores weights.
class Simple final : public Partitioner {
 public:
  explicit Simple(core::Dictionary& dictionary) : blocks_(coeffs(dictionary, "simple")) {}

  std::vector<int> owners(core::Grid const& grid, Load const& load) const override {
    auto const parts = blocks_.parts(grid, load.ranks());
    auto const lattice = grid.tile_lattice();
    std::array<std::vector<int>, 3> part;
    for (std::size_t a = 0; a < 3; ++a) {
      std::vector<double> cost(lattice[a]), rate(static_cast<std::size_t>(parts[a]));
      for (int t = 0; t < grid.tiles(); ++t) cost[along(grid.tile_position(t), a)] += load.tile_cost[t];
      for (int r = 0; r < load.ranks(); ++r) {
        core::Index const p{r % parts[0], r / parts[0] % parts[1], r / (parts[0] * parts[1])};
        rate[along(p, a)] += load.rank_rate[r];
      }
      part[a] = split_by_rate(cost, rate);
    }
    std::vector<int> owners(grid.tiles());
    for (int t = 0; t < grid.tiles(); ++t) {
      core::Index const p = grid.tile_position(t);
      owners[t] = (part[2][along(p, 2)] * parts[1] + part[1][along(p, 1)]) * parts[0] + part[0][along(p, 0)];
    }
    give_every_rank_a_tile(owners, load.ranks());
    return owners;
  }

 private:
  static std::size_t along(core::Index const& p, std::size_t axis) {
    return static_cast<std::size_t>(core::along(p, axis));
  }
  Blocks blocks_;
};

[[maybe_unused]] static bool const added = Partitioners::add<Simple>("simple", "slabs along each axis, n (px py pz)");

}  // namespace tessera::partition::methods
