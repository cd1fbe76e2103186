// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/balance/decompose.hpp"
#include "run/models/percolation/findings.hpp"

namespace tessera::run::percolation {

/// Many realisations of a random medium: means with standard errors of all quantities for each probability.
///
/// Sample s of every probability is drawn with Random{seed, first sample + s}, so the media of one sample at growing
/// probabilities contain each other. Small media go whole to one rank each, dealt to whoever is free; of large ones all
/// ranks share the tiles. The numbers are the same bits either way, on any number of ranks.
///
/// Writes postProcessing/samples.csv (a row a probability), postProcessing/eachSample.csv where it is asked for, and
/// `results.ensemble` of the report. Each sample's numbers go to postProcessing/samples.record when they are found; with
/// `startFrom latestTime` those that are there are not found again. A signal or stopAt ends it with the samples that are
/// finished. `parts` has no layout where ranks take whole samples. Returns how many samples were found. Collective.
std::int64_t run_samples(Session& session, io::foam::Control const& control, Settings const& settings, Medium medium,
                         Decomposition const& parts, core::Report& report);

/// Whether ranks take whole samples instead of sharing each.
bool whole_samples(Settings const& settings, Medium const& medium, int ranks);

}  // namespace tessera::run::percolation
