// SPDX-License-Identifier: Apache-2.0
#include "core/grid/computed.hpp"

#include "core/grid/sweep.hpp"
#include "core/report.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::core {

static std::map<std::string, By>& all_computed() {
  static std::map<std::string, By> all;
  return all;
}

void note_computed(std::string const& part, By by) {
  auto const [there, is_new] = all_computed().emplace(part, by);
  if (!is_new) there->second = std::max(there->second, by);
}
std::map<std::string, By> const& computed() { return all_computed(); }
void forget_computed() { all_computed().clear(); }

std::vector<std::string> computed_beside_device() {
  std::vector<std::string> lines;
  if (on_host) return lines;
  for (auto const& [part, by] : computed())
    if (by != By::sweeps)
      lines.push_back(fmt::format(
          "{} is computed on the host, by {}, while {} waits: a program built for the host is as fast, see "
          "docs/backends.md",
          part, by == By::one_thread || host_threads() == 1 ? "one thread" : fmt::format("{} threads", host_threads()),
          backend_name()));
  return lines;
}

}  // namespace tessera::core
