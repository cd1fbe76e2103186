// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/loops.hpp"
#include "io/foam/fields.hpp"
#include "io/foam/time_directory.hpp"

#include <string>
#include <vector>

namespace tessera::io::foam {

/// The faces of a mesh's patches, numbered patch by patch in the order of their pieces. Empty and cyclic patches have none.
class PatchFaces {
 public:
  /// The mesh must outlive the object.
  explicit PatchFaces(Mesh const& mesh);

  std::size_t size() const { return size_; }
  /// The number of the face on a side of a cell. Throws core::BrokenPromise where there is none.
  std::size_t number(core::Side side, core::Index const& cell) const;
  /// f(number, side, slot, k, j, i) for the faces of the rank's own cells.
  template <class F>
  void for_own(core::Layout const& layout, F const& f) const {
    for (auto const& [first, piece] : pieces_)
      core::for_own_cells(layout, piece->cells, [&, first = first, piece = piece](int s, int k, int j, int i) {
        auto const inside = static_cast<std::size_t>(piece->number(layout.info(s).global(k, j, i)));
        f(first + inside, piece->side, s, k, j, i);
      });
  }
  /// From the values of each rank's own faces (one or several a face) those of all faces, on all ranks. Collective.
  void gather(core::Layout const& layout, std::vector<double>& values) const;
  /// Values of all faces, by patches and in the order of their files; none of patches without faces.
  std::vector<std::vector<double>> by_patch(std::vector<double> const& values, std::size_t parts = 1) const;
  /// boundaryField with these values, all of type calculated; vectors with three parts, which follow each other.
  std::string boundary_text(std::vector<double> const& values, FieldFormat const& format, std::size_t parts = 1) const;
  /// Takes the values that boundaryField of a file gives (`value`). Those of symmetry planes, which have none, are left
  /// alone. Throws core::Error where another patch has none, or another number of them.
  void read(FieldFile& file, std::vector<double>& values) const;

 private:
  struct Piece {
    std::size_t first;  // number of its first face
    Patch::Piece const* piece;
  };
  static bool has_faces(Patch const& patch) { return !patch.unsolved() && patch.type != "cyclic"; }
  static bool has_values(Patch const& patch) { return patch.type == "patch" || patch.type == "wall"; }

  Mesh const& mesh_;
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace tessera::io::foam
