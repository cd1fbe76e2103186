// SPDX-License-Identifier: Apache-2.0
#include "io/foam/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io::foam {
namespace {

using Point = std::array<double, 3>;

/// Corners of a hex, by their place in the file, that make up each side in the order of core::Side.
constexpr std::array<std::array<int, 4>, 6> corners_of_side{
    {{0, 3, 4, 7}, {1, 2, 5, 6}, {0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}}};
/// Where the eight corners of a hex lie, in the order of the file: (0 0 0) (1 0 0) (1 1 0) (0 1 0), then the same
/// above.
constexpr std::array<std::array<int, 3>, 8> corner_position{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

struct Block {
  std::array<std::int64_t, 8> corners{};  // vertex numbers
  core::Grid::Shape cells{};
  Point grading{1, 1, 1};
};

std::vector<Point> read_vertices(core::Dictionary const& dictionary) {
  auto in = dictionary.stream("vertices");
  std::vector<Point> vertices;
  if (!in.at('(')) in.fail_expected("a list of points ((x y z) (x y z) ...)");
  in.expect('(');
  while (!in.accept(')')) {
    if (!in.at('(')) in.fail_expected("a point (x y z); named and projected vertices are not supported");
    vertices.push_back(in.read<Point>());
  }
  in.end();
  return vertices;
}

Block read_block(core::Dictionary const& dictionary, std::size_t vertices) {
  auto in = dictionary.stream("blocks");
  Block block;
  in.expect('(');
  if (!in.at_word() || in.peek().text != "hex")
    in.fail_expected("(hex (v0 .. v7) (nx ny nz) simpleGrading (gx gy gz))");
  in.next();
  block.corners = in.read<std::array<std::int64_t, 8>>();
  for (auto const v : block.corners)
    if (v < 0 || static_cast<std::size_t>(v) >= vertices)
      in.fail(fmt::format("names vertex {}, but there are {} vertices", v, vertices));
  if (in.at_word())
    in.fail(
        fmt::format("puts the block in the zone '{}', which is not supported, expected the numbers of cells (nx ny nz)",
                    in.peek().text));
  block.cells = in.read<core::Grid::Shape>();
  double total = 1;
  for (auto const n : block.cells) {
    if (n < 1 || n > most_cells_along)
      in.fail(fmt::format("has {} cells along an axis, expected 1 to {}", n, most_cells_along));
    total *= static_cast<double>(n);
  }
  if (total > most_cells) in.fail("has more than 9e15 cells");
  if (!in.at_word() || in.peek().text != "simpleGrading")
    in.fail(fmt::format("has the grading '{}', which is not supported, supported: simpleGrading (gx gy gz)",
                        in.done() ? "" : in.peek().text));
  in.next();
  in.expect('(');
  for (auto& g : block.grading) {
    if (in.at('('))
      in.fail(
          "has a grading in sections, which is not supported, expected one ratio an axis: simpleGrading (gx gy gz)");
    g = in.read<double>();
    if (!(g > 0)) in.fail(fmt::format("has the expansion ratio {}, expected a number above 0", g));
  }
  in.expect(')');
  if (!in.at(')'))
    in.fail("has several blocks, which are not supported, expected one: hex (v0 .. v7) (nx ny nz) simpleGrading (gx gy "
            "gz)");
  in.expect(')');
  in.end();
  return block;
}

/// The box of the block: its first and its last corner. The corners must lie along the axes, in blockMesh's order.
std::array<Point, 2> box_of(core::Dictionary const& dictionary, std::vector<Point> const& vertices,
                            Block const& block) {
  auto const vertex = [&](std::size_t c) { return vertices[static_cast<std::size_t>(block.corners[c])]; };
  std::array<Point, 2> const box{vertex(0), vertex(6)};
  double longest = 0;
  for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, std::abs(box[1][a] - box[0][a]));
  for (std::size_t a = 0; a < 3; ++a)
    if (!(box[1][a] > box[0][a]))
      dictionary.fail(
          "blocks",
          fmt::format("corner 6 of the block is not above corner 0 in {}; expected local directions along x, y, z",
                      "xyz"[a]));
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t a = 0; a < 3; ++a) {
      double const expected = box[static_cast<std::size_t>(corner_position[c][a])][a];
      if (std::abs(vertex(c)[a] - expected) > 1e-10 * longest)
        dictionary.fail("blocks",
                        fmt::format("the block is not a box along the axes: {} of corner {} is {}, expected {}",
                                    "xyz"[a], c, vertex(c)[a], expected));
    }
  return box;
}

/// The side whose four corners are these vertices, in any order.
core::Side side_of(core::Dictionary const& patch, Block const& block, std::vector<std::int64_t> face) {
  std::string shown = fmt::format("({})", fmt::join(face, " "));
  if (face.size() == 4) {
    std::sort(face.begin(), face.end());
    for (std::size_t s = 0; s < 6; ++s) {
      std::vector<std::int64_t> side;
      for (int const c : corners_of_side[s]) side.push_back(block.corners[static_cast<std::size_t>(c)]);
      std::sort(side.begin(), side.end());
      if (side == face) return static_cast<core::Side>(s);
    }
  }
  patch.fail("faces", "face " + shown + " is not one of the six sides of the block, expected their four vertices");
}

std::string read_type(core::Dictionary const& patch) {
  return patch.get_choice("type", {"patch", "wall", "empty", "cyclic", "symmetryPlane", "symmetry"});
}

/// The entries of `boundary`, as patches; `neighbours` receives the neighbourPatch of cyclic ones.
std::vector<Patch> read_boundary(core::Dictionary const& dictionary, Block const& block,
                                 std::vector<std::string>& neighbours) {
  std::vector<Patch> patches;
  std::array<std::string, 6> taken;
  if (!dictionary.contains("boundary")) return patches;
  for (auto const& item : dictionary.items("boundary")) {
    if (item.dictionary == nullptr || item.name.empty())
      dictionary.fail("boundary", "expected patches 'name { type ...; faces (...); }'");
    core::Dictionary const& entry = *item.dictionary;
    Patch patch{item.name, read_type(entry), {}};
    for (auto const& other : patches)
      if (other.name == patch.name) entry.fail("type", "patch '" + patch.name + "' is there twice");
    for (auto const& face : entry.get<std::vector<std::vector<std::int64_t>>>("faces")) {
      core::Side const side = side_of(entry, block, face);
      auto& owner = taken[static_cast<std::size_t>(side)];
      if (!owner.empty())
        entry.fail("faces", fmt::format("face ({}) belongs to patch '{}' already", fmt::join(face, " "), owner));
      owner = patch.name;
      patch.sides.push_back(side);
    }
    neighbours.push_back(patch.type == "cyclic" ? entry.get<std::string>("neighbourPatch") : "");
    if (entry.contains("inGroups")) entry.mark_read("inGroups");
    if (entry.contains("transform")) entry.get_choice("transform", {"noOrdering", "unknown", "translational", "none"});
    if (entry.contains("matchTolerance")) entry.mark_read("matchTolerance");
    entry.check_all_read();
    patches.push_back(std::move(patch));
  }
  return patches;
}

/// Sides that no patch lists, as blockMesh does it: to `defaultPatch`, by default defaultFaces of type empty.
void add_default_patch(core::Dictionary& dictionary, std::vector<Patch>& patches) {
  std::string name = "defaultFaces", type = "empty";
  if (auto const* given = dictionary.find_sub("defaultPatch")) {
    name = given->get_or<std::string>("name", name);
    if (given->contains("type")) type = read_type(*given);
    if (type == "cyclic") given->fail("type", "the default patch cannot be cyclic");
  }
  Patch rest{name, type, {}};
  for (int s = 0; s < 6; ++s) {
    auto const side = static_cast<core::Side>(s);
    bool const listed = std::any_of(patches.begin(), patches.end(), [&](Patch const& patch) {
      return std::find(patch.sides.begin(), patch.sides.end(), side) != patch.sides.end();
    });
    if (!listed) rest.sides.push_back(side);
  }
  if (rest.sides.empty()) return;
  for (auto& patch : patches)
    if (patch.name == name) {
      patch.sides.insert(patch.sides.end(), rest.sides.begin(), rest.sides.end());
      return;
    }
  patches.push_back(std::move(rest));
}

/// Cyclic patches pair the two sides of an axis; returns the periodic axes.
std::array<bool, 3> periodic_axes(core::Dictionary const& dictionary, std::vector<Patch> const& patches,
                                  std::vector<std::string> const& neighbours) {
  std::array<bool, 3> periodic{};
  for (std::size_t p = 0; p < neighbours.size(); ++p) {
    Patch const& patch = patches[p];
    if (patch.type != "cyclic") continue;
    auto const other =
        std::find_if(patches.begin(), patches.end(), [&](Patch const& q) { return q.name == neighbours[p]; });
    if (other == patches.end() || other->type != "cyclic" ||
        neighbours[static_cast<std::size_t>(other - patches.begin())] != patch.name)
      dictionary.fail(
          "boundary",
          fmt::format("neighbourPatch '{}' of the cyclic patch '{}' is no cyclic patch whose neighbourPatch is '{}'",
                      neighbours[p], patch.name, patch.name));
    bool const opposite = patch.sides.size() == 1 && other->sides.size() == 1 &&
                          (static_cast<int>(patch.sides[0]) ^ 1) == static_cast<int>(other->sides[0]);
    if (!opposite)
      dictionary.fail("boundary",
                      fmt::format("the cyclic patches '{}' and '{}' are not two opposite sides of the block",
                                  patch.name, other->name));
    periodic[static_cast<std::size_t>(patch.sides[0]) / 2] = true;
  }
  return periodic;
}

/// What blockMesh knows and one box along the axes does not need: accepted empty or harmless, refused otherwise.
void refuse_unsupported(core::Dictionary& dictionary) {
  if (dictionary.contains("patches"))
    dictionary.fail(
        "patches",
        "the old 'patches' list is not supported, expected 'boundary ( name { type ...; faces (...); } ... );'");
  for (char const* key : {"edges", "mergePatchPairs", "faces"}) {
    if (!dictionary.contains(key)) continue;
    auto in = dictionary.stream(key);
    in.expect('(');
    if (!in.accept(')')) in.fail_expected("an empty list: " + std::string(key) + " are not supported");
    in.end();
  }
  if (auto const* geometry = dictionary.find_sub("geometry"); geometry != nullptr && !geometry->keys().empty())
    dictionary.fail("geometry", "surfaces are not supported, expected 'geometry {}'");
  for (char const* key : {"fastMerge", "mergeType", "verbose", "checkFaceCorrespondence"})
    if (dictionary.contains(key)) dictionary.mark_read(key);
}

}  // namespace

Mesh read_block_mesh(core::Dictionary& dictionary, core::Grid::Shape tile) {
  refuse_unsupported(dictionary);
  char const* scale_key = dictionary.contains("scale") ? "scale" : "convertToMeters";
  double const scale = dictionary.get_positive<double>(scale_key, 1.0);
  auto vertices = read_vertices(dictionary);
  Block const block = read_block(dictionary, vertices.size());
  auto const box = box_of(dictionary, vertices, block);
  std::vector<std::string> neighbours;
  auto patches = read_boundary(dictionary, block, neighbours);
  add_default_patch(dictionary, patches);
  auto const periodic = periodic_axes(dictionary, patches, neighbours);
  dictionary.check_all_read();

  std::array<core::Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) {
    // scaled corners, then their difference: the order in which blockMesh rounds
    double const lo = scale * box[0][a], hi = scale * box[1][a];
    axes[a] = core::Axis::make_graded(block.cells[a], lo, hi - lo, block.grading[a], periodic[a]);
    axes[a].faces.back() = hi;
  }
  Mesh mesh{core::Grid(std::move(axes), tile), std::move(patches)};
  for (auto const& patch : mesh.patches)
    for (auto const side : patch.sides) {
      int const axis = static_cast<int>(side) / 2;
      if (patch.type == "empty" && !mesh.grid.thin(axis))
        dictionary.fail(dictionary.contains("boundary") ? "boundary" : "blocks",
                        fmt::format("patch '{}' is empty on side {}, but there are {} cells along {}, expected 1",
                                    patch.name, core::side_names[static_cast<std::size_t>(side)],
                                    mesh.grid.cells()[static_cast<std::size_t>(axis)], "xyz"[axis]));
      mesh.grid.name_patch(side, patch.name);
    }
  return mesh;
}

}  // namespace tessera::io::foam
