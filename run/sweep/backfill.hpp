// SPDX-License-Identifier: Apache-2.0
// Which tasks begin on which ranks, where tasks want ranks of different numbers. Pure: no messages, no clock.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace tessera::run {

/// A task that waits.
struct Waiting {
  std::int64_t task;
  int ranks;                                                  ///< that it wants: a power of two
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< that it is expected to take; NaN: unknown
  std::int64_t input = -1;                                    ///< the file that it reads; -1: none of its own
};

/// What is known of a rank.
struct RankState {
  bool free = true;
  double until = 0;  ///< when it is expected to be free [s]
  int node = 0;
};

/// A task that begins on ranks first .. first + ranks - 1.
struct Beginning {
  std::size_t place;  ///< in the list of those that wait
  int first;
};

/// The ranks on which a task may run are blocks: of w ranks the first is a multiple of w.
/// Tasks are taken in the order of the list. The first one for which no block is free gets a reservation: the block that is
/// expected to be free first, from that time on. Those behind it begin where they leave that block alone, or are expected to
/// have ended by then. Of free blocks those are taken that break up the smallest larger one; a task goes to a node on which
/// its file was read last, if it has a free block, and a free block to the first task of its node's files, unless that is
/// expected to take less than half as long as the task whose turn it is.
/// `last_read`: of each file the node that read it last, -1 for none. Cost: waiting tasks times ranks.
///
/// Source: Lifka 1995, "The ANL/IBM SP Scheduling System": backfilling with one reservation (EASY).
std::vector<Beginning> backfill(std::vector<Waiting> const& waiting, std::vector<RankState> ranks,
                                std::vector<int> last_read, double now);

/// The largest block of so many ranks: the greatest power of two.
int largest_block(int ranks);

}  // namespace tessera::run
