// SPDX-License-Identifier: Apache-2.0
#include "partition/blocks.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tessera::partition::methods {

/// Cuts one axis after another: first into slabs, then each slab for itself along the next axis, and so on, so that
/// costs follow the rates better than with `simple`.
///
/// Keys: `hierarchicalCoeffs { n (px py pz); order xyz; }`; by default as square as can be, order xyz.
/// Source: OpenFOAM's `hierarchical` decomposition.
class Hierarchical final : public Partitioner {
 public:
  explicit Hierarchical(core::Dictionary& dictionary) : blocks_(coeffs(dictionary, "hierarchical")) {
    auto* own = coeffs(dictionary, "hierarchical");
    if (own) order_ = own->get_choice("order", {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}, "xyz");
  }

  std::vector<int> owners(core::Grid const& grid, Load const& load) const override {
    auto const parts = blocks_.parts(grid, load.ranks());
    std::vector<int> owners(grid.tiles());
    std::vector<int> tiles(owners.size()), ranks(static_cast<std::size_t>(load.ranks()));
    std::iota(tiles.begin(), tiles.end(), 0);
    std::iota(ranks.begin(), ranks.end(), 0);
    cut(grid, load, parts, 0, tiles, ranks, owners);
    give_every_rank_a_tile(owners, load.ranks());
    return owners;
  }

 private:
  void cut(core::Grid const& grid, Load const& load, std::array<int, 3> const& parts, std::size_t level,
           std::vector<int> const& tiles, std::vector<int> const& ranks, std::vector<int>& owners) const {
    if (level == 3) {
      for (int t : tiles) owners[t] = ranks.front();
      return;
    }
    std::size_t const axis = static_cast<std::size_t>(order_[level] - 'x');
    std::size_t const n = static_cast<std::size_t>(parts[axis]), each = ranks.size() / n;
    auto const position = [&](int t) { return static_cast<std::size_t>(core::along(grid.tile_position(t), axis)); };
    std::vector<double> cost(grid.tile_lattice()[axis]), rate(n);
    for (int t : tiles) cost[position(t)] += load.tile_cost[t];
    for (std::size_t r = 0; r < ranks.size(); ++r) rate[r / each] += load.rank_rate[ranks[r]];
    auto const part = split_by_rate(cost, rate);
    for (std::size_t q = 0; q < n; ++q) {
      std::vector<int> inside;
      std::copy_if(tiles.begin(), tiles.end(), std::back_inserter(inside),
                   [&](int t) { return part[position(t)] == static_cast<int>(q); });
      auto const first = ranks.begin() + static_cast<std::ptrdiff_t>(q * each);
      cut(grid, load, parts, level + 1, inside, {first, first + static_cast<std::ptrdiff_t>(each)}, owners);
    }
  }

  Blocks blocks_;
  std::string order_ = "xyz";
};

[[maybe_unused]] static bool const added =
    Partitioners::add<Hierarchical>("hierarchical", "axis by axis, each part cut for itself, n (px py pz), order xyz");

}  // namespace tessera::partition::methods
