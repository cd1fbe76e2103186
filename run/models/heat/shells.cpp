// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/shells.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::run::heat {

namespace foam = io::foam;
using foam::Drawing, foam::Point;

namespace {

constexpr double whole = 2 * std::numbers::pi;

/// Where a circle crosses a face of the mesh, anticlockwise.
struct Crossing {
  double angle;
  int axis;
  core::Count face;
  bool upwards;
};

std::vector<Crossing> crossings(core::Grid const& grid, Shell const& shell) {
  std::vector<Crossing> result;
  for (int axis = 0; axis < 2; ++axis) {
    auto const& a = grid.axis(axis);
    double const middle = axis == 0 ? shell.x : shell.y;
    for (core::Count f = 1; f < a.cells(); ++f) {
      double const share = (a.face(f) - middle) / shell.radius;
      if (!(std::abs(share) < 1)) continue;
      // x = R cos(angle), y = R sin(angle)
      double const half = axis == 0 ? std::acos(share) : std::asin(share);
      double const other = axis == 0 ? whole - half : std::numbers::pi - half;
      result.push_back({std::fmod(half + whole, whole), axis, f, axis == 1});
      result.push_back({std::fmod(other + whole, whole), axis, f, axis == 0});
    }
  }
  std::sort(result.begin(), result.end(), [](auto const& a, auto const& b) { return a.angle < b.angle; });
  return result;
}

}  // namespace

Shells::Shells(std::vector<Shell> const& shells, core::Grid const& grid)
    : grid_(grid),
      shells_(shells),
      arcs_(shells.size()) {
  for (std::size_t n = 0; n < shells.size(); ++n)
    if (!pass(n)) arcs_[n].clear();
}

Point Shells::centre(Place const& x) const {
  return {grid_.axis(0).centre(x.first), grid_.axis(1).centre(x.second), 0};
}

double Shells::off(std::size_t shell, Point const& p) const {
  Shell const& s = shells_[shell];
  return std::hypot(p[0] - s.x, p[1] - s.y) - s.radius;
}

/// Follows the shell from cell to cell. No: it passes a cell of another, or leaves the grid.
bool Shells::pass(std::size_t shell) {
  Shell const& s = shells_[shell];
  for (int axis = 0; axis < 2; ++axis) {
    double const middle = axis == 0 ? s.x : s.y;
    if (middle - s.radius <= grid_.axis(axis).low() || middle + s.radius >= grid_.axis(axis).high()) return false;
  }
  auto const all = crossings(grid_, s);
  if (all.size() < 4) return false;  // within one cell or two
  auto const angle_after = [&](std::size_t n) {
    double const step = all[(n + 1) % all.size()].angle - all[n].angle;
    return n + 1 == all.size() ? step + whole : step;
  };
  // the longest arc has its middle well inside a cell
  std::size_t first = 0;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (angle_after(n) > angle_after(first)) first = n;
  double const middle = all[first].angle + angle_after(first) / 2;
  Place at{grid_.axis(0).faces_up_to(s.x + s.radius * std::cos(middle)) - 1,
           grid_.axis(1).faces_up_to(s.y + s.radius * std::sin(middle)) - 1};
  auto& arcs = arcs_[shell];
  std::vector<std::pair<std::pair<int, Place>, double>> links;
  for (std::size_t n = 0; n < all.size(); ++n) {
    std::size_t const before = (first + n) % all.size(), next = (before + 1) % all.size();
    arcs[at] += angle_after(before) / whole;
    Crossing const& c = all[next];
    (c.axis == 0 ? at.first : at.second) = c.upwards ? c.face : c.face - 1;
    Place above = at;
    (c.axis == 0 ? above.first : above.second) = c.face;
    double const length = s.radius * std::max(1e-6, (angle_after(before) + angle_after(next)) / 2);
    links.push_back({{c.axis, above}, s.sheet / length});
  }
  for (auto const& [place, share] : arcs)
    if (chain_.contains(place)) return false;
  for (auto const& [place, share] : arcs) chain_[place] = shell;
  for (auto const& [face, conductance] : links) links_[face] += conductance;
  return true;
}

/// Resistance of 1 m^2 from a shell to a centre, along its normal, for a face where a step to the next centre leads so much nearer to
/// the shell or away from it [K m^2/W]. Heat through the face is that along the normal times the cosine between them.
double Shells::from_shell(Drawing const& conductivity, std::size_t shell, Point const& neighbour,
                          Point const& p) const {
  Shell const& s = shells_[shell];
  double const r = std::hypot(p[0] - s.x, p[1] - s.y), step = std::hypot(p[0] - neighbour[0], p[1] - neighbour[1]);
  Point const foot{s.x + (p[0] - s.x) / r * s.radius, s.y + (p[1] - s.y) / r * s.radius, 0};
  double const at = off(shell, p), cosine = (at - off(shell, neighbour)) / step * (at < 0 ? -1 : 1);
  constexpr double least = 1e-3;
  return conductivity.resistance(foot, p) / std::max(cosine, least);
}

/// Resistance of 1 m^2 between the shells, or the centres, of two neighbours [K m^2/W].
double Shells::between(Drawing const& conductivity, Drawing const& without, Place const& a, Place const& b) const {
  Point const p = centre(a), q = centre(b);
  auto const of_a = chain_.find(a), of_b = chain_.find(b);
  if (of_b == chain_.end()) return from_shell(conductivity, of_a->second, p, q);
  if (of_a == chain_.end()) return from_shell(conductivity, of_b->second, q, p);
  if (of_a->second == of_b->second) return without.resistance(p, q);
  // from where the straight line meets the one to where it meets the other
  auto const meets = [&](std::size_t shell) { return off(shell, p) / (off(shell, p) - off(shell, q)); };
  double const from = meets(of_a->second), to = meets(of_b->second);
  constexpr double least = 0.05, most = 2;
  if (!(to - from > least && to - from < most)) return without.resistance(p, q);
  auto const at = [&](double share) { return Point{p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1]), 0}; };
  return conductivity.resistance(at(from), at(to));
}

double Shells::conductivity_below(Drawing const& conductivity, Drawing const& without, int axis, Place const& x) const {
  Place below = x;
  (axis == 0 ? below.first : below.second) -= 1;
  double const distance = centre(x)[static_cast<std::size_t>(axis)] - centre(below)[static_cast<std::size_t>(axis)];
  double result = distance / between(conductivity, without, below, x);
  auto const link = links_.find({axis, x});
  auto const& across = grid_.axis(1 - axis);
  if (link != links_.end()) result += link->second * distance / across.width(axis == 0 ? x.second : x.first);
  return result;
}

std::vector<solvers::CutFace> Shells::faces(Drawing const& conductivity, Drawing const& without,
                                            core::Layout const& layout) const {
  std::vector<solvers::CutFace> result;
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& tile = layout.info(slot);
    for (auto const& [place, shell] : chain_)
      for (int axis = 0; axis < 2; ++axis)
        for (core::Count up = 0; up < 2; ++up) {
          Place x = place;
          (axis == 0 ? x.first : x.second) += up;
          if ((axis == 0 ? x.first : x.second) == 0) continue;
          Place below = x;
          (axis == 0 ? below.first : below.second) -= 1;
          if (up == 1 && chain_.contains(x)) continue;  // told by the cell above
          if (x.first < tile.i0 || x.first >= tile.i0 + tile.ni || x.second < tile.j0 || x.second >= tile.j0 + tile.nj)
            continue;
          double const lambda = conductivity_below(conductivity, without, axis, x);
          for (int k = 0; k < tile.nk; ++k)
            result.push_back(
                {axis, slot, k, static_cast<int>(x.second - tile.j0), static_cast<int>(x.first - tile.i0), lambda});
        }
  }
  return result;
}

}  // namespace tessera::run::heat
