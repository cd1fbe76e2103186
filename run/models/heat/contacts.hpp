// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/cell_sets.hpp"
#include "io/foam/sources.hpp"
#include "run/model.hpp"
#include "run/models/heat/materials.hpp"
#include "solvers/heat.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::run::heat {

/// A thermal resistance where two zones of cells touch, such as a gap, a glued joint or a thin layer: an entry of `contacts` in
/// constant/transportProperties,
///   NAME { between (a b); resistance 1e-3; }                                    [m2 K/W]
///   NAME { between (a b); thicknessLayers (1e-4); kappaLayers (0.2); }          sum of thickness / kappa [m, W/(m K)]
struct Contact {
  std::string name;
  std::array<std::string, 2> zones;  ///< cellZones; cells of both are of the second, which then lies inside the first
  double resistance = 0;             ///< [m2 K/W]
};

/// None where the case has none. `exact`: whether interfaces cut cells, at surfaces of shapes that then must be known. Throws
/// core::Error: unknown zones, zones that share cells or do not touch. Collective.
std::vector<Contact> read_contacts(Session& session, EquationNames const& names, io::foam::CellSets const& sets,
                                   core::Layout const& layout, bool exact);

/// The faces of the contacts. Where interfaces are exact heat meets them at the angle that the shape's surface has
/// there, so that a face along whose normal it is passed obliquely has the resistance over that angle's cosine.
/// Collective.
std::vector<solvers::ResistiveFace> contact_faces(std::vector<Contact> const& contacts, io::foam::CellSets const& sets,
                                                  core::Layout const& layout, bool exact);

/// Where interfaces are exact: cells that a source's surface cuts at a contact, and whose centre lies beyond it, give
/// their part of the source to their neighbours before it, as what lies before a contact is heated there. Collective.
void keep_before_contacts(std::vector<io::foam::HeatSource>& sources, std::vector<Contact> const& contacts,
                          io::foam::CellSets const& sets, core::Layout const& layout);

}  // namespace tessera::run::heat
