// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/applications/percolation/medium.hpp"

namespace tessera::tools::percolation {

/// The published automata on the medium, with the exact spanning cluster and backbone beside them: fields, picture, log
/// and `results` of the report. Collective.
void run_paper(Session& session, Settings const& settings, Medium const& medium, core::Field<std::uint8_t>& occupied,
               core::Report& report);

}  // namespace tessera::tools::percolation
