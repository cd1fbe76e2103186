// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

namespace tessera::core {

/// What computes a part of a run: sweeps, on the device or the threads of the backend; threads of the host, whatever the
/// backend; or one of them.
enum class By { sweeps, host_threads, one_thread };

/// Notes that a part of this process's run, such as `multigrid`, is computed so. Noted twice, the slower one stands.
void note_computed(std::string const& part, By by);
std::map<std::string, By> const& computed();
/// Forgets all of them: at the beginning of a run.
void forget_computed();

/// Those that leave a device waiting: a line each. None where the program computes on the host.
std::vector<std::string> computed_beside_device();

}  // namespace tessera::core
