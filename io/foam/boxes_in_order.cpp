// SPDX-License-Identifier: Apache-2.0
#include "io/foam/boxes_in_order.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::io::foam {
namespace {

/// From one cell to another beside it.
struct CellStep {
  int axis = 0;
  bool back = false;
};

/// None where the two are no neighbours along an axis.
std::optional<CellStep> step_between(core::Index const& from, core::Index const& to) {
  std::optional<CellStep> step;
  for (int a = 0; a < 3; ++a) {
    core::Count const d = along(to, a) - along(from, a);
    if (d == 0) continue;
    if (step || (d != 1 && d != -1)) return std::nullopt;
    step = CellStep{a, d < 0};
  }
  return step;
}

/// The block that begins at `first` of `count` cells, of which `at(n)` is the n-th; not along the axis `barred`.
template <class At>
CellBlock block_from(At const& at, core::Count first, core::Count count, int barred) {
  core::Index const start = at(first);
  core::Box box{start, start + core::Index{1, 1, 1}};
  std::array<bool, 3> used{};
  if (barred >= 0) used[static_cast<std::size_t>(barred)] = true;
  Turn turn;
  std::size_t own = 0;
  core::Count length = 1;  // cells of the block along the axes so far
  while (own < 3 && first + length < count) {
    auto const step = step_between(start, at(first + length));
    if (!step || used[static_cast<std::size_t>(step->axis)]) break;
    core::Index by;
    along(by, step->axis) = step->back ? -1 : 1;
    core::Count layers = 1;
    core::Index from_start = by;
    auto const follows = [&] {
      core::Count const begin = first + layers * length;
      if (begin + length > count) return false;
      for (core::Count m = 0; m < length; ++m)
        if (!(at(begin + m) == at(first + m) + from_start)) return false;
      return true;
    };
    for (; follows(); ++layers) from_start = from_start + by;
    if (layers == 1) break;
    used[static_cast<std::size_t>(step->axis)] = true;
    turn.axis[own] = step->axis;
    turn.back[own] = step->back;
    if (step->back)
      along(box.lo, step->axis) = along(start, step->axis) - layers + 1;
    else
      along(box.hi, step->axis) = along(start, step->axis) + layers;
    length *= layers;
    ++own;
  }
  if (barred >= 0) used[static_cast<std::size_t>(barred)] = false;
  for (int a = 0; own < 3; ++a)  // along these there is one cell
    if (!used[static_cast<std::size_t>(a)]) turn.axis[own++] = a;
  return {box, turn};
}

/// The same axes with `across` as the first.
Turn with_first(Turn const& turn, int across) {
  Turn result;
  result.axis[0] = across;
  std::size_t next = 1;
  for (std::size_t own = 0; own < 3; ++own)
    if (turn.axis[own] != across) {
      result.axis[next] = turn.axis[own];
      result.back[next++] = turn.back[own];
    }
  return result;
}

template <class FaceAt>
std::vector<Patch::Piece> pieces_in_order(FaceAt const& face, core::Count count, core::Grid::Shape const& n) {
  std::vector<Patch::Piece> pieces;
  auto const cell = [&](core::Count f) { return cell_at(n, face(f).place); };
  for (core::Count first = 0; first < count;) {
    core::Side const side = face(first).side;
    int const axis = static_cast<int>(side) / 2;
    core::Count end = first + 1;  // of the faces that lie in one plane
    while (end < count && face(end).side == side && along(cell(end), axis) == along(cell(first), axis)) ++end;
    while (first < end) {
      auto const block = block_from(cell, first, end, axis);
      // faces across a block's own x are numbered along y, then z
      pieces.push_back({side, block, with_first(block.turn, axis)});
      first += block.cells();
    }
  }
  return pieces;
}

}  // namespace

std::optional<std::vector<CellBlock>> blocks_in_order(std::span<core::Count const> places, core::Grid::Shape const& n,
                                                      std::size_t most) {
  std::vector<CellBlock> blocks;
  auto const at = [&](core::Count c) { return cell_at(n, places[static_cast<std::size_t>(c)]); };
  auto const count = static_cast<core::Count>(places.size());
  for (core::Count first = 0; first < count; first += blocks.back().cells()) {
    if (blocks.size() == most) return std::nullopt;
    blocks.push_back(block_from(at, first, count, -1));
  }
  return blocks;
}

void set_faces(Patch& patch, std::vector<BoundaryFace> const& faces, core::Grid::Shape const& n) {
  auto const count = static_cast<core::Count>(faces.size());
  std::vector<core::Count> sorted(faces.size());
  std::iota(sorted.begin(), sorted.end(), core::Count{0});
  // by planes, then along the lower axis first
  std::sort(sorted.begin(), sorted.end(), [&](core::Count a, core::Count b) {
    auto const &x = faces[static_cast<std::size_t>(a)], &y = faces[static_cast<std::size_t>(b)];
    if (x.side != y.side) return x.side < y.side;
    int const axis = static_cast<int>(x.side) / 2;
    core::Count const at_x = along(cell_at(n, x.place), axis), at_y = along(cell_at(n, y.place), axis);
    return at_x != at_y ? at_x < at_y : x.place < y.place;
  });
  auto in_file = pieces_in_order([&](core::Count f) { return faces[static_cast<std::size_t>(f)]; }, count, n);
  auto in_planes = pieces_in_order(
      [&](core::Count f) { return faces[static_cast<std::size_t>(sorted[static_cast<std::size_t>(f)])]; }, count, n);
  bool const follow_axes = in_file.size() <= 4 * in_planes.size() + faces.size() / 16;
  patch.pieces = std::move(follow_axes ? in_file : in_planes);
  patch.order = follow_axes ? std::vector<core::Count>() : std::move(sorted);
  patch.sides.clear();
  for (auto const& piece : patch.pieces)
    if (std::find(patch.sides.begin(), patch.sides.end(), piece.side) == patch.sides.end())
      patch.sides.push_back(piece.side);
}

}  // namespace tessera::io::foam
