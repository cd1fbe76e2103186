// SPDX-License-Identifier: Apache-2.0
// Clusters of random grids on every lattice near its threshold, and of pores between spheres: million cells a second on one core,
// and the memory that the search takes.
//   build/release/bench/clusters [side of squares] [side of cubes]          (default 4096 256)
// Counts alone (number, sizes, spanning), and with labels. The peer, where python3 has scipy, is scipy.ndimage.label on
// a grid of the same size and density between our rounds; both count the processor time of their own process. Neighbours further
// away than it knows have none.
#include "ca/clusters.hpp"
#include "bench/measure.hpp"
#include "bench/spheres.hpp"
#include "ca/engine/initial.hpp"
#include "core/comm/runtime.hpp"
#include "core/grid/tile_shape.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace tessera::bench {

/// Offsets of a lattice's neighbours as scipy's structuring element, 3 x 3 or 3 x 3 x 3.
std::string structure(ca::Lattice const& lattice) {
  std::string bits(lattice.spatial() ? 27 : 9, '0');
  std::size_t const centre = bits.size() / 2;
  bits[centre] = '1';
  for (core::Index const& d : lattice.offsets()) bits[static_cast<core::Count>(centre) + d.i + 3 * d.j + 9 * d.k] = '1';
  return bits;
}

/// Million cells a second of scipy.ndimage.label on a random grid, or on the bytes of a file; 0 where there is no scipy. It
/// wants a structure that is symmetric about its centre: all our lattices are.
double scipy_rate(ca::Lattice const& lattice, core::Grid::Shape const& n, double p, std::string const& file) {
  char const* const program = R"(
import sys, time
try:
  import numpy, scipy.ndimage as nd
except ImportError:
  print(0); sys.exit()
bits, shape, p, file = sys.argv[1], [int(x) for x in sys.argv[2].split(',')], float(sys.argv[3]), sys.argv[4]
s = numpy.array([int(c) for c in bits]).reshape([3] * (3 if len(bits) == 27 else 2))
if file == '-':
  a = (numpy.random.default_rng(7).random(shape, dtype=numpy.float32) < p).astype(numpy.uint8)
else:
  a = numpy.fromfile(file, dtype=numpy.uint8).reshape(shape)
out = numpy.zeros(shape, numpy.int32)
best = 1e9
for _ in range(4):
  t = time.process_time(); nd.label(a, s, out); best = min(best, time.process_time() - t)
print(1e-6 * a.size / best)
)";
  std::string const shape = n[2] > 1 ? fmt::format("{},{},{}", n[2], n[1], n[0]) : fmt::format("{},{}", n[1], n[0]);
  // the first python3 that has scipy
  std::string const command =
      fmt::format("for python in python3 /usr/bin/python3; do $python -c 'import scipy' 2>/dev/null && break; done; "
                  "$python -c \"{}\" {} {} {:.7f} {} 2>/dev/null",
                  program, structure(lattice), shape, p, file.empty() ? "-" : file);
  FILE* const pipe = popen(command.c_str(), "r");
  double rate = 0;
  if (pipe == nullptr) return 0;
  if (std::fscanf(pipe, "%lf", &rate) != 1) rate = 0;
  pclose(pipe);
  return rate;
}

struct Case {
  std::string name;
  ca::Lattice lattice;
  double p;
  bool pores = false;  ///< between spheres, of porosity p
};

Case named(std::string const& name, int connectivity, double p) {
  return {name, ca::make_lattice(name, connectivity), p};
}

/// A file of these bytes, if there are any, while it lives.
class Medium {
 public:
  explicit Medium(std::vector<std::uint8_t> const& bytes) {
    if (bytes.empty()) return;
    file_ = std::filesystem::temp_directory_path() / fmt::format("tessera_clusters_{}", getpid());
    write_bytes(file_, bytes);
  }
  ~Medium() {
    if (!file_.empty()) std::filesystem::remove(file_);
  }
  Medium(Medium const&) = delete;
  Medium& operator=(Medium const&) = delete;
  std::string const& file() const { return file_; }

 private:
  std::string file_;
};

void measure(core::Comm const& world, Case const& at, core::Grid::Shape const& n) {
  ca::Lattice const& lattice = at.lattice;
  auto const use = n[2] > 1 ? core::TileUse::volumes : core::TileUse::clusters;  // as runs have them
  auto const tile = core::choose_tile(use, n, core::workers(world));
  auto const grid = std::make_shared<core::Grid const>(core::Grid::unit(n, tile));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), world.size()), world);
  Bytes cells("cells", layout, 0);
  if (at.pores)
    fill_spheres(cells, at.p);
  else
    ca::fill_random(cells, at.p, {7, 0});
  ca::ClusterFinder finder(layout);
  ca::ClusterResult counts, labelled;
  std::array<double, 2> best{1e9, 1e9};
  auto const rounds = [&](int times) {
    for (int round = 0; round < times; ++round)
      for (int q = 0; q < 2; ++q) {
        double const start = processor_seconds();
        finder.run(cells, {.lattice = lattice, .label = q == 1}, q == 1 ? labelled : counts);
        best[q] = std::min(best[q], processor_seconds() - start);
      }
  };
  rounds(4);
  Medium const medium(at.pores ? bytes_of(cells) : std::vector<std::uint8_t>{});
  double const peer = lattice.listed ? 0 : scipy_rate(lattice, n, at.p, medium.file());
  rounds(3);
  double const cells_here = 1e-6 * static_cast<double>(layout.cells());
  fmt::print("{:<10} {:>2}  {} x {} x {}  p = {:.6f}: {:>5.0f} Mcells/s, with labels {:>5.0f}", at.name,
             lattice.connectivity, n[0], n[1], n[2], at.p, cells_here / best[0], cells_here / best[1]);
  if (peer > 0)
    fmt::print(", scipy {:.0f}, ratio {:.1f}", peer, cells_here / best[1] / peer);
  else if (!lattice.listed)
    fmt::print("; the peer is missing: install python3-scipy");
  fmt::print(", {:.2f} B a cell\n", static_cast<double>(finder.bytes()) / static_cast<double>(layout.cells()));
  std::fflush(stdout);
}

int run(core::Comm const& world, core::Count square, core::Count cube) {
  for (Case const& at : {named("square", 4, 0.592746), named("square", 8, 0.407254), named("triangular", 6, 0.5)})
    measure(world, at, {square, square, 1});
  for (Case const& at :
       {named("cubic", 6, 0.311608), named("cubic", 6, 0.5), named("cubic", 18, 0.137), named("cubic", 26, 0.097)})
    measure(world, at, {cube, cube, cube});
  measure(world, {"pores", ca::make_lattice("cubic", 6), 0.35, true}, {cube, cube, cube});
  using Steps = std::vector<core::Index>;
  Steps const third{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, -1, 0}, {2, 0, 0}, {0, 2, 0}},
      knights{{1, 2, 0}, {2, 1, 0}, {-1, 2, 0}, {-2, 1, 0}},
      fourth{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
  measure(world, {"third", ca::make_lattice(third), 0.2892}, {square, square, 1});
  measure(world, {"knights", ca::make_lattice(knights), 0.4}, {square, square, 1});
  measure(world, {"fourth", ca::make_lattice(fourth), 0.1504}, {cube, cube, cube});
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  auto const square = argc > 1 ? std::max(3, std::atoi(argv[1])) : 4096;
  auto const cube = argc > 2 ? std::max(3, std::atoi(argv[2])) : 256;
  return runtime.run([&] { return tessera::bench::run(runtime.world(), square, cube); });
}
