// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/report.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::run {

/// Numbers that each task of an ensemble gives: `values[task]`, all of one length; NaN stands for undefined.
using TaskValues = std::vector<std::vector<double>>;

/// What is done in an ensemble.
struct Dealing {
  /// Runs on one rank alone: it must not talk to other ranks (layouts on MPI_COMM_SELF). Its values must depend on the
  /// task alone; then the result is the same on any number of ranks.
  std::function<std::vector<double>(std::int64_t)> task;
  /// On the root, once a task, in the order in which they come in: at the latest when the root ends its own task in work.
  std::function<void(std::int64_t, std::vector<double>)> finished;
  /// On each rank before each of its tasks: whether it was asked to end the ensemble.
  std::function<bool()> stop;
};

/// Deals tasks 0 .. n - 1 to the ranks, one at a time to whoever is free, and collects what they give.
///
/// If a rank is asked to stop or a task throws, ranks take no further tasks; what was in work is ended and handed to
/// `finished`. Then all throw the same error, if there was one. Collective.
/// Cost: one atomic addition on the root's counter a task, ten messages to the root a second and rank.
void deal(core::Comm const& comm, std::int64_t n, Dealing const& dealing);

/// Mean of independent samples and its standard error, s / sqrt(n) with s^2 = sum (x - mean)^2 / (n - 1).
/// Undefined values (NaN) are left out; `mean` is NaN without samples, `error` with fewer than two.
struct Mean {
  std::int64_t samples = 0;
  double mean, error;
};
/// Adds in the order given, so equal samples give equal bits.
Mean mean_of(std::vector<double> const& samples);

/// A number for JSON: null where it is not finite.
core::Report::Json finite_or_null(double x);

}  // namespace tessera::run
