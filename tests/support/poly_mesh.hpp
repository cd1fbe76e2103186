// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "io/foam/mesh.hpp"
#include "tests/support/foam.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace tessera::tests {

/// A constant/polyMesh of boxes, its cells in any order, written by the rules of OpenFOAM.
struct WrittenPolyMesh {
  struct PatchOf {
    std::string name, type;
    std::string more = {};  ///< entries
  };
  std::array<std::vector<double>, 3> planes;
  std::vector<core::Index> cells;  ///< in the order of their numbers
  std::vector<PatchOf> patches;
  std::function<int(core::Index const&, int side)> patch;      ///< of a face on the boundary
  std::function<bool(core::Index const&, int side)> cut = {};  ///< whether two cells have a face each there
  unsigned shuffled = 0;                                       ///< faces of patches: 0 by cells, otherwise by this seed
  bool binary = false, wide = false;                           ///< labels of 64 bits
  std::string zones = {};                                      ///< cellZones without its header

  using Face = std::array<std::int64_t, 4>;
  struct Outer {
    core::Index cell;
    int side;
  };
  std::vector<std::vector<Outer>> outer = {};  ///< of each patch, in the order of the files; made by `write`

  void write(std::string const& folder) {
    std::filesystem::create_directories(folder);
    std::map<std::array<core::Count, 3>, std::int64_t> number;
    for (std::size_t c = 0; c < cells.size(); ++c)
      number[{cells[c].i, cells[c].j, cells[c].k}] = static_cast<std::int64_t>(c);
    std::vector<Face> faces;
    std::vector<std::int64_t> owner, neighbour;
    outer.assign(patches.size(), {});
    for (std::size_t c = 0; c < cells.size(); ++c) {
      std::map<std::int64_t, int> higher;
      for (int side = 0; side < 6; ++side) {
        core::Index y = cells[c];
        along(y, side / 2) += side % 2 == 0 ? -1 : 1;
        auto const other = number.find({y.i, y.j, y.k});
        if (other == number.end() || (cut && cut(cells[c], side)))
          outer[static_cast<std::size_t>(patch(cells[c], side))].push_back({cells[c], side});
        else if (other->second > static_cast<std::int64_t>(c))
          higher[other->second] = side;
      }
      for (auto const& [other, side] : higher) {
        faces.push_back(corners(cells[c], side));
        owner.push_back(static_cast<std::int64_t>(c));
        neighbour.push_back(other);
      }
    }
    std::string boundary = std::to_string(patches.size()) + "\n(\n";
    std::mt19937 random(shuffled);
    for (std::size_t p = 0; p < patches.size(); ++p) {
      if (shuffled != 0) std::shuffle(outer[p].begin(), outer[p].end(), random);
      boundary += patches[p].name + "\n{\n    type " + patches[p].type + ";\n    nFaces " +
                  std::to_string(outer[p].size()) + ";\n    startFace " + std::to_string(faces.size()) + ";\n" +
                  patches[p].more + "}\n";
      for (auto const& [cell, side] : outer[p]) {
        faces.push_back(corners(cell, side));
        owner.push_back(number[{cell.i, cell.j, cell.k}]);
      }
    }
    number_points(faces);
    write_file(folder + "/boundary", own_head("polyBoundaryMesh", "boundary", false) + boundary + ")\n\n// ***** //\n");
    write_file(folder + "/points", own_head("vectorField", "points", binary) + points());
    write_file(folder + "/faces", own_head(binary ? "faceCompactList" : "faceList", "faces", binary) + list(faces));
    write_file(folder + "/owner", own_head("labelList", "owner", binary) + list(owner));
    write_file(folder + "/neighbour", own_head("labelList", "neighbour", binary) + list(neighbour));
    if (!zones.empty()) write_file(folder + "/cellZones", own_head("regIOobject", "cellZones", false) + zones);
  }

  static std::string head(std::string const& type, std::string const& object, bool is_binary, bool is_wide = false) {
    return "/*------ C++ ------*\\\n  a banner\n\\*------*/\nFoamFile\n{\n    version 2.0;\n    format " +
           std::string(is_binary ? "binary" : "ascii") + ";\n" +
           (is_binary ? std::string("    arch \"LSB;label=") + (is_wide ? "64" : "32") + ";scalar=64\";\n" : "") +
           "    class " + type + ";\n    location \"constant/polyMesh\";\n    object " + object +
           ";\n}\n// * * * //\n\n";
  }

 private:
  std::string own_head(std::string const& type, std::string const& object, bool is_binary) const {
    return head(type, object, is_binary, wide);
  }
  std::array<std::int64_t, 3> shape() const {
    std::array<std::int64_t, 3> n{};
    for (std::size_t a = 0; a < 3; ++a) n[a] = static_cast<std::int64_t>(planes[a].size());
    return n;
  }
  /// Those of faces, in the order of their places.
  void number_points(std::vector<Face>& faces) {
    std::map<std::int64_t, std::int64_t> number;
    for (auto const& face : faces)
      for (auto const p : face) number[p] = 0;
    used_.clear();
    for (auto& [place, n] : number) {
      n = static_cast<std::int64_t>(used_.size());
      used_.push_back(place);
    }
    for (auto& face : faces)
      for (auto& p : face) p = number[p];
  }
  /// By places of points.
  Face corners(core::Index const& x, int side) const {
    static constexpr std::array<std::array<int, 4>, 6> of{
        {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
    auto const n = shape();
    Face face{};
    for (std::size_t q = 0; q < 4; ++q) {
      int const c = of[static_cast<std::size_t>(side)][q];
      face[q] = ((x.k + c / 4) * n[1] + x.j + c / 2 % 2) * n[0] + x.i + c % 2;
    }
    return face;
  }
  template <class T>
  static void raw(std::string& text, T const& value) {
    text.append(reinterpret_cast<char const*>(&value), sizeof value);
  }
  void label(std::string& text, std::int64_t l) const {
    if (!binary)
      text += std::to_string(l) + "\n";
    else if (wide)
      raw(text, l);
    else
      raw(text, static_cast<std::int32_t>(l));
  }
  std::string list(std::vector<std::int64_t> const& labels) const {
    std::string text = std::to_string(labels.size()) + "\n(";
    for (auto const l : labels) label(text, l);
    return text + ")\n";
  }
  std::string list(std::vector<Face> const& faces) const {
    std::vector<std::int64_t> begins{0}, all;
    std::string text = std::to_string(faces.size()) + "\n(\n";
    for (auto const& f : faces) {
      all.insert(all.end(), f.begin(), f.end());
      begins.push_back(begins.back() + 4);
      text += "4(" + std::to_string(f[0]) + " " + std::to_string(f[1]) + " " + std::to_string(f[2]) + " " +
              std::to_string(f[3]) + ")\n";
    }
    return binary ? list(begins) + "\n" + list(all) : text + ")\n";
  }
  std::string points() const {
    auto const n = shape();
    std::string text = std::to_string(used_.size()) + "\n(";
    char number[100];
    for (auto const place : used_) {
      std::array<double, 3> const p{planes[0][static_cast<std::size_t>(place % n[0])],
                                    planes[1][static_cast<std::size_t>(place / n[0] % n[1])],
                                    planes[2][static_cast<std::size_t>(place / (n[0] * n[1]))]};
      if (binary) {
        for (double const v : p) raw(text, v);
      } else {
        std::snprintf(number, sizeof number, "(%.17g %.17g %.17g)\n", p[0], p[1], p[2]);
        text += number;
      }
    }
    return text + ")\n";
  }
  std::vector<std::int64_t> used_ = {};
};

}  // namespace tessera::tests
