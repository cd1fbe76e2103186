// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace tessera::core {

/// What this process has sent by messages since it began, and the reductions that it took part in by them: what goes through
/// the memory of a node is left out.
struct CommCounts {
  std::int64_t messages = 0, bytes = 0, reductions = 0;
};
CommCounts& comm_counts();

}  // namespace tessera::core
