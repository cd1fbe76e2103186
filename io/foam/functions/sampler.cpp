// SPDX-License-Identifier: Apache-2.0
#include "io/foam/functions/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera::io::foam::functions {
namespace {

Point operator-(Point const& a, Point const& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double length(Point const& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }
double triple(Point const& a, Point const& b, Point const& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

}  // namespace

std::optional<core::Index> cell_at(Mesh const& mesh, Point const& point) {
  core::Grid const& grid = mesh.grid;
  core::Index cell;
  for (int a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(a);
    double const x = point[a];
    if (!(x >= axis.low() && x <= axis.high())) return {};
    along(cell, a) = std::max<core::Count>(axis.faces_below(x) - 1, 0);
  }
  if (!mesh.exists(cell)) return {};
  return cell;
}

std::string read_interpolation(core::Dictionary const& in, Mesh const& mesh) {
  auto scheme = in.get_choice("interpolationScheme", {"cell", "cellPoint"}, "cell");
  if (scheme != "cell" && (!mesh.absent.empty() || mesh.wedge))
    in.fail_expected("interpolationScheme", "cell: cellPoint wants a mesh whose blocks fill a box");
  return scheme;
}

Sampler::Sampler(FunctionContext const& context, std::vector<Sample> samples, std::string const& scheme)
    : context_(context),
      samples_(std::move(samples)) {
  for (auto const& sample : samples_)
    terms_.push_back(scheme == "cell" ? Terms{{source(sample.cell, inside), 1.0}} : in_tetrahedron(sample));
  source_places_.clear();
  corners_.clear();
}

std::vector<double> Sampler::values(FunctionField const& field) const {
  core::Layout const& layout = *context_.layout;
  auto const cells = field.cells->host();
  // each source is known to one rank: the sum of the bits is exact, whoever it is
  std::vector<std::int64_t> bits(sources_.size(), 0);
  for (std::size_t n = 0; n < sources_.size(); ++n) {
    auto const& [cell, side] = sources_[n];
    int const slot = layout.slot(layout.grid().tile_of(cell));
    if (slot < 0) continue;
    core::TileInfo const& t = layout.info(slot);
    int const i = static_cast<int>(cell.i - t.i0), j = static_cast<int>(cell.j - t.j0),
              k = static_cast<int>(cell.k - t.k0);
    bits[n] = std::bit_cast<std::int64_t>(side == inside ? cells(slot, k, j, i)
                                                         : field.at_face(static_cast<core::Side>(side), slot, k, j, i));
  }
  layout.comm().sum(bits);
  std::vector<double> result;
  for (auto const& terms : terms_) {
    double value = 0;
    for (auto const& [place, weight] : terms) value += weight * std::bit_cast<double>(bits[place]);
    result.push_back(value);
  }
  return result;
}

std::size_t Sampler::source(core::Index const& cell, int side) {
  core::Grid const& grid = context_.mesh.grid;
  auto const [place, added] = source_places_.emplace((side + 1) * grid.total() + grid.number(cell), sources_.size());
  if (added) sources_.push_back({cell, side});
  return place->second;
}

Point Sampler::position(core::Index const& vertex) const {
  core::Grid const& grid = context_.mesh.grid;
  return {grid.axis(0).face(vertex.i), grid.axis(1).face(vertex.j), grid.axis(2).face(vertex.k)};
}

Sampler::Terms const& Sampler::corner(core::Index const& vertex) {
  core::Grid const& grid = context_.mesh.grid;
  auto const n = grid.cells();
  core::Count const key = (vertex.k * (n[1] + 1) + vertex.j) * (n[0] + 1) + vertex.i;
  auto const known = corners_.find(key);
  if (known != corners_.end()) return known->second;

  // the cells before and after the corner on each axis, and the sides that it lies on; across a periodic axis the cell
  // lies a period away
  struct Near {
    core::Count cell;
    double centre;
  };
  std::array<std::vector<Near>, 3> near;
  std::vector<int> sides;
  for (int a = 0; a < 3; ++a) {
    auto const& axis = grid.axis(a);
    core::Count const at = along(vertex, a), cells = axis.cells();
    double const period = axis.length();
    for (core::Count c : {at - 1, at}) {
      if (c >= 0 && c < cells)
        near[a].push_back({c, axis.centre(c)});
      else if (axis.periodic)
        near[a].push_back({c < 0 ? cells - 1 : 0, c < 0 ? axis.centre(cells - 1) - period : axis.centre(0) + period});
      else if (auto const side = 2 * a + (c < 0 ? 0 : 1);
               context_.mesh.patch(static_cast<core::Side>(side)).type != "empty")
        sides.push_back(side);
    }
  }
  Point const p = position(vertex);
  Terms terms;
  auto const add = [&](int side) {
    for (auto const& z : near[2])
      for (auto const& y : near[1])
        for (auto const& x : near[0]) {
          Point to{x.centre, y.centre, z.centre};
          if (side != inside) to[side / 2] = p[side / 2];
          terms.emplace_back(source({x.cell, y.cell, z.cell}, side), 1 / length(to - p));
        }
  };
  if (sides.empty())
    add(inside);
  else
    for (int const side : sides) add(side);
  double sum = 0;
  for (auto const& term : terms) sum += term.second;
  for (auto& term : terms) term.second /= sum;
  return corners_.emplace(key, std::move(terms)).first->second;
}

Sampler::Terms Sampler::in_tetrahedron(Sample const& sample) {
  core::Grid const& grid = context_.mesh.grid;
  Point const c = centre(grid, sample.cell), d = sample.point - c;
  std::array<core::Index, 3> best{};
  std::array<double, 4> share{-1e300, 0, 0, 0};  // of the centre and the three corners
  double least = -1e300;
  for (int a = 0; a < 3; ++a)
    for (int high : {0, 1})
      for (int half : {0, 1}) {
        // the corners of the face's triangle: lowest, highest, and one of the two others
        core::Index lowest = sample.cell;
        along(lowest, a) += high;
        core::Index highest = lowest, other = lowest;
        ++along(highest, (a + 1) % 3);
        ++along(highest, (a + 2) % 3);
        ++along(other, (a + 1 + half) % 3);
        Point const e0 = position(lowest) - c, e1 = position(other) - c, e2 = position(highest) - c;
        double const volume = triple(e0, e1, e2);
        std::array<double, 4> s{0, triple(d, e1, e2) / volume, triple(e0, d, e2) / volume, triple(e0, e1, d) / volume};
        s[0] = 1 - s[1] - s[2] - s[3];
        double const smallest = *std::min_element(s.begin(), s.end());
        if (smallest <= least) continue;
        least = smallest;
        share = s;
        best = {lowest, other, highest};
      }
  std::map<std::size_t, double> weights{{source(sample.cell, inside), share[0]}};
  for (std::size_t n = 0; n < 3; ++n)
    for (auto const& [place, weight] : corner(best[n])) weights[place] += share[n + 1] * weight;
  return {weights.begin(), weights.end()};
}

}  // namespace tessera::io::foam::functions
