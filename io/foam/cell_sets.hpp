// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/dictionary.hpp"
#include "core/grid/field.hpp"
#include "io/foam/mesh.hpp"
#include "io/foam/solid.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace tessera::io::foam {

/// Named sets of cells: 1 in a cell of the set, 0 elsewhere. Sets and zones have names of their own, as in OpenFOAM.
/// The masks lie on the layout they were made for, which must outlive them; they have no halo.
struct CellSets {
  using Mask = core::Field<std::uint8_t>;
  std::map<std::string, Mask, std::less<>> sets;   ///< cellSet
  std::map<std::string, Mask, std::less<>> zones;  ///< cellZoneSet
  /// Of those made of shapes alone (and of such sets, and of blocks), the region: cells may be cut at its surface.
  std::map<std::string, Solid::Part, std::less<>> set_shapes, zone_shapes;
  std::shared_ptr<Mask> existing = {};  ///< cells that exist; none: all do
  bool complete = true;  ///< false where an action has an error and errors are gathered: cells and sets may be missing
};

/// What setFieldsDict gives a field: a value everywhere, or in a region.
struct Stroke {
  std::string field;
  double value;
  bool everywhere;
  Solid::Part shape;  ///< none where the cells are not those of shapes
  std::string where;  ///< FILE:LINE
};

/// What sources of cells may ask for besides shapes and sets.
struct SourceContext {
  Mesh const* mesh = nullptr;  ///< for patches and numbers of cells; by default the grid is one block, without patches
  /// A volScalarField of the case as it is now; nullptr where there is none of that name. Collective.
  std::function<core::Field<double> const*(std::string const& name)> field = {};
  std::function<void(Stroke const&)> drawn = {};  ///< told of all that set_fields does
};

/// Carries out the `actions` of `system/topoSetDict` in their order, upon `sets`, which are there already.
///
/// An action is { name; type cellSet | cellZoneSet; action ...; source ...; } with the source's keys beside it or in a
/// `sourceInfo` dictionary. Actions: new, add, subtract (delete), subset, invert, clear, remove. All but new and clear
/// want the set to be there. Sources: the shapes of shapes.hpp; cellToCell (set | sets); zoneToCell (zone | zones |
/// name); fieldToCell (field; min; max: min <= value <= max); labelToCell (value (numbers)); nearestToCell (points: the
/// cells whose centres are nearest); patchToCell (patch | patches, names, groups or patterns: the cells behind);
/// boundaryToCell (behind any patch); nbrToCell (neighbours n: cells with at most n neighbours); shapeToCell (shape hex);
/// haloToCell (steps 1: add cells around the set, or subtract its outermost); of a cellZoneSet also setToCellZone (set).
/// Throws core::Error with file and line; other types, actions and sources are refused by name. Cost: one pass over the
/// cells near a shape for each action, over all cells for other sources; only haloToCell communicates. Collective.
CellSets topo_set(core::Dictionary& dictionary, core::Layout const& layout, CellSets sets = {},
                  SourceContext const& context = {});

/// Whether some action selects by the values of a field, and whether some region of setFieldsDict selects by sets or zones:
/// which of the two dictionaries wants the other carried out first.
bool asks_for_fields(core::Dictionary const& topo_set);
bool asks_for_sets(core::Dictionary const& set_fields);

/// The zones of a mesh as cellZones, and which cells exist. topo_set goes on from them. A zone of more than 64 boxes has no
/// shape.
CellSets block_zones(Mesh const& mesh, core::Layout const& layout);

/// Carries out `system/setFieldsDict` on the owned cells of `fields` (by their names in the dictionary):
/// `defaultFieldValues ( volScalarFieldValue NAME v ... )` everywhere, then `regions ( SOURCE { ...; fieldValues
/// (...); } )` in their order, later ones over earlier ones. Sources as for a cellSet in topo_set but haloToCell, sets and
/// zones from `sets`. Throws core::Error with file and line; other field types, unknown fields and sources are refused
/// by name. Halos keep their old values: exchange them afterwards. Returns the names of the fields it set.
std::set<std::string> set_fields(core::Dictionary& dictionary,
                                 std::map<std::string, core::Field<double>*> const& fields, CellSets const& sets = {},
                                 SourceContext const& context = {});

}  // namespace tessera::io::foam
