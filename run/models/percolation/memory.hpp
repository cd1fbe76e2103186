// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/percolation/medium.hpp"

namespace tessera::run::percolation {

/// Memory that a run takes at its peak beside the program's own [B a cell of the grid]. Media from files of up to 16 Mi cells are read
/// for it. Collective.
double bytes_a_cell(Settings const& settings, Medium const& medium);

}  // namespace tessera::run::percolation
