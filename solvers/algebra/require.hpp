// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <string>

namespace tessera::solvers {

/// Throws core::Error on all ranks unless f(value) > 0 in every owned cell; the message names the first such cell in
/// raster order, its value, and what was expected. `f`: none where values are stored as they are.
/// Collective. Cost: one pass on the host.
void require_positive(core::Field<double> const& field, std::string const& what, std::string const& why,
                      double (*f)(double) = nullptr);

}  // namespace tessera::solvers
