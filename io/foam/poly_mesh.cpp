// SPDX-License-Identifier: Apache-2.0
#include "io/foam/poly_mesh.hpp"

#include "core/error.hpp"
#include "io/files/part_file.hpp"
#include "io/files/together.hpp"
#include "io/foam/turned_block.hpp"
#include "io/rows.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <span>

namespace tessera::io::foam {
namespace {

using Label = std::int32_t;

/// A file of polyMesh, written as it grows; removed unless finished.
class MeshFile {
 public:
  MeshFile(std::string const& folder, std::string const& name, std::string const& type, bool binary,
           std::string const& note = {})
      : out_(folder + "/" + name),
        binary_(binary) {
    text("FoamFile\n{{\n    version     2.0;\n    format      {};\n{}    class       {};\n{}    location    "
         "\"constant/polyMesh\";\n    object      {};\n}}\n\n\n",
         binary ? "binary" : "ascii", binary ? "    arch        \"LSB;label=32;scalar=64\";\n" : "", type,
         note.empty() ? "" : fmt::format("    note        \"{}\";\n", note), name);
  }
  bool binary() const { return binary_; }
  template <class... A>
  void text(fmt::format_string<A...> format, A&&... a) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<A>(a)...);
    if (buffer_.size() > (std::size_t{1} << 20)) flush();
  }
  template <class T>
  void raw(std::span<T const> values) {
    auto const bytes = std::as_bytes(values);
    auto const* first = reinterpret_cast<char const*>(bytes.data());
    buffer_.append(first, first + bytes.size());
    if (buffer_.size() > (std::size_t{1} << 20)) flush();
  }
  /// A label of a list, on a line of its own.
  void label(core::Count value) {
    auto const l = static_cast<Label>(value);
    if (binary_)
      raw(std::span<Label const>(&l, 1));
    else
      text("{}\n", l);
  }
  void open_list(core::Count count) { text("{}\n({}", count, binary_ ? "" : "\n"); }
  void close_list() { text(")\n"); }

  void finish() {
    flush();
    out_.finish();
  }

 private:
  void flush() {
    out_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  detail::PartFile out_;
  bool binary_;
  fmt::memory_buffer buffer_;
};

/// Corners of a hex by their place: bits x, y, z. Faces by core::Side, seen from outside counter-clockwise, in OpenFOAM's
/// order of corners.
constexpr std::array<std::array<int, 4>, 6> corners_of_face{
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};

/// The numbers of faces, points and cells, and the walk over all faces.
class Topology {
 public:
  explicit Topology(Mesh const& mesh) : mesh_(mesh), n_(mesh.grid.cells()) {
    points = (n_[0] + 1) * (n_[1] + 1) * (n_[2] + 1);
    inner = (n_[0] - 1) * n_[1] * n_[2] + n_[0] * (n_[1] - 1) * n_[2] + n_[0] * n_[1] * (n_[2] - 1);
    faces = inner + 2 * (n_[1] * n_[2] + n_[0] * n_[2] + n_[0] * n_[1]);
  }
  core::Count points = 0, inner = 0, faces = 0;

  std::string note() const {
    return fmt::format("nPoints:{}  nCells:{}  nFaces:{}  nInternalFaces:{}", points, mesh_.grid.total(), faces, inner);
  }

  /// Calls f(cell, side, neighbour) for faces between cells, in OpenFOAM's order: by the lower cell, then by the higher;
  /// the face is that of the lower cell.
  template <class F>
  void for_each_inner(F const& f) const {
    core::Count const total = mesh_.grid.total();
    for (core::Count c = 0; c < total; ++c) {
      core::Index const x = mesh_.cell(c);
      std::array<std::pair<core::Count, int>, 6> found;
      std::size_t count = 0;
      for (int side = 0; side < 6; ++side) {
        core::Index y = x;
        core::Count& at = side / 2 == 0 ? y.i : side / 2 == 1 ? y.j : y.k;
        at += side % 2 == 0 ? -1 : 1;
        if (at < 0 || at >= n_[side / 2]) continue;
        if (auto const d = mesh_.number(y); d > c) found[count++] = {d, side};
      }
      std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
      for (std::size_t q = 0; q < count; ++q) f(c, x, found[q].second, found[q].first);
    }
  }
  /// Calls f(cell number, cell, side) for the boundary faces, patch by patch.
  template <class F>
  void for_each_outer(F const& f) const {
    for (auto const& patch : mesh_.patches)
      for (auto const& piece : patch.pieces)
        for (core::Count q = 0; q < piece.cells.cells(); ++q) {
          core::Index const x = piece.cell(q);
          f(mesh_.number(x), x, static_cast<int>(piece.side));
        }
  }

  std::array<Label, 4> corners(core::Index const& x, int side) const {
    std::array<Label, 4> result{};
    for (std::size_t q = 0; q < 4; ++q) {
      int const c = corners_of_face[side][q];
      result[q] = static_cast<Label>(((x.k + c / 4) * (n_[1] + 1) + x.j + c / 2 % 2) * (n_[0] + 1) + x.i + c % 2);
    }
    return result;
  }

 private:
  Mesh const& mesh_;
  core::Grid::Shape n_;
};

void write_points(std::string const& folder, Mesh const& mesh, Topology const& topology, FieldFormat const& format) {
  MeshFile file(folder, "points", "vectorField", format.binary);
  file.open_list(topology.points);
  auto const xs = mesh.grid.axis(0).faces(), ys = mesh.grid.axis(1).faces(), zs = mesh.grid.axis(2).faces();
  for (double const z : zs)
    for (double const y : ys)
      for (double const x : xs)
        if (format.binary)
          file.raw(std::span<double const>(std::array{x, y, z}));
        else
          file.text("({:.{}g} {:.{}g} {:.{}g})\n", x, format.precision, y, format.precision, z, format.precision);
  file.close_list();
  file.finish();
}

void write_faces(std::string const& folder, Topology const& topology, FieldFormat const& format) {
  MeshFile file(folder, "faces", format.binary ? "faceCompactList" : "faceList", format.binary);
  if (format.binary) {  // where each face begins, then all corners
    file.open_list(topology.faces + 1);
    for (core::Count f = 0; f <= topology.faces; ++f) file.label(4 * f);
    file.close_list();
    file.text("\n");
  }
  file.open_list(format.binary ? 4 * topology.faces : topology.faces);
  auto const write = [&](core::Index const& x, int side) {
    auto const c = topology.corners(x, side);
    if (format.binary)
      file.raw(std::span<Label const>(c));
    else
      file.text("4({} {} {} {})\n", c[0], c[1], c[2], c[3]);
  };
  topology.for_each_inner([&](core::Count, core::Index const& x, int side, core::Count) { write(x, side); });
  topology.for_each_outer([&](core::Count, core::Index const& x, int side) { write(x, side); });
  file.close_list();
  file.finish();
}

void write_cells(std::string const& folder, Topology const& topology, FieldFormat const& format) {
  MeshFile owner(folder, "owner", "labelList", format.binary, topology.note());
  MeshFile neighbour(folder, "neighbour", "labelList", format.binary, topology.note());
  owner.open_list(topology.faces);
  neighbour.open_list(topology.inner);
  topology.for_each_inner([&](core::Count cell, core::Index const&, int, core::Count other) {
    owner.label(cell);
    neighbour.label(other);
  });
  topology.for_each_outer([&](core::Count cell, core::Index const&, int) { owner.label(cell); });
  owner.close_list();
  neighbour.close_list();
  owner.finish();
  neighbour.finish();
}

/// The patch across a periodic axis that has the same faces.
std::string other_side(Mesh const& mesh, Patch const& patch) {
  auto const& mine = patch.pieces[0];
  int const axis = static_cast<int>(mine.side) / 2;
  for (auto const& other : mesh.patches)
    for (auto const& piece : other.pieces) {
      core::Box box = piece.cells;
      (axis == 0 ? box.lo.i : axis == 1 ? box.lo.j : box.lo.k) = mine.layer();
      (axis == 0 ? box.hi.i : axis == 1 ? box.hi.j : box.hi.k) = mine.layer() + 1;
      if (static_cast<int>(piece.side) == (static_cast<int>(mine.side) ^ 1) && box == mine.cells) return other.name;
    }
  throw core::BrokenPromise("a cyclic patch has no neighbour", std::source_location::current());
}

void write_boundary(std::string const& folder, Mesh const& mesh, Topology const& topology) {
  MeshFile file(folder, "boundary", "polyBoundaryMesh", false);
  file.text("{}\n(\n", mesh.patches.size());
  core::Count begin = topology.inner;
  for (auto const& patch : mesh.patches) {
    core::Count const count = patch.faces();
    file.text("    {}\n    {{\n        type            {};\n", patch.name, patch.type);
    if (!patch.groups.empty())
      file.text("        inGroups        {}({});\n", patch.groups.size(), fmt::join(patch.groups, " "));
    file.text("        nFaces          {};\n        startFace       {};\n", count, begin);
    if (patch.type == "cyclic")
      file.text("        matchTolerance  0.0001;\n        transform       unknown;\n        neighbourPatch  {};\n",
                other_side(mesh, patch));
    file.text("    }}\n");
    begin += count;
  }
  file.text(")\n");
  file.finish();
}

/// Collects the numbers of the cells of a zone as the rows of its mask arrive.
class LabelSink final : public RowSink {
 public:
  void next(core::Count, std::span<std::byte const> values) override {
    for (std::byte const value : values) {
      if (value != std::byte{0}) labels.push_back(static_cast<Label>(cell_));
      ++cell_;
    }
  }
  void finish() override {}
  std::vector<Label> labels;

 private:
  core::Count cell_ = 0;
};

void write_zones(std::string const& folder, Mesh const& mesh, core::Layout const& layout, CellSets const& sets,
                 FieldFormat const& format) {
  std::unique_ptr<MeshFile> file;
  on_root(layout.comm(), [&] {
    file = std::make_unique<MeshFile>(folder, "cellZones", "regIOobject", format.binary);
    file->text("{}\n(\n", sets.zones.size());
  });
  for (auto const& [name, mask] : sets.zones) {
    LabelSink sink;
    for (auto const& block : mesh.blocks) gather_block(mask, block, layout.comm().root() ? &sink : nullptr);
    on_root(layout.comm(), [&, &name = name] {
      file->text("{}\n{{\n    type cellZone;\ncellLabels      List<label> \n", name);
      file->open_list(static_cast<core::Count>(sink.labels.size()));
      for (Label const label : sink.labels) file->label(label);
      file->text(")\n;\n}}\n");
    });
  }
  on_root(layout.comm(), [&] {
    file->text(")\n");
    file->finish();
  });
}

}  // namespace

void write_poly_mesh(std::string const& folder, Mesh const& mesh, core::Layout const& layout, CellSets const& sets,
                     FieldFormat const& format) {
  if (!mesh.absent.empty() || mesh.wedge)
    throw core::Error(
        fmt::format("{}: writeMesh wants blocks that fill a box; this mesh, {}, is to be written by blockMesh", folder,
                    mesh.wedge ? "a wedge" : "with holes"));
  Topology const topology(mesh);
  if (4 * topology.faces > std::numeric_limits<Label>::max())
    throw core::Error(fmt::format("{}: a mesh of {} faces cannot be written with the 32-bit labels of OpenFOAM", folder,
                                  topology.faces));
  on_root(layout.comm(), [&] {
    write_points(folder, mesh, topology, format);
    write_faces(folder, topology, format);
    write_cells(folder, topology, format);
    write_boundary(folder, mesh, topology);
  });
  if (!sets.zones.empty()) write_zones(folder, mesh, layout, sets, format);
}

}  // namespace tessera::io::foam
