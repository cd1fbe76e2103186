// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/percolation/findings.hpp"

namespace tessera::run::percolation {

/// One picture that tells the story of a crossing: clusters, dangling ends, backbone, attachment sites (articulation sites
/// of the backbone, where dangling ends hang) and red sites, with a legend, in colours that the colour-blind tell
/// apart. Kinds whose fields were not kept are left out; where no field of the crossing was kept there is no picture.
/// Collective.
void draw_story(std::string const& file, std::string const& title, Medium const& medium,
                core::Field<std::uint8_t> const& occupied, Crossed const& crossed);

}  // namespace tessera::run::percolation
