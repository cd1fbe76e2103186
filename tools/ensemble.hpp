// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm.hpp"
#include "core/report.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::tools {

/// Numbers that each task of an ensemble gives: `values[task]`, all of one length; NaN stands for undefined.
using TaskValues = std::vector<std::vector<double>>;

/// Deals tasks 0 .. n - 1 to the ranks, one at a time to whoever is free, and collects what they give.
///
/// `task(t)` runs on one rank alone: it must not talk to other ranks (layouts on MPI_COMM_SELF). Its values must depend
/// on t alone; then the result is the same on any number of ranks. `dealt(t)` is called on each rank before its tasks.
/// If a task throws, ranks take no further tasks, and all throw the same error.
/// Returns all values on the root, nothing elsewhere. Collective. Cost: one atomic addition on the root's counter a task.
TaskValues deal(core::Comm const& comm, std::int64_t n, std::function<std::vector<double>(std::int64_t)> const& task,
                std::function<void(std::int64_t)> const& dealt = {});

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

}  // namespace tessera::tools
