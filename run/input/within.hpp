// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

namespace tessera::run {

/// Sets a mask to 0 where `within` is 0, on the same layout.
void keep_within(core::Field<std::uint8_t>& mask, core::Field<std::uint8_t> const& within);

/// Cells of a box that are not 0. Collective.
std::int64_t occupied_in(core::Field<std::uint8_t> const& mask, core::Box const& box);

}  // namespace tessera::run
