// SPDX-License-Identifier: Apache-2.0
#include "io/foam/blocks.hpp"

#include "io/foam/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace tessera::io::foam {
namespace {

using Point = std::array<double, 3>;

/// Where the eight corners of a hex lie, in the order of the file: (0 0 0) (1 0 0) (1 1 0) (0 1 0), then the same
/// above.
constexpr std::array<std::array<std::size_t, 3>, 8> corner_position{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

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

/// Sets the box of a block. The corners must lie along the axes, in blockMesh's order.
void set_box(core::Dictionary const& dictionary, std::vector<Point> const& vertices, Block& block) {
  auto const vertex = [&](std::size_t c) { return vertices[block.corners[c]]; };
  block.box = {vertex(0), vertex(6)};
  double longest = 0;
  for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, std::abs(block.box[1][a] - block.box[0][a]));
  for (std::size_t a = 0; a < 3; ++a)
    if (!(block.box[1][a] > block.box[0][a]))
      fail_at(dictionary, block,
              fmt::format("corner 6 of the block is not above corner 0 in {}; expected local directions along x, y, z",
                          "xyz"[a]));
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t a = 0; a < 3; ++a) {
      double const expected = block.box[corner_position[c][a]][a];
      if (std::abs(vertex(c)[a] - expected) > rounding * longest)
        fail_at(dictionary, block,
                fmt::format("the block is not a box along the axes: {} of corner {} is {}, expected {}", "xyz"[a], c,
                            vertex(c)[a], expected));
    }
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

/// Gives each block its place in the lattice; each place must have one block, and equal points one vertex.
void place(core::Dictionary const& dictionary, std::vector<Block>& blocks,
           std::array<std::vector<double>, 3> const& planes) {
  std::map<std::array<core::Count, 3>, Block const*> taken;
  std::map<std::array<core::Count, 3>, std::int64_t> vertex_at;
  for (auto& block : blocks) {
    std::array<core::Count, 3> low{}, high{};
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = plane_at(planes[a], block.box[0][a]);
      high[a] = plane_at(planes[a], block.box[1][a]);
      if (high[a] != low[a] + 1)
        fail_at(dictionary, block,
                fmt::format("{} lies beside several blocks along {}, expected blocks that share whole faces",
                            name_of(blocks, block), "xyz"[a]));
    }
    block.place = {low[0], low[1], low[2]};
    if (auto const [other, fresh] = taken.emplace(low, &block); !fresh)
      fail_at(dictionary, block,
              fmt::format("{} lies where {} lies", name_of(blocks, block), name_of(blocks, *other->second)));
    for (std::size_t c = 0; c < 8; ++c) {
      std::array<core::Count, 3> at{};
      for (std::size_t a = 0; a < 3; ++a) at[a] = corner_position[c][a] != 0 ? high[a] : low[a];
      if (auto const [known, fresh] = vertex_at.emplace(at, block.corners[c]);
          !fresh && known->second != block.corners[c])
        fail_at(dictionary, block,
                fmt::format("{} has vertex {} where another block has vertex {} at the same point, expected one vertex "
                            "for both",
                            name_of(blocks, block), block.corners[c], known->second));
    }
  }
  for (std::size_t k = 0; k + 1 < planes[2].size(); ++k)
    for (std::size_t j = 0; j + 1 < planes[1].size(); ++j)
      for (std::size_t i = 0; i + 1 < planes[0].size(); ++i)
        if (!taken.contains({static_cast<core::Count>(i), static_cast<core::Count>(j), static_cast<core::Count>(k)}))
          dictionary.fail("blocks", fmt::format("the blocks do not fill a box: there is none from ({} {} {}) to ({} {} "
                                                "{})",
                                                planes[0][i], planes[1][j], planes[2][k], planes[0][i + 1],
                                                planes[1][j + 1], planes[2][k + 1]));
}

core::Count place_along(Block const& block, std::size_t axis) {
  return axis == 0 ? block.place.i : axis == 1 ? block.place.j : block.place.k;
}

/// Cells and faces of an axis, slab by slab; all blocks of a slab must agree.
void divide_axis(core::Dictionary const& dictionary, BlockLattice& lattice, std::vector<double> const& planes,
                 std::size_t axis) {
  auto& cuts = lattice.cuts[axis];
  auto& faces = lattice.faces[axis];
  cuts = {0};
  faces = {planes.front()};
  for (std::size_t slab = 0; slab + 1 < planes.size(); ++slab) {
    Block const* first = nullptr;
    for (auto const& block : lattice.blocks) {
      if (place_along(block, axis) != static_cast<core::Count>(slab)) continue;
      if (first == nullptr) first = &block;
      if (block.cells[axis] != first->cells[axis])
        fail_at(dictionary, block,
                fmt::format("{} has {} cells along {}, but {} beside it has {}", name_of(lattice.blocks, block),
                            block.cells[axis], "xyz"[axis], name_of(lattice.blocks, *first), first -> cells[axis]));
      if (block.grading[axis] != first->grading[axis] && block.cells[axis] > 1)
        fail_at(dictionary, block,
                fmt::format("{} is graded along {} otherwise than {} beside it", name_of(lattice.blocks, block),
                            "xyz"[axis], name_of(lattice.blocks, *first)));
    }
    auto const part = divide(first->cells[axis], planes[slab], planes[slab + 1], first->grading[axis]);
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

core::Box BlockLattice::cells(Block const& block) const {
  auto const at = [&](std::size_t axis, core::Count place) { return cuts[axis][place]; };
  auto const [i, j, k] = block.place;
  return {{at(0, i), at(1, j), at(2, k)}, {at(0, i + 1), at(1, j + 1), at(2, k + 1)}};
}

bool BlockLattice::outside(Block const& block, int side) const {
  auto const axis = static_cast<std::size_t>(side / 2);
  return place_along(block, axis) == (side % 2 == 0 ? 0 : static_cast<core::Count>(cuts[axis].size()) - 2);
}

BlockLattice read_blocks(core::Dictionary const& dictionary, double scale) {
  BlockLattice lattice;
  auto const vertices = read_vertices(dictionary, scale);
  auto in = dictionary.stream("blocks");
  if (!in.done() && in.peek().kind == core::Token::Kind::number) in.next();
  in.expect('(');
  while (!in.accept(')')) {
    lattice.blocks.push_back(read_block(dictionary, in, vertices.size()));
    set_box(dictionary, vertices, lattice.blocks.back());
  }
  in.end();
  if (lattice.blocks.empty())
    dictionary.fail("blocks", "no block, expected hex (v0 .. v7) (nx ny nz) simpleGrading (gx gy gz) ...");
  std::array<std::vector<double>, 3> all;
  for (std::size_t a = 0; a < 3; ++a) all[a] = planes(lattice.blocks, a);
  place(dictionary, lattice.blocks, all);
  for (std::size_t a = 0; a < 3; ++a) divide_axis(dictionary, lattice, all[a], a);
  double total = 1;
  for (auto const& cuts : lattice.cuts) total *= static_cast<double>(cuts.back());
  if (total > most_cells) dictionary.fail("blocks", "more than 9e15 cells in all");
  return lattice;
}

}  // namespace tessera::io::foam
