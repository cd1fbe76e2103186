// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tessera::core {

/// A word that a case may hold and that is no plugin, such as a type of a boundary condition: for `tessera list KIND` and
/// `tessera help NAME`. What plugins have to say is in their registry.
struct Topic {
  std::string kind, name;
  std::string doc;   ///< one line
  std::string help;  ///< keys with their defaults
};

/// Sorted by kind and name.
std::vector<Topic> const& topics();

/// Registers a topic. Returns true, for a static variable beside the code that reads the word:
///   [[maybe_unused]] static bool const told = core::add_topic("sources", "heater", "a heater", "power [W];");
bool add_topic(std::string_view kind, std::string_view name, std::string_view doc, std::string_view help = {});

}  // namespace tessera::core
