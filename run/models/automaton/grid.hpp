// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "io/foam/mesh.hpp"

#include <span>
#include <string>

namespace tessera::run::automaton {

/// The grid of system/gridDict for an automaton of this rule, on workers of these rates. Tiles that the dictionary leaves open
/// are those that the rule is fastest on: where its states are kept a bit a cell (`storage` in `properties`), of whole words
/// of 64 cells; of fewer cells where there would be fewer tiles than workers. Throws core::Error.
io::foam::Mesh read_grid(core::Dictionary& grid, core::Dictionary& properties, std::string const& rule,
                         std::span<double const> rates);

}  // namespace tessera::run::automaton
