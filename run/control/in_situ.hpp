// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/insitu/in_situ.hpp"
#include "run/model.hpp"

#include <memory>

namespace tessera::run {

/// Reads system/inSituDict; nullptr where the case has none. For `prepare`. Collective.
inline std::unique_ptr<io::InSitu> make_in_situ(Session& session) {
  auto* dictionary = session.files.find("system/inSituDict");
  if (!dictionary) return nullptr;
  auto in_situ = std::make_unique<io::InSitu>(
      *dictionary, session.files.directory(), session.comm,
      [&session](core::Dictionary const& entry, std::string const& key, std::string const& file) {
        return session.code.may_open(entry, key, file);
      });
  in_situ->on_note([&session](std::string const& text) { session.log.line("{}", text); });
  return in_situ;
}

}  // namespace tessera::run
