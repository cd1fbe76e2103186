// SPDX-License-Identifier: Apache-2.0
#include "run/plan/samples.hpp"

#include "core/comm/child.hpp"
#include "core/comm/runtime.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "run/balance/decompose.hpp"
#include "run/ensemble.hpp"
#include "run/guard/case_code.hpp"
#include "run/plan/critical_paths.hpp"
#include "run/plan/sample_runs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::run {
namespace {

/// Whether cells are gone through in their order, so that ranks begin one after the other.
bool is_wavefront(std::string const& kernel) {
  return kernel.find("DIC") != std::string::npos || kernel.find("GaussSeidel") != std::string::npos;
}

class Sampler {
 public:
  Sampler(core::Comm const& comm, PlanOptions const& options, int most_ranks, Log& log)
      : options_(options),
        runs_(comm, options, log),
        most_ranks_(most_ranks) {
    found_.work.cells = runs_.cells();
  }

  Sampled run(core::Comm const& comm) {
    find_sizes();
    curve();
    bool const two = runs_.cores() > 1;
    if (two) found_.link = measure_link_apart(runs_.program(), runs_.folder());
    traffic();
    paths(comm);
    if (two)
      crowd(comm);
    else
      tell("Waiting and contention: not measured, this machine has one core; taken for none");
    memory(comm);
    runs_.clear();
    found_.work.steps = runs_.scaled().steps();
    return found_;
  }

 private:
  template <class... A>
  void tell(fmt::format_string<A...> format, A&&... a) {
    found_.how.push_back(fmt::format(format, std::forward<A>(a)...));
  }

  void find_sizes() {
    double const all = found_.work.cell_count();
    double const most = runs_.scaled().has_cells() ? std::min(all, options_.sample_cells) : all;
    whole_ = {most};
    if (runs_.scaled().has_cells())
      for (double const part : {2.0, 4.0})
        if (most / part >= 1024) whole_.insert(whole_.begin(), most / part);
    if (double const more = std::min(all, 4 * most); runs_.scaled().has_cells() && more > 1.2 * most) larger_ = more;
    steps_ = std::min(runs_.scaled().steps(), runs_.scaled().has_cells() || all <= options_.sample_cells ? 10.0 : 3.0);
  }

  /// One rank: rounds a step over sizes, time of a round, of the rest, of the start.
  void curve() {
    std::vector<Sample> all;
    for (double const cells : whole_)
      all.push_back(runs_({.cells = cells, .steps = steps_, .repeats = options_.repeats}));
    Sample const largest = all.back();
    largest_ = largest;
    found_.unit = largest.unit;
    found_.kernel = largest.kernel;
    std::vector<std::pair<double, double>> iterations;
    for (auto const& s : all) iterations.emplace_back(runs_.across(s.cells), s.rounds / s.steps);
    found_.iterations = fit_power(iterations);
    auto const at_case = found_.iterations(runs_.across(found_.work.cell_count()));
    found_.work.rounds =
        runs_.scaled().steps() * (all.back().cells >= found_.work.cell_count() ? iterations.back().second : at_case);
    if (found_.unit == "iteration") {
      std::vector<std::string> seen;
      for (auto const& s : all) seen.push_back(fmt::format("{:.1f} at {:.0f} cells", s.rounds / s.steps, s.cells));
      tell("Iterations a step: {} (measured, {} of {} steps); {}", fmt::join(seen, ", "), largest.steps,
           runs_.scaled().steps(),
           largest.cells >= found_.work.cell_count()
               ? "the case has no more cells"
               : fmt::format(
                     "{:.1f} at the case's cells, extrapolated with (cells across)^{:.2f}, {}", at_case,
                     found_.iterations.exponent,
                     std::isnan(found_.iterations.error)
                         ? "of an error that is not known"
                         : fmt::format("each point from the others within {:.0f} %", 100 * found_.iterations.error)));
    }
    // sizes at which a case is not run to its end: small ones of a rank among many, and large ones that leave the caches,
    // where no straight line leads
    if (runs_.scaled().has_cells()) {
      auto const also = [&](double cells, double steps, std::vector<std::string> const& settings) {
        try {
          all.push_back(runs_({.cells = cells, .steps = steps, .settings = settings, .repeats = options_.repeats}));
        } catch (core::RunError const& error) {
          // a coarse grid may have lost what the case is about
          tell("Left out: {}", error.what());
        }
      };
      for (double const part : {4.0, 16.0})
        if (whole_.front() / part >= 1024) also(whole_.front() / part, std::min(steps_, 3.0), {});
      // several steps: the first one finds memory that nobody has touched
      for (double const part : {2.0, 1.0})
        if (larger_ / part > 1.2 * whole_.back()) also(larger_ / part, std::min(steps_, 3.0), runs_.few_iterations());
    }
    std::sort(all.begin(), all.end(), [](Sample const& a, Sample const& b) { return a.cells < b.cells; });
    std::vector<partition::SpeedCurve::Point> points;
    for (auto const& s : all)
      if (points.empty() || (s.cells > points.back().work && s.round > points.back().seconds))
        points.push_back({s.cells, s.round});
    found_.curve = partition::SpeedCurve::through(points);
    tell("Time of {} {} on one rank of this machine: measured at {} to {:.0f} cells ({} sizes, the fastest of {} runs "
         "and more){}",
         found_.unit == "iteration" ? "an" : "a", found_.unit, fmt::format("{:.0f}", points.front().work),
         points.back().work, points.size(), options_.repeats,
         points.size() == 1 ? "; in proportion to the cells elsewhere" : "; straight between, on with the last slope");
    // what a step has outside of rounds; a part of it comes once
    Sample const one = largest.steps > 1 ? runs_({.cells = whole_.back(), .repeats = options_.repeats}) : largest;
    double const each = largest.steps > 1 ? std::max(0.0, (largest.other - one.other) / (largest.steps - 1)) : 0;
    found_.work.step_share = each / largest.round;
    found_.work.boot_a_cell = std::max(0.0, one.other - each) / largest.cells;
    double const spread = all.back().cells - all.front().cells;
    double const boot = spread > 0 ? std::max(0.0, (all.back().boot - all.front().boot) / spread) : 0;
    found_.work.boot_seconds = std::max(0.0, all.front().boot - boot * all.front().cells);
    found_.work.boot_a_cell += boot;
    tell("Start, set-up and work between {}s: measured in the same runs; files that a run writes are left out",
         found_.unit);
  }

  /// Two ranks as on two nodes: what they send in a round is what a run with more rounds sends beside one with less. Counts, exact.
  void traffic() {
    auto& work = found_.work;
    auto const counts = [&](double cells) {
      SampleRuns::Wanted wanted{.cells = cells, .ranks = 2, .nodes = "0,1"};
      bool const iterates = found_.unit == "iteration";
      if (!iterates) wanted.steps = 2;
      Sample more = runs_(wanted);
      wanted.steps = 1;
      if (iterates) wanted.settings = runs_.with_iterations(std::max(1, static_cast<int>(more.rounds / 2)));
      bool const fewer = iterates ? !wanted.settings.empty() : runs_.scaled().steps() >= 2;
      Sample less;
      less.rounds = 0;
      if (fewer) less = runs_(wanted);
      double const rounds = more.rounds - less.rounds;
      for (auto const value : {&Sample::messages, &Sample::bytes, &Sample::reductions})
        more.*value = std::max(0.0, more.*value - less.*value) / std::max(1.0, rounds);
      return more;
    };
    Sample const large = counts(whole_.back());
    Sample const small = whole_.size() > 1 ? counts(whole_.front()) : large;
    work.reductions = large.reductions;
    // levels of a hierarchy grow with the logarithm of the cells
    double const levels = std::log(large.cells / small.cells);
    double const growth = levels > 0 ? std::max(0.0, (large.messages - small.messages) / levels) : 0;
    work.messages = large.messages + growth * std::log(std::max(1.0, work.cell_count() / large.cells));
    auto const law = fit_exchange({small.cut, small.cells / 2, small.bytes}, {large.cut, large.cells / 2, large.bytes});
    work.bytes_a_cut = law.a_cut;
    work.bytes_a_cell = law.a_cell;
    work.load_bytes = 2 * large.streamed * work.cell_count() / large.cells;
    tell("Messages of {} {}: counted between two ranks at {:.0f} and {:.0f} cells: {:.1f} to a neighbour, {:.3g} bytes "
         "a cell "
         "of the cut and {:.3g} a cell of the rank, {:.1f} reductions",
         found_.unit == "iteration" ? "an" : "a", found_.unit, small.cells, large.cells, work.messages,
         work.bytes_a_cut, work.bytes_a_cell, work.reductions);
  }

  /// What lies in a round one after the other: emulated ranks, beside what the model says of them by itself.
  void paths(core::Comm const& comm) {
    auto& work = found_.work;
    work.chained = is_wavefront(found_.kernel);
    std::vector<double> sizes{whole_.back()};
    if (whole_.size() > 1) sizes.insert(sizes.begin(), whole_.front());
    try {
      work.paths = critical_paths(comm, options_, runs_, found_, {sizes, std::min(steps_, 3.0), most_ranks_});
    } catch (core::RunError const& error) {
      tell("Critical path: not known, ranks cannot be emulated; all messages are taken to wait for one another ({})",
           error.what());
      return;
    }
    std::vector<std::string> seen;
    for (auto const& path : work.paths)
      seen.push_back(
          fmt::format("on {} ranks {:.1f} messages, {:.0f} % of the bytes and {:.0f} % of computing and {:.3g} s",
                      path.ranks, path.latencies, 100 * path.bytes_share, 100 * path.wait_share, path.wait_seconds));
    tell("One after the other in {} {}, beside {}reductions: {} (emulated ranks, each on a node of its own)",
         found_.unit == "iteration" ? "an" : "a", found_.unit,
         work.chained ? "what the order of the tiles says and " : "", fmt::join(seen, "; "));
  }

  /// Two ranks side by side: how much slower each computes, and what of a round is left that nothing else tells.
  void crowd(core::Comm const& comm) {
    auto& work = found_.work;
    std::vector<double> slower;
    std::vector<std::pair<double, double>> left;  // computing of a rank, and what of the round is not told by it [s]
    double messages = 1;                          // of the largest size, those that wait for one another
    struct Size {
      double cells, steps;
      std::vector<std::string> settings;
    };
    std::vector<Size> sizes{{whole_.back(), steps_, {}}};
    if (whole_.size() > 1) sizes.insert(sizes.begin(), {whole_.front(), steps_, {}});
    if (larger_ > 0) sizes.push_back({larger_, std::min(steps_, 3.0), runs_.few_iterations()});
    for (auto const& [cells, steps, settings] : sizes) {
      SampleRuns::Wanted wanted{
          .cells = cells, .steps = steps, .ranks = 2, .settings = settings, .repeats = options_.repeats};
      Sample const two = runs_(wanted);
      auto const on_two = runs_.settings_of(wanted);
      wanted.cells = two.cells / 2;
      wanted.ranks = 1;
      Sample const one = runs_(wanted);
      // the same cells of a rank
      double const alone = one.compute * two.cells / 2 / one.cells;
      slower.push_back(std::max(1.0, two.compute / alone));
      MachineLine host;
      host.ranks = 2;
      host.contention = {1, slower.back()};
      SampleModel const model(comm, options_, on_two, host, found_.curve);
      auto const told = model(work, found_.link);
      core::Link longer = found_.link;
      longer.latency *= 2;
      messages = std::max(1.0, (model(work, longer).round - told.round) / found_.link.latency);
      left.emplace_back(told.compute, std::max(0.0, two.round - told.round));
    }
    auto const [share, constant] = fit_wait(left);
    work.wait_share = share;
    found_.link.overhead = constant / messages;
    // of the size nearest to the case's: smaller ones lie in caches
    found_.contention = {1, slower.back()};
    for (int ranks = 4; ranks / 2 < runs_.cores(); ranks *= 2) crowd_of(std::min(ranks, runs_.cores()), whole_.back());
    tell("Beside that {} {} of two ranks of this machine takes {:.0f} % of computing, and {:.3g} s for each message "
         "that is waited for: their overhead, where a machine file does not say one (measured at {:.0f} cells)",
         found_.unit == "iteration" ? "an" : "a", found_.unit, 100 * work.wait_share, found_.link.overhead,
         sizes.back().cells);
    tell("Contention of this machine: two ranks that work at once take {:.3f} times as long for the same cells "
         "(measured)",
         found_.contention[1]);
  }

  /// Contention of more ranks at once; of numbers between those measured on a straight line.
  void crowd_of(int ranks, double cells) {
    SampleRuns::Wanted wanted{.cells = cells, .steps = steps_, .ranks = ranks, .repeats = options_.repeats};
    Sample const many = runs_(wanted);
    wanted.cells = many.cells / ranks;
    wanted.ranks = 1;
    Sample const one = runs_(wanted);
    double const alone = one.compute * many.cells / ranks / one.cells;
    auto& all = found_.contention;
    double const last = all.back(), next = std::max(last, many.compute / alone);
    auto const from = static_cast<int>(all.size());
    for (int n = from + 1; n <= ranks; ++n) all.push_back(last + (next - last) * (n - from) / (ranks - from));
  }

  /// What goes with the cells, and what does not: runs that write what the case says; where there is one size alone
  /// `tessera check`'s estimate.
  void memory(core::Comm const& comm) {
    double const large = larger_ > 0 ? larger_ : whole_.back();
    double const small = larger_ > 0 ? whole_.back() : whole_.front();
    small < large ? memory_of_runs(small, large) : estimated_memory(comm);
  }
  void memory_of_runs(double small, double large) {
    auto& work = found_.work;
    auto const sample = [&](double cells, int ranks) {
      return runs_({.cells = cells,
                    .steps = std::min(steps_, 2.0),
                    .ranks = ranks,
                    .settings = runs_.few_iterations(),
                    .writes = true});
    };
    Sample const less = sample(small, 1), more = sample(large, 1);
    auto const law = fit_line({less.cells, less.peak}, {more.cells, more.peak});
    work.bytes_of_program = law.at_none;
    work.memory_a_cell = law.slope;
    if (runs_.cores() > 1) {
      Sample const two = sample(large, 2);
      work.bytes_beside_others = std::max(0.0, two.peak - law(two.cells / 2));
    }
    tell("Memory: measured at {:.0f} and {:.0f} cells: {:.0f} MB a rank and {:.1f} bytes a cell, {:.0f} MB more where "
         "a rank "
         "is not alone",
         less.cells, more.cells, law.at_none / 1e6, law.slope, work.bytes_beside_others / 1e6);
  }
  void estimated_memory(core::Comm const& comm) {
    auto const estimate = task_memory(comm, {.directory = options_.run.directory,
                                             .settings = options_.run.settings,
                                             .output = runs_.folder(),
                                             .allow_code = code_allowed(options_.run.allow_code)});
    auto& work = found_.work;
    work.memory_a_cell = (estimate.all - estimate.program) / work.cell_count();
    work.bytes_of_program = std::max(0.0, largest_.peak - work.memory_a_cell * largest_.cells);
    tell("Memory: the estimate of `tessera check` for each cell, the program's own so that the sample's peak is met: "
         "{:.0f} "
         "MB a rank and {:.1f} bytes a cell",
         work.bytes_of_program / 1e6, work.memory_a_cell);
  }

  PlanOptions const& options_;
  SampleRuns runs_;
  int const most_ranks_;
  Sampled found_;
  Sample largest_;  ///< of those on one rank that are run to their end
  double steps_ = 1;
  std::vector<double> whole_;  ///< sizes that are run to their end
  double larger_ = 0;          ///< one that is not, nearer to the case's; 0: none
};

}  // namespace

Sampled sample(core::Comm const& comm, PlanOptions const& options, int most_ranks, Log& log) {
  return Sampler(comm, options, most_ranks, log).run(comm);
}

core::Link measure_link_apart(std::string const& program, std::string const& folder) {
  std::string const file = folder + "/link", log = folder + "/link.log";
  int const code =
      core::run_child({"mpirun", "-np", "2", program, "plan", "--measure", "--output", file, "--quiet"}, log);
  if (code != core::Exit::done)
    throw core::RunError(fmt::format("measuring the link between two ranks failed: see {}", log));
  auto const machine = parse_machine_file("localhost\n" + core::read_file(file), file);
  std::filesystem::remove(file);
  std::filesystem::remove(log);
  return machine.memory.bandwidth > 0 ? machine.memory : machine.network;
}

}  // namespace tessera::run
