// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>

namespace tessera::core {

/// The way between two ranks: a message is on it for `latency` [s] + bytes / `bandwidth` [bytes/s]; a bandwidth of 0: not said,
/// or without end. Before that it takes `overhead` [s] of the sender's processor (the o of Culler et al., LogP, 1993); below 0:
/// not said.
struct Link {
  double latency = 0, bandwidth = 0, overhead = 0;
  /// Seconds of each of the messages that wait for one another.
  double step() const { return latency + std::max(0.0, overhead); }
};

/// Seconds that a reduction takes over ranks of whose nodes the fullest has so many: messages by halves, within the nodes and
/// then between them.
inline double reduction_seconds(Link const& memory, int fullest, Link const& network, int nodes) {
  auto const stages = [](int n) { return std::bit_width(static_cast<unsigned>(n - 1)); };
  return stages(fullest) * memory.step() + stages(nodes) * network.step();
}

}  // namespace tessera::core
