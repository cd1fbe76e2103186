// SPDX-License-Identifier: Apache-2.0
// Iterations, times and memory of PCG with multigrid on three buried cables (tests/support/heat.hpp), on the ranks it
// is started on.
//   bench/multigrid table [groups "sizes tiles ratios shells stretched graded solid"] [cells at most 1e9]
// prints a row for each mesh with the iterations of the first step and on average, their limits and a verdict; exit
// code 4 where a limit is passed. 10 steps of a day; stretched and graded meshes one, in 3-D the steady state. `cells`
// leaves out larger meshes: with 3e6 some minutes, without it memory for 17 million cells (6 GB) and half an hour. One
// mesh:
//   bench/multigrid [cells NXxNYxNZ] [tile TXxTYxTZ] [medium cable|uniform] [lambda 384] [steps 10] [dt 86400]
//                   [grading GX,GY,GZ] [size X,Y,Z] [radius 0.02] [shell 0.045] [keys "..."]
#include "bench/solvers_cables.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"

#include <array>
#include <cmath>
#include <malloc.h>
#include <map>

namespace tessera::bench {

/// Iterations at most, in the first step and on average; 0: no limit.
struct Limits {
  int first = 0;
  double mean = 0;
};

struct Study {
  core::Grid::Shape cells{1128, 903, 1}, tile{0, 0, 0};
  std::string medium = "cable", keys = {};
  double lambda = 384, dt = 86400, radius = 0.020, shell = 0.045;
  int steps = 10;
  std::array<double, 3> grading{1, 1, 1}, size{2, 1.6, 0.01};
  Limits limits = {};
};

struct Outcome {
  int first;
  double mean, set_up, step, bytes_a_cell;  // seconds of the processor; a step without set-up
  std::string hash;
};

/// Makes the largest memory count from here on, where the system lets it; returns what is in use now [bytes], of all ranks.
double forget_memory(core::Comm const& world) {
  malloc_trim(0);  // what an earlier mesh left
  if (std::FILE* const f = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", f);
    std::fclose(f);
  }
  return memory(world);
}

/// Of the processor, so that other work on the machine counts little.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Outcome run(core::Comm const& world, Study const& s) {
  double const before = forget_memory(world);
  std::array<core::Axis, 3> axes;
  for (std::size_t d = 0; d < 3; ++d) axes[d] = core::Axis::make_graded(s.cells[d], 0, s.size[d], s.grading[d]);
  auto const grid = std::make_shared<core::Grid const>(axes, s.tile);
  core::Layout const layout(grid, core::block_owners(grid->tiles(), world.size()), world);
  core::Field<double> lambda("lambda", layout, 1, 1.0), rho_c("rhoC", layout, 1, 2.4e6), q("q", layout, 1, 0.0),
      t("T", layout, 1, 293.15);
  auto const choose = [&](std::array<double, 3> const& x, double conductor, double insulation, double soil) {
    for (double centre : {0.4, 0.5, 0.6}) {
      double const dx = x[0] - centre * s.size[0], dy = x[1] - 0.5625 * s.size[1], r = std::hypot(dx, dy);
      if (r < s.radius) return conductor;
      if (r < s.shell) return insulation;
    }
    return soil;
  };
  bool const cable = s.medium == "cable";
  if (cable) tests::at_centres(lambda, [&](auto const& x, double& v) { v = choose(x, s.lambda, 0.286, 1); });
  tests::at_centres(q, [&](auto const& x, double& v) { v = cable ? choose(x, 24000, 0, 0) : 1; });
  auto sides = tests::around(tests::fixed(293.15));
  if (s.cells[2] > 1) sides[4] = sides[5] = cable ? tests::insulated() : tests::fixed(293.15);
  solvers::Heat heat({lambda, rho_c, q, sides}, s.dt);
  auto how = tests::settings("solver PCG; tolerance 1e-6; preconditioner { preconditioner multigrid; " + s.keys + "} ");
  auto const solver = solvers::make_solver(heat.matrix(), how);
  Outcome o{};
  double first_step = 0;
  o.step = 1e9;
  for (int step = 0; step < s.steps; ++step) {
    double const start = processor_seconds();
    auto const p = heat.advance(*solver, t);
    double const spent = processor_seconds() - start;
    if (!p.converged) throw core::RunError(fmt::format("step {} did not converge: {:.2e}", step, p.final));
    if (step == 0) {
      o.first = p.iterations;
      first_step = spent;
    } else {
      o.step = std::min(o.step, spent);
    }
    o.mean += static_cast<double>(p.iterations) / s.steps;
  }
  if (s.steps == 1) o.step = first_step;
  o.set_up = first_step;
  o.bytes_a_cell = (memory(world) - before) / static_cast<double>(grid->total());
  o.hash = core::hash(t);
  return o;
}

/// The rows of a group of the table.
std::vector<Study> group(std::string const& name) {
  std::vector<Study> rows;
  Limits const square{10, 5}, thin{14, 0};
  std::array<double, 3> const box{2, 1.6, 1.6};
  if (name == "sizes")
    for (core::Grid::Shape cells :
         {core::Grid::Shape{564, 452, 1}, {1128, 903, 1}, {1600, 1280, 1}, {2264, 1812, 1}, {3200, 2560, 1}})
      for (double conductor : {384.0, 8580.0}) rows.push_back({.cells = cells, .lambda = conductor, .limits = square});
  else if (name == "tiles")
    for (core::Grid::Shape tile :
         {core::Grid::Shape{512, 128, 1}, {1128, 903, 1}, {64, 64, 1}, {65, 65, 1}, {37, 53, 1}})
      rows.push_back({.tile = tile, .limits = square});
  else if (name == "ratios")
    for (double conductor : {0.001, 0.1, 1.0, 10.0, 384.0, 8580.0, 114400.0})  // the last is 4e5 times the insulation
      rows.push_back({.lambda = conductor, .limits = conductor > 1e5 ? Limits{0, 9} : square});
  else if (name == "shells")
    for (double cells_thick : {1.0, 2.0, 3.0, 5.0, 10.0, 20.0})
      for (double conductor : {384.0, 8580.0})
        rows.push_back({.lambda = conductor, .shell = 0.02 + cells_thick * 2 / 1128, .limits = square});
  else if (name == "stretched")
    for (double aspect : {1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 30.0, 50.0, 100.0})
      for (double ratio : {aspect, 1 / aspect})
        for (double conductor : {384.0, 8580.0}) {
          auto const nx = static_cast<core::Count>(std::lround(std::sqrt(250000 * 1.25 / ratio))),
                     ny = static_cast<core::Count>(std::lround(static_cast<double>(nx) * ratio / 1.25));
          rows.push_back({.cells = {nx, ny, 1}, .lambda = conductor, .steps = 1, .limits = thin});
        }
  else if (name == "graded")
    for (std::array<double, 3> grading :
         {std::array<double, 3>{10, 1, 1}, {100, 1, 1}, {1, 100, 1}, {10, 10, 1}, {100, 100, 1}, {100, 0.01, 1}})
      for (double conductor : {384.0, 8580.0})
        rows.push_back({.cells = {564, 452, 1}, .lambda = conductor, .steps = 1, .grading = grading, .limits = thin});
  else if (name == "solid")
    for (core::Count n : {128, 256})
      for (char const* medium : {"uniform", "cable"})
        rows.push_back({.cells = {n, n, n},
                        .medium = medium,
                        .dt = 0,
                        .radius = 0.04,
                        .shell = 0.09,
                        .steps = 1,
                        .size = box,
                        .limits = {medium[0] == 'u' ? 8 : 18, 0}});
  else
    throw core::Error("unknown group '" + name +
                      "', expected sizes, tiles, ratios, shells, stretched, graded or solid");
  return rows;
}

std::string limit(double x) { return x > 0 ? fmt::format("{:g}", x) : "-"; }

int table(core::Comm const& world, std::string const& groups, double most) {
  if (world.root())
    fmt::print("| group | cells | tile | grading | medium | conductor | shell | ranks | first | limit | mean | limit | "
               "set-up and "
               "first step [s] | a step [s] | B a cell | |\n|{:-<48}|\n",
               "---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---");
  int misses = 0, rows = 0;
  std::size_t at = 0;
  while (at < groups.size()) {
    std::size_t const end = std::min(groups.find(' ', at), groups.size());
    std::string const name = groups.substr(at, end - at);
    at = end + 1;
    if (name.empty()) continue;
    int fewest = 1000, largest = 0;
    for (Study const& s : group(name)) {
      if (static_cast<double>(s.cells[0] * s.cells[1] * s.cells[2]) > most) continue;
      Outcome const o = run(world, s);
      bool const good =
          (s.limits.first == 0 || o.first <= s.limits.first) && (s.limits.mean == 0 || o.mean <= s.limits.mean);
      misses += !good;
      ++rows;
      fewest = std::min(fewest, o.first);
      largest = std::max(largest, o.first);
      if (!world.root()) continue;
      std::string const tile = s.tile[0] == 0 ? "auto" : fmt::format("{} x {}", s.tile[0], s.tile[1]);
      fmt::print("| {} | {} x {} x {} | {} | {:g} {:g} {:g} | {} | {:g} | {:.4f} | {} | {} | {} | {:.1f} | {} | {:.3f} "
                 "| {:.3f} | {:.0f} | {} |\n",
                 name, s.cells[0], s.cells[1], s.cells[2], tile, s.grading[0], s.grading[1], s.grading[2], s.medium,
                 s.lambda, s.shell - s.radius, world.size(), o.first, limit(s.limits.first), o.mean,
                 limit(s.limits.mean), o.set_up, o.step, o.bytes_a_cell, good ? "ok" : "MISSED");
      std::fflush(stdout);
    }
    if (name == "tiles" && largest > fewest + 1) {
      ++misses;
      if (world.root())
        fmt::print("MISSED: {} to {} iterations for different tiles, at most 1 apart expected\n", fewest, largest);
    }
  }
  if (world.root())
    fmt::print("{{\"bench\": \"multigrid\", \"ranks\": {}, \"rows\": {}, \"missed\": {}}}\n", world.size(), rows,
               misses);
  if (misses > 0) throw core::RunError(fmt::format("{} limits are passed", misses));
  return 0;
}

std::array<double, 3> three(std::string const& text, char separator) {
  std::array<double, 3> v{1, 1, 1};
  std::size_t at = 0;
  for (double& x : v) {
    if (at > text.size()) break;
    x = std::stod(text.substr(at));
    std::size_t const next = text.find(separator, at);
    at = next == std::string::npos ? text.size() + 1 : next + 1;
  }
  return v;
}

Study parse(int argc, char** argv) {
  std::map<std::string, std::string> given;
  for (int n = 1; n + 1 < argc; n += 2) given[argv[n]] = argv[n + 1];
  Study s;
  auto const shape = [&](char const* name, core::Grid::Shape& to) {
    if (!given.count(name)) return;
    auto const v = three(given[name], 'x');
    for (std::size_t d = 0; d < 3; ++d) to[d] = static_cast<core::Count>(v[d]);
  };
  auto const number = [&](char const* name, double& to) {
    if (given.count(name)) to = std::stod(given[name]);
  };
  shape("cells", s.cells);
  shape("tile", s.tile);
  number("lambda", s.lambda);
  number("dt", s.dt);
  number("radius", s.radius);
  number("shell", s.shell);
  if (given.count("medium")) s.medium = given["medium"];
  if (given.count("keys")) s.keys = given["keys"];
  if (given.count("steps")) s.steps = std::stoi(given["steps"]);
  if (given.count("grading")) s.grading = three(given["grading"], ',');
  if (s.cells[2] > 1) s.size[2] = 1.6;
  if (given.count("size")) s.size = three(given["size"], ',');
  return s;
}

int one(core::Comm const& world, Study const& s) {
  Outcome const o = run(world, s);
  if (world.root())
    fmt::print("{}x{}x{} {} {} ranks: first {} mean {:.2f}; set-up and first step {:.3f} s, best step {:.4f} s, {:.0f} "
               "B a cell, {}\n",
               s.cells[0], s.cells[1], s.cells[2], s.medium, world.size(), o.first, o.mean, o.set_up, o.step,
               o.bytes_a_cell, o.hash);
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  using namespace tessera;
  core::Runtime runtime(argc, argv);
  return runtime.run([&] {
    if (argc > 1 && std::string(argv[1]) == "table")
      return bench::table(runtime.world(), argc > 2 ? argv[2] : "sizes tiles ratios shells stretched graded solid",
                          argc > 3 ? std::atof(argv[3]) : 1e9);
    return bench::one(runtime.world(), bench::parse(argc, argv));
  });
}
