// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/comm/emulated_clock.hpp"
#include "core/comm/link.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tessera::core {

/// A cluster that the ranks of a run are timed as if they were on.
struct EmulatedCluster {
  std::vector<double> speeds;  ///< of each rank, by its number in MPI_COMM_WORLD; 1: a core of this machine
  Link network, memory;        ///< between nodes, between ranks of a node
};

/// "speeds=1,0.5 network=3e-5,1.2e8 memory=1e-6,4e9": latencies and bandwidths of links, either link may be left out; a third
/// number is the overhead.
/// Throws core::Error for other text, or if there are not as many speeds as ranks.
EmulatedCluster read_emulation(std::string const& text, int ranks);
/// The same back.
std::string text_of(EmulatedCluster const& cluster);

/// Times a run on a cluster that is not there: ranks compute on this machine, as many at once as there are cores, and each
/// has a clock of its own (EmulatedClock). A message carries the time at which it would arrive, and whoever takes it is not
/// before that. A reduction, or another call of all ranks, ends for all when the last has come, ceil(log2) latencies of the
/// ranks of a node and of the nodes later. Results do not change. For studies; set by the environment variable
/// TESSERA_EMULATE, alike on all ranks, nodes by TESSERA_NODES.
///
/// All goes by messages, also within a node, and MPI's own work on them counts for nothing. What leaves a node shares its
/// link: a message of one of n ranks has an n-th of the bandwidth. What this machine's ranks lose to each other in caches
/// and memory stays in their times.
class Emulation {
 public:
  /// Collective over all ranks of the program. Starts the clock.
  explicit Emulation(EmulatedCluster cluster, Comm const& world);
  ~Emulation();
  Emulation(Emulation const&) = delete;
  Emulation& operator=(Emulation const&) = delete;
  EmulatedCluster const& cluster() const { return cluster_; }

  /// All ranks are here: their clocks show the latest of their times, and what a meeting of theirs takes. Collective.
  void meet(Comm const& comm);
  /// A message was sent, or is awaited: its time of arrival goes, or comes, behind it.
  void sent(Comm const& comm, int to, std::size_t bytes, Tag tag, Requests& requests);
  void awaited(Comm const& comm, int from, Tag tag, Requests& requests);
  /// Waits for these; the clock then shows when all would have come.
  void wait_all(Requests& requests);

 private:
  /// What a communicator's ranks are in the cluster.
  struct Group {
    int of = 0;              ///< the emulation's number_
    std::vector<int> nodes;  ///< of its ranks
    double meeting = 0;      ///< [s]
  };
  Group const& group(Comm const& comm);

  EmulatedCluster const cluster_;
  int const number_;                           // of this process's emulations
  std::vector<int> nodes_;                     // of the ranks of MPI_COMM_WORLD
  int beside_ = 1;                             // ranks of this one's node, with it
  double network_free_ = 0, memory_free_ = 0;  // when this rank's last message is through
  struct Stamps;
  std::unique_ptr<Stamps> stamps_;
};

/// That of this run; nullptr: none.
std::unique_ptr<Emulation>& emulation();

/// Throws core::Error in a run that emulates a cluster: `what` goes by the machine's clock alone.
void refuse_emulation(std::string const& what);

/// A scope in which the emulated clock, if there is one, stands.
class ClockStands {
 public:
  ClockStands() : on_(emulated_clock().on()) {
    if (on_) emulated_clock().stand();
  }
  ~ClockStands() {
    if (on_) emulated_clock().go_on();
  }
  ClockStands(ClockStands const&) = delete;
  ClockStands& operator=(ClockStands const&) = delete;

 private:
  bool const on_;
};

}  // namespace tessera::core
