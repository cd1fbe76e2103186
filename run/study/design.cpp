// SPDX-License-Identifier: Apache-2.0
#include "run/study/design.hpp"

#include "core/case/topics.hpp"
#include "core/error.hpp"
#include "run/sweep/expression.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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
    machine                            ranks are made to look like those of another one
    {
        nodes   (0 0 1 1);             the node of each rank
        speeds  (1 1 0.5 0.25);        slower ranks wait after each sweep; what that is off is measured, too
    }
Writes CASE/study: study.html (plots), study.md, points.csv, runs.csv, report.json. Runs that are finished stay in
study/runs: the same command goes on; `--anew` forgets them. Each run begins at the case's start time and writes no results.)help";

[[maybe_unused]] bool const study_told = core::add_topic(
    "studies", "study", "`tessera study CASE`: time, speed-up and iterations over ranks, sizes, methods", study_help);

std::vector<std::string> const own_axes{"ranks", "threads"};

bool has(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Emulation read_machine(core::Dictionary& dictionary, int ranks) {
  Emulation machine;
  machine.nodes = dictionary.get_or<std::vector<int>>("nodes", {});
  machine.speeds = dictionary.get_or<std::vector<double>>("speeds", {});
  for (auto const& [name, length] : {std::pair{"nodes", machine.nodes.size()}, {"speeds", machine.speeds.size()}})
    if (length > 0 && length < static_cast<std::size_t>(ranks))
      dictionary.fail_expected(name, fmt::format("an entry for each of {} ranks, there are {}", ranks, length));
  if (std::any_of(machine.speeds.begin(), machine.speeds.end(), [](double speed) { return !(speed > 0); }))
    dictionary.fail_expected("speeds", "numbers above 0");
  if (std::any_of(machine.nodes.begin(), machine.nodes.end(), [](int node) { return node < 0; }))
    dictionary.fail_expected("nodes", "numbers from 0");
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
  for (auto const& name : own_axes)
    if (int const n = axes.find(name); along.empty() && n >= 0 && axes.at(n).values.size() > 1) along = name;
  along = dictionary.get_or<std::string>("along", along);
  if (!along.empty() && axes.find(along) < 0) dictionary.fail("along", fmt::format("no axis is called '{}'", along));
  grows = !along.empty() && (axes.sets(along) || axes.at(axes.find(along)).group >= 0);
  for (auto const& name : own_axes)
    if (!axes.sets(name)) alike.push_back(name);
  proofs = {"hash"};
  if (auto* same = dictionary.find_sub("same")) {
    alike = same->get_or<std::vector<std::string>>("axes", alike);
    for (auto const& name : alike)
      if (axes.find(name) < 0 && !has(own_axes, name)) same->fail("axes", fmt::format("no axis is called '{}'", name));
    proofs = same->get_or<std::vector<std::string>>("of", proofs);
    if (proofs.empty()) same->fail_expected("of", "names in the report, such as hash or solvers.T.averageIterations");
  }
  if (auto* emulated = dictionary.find_sub("machine")) machine = read_machine(*emulated, most);
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
