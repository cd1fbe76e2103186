// SPDX-License-Identifier: Apache-2.0
// Sources of topoSet and setFields that select cells by the mesh and its fields.
#include "core/grid/halo.hpp"
#include "io/files/together.hpp"
#include "io/foam/cell_selection.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <regex>
#include <utility>

namespace tessera::io::foam {
namespace {

using Mask = CellSets::Mask;

/// Takes a cell on the rank that owns it.
void take(core::Layout const& layout, Mask& mask, core::Index const& cell) {
  core::Grid const& grid = layout.grid();
  int const slot = layout.slot(grid.tile_of(cell));
  if (slot < 0) return;
  core::TileInfo const& t = layout.info(slot);
  mask.host()(slot, static_cast<int>(cell.k - t.k0), static_cast<int>(cell.j - t.j0), static_cast<int>(cell.i - t.i0)) =
      1;
}

void take_box(core::Layout const& layout, Mask& mask, core::Box const& box) {
  auto const cell = mask.host();
  core::for_each_on_host("cells", layout, [&](int s, int k, int j, int i) {
    if (box.contains(layout.info(s).global(k, j, i))) cell(s, k, j, i) = 1;
  });
}

void by_field(CellSource const& source, core::Layout const& layout, Mask& mask) {
  core::Dictionary const& d = source.dictionary;
  char const* const key = d.contains("field") ? "field" : "fieldName";
  auto const name = d.get<std::string>(key);
  double const lo = d.get<double>("min"), hi = d.get<double>("max");
  auto const* field = source.context.field ? source.context.field(name) : nullptr;
  if (field == nullptr) d.fail(key, fmt::format("there is no volScalarField '{}' in the case", name));
  auto const cell = mask.host();
  auto const value = field->host();
  core::for_each_on_host("cells", layout, [&](int s, int k, int j, int i) {
    cell(s, k, j, i) = value(s, k, j, i) >= lo && value(s, k, j, i) <= hi;
  });
}

void by_number(CellSource const& source, core::Layout const& layout, Mask& mask) {
  core::Grid const& grid = layout.grid();
  Mesh const* const mesh = source.context.mesh;
  auto const numbers = source.dictionary.get<std::vector<core::Count>>("value");
  for (auto const number : numbers)
    if (number < 0 || number >= (mesh ? mesh->total() : grid.total()))
      source.dictionary.fail("value", fmt::format("there is no cell {}, expected 0 to {}", number,
                                                  (mesh ? mesh->total() : grid.total()) - 1));
  std::vector<core::Index> cells;  // the root may be the only rank that knows
  on_root(layout.comm(), [&] {
    auto const n = grid.cells();
    for (auto const number : numbers)
      cells.push_back(mesh ? mesh->cell(number)
                           : core::Index{number % n[0], number / n[0] % n[1], number / (n[0] * n[1])});
  });
  layout.comm().broadcast(cells);
  for (auto const& cell : cells) take(layout, mask, cell);
}

/// The cell whose centre is nearest; of two the first.
core::Count nearest(core::Axis const& axis, double x) {
  core::Count const n = axis.cells();
  core::Count const above = std::clamp<core::Count>(axis.faces_up_to(x) - 1, 0, n - 1);
  core::Count best = std::max<core::Count>(above - 1, 0);
  for (core::Count c = best; c < std::min(above + 2, n); ++c)
    if (std::abs(axis.centre(c) - x) < std::abs(axis.centre(best) - x)) best = c;
  return best;
}

void by_points(CellSource const& source, core::Layout const& layout, Mask& mask) {
  core::Grid const& grid = layout.grid();
  for (auto const& p : source.dictionary.get<std::vector<Point>>("points"))
    take(layout, mask, {nearest(grid.axis(0), p[0]), nearest(grid.axis(1), p[1]), nearest(grid.axis(2), p[2])});
}

/// `patch NAME` or `patches (...)`: names, groups, or patterns in quotes.
void by_patches(CellSource const& source, core::Layout const& layout, Mask& mask) {
  core::Dictionary const& d = source.dictionary;
  char const* const key = d.contains("patches") ? "patches" : d.contains("patch") ? "patch" : "name";
  Mesh const* const mesh = source.context.mesh;
  if (mesh == nullptr) d.fail(key, "there are no patches here");
  std::vector<core::Token> names;
  for (auto const& token : d.tokens(key))
    if (token.kind == core::Token::Kind::word || token.kind == core::Token::Kind::string) names.push_back(token);
  d.mark_read(key);
  for (auto const& name : names) {
    bool found = false;
    for (auto const& patch : mesh->patches) {
      bool const pattern =
          name.kind == core::Token::Kind::string &&
          std::regex_match(patch.name, std::regex(name.text, std::regex::extended | std::regex::nosubs));
      if (patch.name != name.text && !patch.in_group(name.text) && !pattern) continue;
      found = true;
      for (auto const& piece : patch.pieces) take_box(layout, mask, piece.cells);
    }
    if (!found) d.fail(key, core::unknown_name("patch", name.text, mesh->patch_names()));
  }
}

/// Cells with at most so many neighbours; those across a cyclic patch count where `across`.
void by_neighbours(core::Layout const& layout, Mask& mask, int most, bool across) {
  core::Grid const& grid = layout.grid();
  auto const cell = mask.host();
  core::for_each_on_host("cells", layout, [&](int s, int k, int j, int i) {
    core::Index const x = layout.info(s).global(k, j, i);
    std::array<core::Count, 3> const at{x.i, x.j, x.k};
    int neighbours = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      core::Count const n = grid.cells()[a];
      bool const wraps = across && grid.periodic(static_cast<int>(a));
      neighbours += (at[a] > 0 || wraps) + (at[a] + 1 < n || wraps);
    }
    cell(s, k, j, i) = neighbours <= most;
  });
}

/// The cells with a face neighbour where `of` has `value`. Beyond the boundary it has 0.
Mask beside(core::Layout const& layout, Mask const& of, std::uint8_t value) {
  core::Grid const& grid = layout.grid();
  Mask wide("with a halo", layout, 1, std::uint8_t{0}), result("beside", layout, 0, std::uint8_t{0});
  auto const from = of.host();
  auto const to = wide.host();
  core::for_each_on_host("cells", layout, [&](int s, int k, int j, int i) { to(s, k, j, i) = from(s, k, j, i); });
  core::Halo(layout, 1, core::Reach::faces).exchange(wide);
  auto const cell = std::as_const(wide).host();
  auto const out = result.host();
  // an axis of one cell has no halo: beyond it is the boundary
  bool const flat =
      (grid.thin(0) && !grid.periodic(0)) || (grid.thin(1) && !grid.periodic(1)) || (grid.thin(2) && !grid.periodic(2));
  core::for_each_on_host("cells", layout, [&](int s, int k, int j, int i) {
    bool any = flat && value == 0;
    for (int const step : {-1, 1})
      any = any || (!grid.thin(0) && cell(s, k, j, i + step) == value) ||
            (!grid.thin(1) && cell(s, k, j + step, i) == value) || (!grid.thin(2) && cell(s, k + step, j, i) == value);
    out(s, k, j, i) = any;
  });
  return result;
}

/// Layers of cells around the set that is changed, or its outermost ones.
void by_layers(CellSource const& source, core::Layout const& layout, Mask& mask) {
  int const steps = source.dictionary.get_in<int>("steps", {1, 1'000'000}, 1);
  if (source.current == nullptr)
    throw core::Error(source.where +
                      ": haloToCell changes a set, expected 'action add' or 'action subtract' in topoSetDict");
  Mask now("set", layout, 0, std::uint8_t{0});
  auto const cell = now.host(), chosen = mask.host();
  auto const current = source.current->host();
  core::for_each_on_host("cells", layout,
                         [&](int s, int k, int j, int i) { cell(s, k, j, i) = current(s, k, j, i) != 0; });
  for (int n = 0; n < steps; ++n) {
    auto const next = beside(layout, now, source.adds ? 1 : 0);
    auto const at = next.host();
    core::for_each_on_host("cells", layout, [&](int s, int k, int j, int i) {
      bool const changes = at(s, k, j, i) != 0 && (cell(s, k, j, i) != 0) != source.adds;
      if (!changes) return;
      chosen(s, k, j, i) = 1;
      cell(s, k, j, i) = source.adds;
    });
  }
}

}  // namespace

std::vector<std::string> const& mesh_source_names() {
  static std::vector<std::string> const names{"fieldToCell",    "labelToCell", "nearestToCell", "patchToCell",
                                              "boundaryToCell", "nbrToCell",   "shapeToCell",   "haloToCell"};
  return names;
}

Mask cells_of_mesh_source(CellSource const& source, core::Layout const& layout) {
  core::Dictionary const& d = source.dictionary;
  bool const holes = source.context.mesh && !source.context.mesh->absent.empty();
  if (holes && (source.name == "nearestToCell" || source.name == "boundaryToCell" || source.name == "nbrToCell" ||
                source.name == "haloToCell"))
    throw core::Error(fmt::format("{}: {} wants a mesh whose blocks fill a box", source.where, source.name));
  Mask mask(source.name, layout, 0, std::uint8_t{0});
  if (source.name == "fieldToCell") {
    by_field(source, layout, mask);
  } else if (source.name == "labelToCell") {
    by_number(source, layout, mask);
  } else if (source.name == "nearestToCell") {
    by_points(source, layout, mask);
  } else if (source.name == "patchToCell") {
    by_patches(source, layout, mask);
  } else if (source.name == "boundaryToCell") {
    by_neighbours(layout, mask, 5, false);
  } else if (source.name == "nbrToCell") {
    by_neighbours(layout, mask, d.get_in<int>("neighbours", {0, 6}), true);
  } else if (source.name == "haloToCell") {
    by_layers(source, layout, mask);
  } else {
    d.get_choice(d.contains("shape") ? "shape" : "type", {"hex"});
    take_box(layout, mask, layout.grid().box());
  }
  return mask;
}

}  // namespace tessera::io::foam
