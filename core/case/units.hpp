// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"

namespace tessera::core {

/// The exponents of kg m s K mol A Cd of units as OpenFOAM writes them: `m^2/s`, `W/(m K)`, `kg m^-1 s^-2`. What stands side by side is
/// multiplied; all is taken from left to right. `in`: the entry, whose place errors have. Throws core::Error.
std::array<double, 7> exponents_of_units(std::string_view units, TokenStream const& in);

}  // namespace tessera::core
