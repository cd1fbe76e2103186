// SPDX-License-Identifier: Apache-2.0
#include "partition/machine.hpp"

#include "core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <numeric>

namespace tessera::partition {
namespace {

std::size_t at(int n) { return static_cast<std::size_t>(n); }

}  // namespace

std::vector<std::vector<int>> split(std::vector<int> const& ranks, Machine::Level const& domain) {
  std::map<int, std::size_t> number;
  std::vector<std::vector<int>> groups;
  for (int rank : ranks) {
    auto const [place, fresh] = number.try_emplace(domain[at(rank)], groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(rank);
  }
  return groups;
}

std::vector<std::vector<int>> tiles_of_groups(std::vector<int> const& group_of_tile,
                                              std::vector<std::vector<int>> const& groups) {
  std::vector<std::vector<int>> result(groups.size());
  for (std::size_t n = 0; n < group_of_tile.size(); ++n) result[at(group_of_tile[n])].push_back(static_cast<int>(n));
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (result[g].size() < groups[g].size()) return {};
  return result;
}

std::vector<double> rates_of_groups(std::vector<std::vector<int>> const& groups, Load const& load) {
  std::vector<double> rates;
  for (auto const& group : groups)
    rates.push_back(std::accumulate(group.begin(), group.end(), 0.0,
                                    [&](double sum, int rank) { return sum + load.rank_rate[at(rank)]; }));
  return rates;
}

Machine::Machine(core::Dictionary* coeffs) {
  if (!coeffs || !coeffs->contains("domains")) return;
  given_ = coeffs->get<std::vector<int>>("domains");
  where_ = coeffs->location("domains");
  for (int n : given_)
    if (n < 1)
      coeffs->fail("domains",
                   fmt::format("the domains are ({}), expected positive numbers, nodes first", fmt::join(given_, " ")));
}

std::vector<Machine::Level> Machine::levels(Load const& load) const {
  int const ranks = load.ranks();
  std::vector<Level> all = load.domains;
  if (!given_.empty()) {
    int const product = std::accumulate(given_.begin(), given_.end(), 1, std::multiplies<>());
    if (product != ranks)
      throw core::Error(
          fmt::format("{}: domains ({}) make {} ranks, expected {}", where_, fmt::join(given_, " "), product, ranks));
    all.clear();
    for (int size = ranks; int const domains : given_) {
      size /= domains;
      Level& level = all.emplace_back();
      for (int rank = 0; rank < ranks; ++rank) level.push_back(rank / size);
    }
  }
  std::vector<int> everyone(at(ranks));
  std::iota(everyone.begin(), everyone.end(), 0);
  std::erase_if(all, [&](Level const& level) {
    core::expect(level.size() == everyone.size(), "a level of the machine does not have all ranks");
    auto const groups = split(everyone, level).size();
    return groups == 1 || groups == everyone.size();
  });
  return all;
}

std::vector<int> Machine::owners(core::Grid const& grid, Load const& load, FlatMap const& map) const {
  std::vector<int> tiles(at(grid.tiles())), ranks(at(load.ranks())), owners(tiles.size(), 0);
  std::iota(tiles.begin(), tiles.end(), 0);
  std::iota(ranks.begin(), ranks.end(), 0);
  LevelMap(grid, load, levels(load), map).share(tiles, ranks, 0, owners);
  give_every_rank_a_tile(owners, load.ranks());
  return owners;
}

void LevelMap::share(std::vector<int> const& tiles, std::vector<int> const& ranks, std::size_t level,
                     std::vector<int>& owners) const {
  bool const single = level == levels_.size();
  std::vector<std::vector<int>> groups;
  if (single)
    for (int rank : ranks) groups.push_back({rank});
  else
    groups = split(ranks, levels_[level]);
  if (groups.size() == 1) {
    if (!single) return share(tiles, ranks, level + 1, owners);
    for (int tile : tiles) owners[at(tile)] = ranks.front();
    return;
  }
  std::vector<double> costs;
  for (int tile : tiles) costs.push_back(load_.tile_cost[at(tile)]);
  auto const parts = tiles.size() < groups.size()
                         ? std::vector<int>(tiles.size(), 0)
                         : map_(tile_graph(grid_, tiles), costs, rates_of_groups(groups, load_));
  if (single) {
    for (std::size_t n = 0; n < tiles.size(); ++n) owners[at(tiles[n])] = ranks[at(parts[n])];
    return;
  }
  auto theirs = tiles_of_groups(parts, groups);
  if (theirs.empty()) return share(tiles, ranks, level + 1, owners);
  for (auto& group : theirs)
    for (int& tile : group) tile = tiles[at(tile)];
  for (std::size_t g = 0; g < groups.size(); ++g) share(theirs[g], groups[g], level + 1, owners);
}

}  // namespace tessera::partition
