// SPDX-License-Identifier: Apache-2.0
// Our side of the benchmark percolation.
//   percolation_run grid L P SEED FILE          writes a framed random grid
//   percolation_run labels FILE L ROUNDS        times black with 4 and white with 8 neighbours, as `tessera run` finds them
//                                               (black4, white8); numbers of clusters
//   percolation_run backbone FILE L ROUNDS MASKS    times D1 and D2; masks to MASKS.D1 and MASKS.D2
//   percolation_run seed L P                    the first seed, from 1 on, whose grid spans
//   percolation_run memory L P SEED             bytes a cell of this process at its peak, after one backbone (D1)
//   percolation_run wall L P SEED ROUNDS        times by the clock on all ranks it is started on
#include "bench/measure.hpp"
#include "ca/clusters.hpp"
#include "ca/engine/initial.hpp"
#include "ca/percolation.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/tile_shape.hpp"

#include <chrono>
#include <map>
#include <sys/resource.h>

namespace tessera::bench {

struct Medium {
  std::shared_ptr<core::Grid const> grid;
  core::Layout layout;
  core::Field<std::uint8_t> occupied;

  explicit Medium(int side)
      : grid(std::make_shared<core::Grid const>(
            core::Grid::unit({side, side, 1}, core::choose_tile(core::TileUse::clusters, {side, side, 1},
                                                                core::workers(core::Comm()))))),
        layout(grid, core::block_owners(grid->tiles(), core::Comm().size()), core::Comm()),
        occupied("occupied", layout, 1) {}

  void draw(double p, std::uint64_t seed) {
    ca::fill_random(occupied, p, {seed, 0}, ca::interior(*grid));
    ca::frame(occupied, ca::Direction::y);
  }
};

/// Copies between a field on one rank and a grid's bytes.
template <class F>
void for_each_row(core::Layout const& layout, F const& f) {
  for (int slot = 0; slot < layout.tiles(); ++slot)
    for (int j = 0; j < layout.info(slot).nj; ++j)
      f(slot, j, static_cast<std::size_t>(layout.grid().number(layout.info(slot).global(0, j, 0))),
        static_cast<std::size_t>(layout.info(slot).ni));
}

std::vector<std::uint8_t> bytes_of(core::Field<std::uint8_t> const& field) {
  std::vector<std::uint8_t> bytes(field.layout().grid().total());
  auto const cells = field.host();
  for_each_row(field.layout(), [&](int slot, int j, std::size_t at, std::size_t n) {
    std::copy_n(cells.row(slot, 0, j), n, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  });
  return bytes;
}

std::unique_ptr<Medium> read_medium(std::string const& file, int side) {
  auto medium = std::make_unique<Medium>(side);
  auto const bytes = read_bytes(file, static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  auto const cells = medium->occupied.host();
  for_each_row(medium->layout, [&](int slot, int j, std::size_t at, std::size_t n) {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), n, cells.row(slot, 0, j));
  });
  return medium;
}

constexpr ca::PercolationOptions backbone_only(ca::Definition definition) {
  return {.definition = definition,
          .label = false,
          .spanning = false,
          .articulation = false,
          .red = false,
          .clusters = false};
}

constexpr ca::PercolationOptions labels_only{
    .label = true, .spanning = false, .backbone = false, .articulation = false, .red = false, .sizes = true};

/// What `tessera run` does for `fields (label); shortestPath no; backbone no;` once it has the medium: labels, numbers and sizes
/// of the clusters and whether they span, of square 4 in the plane and of square 8.
void labels(Medium& medium, int rounds) {
  // peers count the clusters of black sites with the bars
  std::printf("black4_clusters %lld\n",
              static_cast<long long>(ca::find_clusters(medium.occupied, {.axis = 1}).clusters));
  {
    ca::Percolator percolator(medium.layout);
    time_rounds("black4", 1, rounds, [&] { percolator.run(medium.occupied, labels_only); });
  }
  core::Field<std::uint8_t> white("white", medium.layout, 1);
  for_each_row(medium.layout, [&](int slot, int j, std::size_t, std::size_t n) {
    auto const from = std::as_const(medium.occupied).host();
    auto const to = white.host();
    for (std::size_t i = 0; i < n; ++i) to.row(slot, 0, j)[i] = from.row(slot, 0, j)[i] == 0 ? 1 : 0;
  });
  ca::ClusterFinder finder(medium.layout);
  ca::ClusterOptions const options{
      .lattice = ca::make_lattice("square", 8), .label = true, .spanning = false, .axis = 1};
  std::int64_t clusters = 0;
  time_rounds("white8", 1, rounds, [&] { clusters = finder.run(white, options).clusters; });
  std::printf("white8_clusters %lld\n", static_cast<long long>(clusters));
}

void backbone(Medium& medium, int rounds, std::string const& masks) {
  ca::Percolator percolator(medium.layout);
  for (auto definition : {ca::Definition::D1, ca::Definition::D2}) {
    std::string const name = definition == ca::Definition::D1 ? "D1" : "D2";
    ca::PercolationResult* result = nullptr;
    time_rounds(name, 1, rounds, [&] { result = &percolator.run(medium.occupied, backbone_only(definition)); });
    write_bytes(masks + "." + name, bytes_of(*result->backbone));
  }
}

void find_seed(int side, double p) {
  Medium medium(side);
  ca::Percolator percolator(medium.layout);
  ca::PercolationOptions options = backbone_only(ca::Definition::D1);
  options.backbone = false;
  for (int seed = 1;; ++seed) {
    medium.draw(p, static_cast<std::uint64_t>(seed));
    if (!percolator.run(medium.occupied, options).spans) continue;
    std::printf("seed %d\n", seed);
    return;
  }
}

void memory(int side, double p, std::uint64_t seed) {
  Medium medium(side);
  medium.draw(p, seed);
  auto const result = ca::percolate(medium.occupied, backbone_only(ca::Definition::D1));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("bytes %.4f\nspans %d\n", 1024.0 * static_cast<double>(usage.ru_maxrss) / (1.0 * side * side),
              result.spans ? 1 : 0);
}

void wall(int side, double p, std::uint64_t seed, int rounds) {
  Medium medium(side);
  medium.draw(p, seed);
  core::Comm const world;
  ca::Percolator percolator(medium.layout);
  for (int round = -1; round < rounds; ++round)
    for (bool label : {false, true}) {
      world.barrier();
      auto const start = std::chrono::steady_clock::now();
      percolator.run(medium.occupied, label ? labels_only : backbone_only(ca::Definition::D1));
      world.barrier();
      double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (round >= 0 && world.root()) std::printf("%s %.6f\n", label ? "labels" : "backbone", seconds);
    }
}

int run(std::vector<std::string> const& words) {
  auto const number = [&](std::size_t n) { return std::stoi(words.at(n)); };
  std::string const& mode = words.at(0);
  if (mode == "grid") {
    Medium medium(number(1));
    medium.draw(std::stod(words.at(2)), static_cast<std::uint64_t>(number(3)));
    write_bytes(words.at(4), bytes_of(medium.occupied));
  } else if (mode == "labels") {
    auto const medium = read_medium(words.at(1), number(2));
    labels(*medium, number(3));
  } else if (mode == "backbone") {
    backbone(*read_medium(words.at(1), number(2)), number(3), words.at(4));
  } else if (mode == "seed") {
    find_seed(number(1), std::stod(words.at(2)));
  } else if (mode == "memory") {
    memory(number(1), std::stod(words.at(2)), static_cast<std::uint64_t>(number(3)));
  } else if (mode == "wall") {
    wall(number(1), std::stod(words.at(2)), static_cast<std::uint64_t>(number(3)), number(4));
  } else {
    throw core::Error("expected grid, labels, backbone, seed, memory or wall, not '" + mode + "'");
  }
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  return runtime.run([&] { return tessera::bench::run(std::vector<std::string>(argv + 1, argv + argc)); });
}
