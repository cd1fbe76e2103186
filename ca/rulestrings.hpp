// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tessera::ca {

/// The names of the rules that take the word for one of their rulestrings: `life` for B36/S23.
std::vector<std::string> rules_accepting(std::string_view word);

}  // namespace tessera::ca
