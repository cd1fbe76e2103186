// SPDX-License-Identifier: Apache-2.0
#include "io/foam/blocks.hpp"

#include "io/foam/flattened.hpp"
#include "io/foam/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io::foam {
namespace {

using Point = std::array<double, 3>;

constexpr double rounding = 1e-10;  // of coordinates, relative to the mesh

std::vector<Point> read_vertices(core::Dictionary const& dictionary, double scale) {
  auto in = dictionary.stream("vertices");
  std::vector<Point> vertices;
  if (!in.done() && in.peek().kind == core::Token::Kind::number) in.next();  // the length of the list
  if (!in.at('(')) in.fail_expected("a list of points ((x y z) (x y z) ...)");
  in.expect('(');
  while (!in.accept(')')) {
    if (!in.at('(')) in.fail_expected("a point (x y z); named and projected vertices are not supported");
    auto point = in.read<Point>();
    for (auto& x : point) x *= scale;
    vertices.push_back(point);
  }
  in.end();
  return vertices;
}

double read_expansion(core::TokenStream& in) {
  double const g = in.read<double>();
  if (!(std::abs(g) > 0 && std::isfinite(g)))
    in.fail(fmt::format("has the expansion ratio {}, expected a number other than 0", g));
  return g < 0 ? -1 / g : g;  // as blockMesh: -2 stands for 1/2
}

/// A ratio, or sections ((length cells ratio) ...).
Grading read_edge(core::TokenStream& in) {
  if (!in.at('(')) return {{1, 1, read_expansion(in)}};
  in.expect('(');
  Grading grading;
  while (!in.accept(')')) {
    GradingSection section;
    in.expect('(');
    section.length = in.read<double>();
    section.cells = in.read<double>();
    if (!(section.length > 0) || !(section.cells > 0))
      in.fail(
          "has a section of the grading whose share of length or cells is not above 0, expected (LENGTH CELLS RATIO)");
    section.expansion = read_expansion(in);
    in.expect(')');
    grading.push_back(section);
  }
  if (grading.empty()) in.fail("has an empty grading, expected sections ((LENGTH CELLS RATIO) ...)");
  return grading;
}

[[noreturn]] void fail_at(core::Dictionary const& dictionary, Block const& block, std::string const& message) {
  throw core::Error(dictionary.name(), block.line, message);
}

std::array<Grading, 3> read_grading(core::Dictionary const& dictionary, Block const& block, core::TokenStream& in) {
  std::string const kind = in.at_word() ? in.peek().text : in.at('(') ? "" : "?";
  if (!kind.empty() && kind != "simpleGrading" && kind != "edgeGrading")
    in.fail(fmt::format("has the grading '{}', which is not supported, supported: simpleGrading (gx gy gz) edgeGrading "
                        "(g0 .. g11)",
                        in.done() ? "" : in.peek().text));
  if (!kind.empty()) in.next();
  in.expect('(');
  std::vector<Grading> edges;
  while (!in.accept(')')) edges.push_back(read_edge(in));
  // one for all, one an axis, or one an edge: four along x, four along y, four along z
  if (edges.size() == 1) return {edges[0], edges[0], edges[0]};
  if (edges.size() == 3) return {edges[0], edges[1], edges[2]};
  if (edges.size() != 12) in.fail(fmt::format("has {} expansion ratios, expected 1, 3 or 12", edges.size()));
  for (std::size_t e = 0; e < 12; ++e)
    if (edges[e] != edges[e / 4 * 4])
      fail_at(dictionary, block,
              fmt::format("the block is graded differently on its edges along {}, expected four equal gradings: faces "
                          "would not lie along the axes",
                          "xyz"[e / 4]));
  return {edges[0], edges[4], edges[8]};
}

Block read_block(core::Dictionary const& dictionary, core::TokenStream& in, std::size_t vertices) {
  Block block;
  if (!in.at_word() || in.peek().text != "hex")
    in.fail_expected("hex (v0 .. v7) (nx ny nz) simpleGrading (gx gy gz) ...");
  block.line = in.next().line;
  block.corners = in.read<std::array<std::int64_t, 8>>();
  for (auto const v : block.corners)
    if (v < 0 || static_cast<std::size_t>(v) >= vertices)
      in.fail(fmt::format("names vertex {}, but there are {} vertices", v, vertices));
  if (in.at_word()) block.zone = in.next().text;
  block.cells = in.read<core::Grid::Shape>();
  for (auto const n : block.cells)
    if (n < 1 || n > most_cells_along)
      in.fail(fmt::format("has {} cells along an axis, expected 1 to {}", n, most_cells_along));
  block.grading = read_grading(dictionary, block, in);
  return block;
}

/// Sets the box of a block and how it lies. The corners must lie along the axes, right-handed.
void set_box(core::Dictionary const& dictionary, std::array<Point, 8> const& corners, Block& block) {
  auto const vertex = [&](std::size_t c) { return corners[c]; };
  block.box = {vertex(0), vertex(0)};
  double longest = 0;
  for (std::size_t c = 1; c < 8; ++c)
    for (std::size_t a = 0; a < 3; ++a) {
      block.box[0][a] = std::min(block.box[0][a], vertex(c)[a]);
      block.box[1][a] = std::max(block.box[1][a], vertex(c)[a]);
    }
  for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, block.box[1][a] - block.box[0][a]);
  auto const near = [&](double x, double y) { return std::abs(x - y) <= rounding * longest; };
  for (std::size_t a = 0; a < 3; ++a)
    if (near(block.box[0][a], block.box[1][a]))
      fail_at(dictionary, block, fmt::format("all corners of the block have the same {}, expected a box", "xyz"[a]));
  // where the own axes lead from corner 0, to corners 1, 3 and 4
  constexpr std::array<std::size_t, 3> ends{1, 3, 4};
  bool flat = true;
  for (std::size_t own = 0; own < 3 && flat; ++own) {
    int moved = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      double const from = vertex(0)[a], to = vertex(ends[own])[a];
      if (near(from, to)) continue;
      ++moved;
      block.turn.axis[own] = static_cast<int>(a);
      block.turn.back[own] = to < from;
    }
    flat = moved == 1;
  }
  auto const& [axis, back] = block.turn;
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t own = 0; own < 3; ++own) {
      auto const a = flat ? static_cast<std::size_t>(axis[own]) : own;
      double const x = vertex(c)[a], expected = block.box[(corner_position[c][own] != 0) != (flat && back[own])][a];
      if (!near(x, expected))
        fail_at(
            dictionary, block,
            fmt::format("the block is not a box along the axes: {} of corner {} is {}, expected {}; meshes that are "
                        "not rectilinear are not supported",
                        "xyz"[a], c, x, expected));
    }
  bool const even = (axis[1] - axis[0] + 3) % 3 == 1 && (axis[2] - axis[1] + 3) % 3 == 1;
  if (even == (back[0] ^ back[1] ^ back[2]))
    fail_at(dictionary, block,
            "the block is inside out, which blockMesh does not take either: expected corners 0 1 2 3 counter-clockwise "
            "as seen from corners 4 5 6 7");
}

/// The planes between slabs of blocks along an axis.
std::vector<double> planes(std::vector<Block> const& blocks, std::size_t axis) {
  std::vector<double> found;
  for (auto const& block : blocks)
    for (auto const& corner : block.box) found.push_back(corner[axis]);
  std::sort(found.begin(), found.end());
  double const near = rounding * (found.back() - found.front());
  found.erase(std::unique(found.begin(), found.end(), [near](double a, double b) { return b - a <= near; }),
              found.end());
  return found;
}

/// Number of the plane at x.
core::Count plane_at(std::vector<double> const& planes, double x) {
  auto const above = std::upper_bound(planes.begin(), planes.end(), x) - planes.begin();
  if (above == 0) return 0;
  auto const n = static_cast<std::size_t>(above);
  return n < planes.size() && planes[n] - x < x - planes[n - 1] ? above : above - 1;
}

std::string name_of(std::vector<Block> const& blocks, Block const& block) {
  return fmt::format("block {}", &block - blocks.data());
}

/// Gives each block its place in the lattice. A place has one block.
void place(core::Dictionary const& dictionary, BlockLattice& lattice,
           std::array<std::vector<double>, 3> const& planes) {
  auto& blocks = lattice.blocks;
  auto const n = lattice.places;
  lattice.taken.assign(static_cast<std::size_t>(n[0] * n[1] * n[2]), -1);
  for (auto& block : blocks) {
    std::array<std::array<core::Count, 3>, 2> ends{};
    for (std::size_t e = 0; e < 2; ++e)
      for (std::size_t a = 0; a < 3; ++a) ends[e][a] = plane_at(planes[a], block.box[e][a]);
    block.place = {{ends[0][0], ends[0][1], ends[0][2]}, {ends[1][0], ends[1][1], ends[1][2]}};
    over_places(block.place, [&](core::Index const& x) {
      int& taken = lattice.taken[static_cast<std::size_t>((x.k * n[1] + x.j) * n[0] + x.i)];
      if (taken >= 0)
        fail_at(dictionary, block, fmt::format("{} lies where block {} lies", name_of(blocks, block), taken));
      taken = static_cast<int>(&block - blocks.data());
    });
  }
}

/// Faces of a block's cells along an axis of the grid.
std::vector<double> faces_of(Block const& block, std::size_t axis, double lo, double hi) {
  for (std::size_t own = 0; own < 3; ++own)
    if (block.turn.axis[own] == static_cast<int>(axis))
      return block.turn.back[own] ? divide_back(block.cells[own], lo, hi, block.grading[own])
                                  : divide(block.cells[own], lo, hi, block.grading[own]);
  return {};
}

/// Cells and faces of an axis, slab by slab; all blocks of a slab must agree.
void divide_axis(core::Dictionary const& dictionary, BlockLattice& lattice, std::vector<double> const& planes,
                 std::size_t axis) {
  struct Slab {
    std::vector<double> faces;
    Block const* of = nullptr;
  };
  std::vector<Slab> slabs(planes.size() - 1);
  auto const& blocks = lattice.blocks;
  auto const near = 1e-9 * (planes.back() - planes.front());
  auto const take = [&](Block const& block, std::size_t slab, std::vector<double> faces) {
    auto& [known, of] = slabs[slab];
    if (of == nullptr) {
      known = std::move(faces);
      of = &block;
      return;
    }
    if (known.size() != faces.size())
      fail_at(dictionary, block,
              fmt::format("{} has {} cells along {} where {} has {}, from {} to {}: expected the same, as the grid is "
                          "rectilinear",
                          name_of(blocks, block), faces.size() - 1, "xyz"[axis], name_of(blocks, *of), known.size() - 1,
                          planes[slab], planes[slab + 1]));
    for (std::size_t n = 0; n < faces.size(); ++n)
      if (std::abs(faces[n] - known[n]) > near)
        fail_at(dictionary, block,
                fmt::format("{} is graded along {} otherwise than {}: expected the same, as the grid is rectilinear",
                            name_of(blocks, block), "xyz"[axis], name_of(blocks, *of)));
  };
  // those that fill one slab first: their faces are blockMesh's to the last bit
  for (bool const one : {true, false})
    for (auto const& block : blocks) {
      auto const lo = static_cast<std::size_t>(along(block.place.lo, axis)),
                 hi = static_cast<std::size_t>(along(block.place.hi, axis));
      if ((hi == lo + 1) != one) continue;
      auto faces = faces_of(block, axis, planes[lo], planes[hi]);
      if (one) {
        take(block, lo, std::move(faces));
        continue;
      }
      std::size_t from = 0;
      for (std::size_t slab = lo; slab < hi; ++slab) {
        std::size_t to = from;
        while (to + 1 < faces.size() && faces[to] < planes[slab + 1] - near) ++to;
        if (std::abs(faces[to] - planes[slab + 1]) > near)
          fail_at(
              dictionary, block,
              fmt::format("another block ends at {} = {}, within a cell of {}: expected faces of cells there, as the "
                          "grid is rectilinear",
                          "xyz"[axis], planes[slab + 1], name_of(blocks, block)));
        std::vector<double> part(faces.begin() + static_cast<std::ptrdiff_t>(from),
                                 faces.begin() + static_cast<std::ptrdiff_t>(to) + 1);
        part.front() = planes[slab];
        part.back() = planes[slab + 1];
        take(block, slab, std::move(part));
        from = to;
      }
    }
  auto& cuts = lattice.cuts[axis];
  auto& faces = lattice.faces[axis];
  cuts = {0};
  faces = {planes.front()};
  for (std::size_t slab = 0; slab < slabs.size(); ++slab) {
    // between blocks nobody lies: one layer of cells that do not exist
    auto const part = slabs[slab].of ? slabs[slab].faces : std::vector{planes[slab], planes[slab + 1]};
    faces.insert(faces.end(), part.begin() + 1, part.end());
    cuts.push_back(static_cast<core::Count>(faces.size()) - 1);
    if (cuts.back() > most_cells_along)
      dictionary.fail("blocks", fmt::format("there are {} cells along {}, expected at most {}", cuts.back(),
                                            "xyz"[axis], most_cells_along));
  }
}

}  // namespace

std::vector<double> divide(core::Count n, double lo, double hi, Grading const& grading) {
  auto const part = [&](double from, double to, core::Count cells, double expansion) {
    return core::Axis::make_graded(cells, from, to - from, expansion).faces();
  };
  if (grading.size() == 1 || n < static_cast<core::Count>(grading.size())) {
    auto faces = part(lo, hi, n, grading.size() == 1 ? grading[0].expansion : 1.0);
    faces.back() = hi;
    return faces;
  }
  double lengths = 0, shares = 0;
  for (auto const& section : grading) {
    lengths += section.length;
    shares += section.cells;
  }
  std::vector<core::Count> cells;
  core::Count given = 0;
  std::size_t largest = 0;
  for (std::size_t s = 0; s < grading.size(); ++s) {
    cells.push_back(static_cast<core::Count>(grading[s].cells / shares * static_cast<double>(n) + 0.5));
    given += cells.back();
    if (grading[s].cells > grading[largest].cells) largest = s;
  }
  cells[largest] += n - given;
  std::vector<double> faces{lo};
  double done = 0;
  for (std::size_t s = 0; s < grading.size(); ++s) {
    if (cells[s] < 1) continue;  // its length goes to the last section, as in blockMesh
    double const from = lo + (hi - lo) * done;
    done += grading[s].length / lengths;
    auto const section = part(from, lo + (hi - lo) * done, cells[s], grading[s].expansion);
    faces.insert(faces.end(), section.begin() + 1, section.end());
  }
  faces.back() = hi;
  return faces;
}

std::vector<double> divide_back(core::Count n, double lo, double hi, Grading const& grading) {
  auto faces = divide(n, -hi, -lo, grading);
  std::reverse(faces.begin(), faces.end());
  for (double& x : faces) x = -x;
  return faces;
}

BlockLattice read_blocks(core::Dictionary const& dictionary, double scale) {
  BlockLattice lattice;
  auto const vertices = read_vertices(dictionary, scale);
  lattice.wedge = wedge_of(vertices);
  auto in = dictionary.stream("blocks");
  if (!in.done() && in.peek().kind == core::Token::Kind::number) in.next();
  in.expect('(');
  while (!in.accept(')')) {
    lattice.blocks.push_back(read_block(dictionary, in, vertices.size()));
    Block& block = lattice.blocks.back();
    std::array<Point, 8> corners;
    for (std::size_t c = 0; c < 8; ++c) corners[c] = vertices[static_cast<std::size_t>(block.corners[c])];
    set_box(dictionary, lattice.wedge ? flattened(*lattice.wedge, vertices, block.corners) : corners, block);
    for (std::size_t own = 0; lattice.wedge && own < 3; ++own)
      if (block.turn.axis[own] == lattice.wedge->thin && block.cells[own] != 1)
        fail_at(dictionary, block, "a wedge has more than one cell between its planes, expected one");
  }
  in.end();
  if (lattice.blocks.empty())
    dictionary.fail("blocks", "no block, expected hex (v0 .. v7) (nx ny nz) simpleGrading (gx gy gz) ...");
  std::array<std::vector<double>, 3> all;
  for (std::size_t a = 0; a < 3; ++a) {
    all[a] = planes(lattice.blocks, a);
    lattice.places[a] = static_cast<core::Count>(all[a].size()) - 1;
  }
  if (static_cast<double>(lattice.places[0]) * static_cast<double>(lattice.places[1]) *
          static_cast<double>(lattice.places[2]) >
      1e8)
    dictionary.fail("blocks", "the corners of the blocks lie in more than 1e8 places, expected blocks in rows");
  place(dictionary, lattice, all);
  for (std::size_t a = 0; a < 3; ++a) divide_axis(dictionary, lattice, all[a], a);
  double total = 1;
  for (auto const& cuts : lattice.cuts) total *= static_cast<double>(cuts.back());
  if (total > most_cells) dictionary.fail("blocks", "more than 9e15 cells in all");
  return lattice;
}

}  // namespace tessera::io::foam
