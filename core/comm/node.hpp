// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/comm/mailbox.hpp"
#include "core/comm/shared_memory.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tessera::core {

/// How ranks of one node hand each other halos and sums. `automatic`: through memory that they share, halos from an
/// exchange's fourth round on; `shared_memory`: from the first; `messages`: as to other nodes. Results do not differ.
enum class Transport { automatic, messages, shared_memory };

/// That of this process. To be set alike on all ranks, between steps.
Transport& transport();
/// Whether all goes by messages: they were chosen, or are what is slowed (Delay) or timed (Emulation).
bool messages_alone();

enum class Reduction { sum, min, max };
MPI_Op operation(Reduction how);

/// A communicator's ranks on the node of this one, and what they share.
///
/// Reductions: each rank writes its values into its mailbox. On one node of few ranks each rank adds up those of all;
/// otherwise the first rank of each node does, these first ranks reduce by messages, and hand the result down. A rank that
/// writes turn n has read the values, or the result, of turn n - 1, which came after all ranks of the node had entered that
/// turn; so all have read turn n - 2, whose buffers it takes.
///
/// Rank and size are those on the node.
class Node {
 public:
  /// `nodes`: for each rank of `comm`, the lowest on its node. Collective over comm, as is the destructor.
  Node(Comm const& comm, std::vector<int> const& nodes);
  Node(Node const&) = delete;
  Node& operator=(Node const&) = delete;

  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }
  Comm const& comm() const { return comm_; }
  /// A rank of the communicator as it counts on this node; -1: it is on another.
  int local(int rank) const { return local_[rank]; }
  /// Whether halos can be exchanged with a rank of the communicator through shared memory: it is on this node, and both
  /// compute in the memory of the host.
  bool shares_halos(int rank) const { return shares_halos_[rank] != 0; }
  SharedMemory& memory() { return memory_; }

  /// Reduces over all ranks of the communicator, in place. False, on all ranks, where it is left to messages: they were
  /// chosen, or x is long. Collective over the communicator.
  template <class T>
  bool reduce(std::span<T> x, Reduction how);

 private:
  template <class T>
  void join(std::span<T> x, Reduction how, std::uint64_t turn) const;

  struct Handle {
    MPI_Comm value = MPI_COMM_NULL;
    ~Handle() {
      if (value != MPI_COMM_NULL) MPI_Comm_free(&value);
    }
  };

  Handle handle_, leaders_;  // the second: of the first ranks of all nodes; none on other ranks
  Comm comm_;
  std::vector<int> local_;
  std::vector<char> shares_halos_;
  bool one_node_ = false;
  SharedMemory memory_;
  std::vector<Mailbox> values_;  // of the ranks of this node; none if the system had no room for them
  Mailbox result_;               // of the node's first rank
  std::uint64_t turn_ = 0;
};

/// Finds out which ranks of MPI_COMM_WORLD share memory with this process. `artificial` splits a machine: the nodes of
/// all ranks by number, "0,0,1,1" (the environment variable TESSERA_NODES: for tests); nullptr: does not. Throws
/// core::Error for a text that does not fit, after it has taken it as nullptr. Collective.
void find_node(char const* artificial);

/// For each rank the lowest one on its node. Collective.
std::vector<int> memory_nodes(Comm const& comm);

/// Each rank's number in MPI_COMM_WORLD: that which the user gave it by starting the program.
std::vector<int> launched_ranks(Comm const& comm);

/// What this rank shares with others of its node; nullptr if it is alone there, or the communicator was not given a node.
Node* node_of(Comm const& comm);
/// Gives a communicator its node; nullptr takes it back.
void set_node(Comm const& comm, Node* node);

}  // namespace tessera::core
