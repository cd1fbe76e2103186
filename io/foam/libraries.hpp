// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"

#include <string>
#include <vector>

namespace tessera::io::foam {

/// The names of the entry `libs`: `libs ("liba.so" b);`, `libs "liba.so";`, `libs b;`.
std::vector<std::string> library_names(core::Dictionary const& dictionary);

/// Whether a name in `libs` is a library of OpenFOAM, of which nothing is needed here: in any of the forms that it takes
/// (libfvOptions.so, libfvOptions, fvOptions), without a folder. Known are those of v1912 and v2312, names with "Foam", and
/// what lies in FOAM_LIBBIN, FOAM_SITE_LIBBIN and FOAM_USER_LIBBIN.
bool is_openfoam_library(std::string const& name);

}  // namespace tessera::io::foam
