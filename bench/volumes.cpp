// SPDX-License-Identifier: Apache-2.0
// The exact backbone of volumes of n^3 cells, from the first layer to the last.
//   volumes random P | spheres POROSITY   N TILE NEIGHBOURS ROUNDS [serial | file NAME]
// spheres: pores between overlapping spheres of radius 10. TILE: cells an edge of a tile, 0: rows of up to 512 x 64 x 64 as
// runs have them. Prints, for all ranks it is started on, the time by the clock and of the busiest rank on the processor, and
// the largest and the sum of the ranks' peaks of memory, libraries and MPI included. serial: also one compact search, on one
// rank, and compares. file: writes the medium alone, a byte a cell.
#include "bench/measure.hpp"
#include "bench/spheres.hpp"
#include "bench/volume_search.hpp"
#include "ca/backbones.hpp"
#include "core/comm/runtime.hpp"
#include "core/grid/tile_shape.hpp"
#include "core/report.hpp"

#include <chrono>

namespace tessera::bench {

void fill_random(Bytes& field, double p) {
  core::Grid const& grid = field.layout().grid();
  core::Random const random{7, 0};
  auto const cells = field.host();
  core::for_each_on_host("random", field.layout(), [&](int slot, int k, int j, int i) {
    auto const number = static_cast<std::uint64_t>(grid.number(field.layout().info(slot).global(k, j, i)));
    cells(slot, k, j, i) = random.uniform(number) < p;
  });
}

int run(std::vector<std::string> const& args) {
  if (args.size() < 6) return 2;
  core::Comm const world;
  double const process = core::peak_memory();  // of a program that has begun, whatever it does
  core::Count const n = std::stoll(args[2]), edge = std::stoll(args[3]);
  core::Grid::Shape tile{edge, edge, edge};
  if (edge == 0) tile = core::choose_tile(core::TileUse::volumes, {n, n, n}, core::workers(world));
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit({n, n, n}, tile));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), world.size()), world);
  Bytes occupied("occupied", layout, 0);
  (args[0] == "spheres" ? fill_spheres : fill_random)(occupied, std::stod(args[1]));
  std::string const last = args.size() > 6 ? args[6] : "";
  if (last == "file") {
    write_bytes(args.at(7), bytes_of(occupied));
    return 0;
  }
  auto const lattice = ca::make_lattice("cubic", std::stoi(args[4]));
  auto const sites = static_cast<double>(grid->total());
  double const before = core::peak_memory();
  ca::Backbone found;
  for (int round = 0; round < std::stoi(args[5]); ++round) {
    found = {};
    world.barrier();
    auto const start = std::chrono::steady_clock::now();
    double const cpu = processor_seconds();
    found = ca::backbone_between(occupied, core::Side::back, core::Side::front, lattice,
                                 {.backbone = true, .articulation = false, .red = false});
    double const busiest = world.max(processor_seconds() - cpu);
    world.barrier();
    double const wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (world.root()) std::printf("tiles %.3f s by the clock, %.3f s of the busiest rank\n", wall, busiest);
  }
  double const peak = core::peak_memory(), largest = world.max(peak);
  auto const all = static_cast<double>(world.sum(static_cast<std::int64_t>(peak)));
  if (world.root())
    std::printf("tile %lld x %lld x %lld; backbone %lld, articulation %lld, red %lld; peak of a rank %.1f MB (%.2f B a "
                "site of its "
                "share, %.1f MB before the search, %.1f MB as a process), of all %.2f B a site\n",
                static_cast<long long>(tile[0]), static_cast<long long>(tile[1]), static_cast<long long>(tile[2]),
                static_cast<long long>(found.backbone_sites), static_cast<long long>(found.articulation_sites),
                static_cast<long long>(found.red_sites), largest / 1e6, largest * world.size() / sites, before / 1e6,
                process / 1e6, all / sites);
  if (last != "serial" || world.size() > 1) return 0;
  auto const medium = bytes_of(occupied);
  std::vector<std::uint8_t> expected;
  time_rounds("serial", 0, std::stoi(args[5]), [&] { expected = search_volume(medium, static_cast<int>(n)); });
  bool const same = expected == bytes_of(*found.backbone);
  std::printf("%s\n", same ? "the same backbone" : "DIFFERENT backbones");
  return same ? 0 : 1;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  return runtime.run([&] { return tessera::bench::run(std::vector<std::string>(argv + 1, argv + argc)); });
}
