// SPDX-License-Identifier: Apache-2.0
#include "io/writers/xdmf.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace tessera::io::writers {
namespace {

std::string escaped(std::string const& text) {
  std::string result;
  for (char const c : text) switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

char const* number_type(core::Element element) {
  switch (element) {
  case core::Element::uint8:
    return R"(NumberType="UChar" Precision="1")";
  case core::Element::int32:
    return R"(NumberType="Int" Precision="4")";
  case core::Element::int64:
    return R"(NumberType="Int" Precision="8")";
  case core::Element::float32:
    return R"(NumberType="Float" Precision="4")";
  case core::Element::float64:
    break;
  }
  return R"(NumberType="Float" Precision="8")";
}

std::string geometry(core::Grid const& grid, core::Box const& region, std::string const& file) {
  std::array<core::Count, 3> const lo{region.lo.i, region.lo.j, region.lo.k},
      n{region.shape().i, region.shape().j, region.shape().k};
  std::array<double, 3> origin, spacing;
  bool uniform = true;
  for (std::size_t a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(static_cast<int>(a));
    origin[a] = axis.face(lo[a]);
    spacing[a] = (axis.face(lo[a] + n[a]) - origin[a]) / static_cast<double>(n[a]);
    uniform = uniform && axis.uniform();
  }
  std::string text = fmt::format("        <Topology TopologyType=\"{}\" Dimensions=\"{} {} {}\"/>\n",
                                 uniform ? "3DCoRectMesh" : "3DRectMesh", n[2] + 1, n[1] + 1, n[0] + 1);
  if (uniform) {
    // z, y, x, as the shape of the dataset
    text += "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n";
    for (auto const& v : {origin, spacing})
      text += fmt::format("          <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" "
                          "Format=\"XML\">{:.17g} {:.17g} {:.17g}</DataItem>\n",
                          v[2], v[1], v[0]);
  } else {
    text += "        <Geometry GeometryType=\"VXVYVZ\">\n";
    for (std::size_t a = 0; a < 3; ++a)
      text += fmt::format("          <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"8\" "
                          "Format=\"HDF\">{}:/grid/{}</DataItem>\n",
                          n[a] + 1, file, "xyz"[a]);
  }
  return text + "        </Geometry>\n";
}

/// The grid of a snapshot that has other cells than the last one: those of a plane without end, evenly spaced.
core::Grid grid_of(SnapshotInfo const& snapshot) {
  std::array<core::Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a) {
    auto const& faces = snapshot.faces[a];
    axes[a] = core::Axis::make_uniform(snapshot.cells[a], faces.front(), faces.back() - faces.front());
  }
  return core::Grid(axes);
}

}  // namespace

std::string xdmf(std::string const& case_name, core::Grid const& grid, core::Box const& region,
                 std::map<std::int64_t, SnapshotInfo> const& snapshots) {
  core::Index const last = region.shape();
  std::string text =
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"2.2\">\n  <Domain>\n";
  text +=
      fmt::format("    <Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", escaped(case_name));
  for (auto const& [step, snapshot] : snapshots) {
    std::string const file = escaped(std::filesystem::path(snapshot.file).filename().string());
    text += fmt::format("      <Grid Name=\"{}\" GridType=\"Uniform\">\n        <Time Value=\"{:.17g}\"/>\n", step,
                        snapshot.time);
    auto const& cells = snapshot.cells;
    core::Index const n{cells[0], cells[1], cells[2]};
    bool const same = n == last && snapshot.faces[0].front() == grid.axis(0).face(region.lo.i) &&
                      snapshot.faces[1].front() == grid.axis(1).face(region.lo.j);
    if (same) {
      text += geometry(grid, region, file);
    } else {
      auto const other = grid_of(snapshot);
      text += geometry(other, other.box(), file);
    }
    for (auto const& field : snapshot.fields) {
      text += fmt::format("        <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Cell\">\n",
                          escaped(field.name));
      text += fmt::format("          <DataItem Dimensions=\"{} {} {}\" {} Format=\"HDF\">{}:/fields/{}</DataItem>\n    "
                          "    </Attribute>\n",
                          n.k, n.j, n.i, number_type(field.element), file, escaped(field.name));
    }
    text += "      </Grid>\n";
  }
  return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

}  // namespace tessera::io::writers
