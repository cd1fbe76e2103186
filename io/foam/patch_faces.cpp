// SPDX-License-Identifier: Apache-2.0
#include "io/foam/patch_faces.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tessera::io::foam {
PatchFaces::PatchFaces(Mesh const& mesh) : mesh_(mesh) {
  for (auto const& patch : mesh.patches)
    for (auto const& piece : patch.pieces) {
      if (!has_faces(patch)) continue;
      pieces_.push_back({size_, &piece});
      size_ += static_cast<std::size_t>(piece.cells.cells());
    }
}

std::size_t PatchFaces::number(core::Side side, core::Index const& cell) const {
  auto const place = std::find_if(pieces_.begin(), pieces_.end(), [&](Piece const& p) {
    return p.piece->side == side && p.piece->cells.contains(cell);
  });
  core::expect(place != pieces_.end(), "a cell has no boundary face on that side");
  return place->first + static_cast<std::size_t>(place->piece->number(cell));
}

void PatchFaces::gather(core::Layout const& layout, std::vector<double>& values) const {
  std::vector<double> all(values.size(), -std::numeric_limits<double>::infinity());
  std::size_t const parts = size_ == 0 ? 1 : values.size() / size_;
  for_own(layout, [&](std::size_t n, core::Side, int, int, int, int) {
    for (std::size_t p = 0; p < parts; ++p) all[parts * n + p] = values[parts * n + p];
  });
  layout.comm().max(all);
  values = std::move(all);
}

std::vector<std::vector<double>> PatchFaces::by_patch(std::vector<double> const& values, std::size_t parts) const {
  std::vector<std::vector<double>> all;
  std::size_t first = 0;
  for (auto const& patch : mesh_.patches) {
    std::size_t const count = has_faces(patch) ? static_cast<std::size_t>(patch.faces()) : 0;
    auto& of_patch = all.emplace_back(parts * count);
    for (std::size_t n = 0; n < count; ++n) {
      std::size_t const place = patch.order.empty() ? n : static_cast<std::size_t>(patch.order[n]);
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(parts * (first + n)), parts,
                  of_patch.begin() + static_cast<std::ptrdiff_t>(parts * place));
    }
    first += count;
  }
  return all;
}

std::string PatchFaces::boundary_text(std::vector<double> const& values, FieldFormat const& format,
                                      std::size_t parts) const {
  std::string text;
  auto const of_patches = by_patch(values, parts);
  for (std::size_t p = 0; p < of_patches.size(); ++p) {
    auto const& patch = mesh_.patches[p];
    text += fmt::format("    {}\n    {{\n        type            {};\n", patch.name,
                        has_values(patch) ? "calculated" : patch.type);
    if (has_values(patch))
      text += fmt::format("        value           {};\n", values_text(of_patches[p], format, parts));
    text += "    }\n";
  }
  return text;
}

void PatchFaces::read(FieldFile& file, std::vector<double>& values) const {
  std::size_t first = 0;
  for (auto const& patch : mesh_.patches) {
    if (!has_faces(patch)) continue;
    if (has_values(patch)) {
      auto const given = face_values(*patch_entry(file, patch), "value", patch);
      std::copy(given.begin(), given.end(), values.begin() + static_cast<std::ptrdiff_t>(first));
    }
    first += static_cast<std::size_t>(patch.faces());
  }
}

}  // namespace tessera::io::foam
