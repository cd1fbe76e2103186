// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/team.hpp"
#include "run/ensemble.hpp"

#include <memory>

namespace tessera::run {

/// The teams that this rank may be in: of 1, 2, 4 ... ranks, the first of which is a multiple of their number.
class Teams {
 public:
  /// Collective.
  explicit Teams(core::Comm const& comm);
  /// That of so many ranks; they are at most `largest_block(comm.size())`, and none are missing.
  core::Team const& of(int ranks) const;

 private:
  std::vector<std::unique_ptr<core::Team>> teams_;  ///< of 2^n ranks; nothing where some of them are missing
};

/// What is known of a task before it begins.
struct TeamTask {
  int ranks = 1;            ///< that it shall run on: a power of two, at most largest_block
  std::int64_t input = -1;  ///< the file that it reads, 0, 1 ...; -1: none of its own
};

/// As `deal`, where each task has a team of its own size, which it is told of (Attempt::ranks). Which task begins where is
/// `backfill`'s to say, at each end of a task, by what tasks are expected to take (Dealing::seconds); tasks go to nodes that
/// have read their files. None is begun twice. The first rank of a team must not end a task before the others have begun it.
/// Collective. Returns what holds for this rank.
/// Cost: some ten messages to the root a task, a look at it every few milliseconds of a rank that waits.
Dealt deal_to_teams(core::Comm const& comm, std::vector<TeamTask> const& tasks, Dealing const& dealing);

}  // namespace tessera::run
