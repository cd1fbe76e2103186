// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/plan/fits.hpp"
#include "run/plan/model.hpp"
#include "run/plan/plan.hpp"
#include "run/study/apart.hpp"

#include <optional>

namespace tessera::run {

/// What samples of a case show on this machine.
struct Sampled {
  std::string kernel;  ///< PCG-DIC, or the application and its rule
  std::string unit;    ///< of a round: iteration, step or run
  Work work;
  partition::SpeedCurve curve;        ///< one rank: time of a round against cells
  std::vector<double> contention{1};  ///< as MachineLine has it, of 1, 2, 4, ... ranks and those between
  PowerLaw iterations;                ///< a step, against cells across; of a step without iterations 1
  core::Link link;                    ///< between ranks of this machine; the overhead: what is waited beside the rest
  std::vector<std::string> how;       ///< how each number was obtained, a sentence each
};

/// Makes the runs. `most_ranks`: that the case is planned for. Throws core::RunError where one of a kind that is needed
/// fails.
Sampled sample(core::Comm const& comm, PlanOptions const& options, int most_ranks, Log& log);

/// Median of the link between two ranks of this machine, through an mpirun of `tessera plan --measure`.
core::Link measure_link_apart(std::string const& program, std::string const& folder);

}  // namespace tessera::run
