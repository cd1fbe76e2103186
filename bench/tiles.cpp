// SPDX-License-Identifier: Apache-2.0
// The automatic tile shape against an exhaustive sweep of shapes, on the ranks it is started on:
//   bench/tiles [kernels life,heat,labels,pcg_dic,multigrid] [sizes 512,2048,4096] [seconds 0.1] [rounds 7] [all no]
//               [clock wall] [tiles 512x128,1024x64] [keys ...]
// For each kernel and each square grid of so many cells a side: powers of two, rows of 64 cells and more, tiles of 16
// rows and more, up to the whole grid. Each shape is timed on a quick pass; the fastest five and the automatic one are
// then built anew and timed in turns, `rounds` times. Prints the least times (what other programs take of the machine
// only adds) and the ratio of the automatic shape to the best, as JSON too, and how many cases are within 10 %.
// `all yes` prints the quick pass as well. Solvers on 4096^2 cells and more leave out rows below 256 cells and tiles
// below 32 rows.
//
// life: the rule B3/S23; heat: the rule of explicit heat, sixteen generations, as many at once as pay; labels: clusters
// of a medium at p = 0.5927; pcg_dic and multigrid: a step of three buried cables (tests/support/heat.hpp) to 1e-6, of
// a day for multigrid and shorter for DIC, so that it takes some fifty iterations; on large grids the first ones of
// them (six and three on 4096^2). Times are of the wall (`clock processor`: of the processor, for one rank on a busy
// machine), without set-up.
#include "bench/measure.hpp"
#include "ca/automaton.hpp"
#include "ca/clusters.hpp"
#include "ca/engine/initial.hpp"
#include "ca/percolation.hpp"
#include "core/comm/runtime.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/tile_shape.hpp"
#include "tests/support/heat.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tessera::bench {

using Shape = core::Grid::Shape;

/// A kernel on one grid, cut into tiles of one shape.
class Work {
 public:
  virtual ~Work() = default;
  virtual void run() = 0;                  ///< the piece of work that is timed
  virtual int steps() const { return 1; }  ///< of it
  virtual void rewind() = 0;               ///< before each piece
  virtual Shape tile() const = 0;
};

struct Bump {
  core::FieldView<double> state;
  core::TileInfo const* info;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    core::Index const x = info[s].global(k, j, i);
    state(s, k, j, i) = x.i % 512 < 256 && x.j % 512 < 256 ? 1.0 : 0.0;
  }
};

class OnUnitGrid : public Work {
 public:
  /// A tile of {0, 0, 0} is the automatic one.
  OnUnitGrid(core::Count n, Shape tile, Shape automatic, core::Comm const& world)
      : grid_(std::make_shared<core::Grid const>(core::Grid::unit({n, n, 1}, tile[0] > 0 ? tile : automatic))),
        layout_(grid_, core::block_owners(grid_->tiles(), world.size()), world) {}
  void rewind() override {}
  Shape tile() const override { return grid_->tile(); }

 protected:
  std::shared_ptr<core::Grid const> grid_;
  core::Layout layout_;
};

class Automaton final : public OnUnitGrid {
 public:
  Automaton(std::string const& rule, core::Count n, Shape tile, core::Comm const& world)
      : OnUnitGrid(n, tile, core::choose_tile(core::TileUse::automata, {n, n, 1}, core::workers(world)), world),
        properties_(core::Dictionary::parse("diffusivity 0.2; deltaT 1;", "bench")),
        automaton_(ca::make_automaton(rule, properties_, layout_)) {
    automaton_->work_ahead(0);
    if (rule == "life") {
      auto& state = static_cast<core::Field<std::uint8_t>&>(automaton_->state());
      ca::fill_random(state, 0.35, core::Random{7, 0});
    } else {
      auto& state = static_cast<core::Field<double>&>(automaton_->state());
      core::for_each("bump", layout_.all(), Bump{state.view(), layout_.all().info.data()});
    }
  }
  void run() override {
    for (int n = 0; n < steps(); ++n) automaton_->step();
    automaton_->state();
  }
  int steps() const override { return 16; }

 private:
  core::Dictionary properties_;
  std::unique_ptr<ca::Automaton> automaton_;
};

class Labels final : public OnUnitGrid {
 public:
  Labels(core::Count n, Shape tile, core::Comm const& world)
      : OnUnitGrid(n, tile, core::choose_tile(core::TileUse::clusters, {n, n, 1}, core::workers(world)), world),
        mask_("mask", layout_, 0),
        finder_(layout_) {
    ca::fill_random(mask_, 0.5927, core::Random{7, 0});
  }
  void run() override { finder_.run(mask_, {.label = true}, found_); }

 private:
  core::Field<std::uint8_t> mask_;
  ca::ClusterFinder finder_;
  ca::ClusterResult found_;
};

/// One step of the cables, from the ambient temperature.
class Step final : public Work {
 public:
  Step(std::string const& kernel, core::Count n, Shape tile, core::Comm const& world, std::string const& keys)
      : cables_({n, n, 1}, tile, world),
        heat_(cables_.properties(), kernel == "multigrid" ? tests::Cables::day : 4e8 / static_cast<double>(n * n)) {
    // all shapes do the same work: large grids a few iterations of it
    auto const most = std::clamp<core::Count>(core::Count{100'000'000} / (n * n), 6, 1000);
    auto how = tests::settings(fmt::format("solver PCG; preconditioner {}; tolerance 1e-6; maxIter {}; {}",
                                           kernel == "multigrid" ? "multigrid" : "DIC",
                                           kernel == "multigrid" ? most / 2 : most, keys));
    solver_ = solvers::make_solver(heat_.matrix(), how);
  }
  void rewind() override { cables_.t.fill(tests::Cables::ambient); }
  void run() override { iterations_ = heat_.advance(*solver_, cables_.t).iterations; }
  Shape tile() const override { return cables_.grid->tile(); }

 private:
  tests::Cables cables_;
  solvers::Heat heat_;
  std::unique_ptr<solvers::LinearSolver> solver_;
  int iterations_ = 0;
};

struct Options {
  std::vector<std::string> kernels{"life", "heat", "labels", "pcg_dic", "multigrid"};
  std::vector<core::Count> sizes{512, 2048, 4096};
  double seconds = 0.1;
  int rounds = 7;
  bool all = false, processor = false;
  std::string keys;
  std::vector<Shape> tiles;  ///< instead of the sweep
};

std::unique_ptr<Work> make_work(std::string const& kernel, core::Count n, Shape tile, core::Comm const& world,
                                Options const& o) {
  if (kernel == "labels") return std::make_unique<Labels>(n, tile, world);
  if (kernel == "pcg_dic" || kernel == "multigrid") return std::make_unique<Step>(kernel, n, tile, world, o.keys);
  return std::make_unique<Automaton>(kernel, n, tile, world);
}

double now(Options const& o) {
  if (o.processor) return processor_seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of a step of the work: the least of `tries` times `pieces` pieces, after one that touches memory.
double time(Work& work, int pieces, int tries, core::Comm const& world, Options const& o) {
  double best = 1e30;
  for (int n = -1; n < tries * pieces; ++n) {
    work.rewind();
    world.barrier();
    double const start = now(o);
    work.run();
    double const seconds = world.max(now(o) - start) / work.steps();
    if (n >= 0) best = std::min(best, seconds);
  }
  return best;
}

std::vector<Shape> shapes(core::Count n, int ranks, bool solver) {
  std::vector<Shape> all;
  bool const large = solver && n >= 4096;
  for (core::Count x = n; x >= (large ? 256 : 64); x /= 2)
    for (core::Count y = n; y >= (large ? 32 : 16); y /= 2)
      if ((n / x) * (n / y) >= ranks) all.push_back({x, y, 1});
  return all;
}

/// Ratio of the automatic shape to the best.
double sweep(std::string const& kernel, core::Count n, core::Comm const& world, Options const& o) {
  int pieces = 1;
  {
    auto const work = make_work(kernel, n, {0, 0, 0}, world, o);
    pieces = static_cast<int>(std::clamp(o.seconds / (work->steps() * time(*work, 1, 2, world, o)), 1.0, 1e4));
  }
  std::map<double, Shape> quick;
  bool const solver = kernel == "pcg_dic" || kernel == "multigrid";
  for (Shape const& tile : o.tiles.empty() ? shapes(n, world.size(), solver) : o.tiles) {
    double const t = time(*make_work(kernel, n, tile, world, o), pieces, pieces > 1 ? 3 : 1, world, o);
    quick[t] = tile;
    if (o.all && world.root()) {
      fmt::print("  {:9} {:4} {:4} x {:4}: {:8.4f} ns a cell\n", kernel, n, tile[0], tile[1],
                 1e9 * t / static_cast<double>(n * n));
      std::fflush(stdout);
    }
  }
  std::vector<Shape> chosen{{0, 0, 0}};
  for (auto const& [t, tile] : quick)
    if (chosen.size() < 6) chosen.push_back(tile);
  std::vector<double> times(chosen.size(), 1e30);
  Shape automatic{};
  for (int round = 0; round < o.rounds; ++round)
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      auto const work = make_work(kernel, n, chosen[c], world, o);
      if (c == 0) automatic = work->tile();
      times[c] = std::min(times[c], time(*work, pieces, 2, world, o));
    }
  std::size_t best = 1;
  for (std::size_t c = 1; c < chosen.size(); ++c)
    if (times[c] < times[best]) best = c;
  double const ratio = times[0] / times[best];
  if (world.root()) {
    auto const ns = [&](std::size_t c) { return 1e9 * times[c] / static_cast<double>(n * n); };
    fmt::print(
        "{:9} {:4}^2, {} ranks: automatic {:4} x {:4} {:8.4f} ns a cell, best {:4} x {:4} {:8.4f}, ratio {:.3f}\n",
        kernel, n, world.size(), automatic[0], automatic[1], ns(0), chosen[best][0], chosen[best][1], ns(best), ratio);
    fmt::print("{{\"bench\": \"tiles\", \"kernel\": \"{}\", \"cells\": {}, \"ranks\": {}, \"automatic\": [{}, {}], "
               "\"best\": [{}, {}], \"nanoseconds\": {:.5g}, \"bestNanoseconds\": {:.5g}, \"ratio\": {:.4f}}}\n",
               kernel, n * n, world.size(), automatic[0], automatic[1], chosen[best][0], chosen[best][1], ns(0),
               ns(best), ratio);
    std::fflush(stdout);
  }
  return ratio;
}

int run(core::Comm const& world, Options const& o) {
  int within = 0, cases = 0;
  for (auto const& kernel : o.kernels)
    for (core::Count n : o.sizes) {
      within += sweep(kernel, n, world, o) <= 1.1;
      ++cases;
    }
  if (world.root()) fmt::print("within 10 % in {} of {}\n", within, cases);
  return 0;
}

std::vector<std::string> words(std::string const& list) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at <= list.size();) {
    std::size_t const comma = std::min(list.find(',', at), list.size());
    result.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return result;
}

Options parse(int argc, char** argv) {
  Options o;
  for (int n = 1; n + 1 < argc; n += 2) {
    std::string const name = argv[n], value = argv[n + 1];
    if (name == "kernels") o.kernels = words(value);
    if (name == "sizes") {
      o.sizes.clear();
      for (auto const& word : words(value)) o.sizes.push_back(std::stol(word));
    }
    if (name == "seconds") o.seconds = std::stod(value);
    if (name == "rounds") o.rounds = std::stoi(value);
    if (name == "all") o.all = value == "yes";
    if (name == "clock") o.processor = value == "processor";
    if (name == "keys") o.keys = value;
    if (name == "tiles")
      for (auto const& word : words(value))
        o.tiles.push_back({std::stol(word), std::stol(word.substr(word.find('x') + 1)), 1});
  }
  return o;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  return runtime.run([&] { return tessera::bench::run(runtime.world(), tessera::bench::parse(argc, argv)); });
}
