// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/sweep.hpp"
#include "io/foam/cell_sets.hpp"
#include "io/foam/shapes.hpp"

#include <memory>
#include <vector>

namespace tessera::io::foam {

/// A source of cells, as it stands in topoSetDict or setFieldsDict.
struct CellSource {
  std::string name;
  core::Dictionary const& dictionary;  ///< its keys
  std::string where;                   ///< FILE:LINE of its name
  CellSets const& sets;
  SourceContext const& context;
  CellSets::Mask const* current = nullptr;  ///< the set that is changed, of an action that adds or subtracts
  bool adds = true;                         ///< or subtracts
};

/// Cells that a source selects: those of a shape, or those in any of some masks.
class CellSelection {
 public:
  /// Throws core::Error. Collective.
  CellSelection(CellSource const& source, core::Layout const& layout);

  /// The region whose cells these are; none where they are not chosen by shapes.
  Solid::Part shape() const { return shape_ ? shape_ : masks_.empty() ? nullptr : united(shapes_); }

  /// Calls f(slot, k, j, i) on the host for each selected own cell of the rank, once. f must not throw, and write its
  /// cell only.
  template <class F>
  void for_each(core::Layout const& layout, F const& f) const {
    core::Grid const& grid = layout.grid();
    core::Box const near = shape_ ? cells_near(*shape_, grid) : grid.box();
    std::vector<core::FieldView<std::uint8_t const>> masks;
    for (auto const* mask : masks_) masks.push_back(mask->host());
    core::for_each_tile_on_host("select cells", layout, [&](int slot) {
      core::TileInfo const& t = layout.info(slot);
      core::for_cells(t, near, [&](int k, int j, int i) {
        bool selected = shape_ && shape_->contains(centre(grid, t.global(k, j, i), wedge_));
        for (auto const& mask : masks) selected = selected || mask(slot, k, j, i) != 0;
        if (selected) f(slot, k, j, i);
      });
    });
  }

 private:
  Solid::Part shape_;
  std::optional<core::Wedge> wedge_;  // that the grid stands for
  std::vector<Solid::Part> shapes_;   // of the masks
  std::unique_ptr<CellSets::Mask> made_;
  std::vector<CellSets::Mask const*> masks_;
};

/// Sources that select by what is in the mesh and its fields, and the cells of one of them; a mask without a halo.
std::vector<std::string> const& mesh_source_names();
CellSets::Mask cells_of_mesh_source(CellSource const& source, core::Layout const& layout);

/// The names of the masks that a name stands for, or a pattern in quotes. Throws core::Error at the entry `key` where there is none.
std::vector<std::string> names_of(std::map<std::string, CellSets::Mask, std::less<>> const& masks,
                                  core::Token const& name, std::string_view kind, core::Dictionary const& dictionary,
                                  std::string_view key);

/// The mask of that name. Throws core::Error at the entry `key`, listing the names there are.
CellSets::Mask const& find_mask(std::map<std::string, CellSets::Mask, std::less<>> const& masks,
                                std::string const& name, std::string_view kind, core::Dictionary const& dictionary,
                                std::string_view key);

}  // namespace tessera::io::foam
