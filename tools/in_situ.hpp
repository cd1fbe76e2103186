// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/insitu/in_situ.hpp"
#include "tools/application.hpp"

#include <memory>

namespace tessera::tools {

/// Reads system/inSituDict; nullptr where the case has none. For `prepare`. Collective.
inline std::unique_ptr<io::InSitu> make_in_situ(Session& session) {
  auto* dictionary = session.files.find("system/inSituDict");
  if (!dictionary) return nullptr;
  return std::make_unique<io::InSitu>(*dictionary, session.files.directory(), session.comm);
}

}  // namespace tessera::tools
