// SPDX-License-Identifier: Apache-2.0
#include "core/files.hpp"
#include "io/foam/functions/columns.hpp"
#include "io/foam/functions/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::io::foam::functions {
namespace {

double distance(Point const& a, Point const& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
Point on_line(Point const& start, Point const& end, double t) {
  return {start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1]), start[2] + t * (end[2] - start[2])};
}

/// Where the line from start to end crosses faces of the grid, as fractions 0 to 1 of its length; crossings of an edge
/// count once.
std::vector<double> crossings(core::Grid const& grid, Point const& start, Point const& end) {
  double enter = 0, leave = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(static_cast<int>(a));
    double const d = end[a] - start[a];
    if (d == 0) {
      if (start[a] < axis.low() || start[a] > axis.high()) return {};
      continue;
    }
    double const t0 = (axis.low() - start[a]) / d, t1 = (axis.high() - start[a]) / d;
    enter = std::max(enter, std::min(t0, t1));
    leave = std::min(leave, std::max(t0, t1));
  }
  std::vector<double> found;
  for (std::size_t a = 0; a < 3; ++a) {
    double const d = end[a] - start[a];
    if (d == 0) continue;
    for (double const x : grid.axis(static_cast<int>(a)).faces())
      if (double const t = (x - start[a]) / d; t >= enter && t <= leave) found.push_back(t);
  }
  std::sort(found.begin(), found.end());
  constexpr double rounding = 1e-12;  // of the fractions, which are of order 1
  auto const last = std::unique(found.begin(), found.end(), [](double a, double b) { return b - a <= rounding; });
  found.erase(last, found.end());
  return found;
}

}  // namespace

/// Fields along lines and at points, a file TIME/SET_FIELD_FIELD.xy (raw) or .csv each time.
///
/// uniform: nPoints points from start to end. face: where the line crosses faces, boundary faces included.
/// midPoint: half-way between these. midPointAndFace: both. cloud: points. Points outside the grid are left out. Lines
/// end at `end`; v1912 itself takes those of face and midPoint on to the boundary.
class Sets final : public FunctionObject {
 public:
  static inline std::string const help = R"(fields (T); setFormat raw | csv; interpolationScheme cell | cellPoint;
sets ( NAME { type uniform | face | midPoint | midPointAndFace | cloud; axis x | y | z | xyz | distance;
              start (x y z); end (x y z); nPoints 100; points ((x y z) ...); } ... );)";

  explicit Sets(FunctionEntry const& entry)
      : context_(entry.context),
        columns_(entry.dictionary, entry.context),
        fields_(select_fields(entry, Quantities::in_cells)),
        format_(entry.dictionary.get_choice("setFormat", {"raw", "csv"})) {
    std::sort(fields_.begin(), fields_.end());
    auto const scheme = read_interpolation(entry.dictionary, context_.mesh);
    for (auto const& item : entry.dictionary.items("sets")) {
      if (item.dictionary == nullptr || item.name.empty())
        entry.dictionary.fail_expected("sets", "lines and clouds 'name { type ...; axis ...; ... }'");
      if (!core::is_file_name(item.name))
        item.dictionary->fail(
            "", fmt::format("the set '{}' gives a file its name, expected a word without '/'", item.name));
      add(item.name, *item.dictionary, scheme);
    }
  }

  void write(StepTime const& now, FunctionOutput& output) override {
    bool const csv = format_ == "csv";
    std::string const between = csv ? "," : " \t";
    for (auto const& set : sets_) {
      std::vector<std::vector<double>> values;
      for (auto const& field : fields_) values.push_back(set.sampler.values(context_.fields.at(field)));
      std::string text;
      if (csv) text = fmt::format("{},{}\n", set.axis == "xyz" ? "x,y,z" : set.axis, fmt::join(fields_, ","));
      for (std::size_t n = 0; n < set.distance.size(); ++n) {
        Point const& p = set.sampler.samples()[n].point;
        if (set.axis == "xyz")
          text += columns_.general(p[0]) + between + columns_.general(p[1]) + between + columns_.general(p[2]);
        else
          text += columns_.general(set.axis == "distance" ? set.distance[n] : p[set.axis[0] - 'x']);
        for (auto const& value : values) text += between + columns_.general(value[n]);
        text += "\n";
      }
      output.append(fmt::format("{}/{}_{}.{}", context_.control.time_name(now.time), set.name, fmt::join(fields_, "_"),
                                csv ? "csv" : "xy"),
                    text);
    }
  }

 private:
  struct Line {
    std::string name, axis;
    Sampler sampler;
    std::vector<double> distance;  // from start; the number of the point in a cloud
  };

  void add(std::string const& name, core::Dictionary const& d, std::string const& scheme) {
    auto const type = d.get_choice("type", {"uniform", "face", "midPoint", "midPointAndFace", "cloud"});
    auto const axis = d.get_choice("axis", {"x", "y", "z", "xyz", "distance"});
    core::Grid const& grid = context_.mesh.grid;
    std::vector<Sample> samples;
    std::vector<double> along;
    auto const take = [&](Point const& point, std::optional<core::Index> const& cell, double distance) {
      if (!cell) return;
      samples.push_back({point, *cell});
      along.push_back(distance);
    };
    if (type == "cloud") {
      auto const points = d.get<std::vector<Point>>("points");
      for (std::size_t n = 0; n < points.size(); ++n)
        take(points[n], cell_at(context_.mesh, points[n]), static_cast<double>(n));
    } else {
      auto const start = d.get<Point>("start"), end = d.get<Point>("end");
      if (start == end) d.fail("end", "start and end are the same point, expected two ends of a line");
      if (type == "uniform") {
        int const points = d.get_in<int>("nPoints", {2, 100'000'000});
        for (int n = 0; n < points; ++n) {
          Point const p = on_line(start, end, static_cast<double>(n) / (points - 1));
          take(p, cell_at(context_.mesh, p), distance(start, p));
        }
      } else {
        auto const t = crossings(grid, start, end);
        for (std::size_t n = 0; n < t.size(); ++n) {
          // a face has the value of the cell that the line enters, the last one of the cell that it leaves
          std::size_t const from = n + 1 < t.size() || n == 0 ? n : n - 1;
          double const next = from + 1 < t.size() ? t[from + 1] : std::min(1.0, t[from] + 1e-9);
          Point const middle = on_line(start, end, 0.5 * (t[from] + next));
          Point const p = on_line(start, end, t[n]);
          if (type != "midPoint") take(p, cell_at(context_.mesh, middle), distance(start, p));
          if (type != "face" && n + 1 < t.size()) take(middle, cell_at(context_.mesh, middle), distance(start, middle));
        }
      }
    }
    if (samples.empty()) d.fail("type", fmt::format("set '{}' has no point inside the mesh", name));
    sets_.push_back({name, axis, Sampler(context_, std::move(samples), scheme), std::move(along)});
  }

  FunctionContext const& context_;
  Columns columns_;
  std::vector<std::string> fields_;
  std::string format_;
  std::vector<Line> sets_;
};

[[maybe_unused]] static bool const added = FunctionObjects::add<Sets>("sets", "profiles along lines and at points");

}  // namespace tessera::io::foam::functions
