// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm.hpp"

#include <functional>

namespace tessera::core {

/// Exit codes of the program.
enum Exit : int { done = 0, wrong_input = 1, wrong_command = 2, not_converged = 3, failed = 4 };

/// Starts MPI and Kokkos, and ends them. One object, first thing in main.
class Runtime {
 public:
  /// Removes MPI's and Kokkos' own arguments. Throws nothing; a clash of plugin names is reported by `run`.
  Runtime(int& argc, char**& argv);
  ~Runtime();
  Runtime(Runtime const&) = delete;
  Runtime& operator=(Runtime const&) = delete;

  Comm const& world() const { return world_; }

  /// Runs `body` and returns the exit code of the process. If it throws on some ranks, one message goes to stderr
  /// (from the lowest of these ranks) and all ranks end: together where all threw, otherwise by ending the MPI job, so
  /// that no rank waits for one that failed.
  int run(std::function<int()> const& body);

 private:
  int fail(std::string const& message, int code);
  Comm world_;
  MPI_Comm errors_ = MPI_COMM_NULL;  // failing ranks meet here
};

}  // namespace tessera::core
