// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/contacts.hpp"

#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"
#include "io/foam/cell_selection.hpp"
#include "run/models/heat/side_conditions.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::run::heat {

namespace foam = io::foam;
using foam::Point;

namespace {

Point moved(Point p, std::size_t axis, double by) {
  p[axis] += by;
  return p;
}

/// 1 over the cosine of the angle between an axis and the normal of a shape's surface, where the line from p along the
/// axis passes through it within `length`: its place on lines a little beside tells how the surface leans.
double slant(foam::CellShape const& shape, Point const& p, std::size_t axis, double length) {
  bool const inside = shape.contains(p);
  double low = 0, high = 1;
  for (int n = 0; n < 50; ++n) {
    double const middle = 0.5 * (low + high);
    (shape.contains(moved(p, axis, middle * length)) == inside ? low : high) = middle;
  }
  Point const v = moved({}, axis, length);
  double const beside = 1e-4 * length;
  double squares = 1;
  for (std::size_t other = 0; other < 3; ++other) {
    if (other == axis) continue;
    std::vector<double> places;  // of the surface on the lines on either side, in parts of the length
    for (double const by : {-beside, beside}) {
      std::vector<double> all;
      shape.crossings(moved(p, other, by), v, all);
      auto const nearest = std::min_element(
          all.begin(), all.end(), [&](double a, double b) { return std::abs(a - high) < std::abs(b - high); });
      if (nearest != all.end()) places.push_back(*nearest);
    }
    // a line that passes the shape by is one along its surface
    double const lean = places.size() == 2 ? (places[1] - places[0]) * length / (2 * beside) : 1e3;
    squares += lean * lean;
  }
  return std::sqrt(squares);
}

/// The zone's shape whose surface lies between two points; none: the zones are not those of shapes.
foam::CellShape const* shape_between(Contact const& contact, foam::CellSets const& sets, Point const& p,
                                     Point const& q) {
  for (auto const& zone : contact.zones)
    if (auto const found = sets.zone_shapes.find(zone); found != sets.zone_shapes.end() && found->second)
      if (found->second->contains(p) != found->second->contains(q)) return found->second.get();
  return nullptr;
}

/// In which zone of a contact a cell is, 1 or 2; its halo is filled.
foam::CellSets::Mask sides(Contact const& contact, foam::CellSets const& sets, core::Layout const& layout) {
  foam::CellSets::Mask side("side of a contact", layout, 1, std::uint8_t{0});
  for (std::size_t n = 0; n < 2; ++n)
    core::for_own_cells(layout, [to = side.host(), in = sets.zones.find(contact.zones[n])->second.host(),
                                 number = static_cast<std::uint8_t>(n + 1)](int s, int k, int j, int i) {
      if (in(s, k, j, i) != 0) to(s, k, j, i) = number;
    });
  core::Halo halo(layout, 1, core::Reach::faces);
  halo.exchange(side);
  return side;
}

/// Calls take(k, j, i) for the neighbours of a cell across faces: on an axis of one cell it has none.
template <class Take>
void for_neighbours(core::Grid const& grid, int k, int j, int i, Take const& take) {
  auto const cells = grid.cells();
  for (int const by : {-1, 1}) {
    if (cells[0] > 1) take(k, j, i + by);
    if (cells[1] > 1) take(k, j + by, i);
    if (cells[2] > 1) take(k + by, j, i);
  }
}

Contact read_contact(core::Dictionary& in, std::string const& name, foam::CellSets const& sets,
                     core::Layout const& layout, bool exact) {
  Contact contact{name, {}};
  auto const zones = in.get<std::vector<std::string>>("between");
  if (zones.size() != 2 || zones[0] == zones[1]) in.fail_expected("between", "two cellZones: (a b)");
  std::array<foam::CellSets::Mask const*, 2> masks{};
  bool shapes = false;
  for (std::size_t n = 0; n < 2; ++n) {
    contact.zones[n] = zones[n];
    masks[n] = &foam::find_mask(sets.zones, zones[n], "cellZone", in, "between");
    auto const shape = sets.zone_shapes.find(zones[n]);
    shapes = shapes || (shape != sets.zone_shapes.end() && shape->second);
  }
  if (exact && !shapes)
    in.fail("between", fmt::format("interfaces are exact, expected zones made of shapes, one of '{}' and '{}' at least",
                                   zones[0], zones[1]));
  std::array<std::int64_t, 3> cells{};  // of either, and shared
  core::for_own_cells(layout, [&, a = masks[0]->host(), b = masks[1]->host()](int s, int k, int j, int i) {
    bool const in_a = a(s, k, j, i) != 0, in_b = b(s, k, j, i) != 0;
    cells[0] += in_a;
    cells[1] += in_b;
    cells[2] += in_a && in_b;
  });
  for (auto& count : cells) count = layout.comm().sum(count);
  if (cells[2] > 0) {
    if (cells[0] == cells[1] || cells[2] != std::min(cells[0], cells[1]))
      in.fail("between", fmt::format("zones '{}' and '{}' share {} cells, expected zones that touch, or one inside the "
                                     "other",
                                     zones[0], zones[1], cells[2]));
    if (cells[0] < cells[1]) std::swap(contact.zones[0], contact.zones[1]);
  }
  if (in.contains("resistance") == in.contains("thicknessLayers"))
    in.fail("resistance", "expected one of resistance [m2 K/W] and thicknessLayers with kappaLayers");
  contact.resistance =
      in.contains("resistance") ? in.get_in<double>("resistance", {1e-12, 1e6}) : resistance_of_layers(in);
  if (contact.resistance == 0) in.fail("thicknessLayers", "have no resistance, expected thicknesses above 0");
  return contact;
}

}  // namespace

std::vector<Contact> read_contacts(Session& session, EquationNames const& names, foam::CellSets const& sets,
                                   core::Layout const& layout, bool exact) {
  std::vector<Contact> result;
  auto* const properties = names.of_regions ? nullptr : session.files.find("constant/transportProperties");
  auto* const list = properties ? properties->find_sub("contacts") : nullptr;
  if (list == nullptr) return result;
  if (!names.capacity)
    properties->fail_expected("contacts",
                              "none in laplacianFoam, whose equation has no W: use application heatConduction");
  for (auto const& name : list->keys()) {
    auto& in = list->sub(name);
    auto const contact = read_contact(in, name, sets, layout, exact);
    result.push_back(contact);
    if (layout.owners().empty()) continue;  // no cell is laid out
    auto const faces =
        layout.comm().sum(static_cast<std::int64_t>(contact_faces({contact}, sets, layout, exact).size()));
    if (faces == 0)
      in.fail("between", fmt::format("zones '{}' and '{}' do not touch: no face lies between them", contact.zones[0],
                                     contact.zones[1]));
    session.log.line("Contact {}: {:.6g} m2 K/W on {} faces between {} and {}", name, contact.resistance, faces,
                     contact.zones[0], contact.zones[1]);
  }
  return result;
}

std::vector<solvers::ResistiveFace> contact_faces(std::vector<Contact> const& contacts, foam::CellSets const& sets,
                                                  core::Layout const& layout, bool exact) {
  core::Grid const& grid = layout.grid();
  std::vector<solvers::ResistiveFace> faces;
  for (auto const& contact : contacts) {
    auto const side = sides(contact, sets, layout);
    auto const of = side.host();
    core::for_own_cells(layout, [&](int s, int k, int j, int i) {
      int const here = of(s, k, j, i);
      if (here == 0) return;
      core::Index const x = layout.info(s).global(k, j, i);
      for (int axis = 0; axis < 3; ++axis) {
        bool const first = along(x, axis) == 0;
        if (first && !grid.periodic(axis)) continue;
        if (here + of(s, k - (axis == 2), j - (axis == 1), i - (axis == 0)) != 3) continue;
        double resistance = contact.resistance;
        if (exact && !first) {
          auto const a = static_cast<std::size_t>(axis);
          Point const q = foam::centre(grid, x);
          core::Index below = x;
          --along(below, axis);
          Point const p = foam::centre(grid, below);
          if (auto const* shape = shape_between(contact, sets, p, q)) resistance *= slant(*shape, p, a, q[a] - p[a]);
        }
        faces.push_back({axis, s, k, j, i, resistance});
      }
    });
  }
  return faces;
}

void keep_before_contacts(std::vector<foam::HeatSource>& sources, std::vector<Contact> const& contacts,
                          foam::CellSets const& sets, core::Layout const& layout) {
  core::Grid const& grid = layout.grid();
  for (auto const& contact : contacts) {
    auto const zones = sides(contact, sets, layout);
    auto const side = zones.host();
    for (auto& source : sources) {
      if (!source.share) continue;
      auto const share = source.share->host();
      auto const volume = [&](int s, int k, int j, int i) {
        return layout.grid().volume(layout.info(s).global(k, j, i));
      };
      std::array<double, 3> of_side{};
      core::for_own_cells(layout, [&](int s, int k, int j, int i) {
        of_side[side(s, k, j, i)] += share(s, k, j, i) * volume(s, k, j, i);
      });
      for (auto& v : of_side) v = layout.comm().sum(v);
      int const home = of_side[1] > of_side[2] ? 1 : 2, beyond = 3 - home;
      core::Field<double> given("to each neighbour", layout, 1, 0.0);
      core::for_own_cells(layout, [&, give = given.host()](int s, int k, int j, int i) {
        double& part = share(s, k, j, i);
        if (side(s, k, j, i) != beyond || part <= 0 || part >= 1) return;
        int count = 0;
        for_neighbours(grid, k, j, i, [&](int kk, int jj, int ii) { count += side(s, kk, jj, ii) == home; });
        if (count == 0) return;
        give(s, k, j, i) = part * volume(s, k, j, i) / count;
        part = 0;
      });
      core::Halo halo(layout, 1, core::Reach::faces);
      halo.exchange(given);
      core::for_own_cells(layout, [&, give = std::as_const(given).host()](int s, int k, int j, int i) {
        if (side(s, k, j, i) != home) return;
        double all = 0;
        for_neighbours(grid, k, j, i, [&](int kk, int jj, int ii) { all += give(s, kk, jj, ii); });
        share(s, k, j, i) += all / volume(s, k, j, i);
      });
    }
  }
}

}  // namespace tessera::run::heat
