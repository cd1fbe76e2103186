// SPDX-License-Identifier: Apache-2.0
#include "run/study/design.hpp"

#include "core/case/topics.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "run/plan/model.hpp"
#include "run/sweep/expression.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace tessera::run {

namespace {
constexpr char const* study_help = R"help(
system/studyDict, read by `tessera study CASE` (docs/studies.md)
    axes
    {
        ranks     (1 2 4);             of each run; default 1
        threads   (1);                 of each rank; default 1
        cells     (256 512);           any other: numbers or words, { from A; to B; steps N; }, { files "volumes/*"; }
    }
    together  ((ranks cells));         these take their first values together ...; else all combinations
    settings  ("system/gridDict:cells=({cells} {cells * ranks} 1)");      what a run has other than the case, as --set has it
    repeats   3;                       runs of each point: medians are told, with the least and the most
    measure   run;                     [s]: run (from the start of computing to its end), or a number of the report such as
                                       solvers.T.solveSeconds
    along     ranks;                   the axis of speed-ups; default: the first of ranks, threads with several values
    same
    {
        axes  (ranks threads);         points that differ in these alone must have the same answer, or do not count; default:
                                       ranks and threads, where no setting holds them
        of    (hash);                  what of the report is the answer; default: all hashes
    }
    machine                            times are those of another machine (docs/studies.md)
    {
        file    "gige.machine";        a machine file, as `tessera plan` reads it; beside the case's folders. Or
        nodes   (0 0 1 1);             the node of each rank; default: one for all
        speeds  (1 1 0.5 0.25);        of each rank, 1: a core of this machine; default: 1
        network { latency 3e-5; bandwidth 1.2e8; }       [s], [bytes/s] of a message between nodes; default: takes no time;
                                                         overhead 1e-6; of the sender's processor for each message [s]
        memory  { latency 1e-6; bandwidth 5e9; }         the same between ranks of a node
    }
Writes CASE/study: study.html (plots), study.md, points.csv, runs.csv, report.json. Runs that are finished stay in
study/runs: the same command goes on; `--anew` forgets them. Each run begins at the case's start time and writes no results.)help";

[[maybe_unused]] bool const study_told = core::add_topic(
    "studies", "study", "`tessera study CASE`: time, speed-up and iterations over ranks, sizes, methods", study_help);

std::vector<std::string> const own_axes{"ranks", "threads"};

bool has(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

core::Link read_link(core::Dictionary& dictionary, std::string const& name) {
  auto* const link = dictionary.find_sub(name);
  if (link == nullptr) return {};
  constexpr double most = std::numeric_limits<double>::max();
  return {link->get_in<double>("latency", {0, most}, 0), link->get_positive<double>("bandwidth", 0),
          link->get_in<double>("overhead", {0, most}, 0)};
}

/// The first ranks of a machine file's hosts, packed on few nodes.
StudyMachine machine_of_file(core::Dictionary& dictionary, std::string const& directory, int ranks) {
  auto const written = dictionary.get<std::string>("file");
  std::string const path = (std::filesystem::path(directory) / written).string();
  if (!std::filesystem::is_regular_file(path)) dictionary.fail("file", fmt::format("there is no file '{}'", path));
  auto const file = parse_machine_file(core::read_file(path), written);
  if (capacity(file) < ranks)
    dictionary.fail("file", fmt::format("'{}' has {} ranks, expected {} as in 'axes'", written, capacity(file), ranks));
  StudyMachine machine;
  for (auto const& rank : place(file, ranks, false).ranks) {
    machine.nodes.push_back(rank.node);
    machine.cluster.speeds.push_back(file.hosts[static_cast<std::size_t>(rank.line)].speed);
  }
  machine.cluster.network = file.network;
  machine.cluster.memory = file.memory;
  return machine;
}

StudyMachine read_machine(core::Dictionary& dictionary, std::string const& directory, int ranks) {
  if (dictionary.contains("file")) return machine_of_file(dictionary, directory, ranks);
  StudyMachine machine;
  auto& [nodes, cluster] = machine;
  auto const all = static_cast<std::size_t>(ranks);
  nodes = dictionary.get_or<std::vector<int>>("nodes", std::vector<int>(all, 0));
  cluster.speeds = dictionary.get_or<std::vector<double>>("speeds", std::vector<double>(all, 1));
  for (auto const& [name, length] : {std::pair{"nodes", nodes.size()}, {"speeds", cluster.speeds.size()}})
    if (length < all)
      dictionary.fail_expected(name, fmt::format("an entry for each of {} ranks, there are {}", ranks, length));
  if (std::any_of(cluster.speeds.begin(), cluster.speeds.end(), [](double speed) { return !(speed > 0); }))
    dictionary.fail_expected("speeds", "numbers above 0");
  if (std::any_of(nodes.begin(), nodes.end(), [](int node) { return node < 0; }))
    dictionary.fail_expected("nodes", "numbers from 0");
  cluster.network = read_link(dictionary, "network");
  cluster.memory = read_link(dictionary, "memory");
  return machine;
}

}  // namespace

Design::Design(core::Dictionary& dictionary, std::string const& directory) : axes(dictionary, directory, own_axes) {
  int most = 1;
  for (auto const& name : own_axes)
    if (int const n = axes.find(name); n >= 0)
      for (auto const& value : axes.at(n).values) {
        double const x = number_in(value);
        if (!(x >= 1 && x <= 1 << 20 && x == std::floor(x)))
          dictionary.sub("axes").fail(name, fmt::format("'{}', expected whole numbers of at least 1", value));
        if (name == "ranks") most = std::max(most, static_cast<int>(x));
      }
  if (axes.samples() >= 0)
    dictionary.sub("axes").fail(axes.at(axes.samples()).name,
                                "has samples, which `tessera sweep` takes; a study has 'repeats'");
  repeats = dictionary.get_in<int>("repeats", {1, 1000}, 3);
  measure = dictionary.get_or<std::string>("measure", "run");
  measure_place = dictionary.location("measure");
  for (auto const& name : own_axes)
    if (int const n = axes.find(name); along.empty() && n >= 0 && axes.at(n).values.size() > 1) along = name;
  along = dictionary.get_or<std::string>("along", along);
  if (!along.empty() && axes.find(along) < 0) dictionary.fail("along", fmt::format("no axis is called '{}'", along));
  grows = has(own_axes, along) && (axes.sets(along) || axes.at(axes.find(along)).group >= 0);
  for (auto const& name : own_axes)
    if (!axes.sets(name)) alike.push_back(name);
  proofs = {"hash"};
  proofs_place = dictionary.location();
  if (auto* same = dictionary.find_sub("same")) {
    alike = same->get_or<std::vector<std::string>>("axes", alike);
    for (auto const& name : alike)
      if (axes.find(name) < 0 && !has(own_axes, name)) same->fail("axes", fmt::format("no axis is called '{}'", name));
    proofs = same->get_or<std::vector<std::string>>("of", proofs);
    proofs_place = same->location("of");
    if (proofs.empty()) same->fail_expected("of", "names in the report, such as hash or solvers.T.averageIterations");
  }
  if (auto* emulated = dictionary.find_sub("machine")) {
    machine = read_machine(*emulated, directory, most);
    if (int const n = axes.find("threads"); n >= 0 && axes.at(n).values != std::vector<std::string>{"1"})
      dictionary.sub("axes").fail_expected("threads",
                                           "1 where 'machine' emulates a cluster: its ranks have one thread");
  }
}

int Design::number(Point const& point, std::string const& axis) const {
  int const n = axes.find(axis);
  return n < 0 ? 1 : static_cast<int>(number_in(point[n]));
}

Point Design::without(Point point, std::vector<std::string> const& names) const {
  for (auto const& name : names)
    if (int const n = axes.find(name); n >= 0) point[n].clear();
  return point;
}

std::string Design::label(Point const& point, std::vector<std::string> const& names) const {
  std::string label;
  for (std::size_t n = 0; n < point.size(); ++n)
    if (axes.at(n).values.size() > 1 && !has(names, axes.at(n).name))
      label += fmt::format("{}{}={}", label.empty() ? "" : " ", axes.at(n).name, point[n]);
  return label;
}

}  // namespace tessera::run
