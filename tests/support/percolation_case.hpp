// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/support/written_case.hpp"

namespace tessera::tests {

/// A percolation case. All members are collective over the world.
class PercolationCase : public WrittenCase {
 public:
  PercolationCase(std::string const& properties, std::string const& grid_dict)
      : WrittenCase({{"system/controlDict", "application percolation;\n"},
                     {"constant/percolationProperties", properties},
                     {"system/gridDict", grid_dict}}) {}
};

}  // namespace tessera::tests
