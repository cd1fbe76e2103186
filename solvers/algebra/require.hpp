// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"

#include <string>

namespace tessera::solvers {

/// Throws core::Error on all ranks unless f(value) > 0 in every owned cell; the message names the first such cell in
/// raster order, its value, and what was expected. `f` is a plain function: values may be stored in another form.
/// Collective. Cost: one pass on the host.
void require_positive(
    core::Field<double> const& field, std::string const& what, std::string const& why,
    double (*f)(double) = [](double x) { return x; });

}  // namespace tessera::solvers
