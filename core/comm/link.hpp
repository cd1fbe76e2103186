// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>

namespace tessera::core {

/// The way between two ranks: a message takes `latency` [s] + bytes / `bandwidth` [bytes/s]; a bandwidth of 0: not said, or
/// without end.
struct Link {
  double latency = 0, bandwidth = 0;
};

/// Seconds that a reduction takes over ranks of whose nodes the fullest has so many: messages by halves, within the nodes and
/// then between them.
inline double reduction_seconds(Link const& memory, int fullest, Link const& network, int nodes) {
  auto const stages = [](int n) { return std::bit_width(static_cast<unsigned>(n - 1)); };
  return stages(fullest) * memory.latency + stages(nodes) * network.latency;
}

}  // namespace tessera::core
