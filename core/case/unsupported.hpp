// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"

namespace tessera::core {

/// `KIND 'NAME' is not supported, supported: X Y Z; did you mean 'X'?`, of words that exist elsewhere, as in OpenFOAM, and
/// may not be here; unknown_name is for words that are there or nowhere.
std::string unsupported_name(std::string_view kind, std::string_view name, std::vector<std::string> const& supported);

}  // namespace tessera::core
