// SPDX-License-Identifier: Apache-2.0
// Iterations and times of PCG with multigrid on three buried cables (tests/support/heat.hpp), on the ranks it is started
// on:
//   bench/multigrid [cells NXxNYxNZ] [tile TXxTYxTZ] [medium cable|uniform] [lambda 384] [steps 10] [dt 86400]
//                         [grading GX,GY,GZ] [size X,Y,Z] [keys "..."]
// Prints iterations of the first step and on average, and processor seconds.
#include "core/field.hpp"
#include "core/runtime.hpp"
#include "solvers/heat.hpp"
#include "tests/support/heat.hpp"

#include <array>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

namespace tessera::bench {

struct Study {
  core::Grid::Shape cells{1128, 903, 1}, tile{0, 0, 0};
  std::string medium = "cable", keys;
  double lambda = 384, dt = 86400, radius = 0.020, shell = 0.045;
  int steps = 10;
  std::array<double, 3> grading{1, 1, 1}, size{2, 1.6, 0.01};
};

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

/// Of the processor, so that other work on the machine counts little.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int run(core::Comm const& world, Study const& s) {
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
  if (s.cells[2] > 1) sides[4] = sides[5] = s.medium == "cable" ? tests::insulated() : tests::fixed(293.15);
  solvers::Heat heat({lambda, rho_c, q, sides}, s.dt);
  auto how = tests::settings("solver PCG; tolerance 1e-6; preconditioner { preconditioner multigrid; " + s.keys + "} ");
  double const start = processor_seconds();
  auto const solver = solvers::make_solver(heat.matrix(), how);
  std::vector<int> iterations;
  std::vector<double> times;
  for (int step = 0; step < s.steps; ++step) {
    double const before = processor_seconds();
    auto const p = heat.advance(*solver, t);
    iterations.push_back(p.iterations);
    times.push_back(processor_seconds() - before);
    if (!p.converged && world.root()) fmt::print("step {}: not converged, {:.2e}\n", step, p.final);
  }
  double const all = processor_seconds() - start;
  double sum = 0, best = 1e9;
  for (int n : iterations) sum += n;
  for (std::size_t n = 1; n < times.size(); ++n) best = std::min(best, times[n]);
  std::string const hash = core::hash(t);
  if (world.root())
    fmt::print("{}x{}x{} {} {} ranks: first {} mean {:.2f}; all {:.3f} s, first step with set-up {:.3f}, best step "
               "{:.4f} {}\n",
               s.cells[0], s.cells[1], s.cells[2], s.medium, world.size(), iterations.front(), sum / s.steps, all,
               times.front(), best, hash);
  return 0;
}

}  // namespace tessera::bench

int main(int argc, char** argv) {
  tessera::core::Runtime runtime(argc, argv);
  return runtime.run([&] { return tessera::bench::run(runtime.world(), tessera::bench::parse(argc, argv)); });
}
