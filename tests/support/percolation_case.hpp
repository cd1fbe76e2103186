// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/index.hpp"
#include "tests/support/written_case.hpp"

#include <fmt/format.h>

#include <vector>

namespace tessera::tests {

/// `lattice { neighbours (...); }`
inline std::string listed(std::vector<core::Index> const& steps) {
  std::string text;
  for (core::Index const& d : steps) text += fmt::format("({} {} {})", d.i, d.j, d.k);
  return fmt::format("lattice {{ neighbours ({}); }}", text);
}

/// A percolation case. All members are collective over the world.
class PercolationCase : public WrittenCase {
 public:
  PercolationCase(std::string const& properties, std::string const& grid_dict)
      : WrittenCase({{"system/controlDict", "application percolation;\n"},
                     {"constant/percolationProperties", properties},
                     {"system/gridDict", grid_dict}}) {}
  /// The report of the same case run by the root alone, on all ranks.
  nlohmann::ordered_json alone() {
    core::Comm const world;
    std::string text;
    if (world.root()) text = run({}, core::Comm(MPI_COMM_SELF)).dump();
    world.broadcast(text);
    return nlohmann::ordered_json::parse(text);
  }
};

}  // namespace tessera::tests
