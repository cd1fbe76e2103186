// SPDX-License-Identifier: Apache-2.0
#include "core/case/unsupported.hpp"

namespace tessera::core {

std::string unsupported_name(std::string_view kind, std::string_view name, std::vector<std::string> const& supported) {
  std::string text = std::string(kind) + " '" + std::string(name) + "' is not supported, supported:";
  for (auto const& one : supported) text += " " + one;
  std::string const guess = nearest(name, supported);
  return guess.empty() ? text : text + "; did you mean '" + guess + "'?";
}

}  // namespace tessera::core
