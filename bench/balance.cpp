// SPDX-License-Identifier: Apache-2.0
// The partitioner and the balance logic on synthetic machines, without MPI: imbalance, edge cut and time of each decision.
//   build/release/bench/balance [--ranks 1000,10000,100000] [--tiles 16] [--scotch 1000] [--json FILE]
// Speeds of the ranks lie between 1 and 4. Scotch maps the tiles where ranks are no more than --scotch; beyond, tiles are
// shared by speed in raster order. Then: "start" is equal shares in raster order and what the balancer makes of them in
// windows of measured times (2 % noise); "slowed" is one rank in a hundred that falls to half its speed afterwards; "steady"
// is a window in which nothing needs to move. All is done for tiles of 16 x 16 and of 512 x 512 cells: a decision looks at
// tiles, so its time does not grow with the cells.
#include "core/comm/runtime.hpp"
#include "partition/rebalance.hpp"
#include "partition/summary.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

namespace tessera::bench {

using Json = nlohmann::ordered_json;

struct Machine {
  core::Grid grid;
  partition::Load load;
  std::vector<int> owners;
  std::mt19937_64 random{11};

  Machine(int ranks, int tiles_a_rank, core::Count side) : grid(make_grid(ranks, tiles_a_rank, side)) {
    load = partition::Load::by_cells(grid, ranks);
    std::uniform_real_distribution<double> speed(1, 4);
    for (double& rate : load.rank_rate) rate = speed(random);
  }
  static core::Grid make_grid(int ranks, int tiles_a_rank, core::Count side) {
    auto const width = static_cast<core::Count>(std::ceil(std::sqrt(double(ranks) * tiles_a_rank)));
    return core::Grid::unit({width * side, width * side, 1}, {side, side, 1});
  }
  std::vector<double> seconds(double noise) {
    auto result = partition::loads(load.tile_cost, owners, load.ranks());
    std::uniform_real_distribution<double> jitter(1 - noise, 1 + noise);
    for (std::size_t r = 0; r < result.size(); ++r) result[r] *= jitter(random) / load.rank_rate[r];
    return result;
  }
  double imbalance() {
    auto const s = seconds(0);
    return *std::max_element(s.begin(), s.end()) * double(s.size()) / std::accumulate(s.begin(), s.end(), 0.0) - 1;
  }
  /// Cut faces, in tile edges, so that sizes of tiles compare.
  double cut() const {
    auto const all = partition::summarize(grid, load, owners);
    double cells = 0;
    for (auto const& share : all) cells += double(share.cut);
    return cells / 2 / double(grid.tile()[0]);
  }
};

template <class F>
double seconds_of(F const& f) {
  auto const begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Study {
 public:
  Study(Machine machine, std::string method) : m_(std::move(machine)), method_(std::move(method)) {}

  Json run() {
    Json result{{"ranks", m_.load.ranks()}, {"tiles", m_.grid.tiles()}, {"cells", m_.grid.total()}};
    if (!method_.empty()) {
      auto dictionary = core::Dictionary::parse("", "bench");
      auto const partitioner = partition::Partitioners::make(method_, dictionary);
      double const s = seconds_of([&] { m_.owners = partitioner->owners(m_.grid, m_.load); });
      add(result, method_, s, 0, 0);
    }
    double const s = seconds_of([&] { m_.owners = partition::split_by_rate(m_.load.tile_cost, m_.load.rank_rate); });
    add(result, "byRate", s, 0, 0);
    m_.owners = partition::split_by_rate(m_.load.tile_cost, std::vector<double>(m_.load.rank_rate.size(), 1.0));
    partition::Balancer balancer(partition::tile_graph(m_.grid), m_.load.tile_cost, m_.owners, m_.load.ranks(), {});
    windows(result, "start", balancer);
    for (std::size_t r = 0; r < m_.load.rank_rate.size(); r += 100) m_.load.rank_rate[r] /= 2;
    windows(result, "slowed", balancer);
    windows(result, "steady", balancer);
    return result;
  }

 private:
  void windows(Json& result, char const* what, partition::Balancer& balancer) {
    double slowest = 0;
    int moves = 0;
    std::size_t moved = 0;
    for (int window = 0; window < 4; ++window) {
      auto const measured = m_.seconds(0.02);
      std::optional<std::vector<int>> next;
      slowest = std::max(slowest, seconds_of([&] { next = balancer.decide(measured, 1e6); }));
      if (!next) break;
      for (std::size_t t = 0; t < next->size(); ++t) moved += (*next)[t] != m_.owners[t];
      m_.owners = *next;
      balancer.moved(std::move(*next), 0.1);
      ++moves;
    }
    add(result, what, slowest, moves, moved);
  }
  void add(Json& result, std::string const& what, double seconds, int moves, std::size_t moved) {
    double const imbalance = m_.imbalance(), cut = m_.cut();
    fmt::print("{:>7} ranks {:>9} tiles of {:>3}^2  {:<8} {:>10.4f} s, imbalance {:>7.2f} %, cut {:>9.0f} tile edges, "
               "{} moves of {} tiles\n",
               m_.load.ranks(), m_.grid.tiles(), m_.grid.tile()[0], what, seconds, 100 * imbalance, cut, moves, moved);
    std::fflush(stdout);
    result[what] = {
        {"seconds", seconds}, {"imbalance", imbalance}, {"cut", cut}, {"moves", moves}, {"tilesMoved", moved}};
  }

  Machine m_;
  std::string method_;
};

}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  core::Runtime runtime(argc, argv);
  CLI::App app("balance on synthetic machines");
  std::vector<int> ranks{1000, 10'000, 100'000};
  int tiles = 16, scotch = 1000;
  std::string json;
  app.add_option("--ranks", ranks)->delimiter(',');
  app.add_option("--tiles", tiles, "a rank");
  app.add_option("--scotch", scotch, "most ranks for Scotch");
  app.add_option("--json", json);
  CLI11_PARSE(app, argc, argv);
  return runtime.run([&] {
    bench::Json all = bench::Json::array();
    for (int n : ranks)
      for (core::Count side : {16, 512})
        all.push_back(bench::Study(bench::Machine(n, tiles, side), n <= scotch ? "scotch" : "").run());
    if (!json.empty()) std::ofstream(json) << all.dump(2) << '\n';
    return core::Exit::done;
  });
}
