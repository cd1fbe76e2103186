// SPDX-License-Identifier: Apache-2.0
#include "io/foam/poly_mesh_files.hpp"

#include "io/foam/file_text.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <span>

namespace tessera::io::foam {
using namespace core::dictionary_text;

namespace {

using Label = PolyMeshFiles::Label;
constexpr std::size_t most_labels = std::numeric_limits<Label>::max();

/// The file itself or NAME.gz.
std::string required_file(std::string const& path) {
  std::string const file = find_file(path);
  if (file.empty()) throw core::Error(path, 0, "no such file, and constant/polyMesh is read: expected its five files");
  return file;
}

/// A file of polyMesh as it is read from front to back.
class ListsOfMesh {
 public:
  /// `classes`: what the header may say.
  ListsOfMesh(std::string const& path, std::vector<std::string> const& classes)
      : path_(required_file(path)),
        in_(path_) {
    skip_space(in_);
    int const line = in_.line;
    if (in_.ahead(8) != "FoamFile") in_.fail(line, "no header, expected 'FoamFile { ... }'");
    in_.take(8);
    expect('{');
    for (skip_space(in_); !in_.ahead(1).empty() && in_.ahead(1)[0] != '}'; skip_space(in_)) {
      std::string const key = read_word(in_);
      skip_space(in_);
      header_[key] = !in_.ahead(1).empty() && in_.ahead(1)[0] == '"' ? read_string(in_) : read_word(in_);
      expect(';');
    }
    expect('}');
    kind_ = header_["class"];
    if (!classes.empty() && std::find(classes.begin(), classes.end(), kind_) == classes.end())
      in_.fail(line, fmt::format("class '{}' is not supported, expected {}", kind_, fmt::join(classes, " or ")));
    binary_ = header_["format"] == "binary";
    std::string const& arch = header_["arch"];
    if (binary_ && arch.find("MSB") != std::string::npos)
      in_.fail(line, fmt::format("binary data of arch \"{}\" is not supported, expected LSB", arch));
    label_bytes_ = arch.find("label=64") != std::string::npos ? 8 : 4;
    scalar_bytes_ = arch.find("scalar=32") != std::string::npos ? 4 : 8;
  }

  std::string const& path() const { return path_; }
  std::string const& kind() const { return kind_; }
  std::string const& said(std::string const& key) { return header_[key]; }
  bool binary() const { return binary_; }
  /// Digits that coordinates have, as a share of themselves.
  double rounding() const { return !binary_ ? 1e-5 : scalar_bytes_ == 4 ? 1e-6 : 1e-9; }
  std::size_t offset() const { return in_.offset(); }

  void expect(char bracket) {
    skip_space(in_);
    if (in_.ahead(1).empty()) in_.fail(in_.line, fmt::format("the file ends, expected '{}'", bracket));
    if (in_.ahead(1)[0] != bracket)
      in_.fail(in_.line,
               fmt::format("found '{}', expected '{}'", in_.ahead(12).substr(0, in_.ahead(12).find('\n')), bracket));
    in_.take(1);
  }
  bool accept(char bracket) {
    skip_space(in_);
    if (in_.ahead(1).empty() || in_.ahead(1)[0] != bracket) return false;
    in_.take(1);
    return true;
  }
  std::string word() {
    skip_space(in_);
    return read_word(in_);
  }
  bool at_number() {
    skip_space(in_);
    return starts_number(in_.ahead(3));
  }
  void skip_entry() {
    if (!in_.skip_to(';', nullptr)) in_.fail(in_.line, "the file ends, expected ';'");
    in_.take(1);
  }

  /// `N`, the length of a list.
  std::size_t length(char const* what) {
    auto const n = number<std::int64_t>(what);
    if (n < 0 || static_cast<std::size_t>(n) > most_labels)
      in_.fail(in_.line, fmt::format("there are {} {}, expected 0 to {}", n, what, most_labels));
    return static_cast<std::size_t>(n);
  }
  template <class T>
  T number(char const* what) {
    skip_space(in_);
    std::string_view text = in_.ahead(64);
    std::size_t const sign = !text.empty() && text[0] == '+' ? 1 : 0;
    T value{};
    auto const [end, status] = std::from_chars(text.data() + sign, text.data() + text.size(), value);
    bool const tiny = std::is_floating_point_v<T> && status == std::errc::result_out_of_range;
    if ((status != std::errc() && !tiny) || end == text.data() + 64)
      in_.fail(in_.line,
               fmt::format("found '{}', expected a number: {}", text.substr(0, text.find_first_of(" \n)")), what));
    in_.take(static_cast<std::size_t>(end - text.data()));
    return tiny ? T{} : value;
  }

  /// `N ( ... )`, `N{v}` or `0`; labels from 0 to `limit` - 1, or any where that is 0.
  std::vector<Label> labels(char const* what, std::size_t limit) {
    std::size_t const count = length(what);
    std::vector<Label> values;
    if (accept('{')) {
      constexpr std::size_t most = std::size_t{1} << 20;  // meshes of so few cells that all values are equal are small
      if (count > most) in_.fail(in_.line, fmt::format("repeats a label {} times, expected at most {}", count, most));
      values.assign(count, label(what));
      expect('}');
    } else if (count > 0 || accept('(')) {
      if (count > 0) expect('(');
      if (binary_)
        raw_labels(values, count, what);
      else
        for (std::size_t n = 0; n < count; ++n) values.push_back(label(what));
      expect(')');
    }
    for (std::size_t n = 0; limit > 0 && n < values.size(); ++n)
      if (values[n] < 0 || static_cast<std::size_t>(values[n]) >= limit)
        throw core::Error(path_, 0,
                          fmt::format("value {} of {} is {}, expected 0 to {}", n, what, values[n], limit - 1));
    return values;
  }
  Label label(char const* what) { return checked(number<std::int64_t>(what), what); }

  /// Little-endian values of a binary list, piece by piece: f(values).
  template <class T, class F>
  void raw(std::size_t count, char const* what, F const& f) {
    std::vector<T> values;
    constexpr std::size_t most = std::size_t{1} << 16;
    for (std::size_t done = 0; done < count; done += values.size()) {
      values.resize(std::min(most, count - done));
      std::size_t const bytes = values.size() * sizeof(T);
      auto const piece = in_.ahead(bytes);
      if (piece.size() < bytes)
        throw core::Error(path_, 0, fmt::format("the file ends within the {} numbers of {}", count, what));
      std::memcpy(values.data(), piece.data(), bytes);
      in_.take(bytes);
      f(std::span<T const>(values));
    }
  }

  /// (x y z) of all points.
  std::vector<std::array<double, 3>> points() {
    std::size_t const count = length("points");
    std::vector<std::array<double, 3>> values;
    expect('(');
    std::array<double, 3> point{};
    std::size_t at = 0;
    auto const take = [&](double x) {
      if (!std::isfinite(x))
        throw core::Error(path_, 0,
                          fmt::format("point {} has the coordinate {}, expected finite numbers", values.size(), x));
      point[at++] = x;
      if (at == 3) values.push_back(point);
      at %= 3;
    };
    auto const take_all = [&](auto const& numbers) {
      for (auto const x : numbers) take(static_cast<double>(x));
    };
    if (binary_ && scalar_bytes_ == 4) {
      raw<float>(3 * count, "points", take_all);
    } else if (binary_) {
      raw<double>(3 * count, "points", take_all);
    } else {
      for (std::size_t n = 0; n < count; ++n) {
        expect('(');
        for (int a = 0; a < 3; ++a) take(number<double>("a coordinate of a point"));
        expect(')');
      }
    }
    expect(')');
    return values;
  }

 private:
  Label checked(std::int64_t value, char const* what) {
    if (value < std::numeric_limits<Label>::min() || value > std::numeric_limits<Label>::max())
      throw core::Error(path_, in_.line,
                        fmt::format("{} has the label {}, expected 0 to {}", what, value, most_labels));
    return static_cast<Label>(value);
  }
  void raw_labels(std::vector<Label>& values, std::size_t count, char const* what) {
    auto const take = [&](auto const& labels) {
      for (auto const l : labels) values.push_back(checked(l, what));
    };
    if (label_bytes_ == 8)
      raw<std::int64_t>(count, what, take);
    else
      raw<std::int32_t>(count, what, take);
  }

  std::string path_;
  FileText in_;
  std::map<std::string, std::string> header_;
  std::string kind_;
  bool binary_ = false;
  int label_bytes_ = 4, scalar_bytes_ = 8;
};

std::array<Label, 4> corners_of(std::vector<Label> const& given) {
  constexpr Label none = PolyMeshFiles::none;
  if (given.size() == 4) return {given[0], given[1], given[2], given[3]};
  if (given.size() == 3) return {given[0], given[1], given[2], none};
  return {none, none, none, static_cast<Label>(given.size())};
}

std::vector<std::array<Label, 4>> read_faces(std::string const& path, std::size_t points) {
  ListsOfMesh in(path, {"faceList", "faceCompactList"});
  std::vector<std::array<Label, 4>> faces;
  if (in.kind() == "faceCompactList") {  // where each face begins, then all corners
    auto const begins = in.labels("the places where faces begin", 0);
    auto const corners = in.labels("corners of faces", points);
    for (std::size_t f = 0; f + 1 < begins.size(); ++f) {
      if (begins[f] < 0 || begins[f + 1] < begins[f] || static_cast<std::size_t>(begins[f + 1]) > corners.size())
        throw core::Error(in.path(), 0,
                          fmt::format("face {} goes from corner {} to {} of {}, expected places that ascend", f,
                                      begins[f], begins[f + 1], corners.size()));
      faces.push_back(corners_of({corners.begin() + begins[f], corners.begin() + begins[f + 1]}));
    }
    return faces;
  }
  if (in.binary())
    throw core::Error(in.path(), 0, "is a binary faceList, expected faceCompactList, as OpenFOAM writes it since 2.0");
  std::size_t const count = in.length("faces");
  in.expect('(');
  std::vector<Label> corners;
  for (std::size_t f = 0; f < count; ++f) {
    corners = in.labels("corners of a face", points);
    faces.push_back(corners_of(corners));
  }
  in.expect(')');
  return faces;
}

/// N ( NAME { type cellZone; cellLabels List<label> N ( ... ); } ... )
std::vector<PolyMeshFiles::Zone> read_zones(std::string const& path, std::size_t cells) {
  std::vector<PolyMeshFiles::Zone> zones;
  if (find_file(path).empty()) return zones;
  ListsOfMesh in(path, {});
  std::size_t const count = in.length("zones");
  if (count == 0) return zones;
  in.expect('(');
  for (std::size_t n = 0; n < count; ++n) {
    zones.push_back({in.word(), {}});
    in.expect('{');
    while (!in.accept('}')) {
      if (in.word() == "cellLabels") {
        // `List<label> N(...)`, or without the type, as for a zone without cells: `0()`
        if (auto const type = in.at_number() ? "List<label>" : in.word(); type != "List<label>")
          throw core::Error(
              in.path(), 0,
              fmt::format("cellLabels of zone '{}' are {}, expected List<label>", zones.back().name, type));
        zones.back().cells = in.labels("cellLabels", cells);
      }
      in.skip_entry();
    }
  }
  in.expect(')');
  return zones;
}

}  // namespace

PolyMeshFiles read_poly_mesh_files(std::string const& folder) {
  PolyMeshFiles mesh;
  mesh.folder = folder;
  {
    ListsOfMesh in(mesh.path("points"), {"vectorField"});
    mesh.points = in.points();
    if (mesh.points.empty()) throw core::Error(in.path(), 0, "there is no point, expected a mesh");
    for (std::size_t a = 0; a < 3; ++a) {
      double low = mesh.points[0][a], high = low;
      for (auto const& point : mesh.points) {
        low = std::min(low, point[a]);
        high = std::max(high, point[a]);
      }
      mesh.rounding[a] = in.rounding() * std::max(std::abs(low), std::abs(high)) + 1e-10 * (high - low);
    }
  }
  mesh.faces = read_faces(mesh.path("faces"), mesh.points.size());
  mesh.owner = ListsOfMesh(mesh.path("owner"), {"labelList"}).labels("owner", most_labels);
  mesh.neighbour = ListsOfMesh(mesh.path("neighbour"), {"labelList"}).labels("neighbour", most_labels);
  if (mesh.owner.size() != mesh.faces.size())
    throw core::Error(
        mesh.path("owner"), 0,
        fmt::format("has {} cells, expected one for each of the {} faces", mesh.owner.size(), mesh.faces.size()));
  if (mesh.neighbour.size() > mesh.owner.size())
    throw core::Error(mesh.path("neighbour"), 0,
                      fmt::format("has {} cells, expected at most one for each of the {} faces", mesh.neighbour.size(),
                                  mesh.faces.size()));
  for (auto const* labels : {&mesh.owner, &mesh.neighbour})
    for (Label const cell : *labels) mesh.cells = std::max(mesh.cells, cell + 1);
  // each cell has faces of its own
  if (static_cast<std::size_t>(mesh.cells) > 2 * mesh.faces.size())
    throw core::Error(mesh.path("owner"), 0,
                      fmt::format("{} faces have cell {}, expected cells that follow each other from 0",
                                  mesh.faces.size(), mesh.cells - 1));
  mesh.zones = read_zones(mesh.path("cellZones"), static_cast<std::size_t>(mesh.cells));
  return mesh;
}

std::string read_poly_mesh_boundary(std::string const& folder) {
  std::string const path = folder + "/boundary";
  std::size_t const header = ListsOfMesh(path, {"polyBoundaryMesh"}).offset();
  std::string text = text_of(find_file(path));
  return text.substr(0, header) + " boundary " + text.substr(header) + "\n;\n";
}

bool poly_mesh_there(std::string const& folder) {
  return !find_file(folder + "/points").empty() && !find_file(folder + "/faces").empty();
}

std::int64_t cells_told(std::string const& folder) {
  ListsOfMesh in(folder + "/owner", {"labelList"});
  std::string const note = in.said("note");
  std::int64_t cells = -1;
  if (auto const at = note.find("nCells:"); at != std::string::npos) {
    std::string_view text = std::string_view(note).substr(at + 7);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::from_chars(text.data(), text.data() + text.size(), cells);
  }
  return cells;
}

}  // namespace tessera::io::foam
