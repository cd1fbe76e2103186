// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat/side_faces.hpp"

#include "core/grid/upload.hpp"

namespace tessera::solvers::heat {
namespace detail {

struct AddAtFaces {
  core::FieldView<double> field;
  double const* values;
  KOKKOS_FUNCTION void operator()(core::BoxCopy const& box, int k, int j, int i, core::Count at) const {
    cell(field, box, k, j, i) += values[at];
  }
};

struct HeatAtFaces {
  core::FieldView<double const> t;
  double const *conductance, *inflow;
  KOKKOS_FUNCTION double operator()(core::BoxCopy const& box, int k, int j, int i, core::Count at) const {
    return inflow[at] - conductance[at] * cell(t, box, k, j, i);
  }
};

}  // namespace detail

FaceTerms face_terms(Boundary const& boundary, std::size_t face, double lambda, double d) {
  if (boundary.lambda) lambda = (*boundary.lambda)[face];
  double const value = boundary.value[face], weight = boundary.weight[face], gradient = boundary.gradient[face];
  double g = 0;
  switch (boundary.type) {
  case Boundary::Type::fixed_value:
    g = lambda / d;
    return {g, g * value};
  case Boundary::Type::fixed_gradient:
    return {0, lambda * gradient};
  case Boundary::Type::mixed:
    g = weight * lambda / d;
    return {g, g * value + (1 - weight) * lambda * gradient};
  case Boundary::Type::convective:
    g = weight > 0 ? 1 / (1 / weight + d / lambda) : 0;
    return {g, g * value};
  case Boundary::Type::heat_flux:
    return {0, gradient};
  case Boundary::Type::zero_gradient:
  case Boundary::Type::empty:
  case Boundary::Type::cyclic:
    break;
  }
  return {};
}

double face_temperature(Boundary const& boundary, std::size_t face, double lambda, double d, double t) {
  if (boundary.lambda) lambda = (*boundary.lambda)[face];
  double const value = boundary.value[face], weight = boundary.weight[face], gradient = boundary.gradient[face];
  switch (boundary.type) {
  case Boundary::Type::fixed_value:
    return value;
  case Boundary::Type::fixed_gradient:
    return t + d * gradient;
  case Boundary::Type::mixed:
    return weight * value + (1 - weight) * (t + d * gradient);
  case Boundary::Type::convective:
    return (lambda / d * t + weight * value) / (lambda / d + weight);
  case Boundary::Type::heat_flux:
    return t + gradient * d / lambda;
  case Boundary::Type::zero_gradient:
  case Boundary::Type::empty:
  case Boundary::Type::cyclic:
    break;
  }
  return t;
}

core::Box layer_at(core::Grid const& grid, core::Side side) {
  int const axis = static_cast<int>(side) / 2;
  bool const high = static_cast<int>(side) % 2 == 1;
  core::Box layer = grid.box();
  along(high ? layer.lo : layer.hi, axis) = high ? grid.cells()[axis] - 1 : 1;
  return layer;
}

SideFaces::SideFaces(core::Layout const& layout, core::Side side, std::vector<core::Box> const& boxes)
    : layout_(&layout),
      side_(side) {
  auto const& grid = layout.grid();
  core::Box const layer = layer_at(grid, side);
  for (int slot = 0; slot < layout.tiles(); ++slot) {
    auto const& t = layout.info(slot);
    for (auto const& box : boxes) {
      core::Box const at_side = core::intersect(box, layer);
      core::Box const here = core::intersect(at_side.empty() ? box : at_side, grid.tile_box(t.tile));
      if (here.empty()) continue;
      auto const lo = here.lo - core::Index{t.i0, t.j0, t.k0}, n = here.shape();
      std::array<int, 3> const from{static_cast<int>(lo.i), static_cast<int>(lo.j), static_cast<int>(lo.k)};
      host_boxes_.push_back({slot,
                             slot,
                             {from[0], from[1], from[2]},
                             {from[0], from[1], from[2]},
                             {static_cast<int>(n.i), static_cast<int>(n.j), static_cast<int>(n.k)},
                             count_});
      count_ += here.cells();
    }
  }
  boxes_ = core::upload("boxes", host_boxes_);
  conductance_ = Kokkos::View<double*>("conductance", static_cast<std::size_t>(count_));
  inflow_ = Kokkos::View<double*>("inflow", static_cast<std::size_t>(count_));
}

bool SideFaces::set(Boundary const& boundary, Geometry const& geometry, core::Field<double> const& lambda,
                    Cells::Mask const* fixed) {
  auto const l = lambda.host();
  auto const closed = fixed ? fixed->host() : core::FieldView<std::uint8_t const>{};
  auto const g = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), conductance_);
  auto const q = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), inflow_);
  bool changed = false;
  for (core::BoxCopy const& box : host_boxes_) {
    core::Count at = box.at;
    for (int k = 0; k < box.n[2]; ++k)
      for (int j = 0; j < box.n[1]; ++j)
        for (int i = 0; i < box.n[0]; ++i, ++at) {
          core::Index const x = layout_->info(box.from_slot).global(box.from[2] + k, box.from[1] + j, box.from[0] + i);
          auto terms = face_terms(boundary, face_number(layout_->grid(), side_, x), cell(l, box, k, j, i),
                                  geometry.distance(x, side_));
          if (fixed && cell(closed, box, k, j, i) != 0) terms = {};
          double const area = geometry.area(x, side_);
          auto const n = static_cast<std::size_t>(at);
          changed = changed || g(n) != terms.conductance * area;
          g(n) = terms.conductance * area;
          q(n) = terms.inflow * area;
        }
  }
  Kokkos::deep_copy(conductance_, g);
  Kokkos::deep_copy(inflow_, q);
  return layout_->comm().any(changed);
}

void SideFaces::add_conductance(core::Field<double>& diagonal) const {
  core::for_each_in_boxes("side, diagonal", boxes_, detail::AddAtFaces{diagonal.view(), conductance_.data()});
}

void SideFaces::add_inflow(core::Field<double>& b) const {
  core::for_each_in_boxes("side, right side", boxes_, detail::AddAtFaces{b.view(), inflow_.data()});
}

double SideFaces::heat(core::Field<double> const& t) const {
  return core::sum_over_boxes("side, heat", layout_->comm(), boxes_,
                              detail::HeatAtFaces{t.view(), conductance_.data(), inflow_.data()});
}

bool SideFaces::conducts() const {
  auto const g = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), conductance_);
  bool any = false;
  for (std::size_t n = 0; n < g.extent(0); ++n) any = any || g(n) > 0;
  return layout_->comm().any(any);
}

}  // namespace tessera::solvers::heat
