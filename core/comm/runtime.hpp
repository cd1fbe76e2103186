// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace tessera::core {

class Node;

/// Exit codes of the program.
enum Exit : int { done = 0, wrong_input = 1, wrong_command = 2, not_converged = 3, failed = 4 };

/// Whether memory ran out: std::bad_alloc, or what Kokkos throws, a text of several lines.
bool says_out_of_memory(std::exception const& error);
/// Whether it is none of Tessera's, nor of memory that ran out: of a plugin, or of a library.
bool is_of_plugin(std::exception const& error);

/// Starts MPI and Kokkos, and ends them. One object, first thing in main. Within a program that has started MPI itself, MPI
/// is left to it.
class Runtime {
 public:
  /// Removes MPI's arguments and Kokkos' own, which begin with --kokkos-; other arguments are none of Kokkos' business.
  /// Throws nothing; a clash of plugin names is reported by `run`.
  Runtime(int& argc, char**& argv);
  ~Runtime();
  /// What the program says instead of running, such as its help: on the first rank, with MPI started and nothing else. Returns the exit
  /// code of the process: that of `print`.
  static int say(int& argc, char**& argv, std::function<int()> const& print);
  Runtime(Runtime const&) = delete;
  Runtime& operator=(Runtime const&) = delete;

  /// All ranks, those of a node one after the other, rank 0 as MPI counts.
  Comm const& world() const { return world_; }

  /// Runs `body` and returns the exit code of the process. If it throws on some ranks, one message goes to stderr
  /// (from the lowest of these ranks) and all ranks end: together where all threw, otherwise by ending the MPI job, so
  /// that no rank waits for one that failed. So it is a failure where what was printed could not be written.
  int run(std::function<int()> const& body);
  /// Calls `body` for a program that goes on where it throws: what it throws is thrown on if it threw on all ranks, otherwise
  /// the MPI job ends as in `run`.
  void call(std::function<void()> const& body);
  /// Ends all ranks of a program that cannot go on here: the others may wait for this one.
  [[noreturn]] void end_job(int code) const;

 private:
  void check_environment();
  void start_emulation(char const* text);
  /// Of a rank that failed: meets the others that did, and returns the rank and the code of the lowest. Ends the job if not
  /// all come.
  std::pair<int, int> meet(std::string const& message, int code);
  int fail(std::string const& message, int code);
  void find_nodes();
  bool const ours_;  // MPI, to end
  Comm world_;
  MPI_Comm ordered_ = MPI_COMM_NULL;  // by nodes, where the world is not
  std::unique_ptr<Node> node_;
  std::exception_ptr problem_;       // with the environment
  bool checked_ = false;             // what is read of the environment
  MPI_Comm errors_ = MPI_COMM_NULL;  // failing ranks meet here
};

}  // namespace tessera::core
