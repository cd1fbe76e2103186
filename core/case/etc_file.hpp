// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tessera::core {

/// The file that `<etc>/NAME` stands for: $WM_PROJECT_DIR/etc/NAME, or that of Debian's OpenFOAM; `<etc>/NAME` itself where
/// there is neither. Other paths stand for themselves. Who reads files for a Dictionary calls it on the rank that reads.
std::string etc_file(std::string const& path);

}  // namespace tessera::core
