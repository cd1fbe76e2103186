// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/sweep.hpp"
#include "io/foam/cell_sets.hpp"
#include "io/foam/shapes.hpp"

#include <memory>
#include <vector>

namespace tessera::io::foam {

/// Cells that a source of topoSetDict or setFieldsDict selects: those of a shape, or those in any of some masks.
class CellSelection {
 public:
  /// `dictionary` holds the keys of the source, `where` (FILE:LINE) is the place of its name. Throws core::Error.
  CellSelection(std::string const& source, core::Dictionary const& dictionary, CellSets const& sets,
                std::string const& where);

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
      core::Index const origin{t.i0, t.j0, t.k0};
      core::Box const box = core::shifted(core::intersect(near, grid.tile_box(t.tile)), core::Index{} - origin);
      for (int k = static_cast<int>(box.lo.k); k < box.hi.k; ++k)
        for (int j = static_cast<int>(box.lo.j); j < box.hi.j; ++j)
          for (int i = static_cast<int>(box.lo.i); i < box.hi.i; ++i) {
            bool selected = shape_ && shape_->contains(centre(grid, t.global(k, j, i)));
            for (auto const& mask : masks) selected = selected || mask(slot, k, j, i) != 0;
            if (selected) f(slot, k, j, i);
          }
    });
  }

 private:
  std::unique_ptr<CellShape> shape_;
  std::vector<CellSets::Mask const*> masks_;
};

/// The mask of that name. Throws core::Error at the entry `key`, listing the names there are.
CellSets::Mask const& find_mask(std::map<std::string, CellSets::Mask, std::less<>> const& masks,
                                std::string const& name, std::string_view kind, core::Dictionary const& dictionary,
                                std::string_view key);

/// Calls f(slot, k, j, i) on the host for each own cell of the rank. f must not throw, and write its cell only.
template <class F>
void for_each_cell_on_host(core::Layout const& layout, F const& f) {
  core::for_each_tile_on_host("cells", layout, [&](int slot) {
    core::TileInfo const& t = layout.info(slot);
    for (int k = 0; k < t.nk; ++k)
      for (int j = 0; j < t.nj; ++j)
        for (int i = 0; i < t.ni; ++i) f(slot, k, j, i);
  });
}

}  // namespace tessera::io::foam
