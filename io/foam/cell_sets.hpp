// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/dictionary.hpp"
#include "core/field.hpp"
#include "io/foam/mesh.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace tessera::io::foam {

/// Named sets of cells: 1 in a cell of the set, 0 elsewhere. Sets and zones have names of their own, as in OpenFOAM.
/// The masks lie on the layout they were made for, which must outlive them; they have no halo.
struct CellSets {
  using Mask = core::Field<std::uint8_t>;
  std::map<std::string, Mask, std::less<>> sets;   ///< cellSet
  std::map<std::string, Mask, std::less<>> zones;  ///< cellZoneSet
};

/// Carries out the `actions` of `system/topoSetDict` in their order, upon `sets`, which are there already.
///
/// An action is { name; type cellSet | cellZoneSet; action ...; source ...; } with the source's keys beside it or in a
/// `sourceInfo` dictionary. Actions: new, add, subtract (delete), subset, invert, clear, remove. All but new and clear
/// want the set to be there. Sources of a cellSet: the shapes of shapes.hpp, cellToCell (set | sets), zoneToCell (zone
/// | zones | name); of a cellZoneSet: setToCellZone (set). Throws core::Error with file and line; other types, actions
/// and sources are refused by name. Cost: one pass over the cells near a shape for each action; nothing is
/// communicated.
CellSets topo_set(core::Dictionary& dictionary, core::Layout const& layout, CellSets sets = {});

/// The zones that the blocks of a mesh belong to, as cellZones. topo_set goes on from them.
CellSets block_zones(Mesh const& mesh, core::Layout const& layout);

/// Carries out `system/setFieldsDict` on the owned cells of `fields` (by their names in the dictionary):
/// `defaultFieldValues ( volScalarFieldValue NAME v ... )` everywhere, then `regions ( SOURCE { ...; fieldValues
/// (...); } )` in their order, later ones over earlier ones. Sources as for a cellSet in topo_set, sets and zones from
/// `sets`. Throws core::Error with file and line; other field types, unknown fields and sources are refused by name.
/// Halos keep their old values: exchange them afterwards.
void set_fields(core::Dictionary& dictionary, std::map<std::string, core::Field<double>*> const& fields,
                CellSets const& sets = {});

}  // namespace tessera::io::foam
