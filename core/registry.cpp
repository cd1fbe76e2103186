// SPDX-License-Identifier: Apache-2.0
#include "core/registry.hpp"

namespace tessera::core {

std::vector<std::string>& registry_clashes() {
  static std::vector<std::string> clashes;
  return clashes;
}

void check_registries() {
  if (!registry_clashes().empty()) throw Error(registry_clashes().front());
}

}  // namespace tessera::core
