// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace tessera::core {

/// NAME=VALUE for each variable of the environment that is not this process' own as a rank of MPI: what a program is to
/// have that begins a run of its own.
std::vector<std::string> child_environment();

/// Runs a program, found as a shell would find it, to its end: its output and errors go into a file, its input is empty.
/// Signals that core::SignalCatcher has caught are handed on to it, and it is told to end where this process is killed. Returns its exit
/// code, 128 and the signal where one ended it. Throws core::RunError where it cannot be started. One rank.
int run_child(std::vector<std::string> const& command, std::string const& output);

}  // namespace tessera::core
