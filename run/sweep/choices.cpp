// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/choices.hpp"

#include "core/case/topics.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::run {
namespace {

constexpr char const* sweep_help = R"help(
system/sweepDict, read by `tessera sweep CASE` (docs/sweeps.md)
    axes
    {
        L     (64 128 256);                          values: numbers or words
        p     { from 0.55; to 0.65; steps 11; }      or `step 0.01;` in the place of steps
        file  { files "volumes/*.raw"; }             files of the case, in the order of their names
        seed  { samples 100; first 1;                at most one such axis: 1, 2 ... 100, equal but for their random numbers
                until { of spans; error 0.01; most 10000; } }   more samples where the mean's standard error is above this
    }
    together  ((L p));        these take their first values together, their second ones ...; else all combinations
    settings                  what a task has other than the case, as --set has it, with values or expressions in braces
    (
        "system/gridDict:cells=({L} {L} 1)"
        "constant/percolationProperties:input.probability={p + 1 / L}"
    );
    threshold { axis p; of spans; level 0.5; tolerance 1e-4; }   the axis is halved to where `of` passes the level
    histograms { of (backboneSites); bins 20; }   how numbers are spread over the samples (`threshold` is one of them)
    results   (spans backboneSites hash.state);   names below `results` (or hash) of the report; default: all of results
    ranks     1;              of a task; those of the run are shared out in teams of so many
    ranks     "L > 256 ? 4 : 1";          each task's own: by an expression over the axes, or as many as it takes until none has
    ranks     { memory 2e9; cells 1e6; most 8; }  more bytes or cells; rounded up to 2, 4, 8 ...
    duplicates yes;           where no task is left, a team that is free begins one, too, that another would end later
    keep      no;             yes: sweep/NAME=VALUE_... has each task's results, pictures, report and log
Writes CASE/sweep: tasks.csv (a row a task), statistics.csv (means over the samples, with standard errors and deviations),
histograms.csv, thresholds.csv, all of these in tables.h5, too; costs.csv, report.json. What is finished stays there in tasks.N: a sweep that was killed goes on, on any number of
ranks, also with more values or samples; `--anew` forgets it. Tasks that failed have their error in tasks.csv, and are tried
again the next time. `--shard I/N` runs task I and each N-th after it alone; shards may run at the same time, and the sweep of all
then makes the tables.)help";

[[maybe_unused]] bool const sweep_told = core::add_topic(
    "studies", "sweep", "`tessera sweep CASE`: a case for all points of axes; thresholds, statistics", sweep_help);

}  // namespace

SweepChoices SweepChoices::read(core::Dictionary& dictionary, Axes const& axes) {
  SweepChoices choices;
  if (auto* histograms = dictionary.find_sub("histograms")) {
    if (axes.samples() < 0) dictionary.fail("histograms", "an axis of samples is missing, whose numbers they count");
    choices.histograms.of = histograms->get<std::vector<std::string>>("of");
    for (char const* column : {"quantity", "low", "high", "count"})
      if (axes.find(column) >= 0)
        histograms->fail(
            "of", fmt::format("histograms have a column '{}' of their own, expected another name of the axis", column));
    for (auto name = choices.histograms.of.begin(); name != choices.histograms.of.end(); ++name)
      if (std::find(choices.histograms.of.begin(), name, *name) != name)
        histograms->fail("of", fmt::format("'{}' is there twice", *name));
    choices.histograms.bins = histograms->get_in<int>("bins", {1, 1'000'000}, choices.histograms.bins);
  }
  choices.results = dictionary.get_or<std::vector<std::string>>("results", {});
  choices.keeps = dictionary.get_or<bool>("keep", false);
  choices.duplicates = dictionary.get_or<bool>("duplicates", true);
  return choices;
}

}  // namespace tessera::run
