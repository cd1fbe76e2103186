// SPDX-License-Identifier: Apache-2.0
#include "run/plan/plan.hpp"

#include "core/case/topics.hpp"
#include "core/case/wrong_command.hpp"
#include "core/comm/cores.hpp"
#include "core/comm/node.hpp"
#include "core/comm/runtime.hpp"
#include "core/files.hpp"
#include "core/version.hpp"
#include "io/files/together.hpp"
#include "io/stream/routers.hpp"
#include "run/balance/decompose.hpp"
#include "run/balance/memory.hpp"
#include "run/ensemble.hpp"
#include "run/guard/named_output.hpp"
#include "run/plan/outlook.hpp"
#include "run/plan/samples.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <unistd.h>

namespace tessera::run {
namespace {

constexpr char const* plan_help = R"help(
`tessera plan CASE --machine FILE` (docs/plans.md): what a case takes on a cluster that FILE describes, without FILE on this machine.
Samples of the case, of fewer cells and steps, are run on this machine by mpirun.
FILE is a machine file of `tessera launch`, with lines and entries for plans; program= may be left out:
    HOST    kind=NAME              what kernel lines call it; default HOST. Lines of one HOST share its nodes
            nodes=8                hosts that are alike
            ranks=4                on each; or cores=N threads=N
            speed=1.5              of a rank, in units of those of its kernel line; of this machine where there is none
            contention=1,1.2,1.5   times as long that a rank computes where 1, 2, 3 ranks of its node do
            memory=16e9            [bytes] of a node
            watts=130 idleWatts=60 of a node with all, with none of its ranks at work
            price=0.2              of a node for an hour
    network: latency=50e-6 bandwidth=1.12e8        between nodes [s] [bytes/s]
             overhead=1e-6         [s] of the sender for each message; default: as measured between two ranks of this machine
    memory:  latency=1e-6 bandwidth=5e9            between ranks of a node
    kernel:  name=PCG-DIC kind=NAME points=65536:4e8,1048576:2.6e8         cells of a rank : cells a second in a round
`tessera plan CASE --measure -o FILE` writes it for this machine; under mpirun, without CASE, the line of the link between the first
and the last rank.)help";

[[maybe_unused]] bool const plan_told = core::add_topic(
    "studies", "plan", "`tessera plan CASE --machine FILE`: time, memory, cost on a cluster described", plan_help);

double seconds_of(std::string const& text) {
  double x = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  std::string const unit(end, text.data() + text.size());
  for (auto const& [name, seconds] : {std::pair{"s", 1.0}, {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}})
    if (error == std::errc{} && x > 0 && unit == name) return x * seconds;
  throw core::WrongCommand(
      fmt::format("--deadline is '{}', expected a number above 0 with s, min, h or d, such as 2h", text));
}

/// Ranks of a host, where the file gives cores; a plan has no program to ask for its backend.
void find_ranks(MachineLine& line) {
  if (line.cores < 0) line.cores = core::host_cores().cores;
  if (line.cores > 0 && !line.has_ranks) line.ranks = std::max(1, line.cores / line.threads);
}

void find_machine(MachineFile& machine, std::string const& name) {
  int nodes = 0, most = 0;
  for (auto& line : machine.hosts) {
    find_ranks(line);
    nodes += line.nodes;
    most = std::max(most, line.ranks);
  }
  if (nodes > 1 && !(machine.network.bandwidth > 0))
    throw core::Error(fmt::format("{}: has {} nodes, expected a line network: latency=SECONDS bandwidth=BYTES_A_SECOND",
                                  name, nodes));
  if (most > 1 && !(machine.memory.bandwidth > 0))
    throw core::Error(fmt::format(
        "{}: has nodes of {} ranks, expected a line memory: latency=SECONDS bandwidth=BYTES_A_SECOND", name, most));
}

/// The curve of each line of the file, and where it is from.
std::vector<partition::SpeedCurve> find_curves(MachineFile const& machine, Sampled& sampled) {
  std::vector<partition::SpeedCurve> curves;
  for (auto const& line : machine.hosts) {
    KernelLine const* best = nullptr;
    for (auto const& kernel : machine.kernels)
      if (kernel.name == sampled.kernel && (kernel.kind == line.kind || (kernel.kind.empty() && best == nullptr)))
        best = &kernel;
    if (best == nullptr) {
      curves.push_back(sampled.curve.times_as_fast(line.speed));
      sampled.how.push_back(
          fmt::format("Speed of {}: {} times that of this machine, {} is in no kernel line of the file", line.host,
                      line.speed, sampled.kernel));
      continue;
    }
    std::vector<partition::SpeedCurve::Point> points;
    for (auto const& [cells, rate] : best->points) points.push_back({cells, cells / rate});
    curves.push_back(partition::SpeedCurve::through(points).times_as_fast(line.speed));
    sampled.how.push_back(fmt::format("Speed of {}: kernel {} of the file{}", line.host, sampled.kernel,
                                      line.speed == 1 ? "" : fmt::format(", times {}", line.speed)));
  }
  return curves;
}

/// Predictions for numbers of ranks up to all of the machine's.
class Predictions {
 public:
  Predictions(core::Comm const& comm, PlanOptions const& options, Machine const& machine, Work const& work)
      : log_(false),
        files_(options.run.directory, options.run.settings, comm),
        session_{comm, files_, log_},
        machine_(machine),
        work_(work) {}

  std::vector<Prediction> all() {
    int const most = capacity(machine_.file);
    std::vector<int> counts;
    for (int n = 1; n < most; n *= 2) counts.push_back(n);
    counts.push_back(most);
    std::vector<Prediction> found;
    for (int const ranks : counts) {
      auto const packed = place(machine_.file, ranks, false), spread = place(machine_.file, ranks, true);
      found.push_back(of(packed));
      if (spread.nodes != packed.nodes) found.push_back(of(spread));
    }
    double const first = curves_of(machine_, place(machine_.file, 1, false)).front().seconds(work_.cell_count());
    for (auto& p : found) {
      double rates = 0;
      for (auto const& rank : place(machine_.file, p.ranks, p.spread).ranks)
        rates += first / machine_.curves[static_cast<std::size_t>(rank.line)].seconds(work_.cell_count());
      p.speed_up = found.front().run / p.run;
      p.efficiency = p.speed_up / rates;
    }
    return found;
  }
  /// Whether the tiles were shared out; otherwise blocks stand for them.
  int by_tiles() const { return by_tiles_; }

 private:
  Prediction of(Placement const& placement) {
    auto const curves = curves_of(machine_, placement);
    auto const shares = partition::equal_time_shares(curves, work_.cell_count());
    auto const ranks = static_cast<int>(placement.ranks.size());
    auto const grid = grid_of(shares);
    if (grid && (ranks <= 1024 || ranks > grid->tiles())) {
      RankRates const rates{shares, false};
      by_tiles_ = std::max(by_tiles_, ranks);
      return predict(work_, machine_, placement, *grid,
                     share_out(session_, *grid, rates, placement.nodes_of_ranks()).owners);
    }
    return predict(work_, machine_, placement, block_parts(work_.cells, placement, shares));
  }

  std::shared_ptr<core::Grid const> grid_of(std::vector<double> const& shares) {
    if (work_.cell_count() > 1e10) return nullptr;
    auto grid = case_grid(session_, {shares, false});
    return grid->tiles() <= 1 << 16 ? grid : nullptr;
  }

  Log log_;
  Case files_;
  Session session_;
  Machine const& machine_;
  Work const& work_;
  int by_tiles_ = 0;
};

void measure_link_here(core::Comm const& comm, PlanOptions const& options, Log& log) {
  auto const link = io::measure_link(comm);
  auto const nodes = core::memory_nodes(comm);
  std::string const text =
      fmt::format("{} latency={:.4g} bandwidth={:.4g}\n",
                  nodes.front() == nodes.back() ? "memory: " : "network:", link.latency, link.bandwidth);
  if (!comm.root()) return;
  if (options.output.empty())
    log.line("{}", text.substr(0, text.size() - 1));
  else
    core::write_named_file(options.output, text);
}

/// A machine file of this machine, without the kernel's line.
std::string machine_text(Sampled const& sampled) {
  auto const cores = core::host_cores();
  std::vector<std::string> contention;
  for (double x : sampled.contention) contention.push_back(fmt::format("{:.4g}", x));
  std::string text =
      fmt::format("# {}: {}, measured by Tessera {} ({})\n", host_name(), processor(), core::version, core::commit);
  text += fmt::format("localhost program={} ranks={} contention={} memory={:.4g}\n",
                      std::filesystem::read_symlink("/proc/self/exe").string(), cores.cores, fmt::join(contention, ","),
                      node_memory());
  if (sampled.link.bandwidth > 0)
    text += fmt::format("memory: latency={:.4g} bandwidth={:.4g} overhead={:.4g}\n", sampled.link.latency,
                        sampled.link.bandwidth, sampled.link.overhead);
  return text;
}

void write_machine(PlanOptions const& options, Sampled const& sampled, Log& log) {
  std::vector<std::string> points;
  for (auto const& p : sampled.curve.points())
    points.push_back(fmt::format("{:.0f}:{:.4g}", p.work, p.work / p.seconds));
  std::string const text =
      machine_text(sampled) + fmt::format("kernel: name={} points={}\n", sampled.kernel, fmt::join(points, ","));
  if (options.output.empty())
    log.write(text);
  else
    core::write_named_file(options.output, text);
}

}  // namespace

int run_plan(core::Comm const& comm, PlanOptions const& options) {
  Log log(comm.root() && !options.run.quiet);
  if (options.measure && options.run.directory.empty()) {
    if (comm.size() < 2)
      throw core::WrongCommand("--measure without CASE measures a link, expected mpirun with two ranks around it");
    io::on_root(comm, [&] { check_outputs({{"--output", options.output, OutputKind::machine_file}}); });
    measure_link_here(comm, options, log);
    return core::Exit::done;
  }
  if (comm.size() > 1)
    throw core::WrongCommand("plan starts the ranks of its samples itself, expected no mpirun around it");
  if (options.run.directory.empty()) throw core::WrongCommand("CASE is missing");
  if (options.measure && !options.machine.empty())
    throw core::WrongCommand("expected either --machine FILE or --measure");
  double const deadline = options.deadline.empty() ? 0 : seconds_of(options.deadline);
  // what is wrong with a file is told before samples are run
  check_outputs({{"--report", options.run.report, OutputKind::plan},
                 {"--page", options.page, OutputKind::plan_page},
                 {"--output", options.output, OutputKind::machine_file}},
                {options.run.directory});
  for (auto const& file : {options.run.report, options.page, options.output})
    if (!file.empty()) core::require_writable_file(file);
  std::string name = "this machine";
  MachineFile machine;
  if (!options.machine.empty()) {
    name = options.machine;
    machine = parse_machine_file(core::read_file(name), name);
    find_machine(machine, name);
  }
  auto sampled = sample(comm, options, options.machine.empty() ? core::host_cores().cores : capacity(machine), log);
  if (options.measure) {
    write_machine(options, sampled, log);
    return core::Exit::done;
  }
  if (options.machine.empty()) {
    machine = parse_machine_file(machine_text(sampled), name);
    find_machine(machine, name);
  }
  for (auto* const link : {&machine.network, &machine.memory})
    if (link->overhead < 0) link->overhead = sampled.link.overhead;
  Machine const known{machine, find_curves(machine, sampled)};
  Predictions predictions(comm, options, known, sampled.work);
  Outlook outlook{options.run.directory, name, capacity(machine), sampled, predictions.all(), deadline, 0, 0, {}};
  outlook.by_tiles = predictions.by_tiles();
  judge(outlook);
  log.lines(lines(outlook));
  if (!options.run.report.empty()) core::write_named_file(options.run.report, json(outlook).dump(2) + '\n');
  if (!options.page.empty()) core::write_named_file(options.page, page(outlook));
  return deadline > 0 && outlook.all[outlook.fastest].run > deadline ? core::Exit::failed : core::Exit::done;
}

}  // namespace tessera::run
