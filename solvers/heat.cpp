// SPDX-License-Identifier: Apache-2.0
#include "solvers/heat.hpp"

#include "core/error.hpp"
#include "core/grid/computed.hpp"
#include "core/grid/halo.hpp"
#include "solvers/algebra/require.hpp"
#include "solvers/heat/fixed_cells.hpp"
#include "solvers/heat/kernels.hpp"
#include "solvers/heat/side_faces.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace tessera::solvers {
namespace {

Range range_of(core::Field<double> const& field, heat::Geometry const& geometry, heat::Cells::Mask const* mask,
               std::uint8_t absent) {
  auto const& layout = field.layout();
  auto const place = heat::detail::place(layout, geometry);
  if (!mask) {
    double const sum = core::sum("mean", layout, heat::detail::TimesVolume{place, field.view()});
    auto const [least, most] = core::extremes("range", layout, heat::detail::Value{field.view()});
    return {least, most, sum / geometry.total_volume()};
  }
  auto const sums = core::sums<2>("mean", layout, layout.all(),
                                  heat::detail::ExistingVolume{place, field.view(), mask->view(), absent});
  double const mean = sums[0] / sums[1];
  // the mean lies between the extremes
  auto const [least, most] =
      core::extremes("range", layout, heat::detail::ExistingValue{field.view(), mask->view(), absent, mean});
  return {least, most, mean};
}

}  // namespace

Heat::Heat(HeatProperties const& p, double delta_t)
    : properties_(p),
      now_(delta_t > 0 ? 1 / delta_t : 0),
      geometry_(std::make_unique<heat::Geometry>(p.lambda.layout().grid(), p.wedge)) {
  core::note_computed("matrix and balance", core::By::sweeps);
  for (auto const* property : {&p.rho_c, &p.q})
    core::expect(!property->field() || &property->field()->layout() == &layout(),
                 "the fields of a body lie on different layouts");
  if (!(delta_t >= 0) || std::isinf(delta_t))
    throw core::Error(fmt::format("deltaT is {}, expected a time step > 0 or 0 for steady", delta_t));
  for (int s = 0; s < 6; ++s) check_side(static_cast<core::Side>(s), p.sides[s]);
  for (auto const& part : p.parts) check_part(part, part.boundary);
  require_positive(p.lambda, p.lambda.name(), "a conductivity");
  if (delta_t > 0 && p.rho_c.field()) require_positive(*p.rho_c.field(), p.rho_c.field()->name(), "a heat capacity");
  if (delta_t > 0 && !p.rho_c.field() && !(p.rho_c.value() > 0))
    throw core::Error(fmt::format("rho c is {}, expected a value > 0: a heat capacity", p.rho_c.value()));
  if (!p.held.empty() || p.absent) {
    std::vector<heat::Cells> zones;
    for (auto const& zone : p.held) zones.push_back(zone.cells);
    if (p.absent) zones.push_back(*p.absent);
    held_ = std::make_unique<heat::FixedCells>(zones, p.absent.has_value());
    for (std::size_t n = 0; n < p.held.size(); ++n) held_->set(n, p.held[n].value);
  }
  faces_.resize(conditions());
  for (std::size_t n = 0; n < conditions(); ++n) {
    if (!condition(n).open()) continue;
    make_faces(n);
    faces_[n]->set(condition(n), *geometry_, p.lambda, mask());
  }
  check_tied();
  Coefficients a(layout());
  core::Halo halo(layout(), 1, core::Reach::faces);
  assemble(a, halo);
  matrix_ = std::make_unique<StencilMatrix>(std::move(a));
}

Heat::~Heat() = default;
Heat::Heat(Heat&&) noexcept = default;

core::Field<std::uint8_t> const* Heat::mask() const { return held_ ? &held_->mask() : nullptr; }

void Heat::check_side(core::Side side, Boundary const& b) const {
  auto const& grid = layout().grid();
  std::string const& name = grid.patch(side);
  bool const cyclic = b.type == Boundary::Type::cyclic;
  if (cyclic != grid.periodic(static_cast<int>(side) / 2))
    throw core::Error(cyclic ? fmt::format("side '{}' is cyclic, but its axis is not periodic", name)
                             : fmt::format("side '{}' lies on a periodic axis, expected cyclic", name));
  check_values(side, name, b);
}

void Heat::check_part(SidePart const& part, Boundary const& b) const {
  auto const& grid = layout().grid();
  bool const outer = std::any_of(part.cells.begin(), part.cells.end(), [&](core::Box const& box) {
    return !core::intersect(box, heat::layer_at(grid, part.side)).empty();
  });
  core::expect(!outer || properties_.sides[static_cast<std::size_t>(part.side)].type == Boundary::Type::zero_gradient,
               "a side split into parts must itself be zeroGradient");
  if (b.type == Boundary::Type::cyclic || b.type == Boundary::Type::empty)
    throw core::Error(fmt::format("'{}' is a part of a side and cyclic or empty, expected a whole side", part.name));
  check_values(part.side, part.name, b);
}

void Heat::check_values(core::Side side, std::string const& name, Boundary const& b) const {
  if (!b.open()) return;
  auto const& grid = layout().grid();
  auto const n = grid.cells();
  std::size_t const axis = static_cast<std::size_t>(side) / 2;
  auto const faces = static_cast<std::size_t>(grid.total() / n[axis]);
  auto const check = [&](FaceValues const& values, char const* what) {
    core::expect(values.uniform() || values.size() == faces, "the values of a side are not one a face");
    for (std::size_t f = 0; f < values.size(); ++f)
      if (!std::isfinite(values[f]))
        throw core::Error(fmt::format("{} on side '{}' is {}, expected a number", what, name, values[f]));
  };
  check(b.value, b.type == Boundary::Type::fixed_value ? "fixedValue" : "the temperature");
  check(b.weight, "the weight");
  check(b.gradient, "the gradient");
  if (b.lambda) check(*b.lambda, "the conductivity");
  for (std::size_t f = 0; b.lambda && f < b.lambda->size(); ++f)
    if (double const l = (*b.lambda)[f]; l < 0)
      throw core::Error(fmt::format("the conductivity on side '{}' is {}, expected a value >= 0", name, l));
  for (std::size_t f = 0; f < b.weight.size(); ++f) {
    double const w = b.weight[f];
    if (b.type == Boundary::Type::convective && w < 0)
      throw core::Error(
          fmt::format("the heat transfer coefficient on side '{}' is {}, expected a value >= 0", name, w));
    if (b.type == Boundary::Type::mixed && !(w >= 0 && w <= 1))
      throw core::Error(fmt::format("valueFraction on side '{}' is {}, expected a number from 0 to 1", name, w));
  }
}

bool Heat::tied() const {
  return !properties_.held.empty() ||
         std::ranges::any_of(faces_, [](auto const& faces) { return faces && faces->conducts(); }) ||
         std::ranges::any_of(properties_.sources, [](auto const& source) { return source.Sp < 0; });
}

void Heat::check_tied() const {
  if (now_ > 0 || properties_.may_be_singular || tied()) return;
  throw core::Error(
      "steady heat conduction without a side that gives a temperature (fixedValue, mixed or convective) has no unique "
      "solution: T is known up to a constant only");
}

void Heat::assemble(Coefficients& a, core::Halo& halo) const {
  {
    std::optional<core::Field<double>> wider;
    if (!properties_.lambda_has_halo) {
      wider.emplace("lambda with a halo", layout(), 1);
      core::for_each("copy", layout().all(), heat::detail::Copy{properties_.lambda.view(), wider->view()});
      halo.exchange(*wider);
    }
    core::Field<double> const& lambda = wider ? *wider : properties_.lambda;
    for (int axis = 0; axis < 3; ++axis)
      if (a.has(axis)) assemble_faces(a, axis, lambda);
  }
  auto const exchange = [&] {
    for (int axis = 0; axis < 3; ++axis)
      if (a.has(axis)) halo.exchange(a.face(axis));
  };
  exchange();
  if (held_) {
    held_->cut(a);
    a.absent = held_->count_absent();
    exchange();
  }
  form_diagonal(a);
}

/// Conductances of the lower faces: f = lambda_f area / distance of centres.
void Heat::assemble_faces(Coefficients& a, int axis, core::Field<double> const& lambda) const {
  auto const make = [&]<int along, bool harmonic>() {
    auto const l = lambda.view();
    core::Count const step = along == 0 ? 1 : along == 1 ? l.row_stride : l.layer_stride;
    core::for_each("faces", layout().all(),
                   heat::detail::LowerFaces<along, harmonic>{heat::detail::place(layout(), *geometry_), l, step,
                                                             layout().grid().periodic(along), a.face(along).view()});
  };
  auto const make_along = [&]<int along>() {
    properties_.interpolation == Interpolation::harmonic ? make.template operator()<along, true>()
                                                         : make.template operator()<along, false>();
  };
  axis == 0   ? make_along.template operator()<0>()
  : axis == 1 ? make_along.template operator()<1>()
              : make_along.template operator()<2>();
  if (properties_.cut_faces.empty() && properties_.resistive_faces.empty()) return;
  auto const face = a.face(axis).host();
  for (auto const& cut : properties_.cut_faces) {
    if (cut.axis != axis) continue;
    core::Index const x = layout().info(cut.slot).global(cut.k, cut.j, cut.i);
    face(cut.slot, cut.k, cut.j, cut.i) =
        cut.lambda * geometry_->area(x, static_cast<core::Side>(2 * axis)) / geometry_->lower_distance(x, axis);
  }
  for (auto const& contact : properties_.resistive_faces) {
    if (contact.axis != axis) continue;
    core::Index const x = layout().info(contact.slot).global(contact.k, contact.j, contact.i);
    double& f = face(contact.slot, contact.k, contact.j, contact.i);
    f /= 1 + f * contact.resistance / geometry_->area(x, static_cast<core::Side>(2 * axis));
  }
}

void Heat::form_diagonal(Coefficients& a) const {
  auto const place = heat::detail::place(layout(), *geometry_);
  auto const form = [&]<int axes>() {
    heat::detail::Diagonal<axes> kernel{place, properties_.rho_c.view(), now_, {}, {}, a.diagonal.view()};
    for (int axis = 0, n = 0; axis < 3; ++axis) {
      if (!a.has(axis)) continue;
      auto const view = std::as_const(a).face(axis).view();
      kernel.face[n] = view;
      kernel.step[n++] = axis == 0 ? 1 : axis == 1 ? view.row_stride : view.layer_stride;
    }
    core::for_each("diagonal", layout().all(), kernel);
  };
  int const axes = a.has(0) + a.has(1) + a.has(2);
  axes == 0   ? form.template operator()<0>()
  : axes == 1 ? form.template operator()<1>()
  : axes == 2 ? form.template operator()<2>()
              : form.template operator()<3>();
  for (auto const& faces : faces_)
    if (faces) faces->add_conductance(a.diagonal);
  for (auto const& s : properties_.sources)
    if (s.implicit && s.Sp != 0)
      core::for_each_in_boxes("Sp", s.cells.boxes(),
                              heat::detail::AddSource{place, -s.Sp, 0, {}, a.diagonal.view(), s.share_view()});
  if (held_) held_->add_to_diagonal(a.diagonal);
}

bool Heat::renew_diagonal() {
  matrix_->change([this](Coefficients& a, core::Halo&) { form_diagonal(a); });
  return true;
}

bool Heat::set_time_weight(double now) {
  if (now == now_) return false;
  now_ = now;
  return renew_diagonal();
}

bool Heat::set_side(core::Side side, Boundary const& boundary) {
  check_side(side, boundary);
  return set_condition(static_cast<std::size_t>(side), boundary);
}

bool Heat::set_part(std::size_t n, Boundary const& boundary) {
  check_part(properties_.parts[n], boundary);
  return set_condition(6 + n, boundary);
}

bool Heat::set_condition(std::size_t n, Boundary const& boundary) {
  if (boundary == condition(n)) return false;
  if (!faces_[n] && boundary.open()) make_faces(n);
  condition(n) = boundary;
  if (!faces_[n] || !faces_[n]->set(boundary, *geometry_, properties_.lambda, mask())) return false;
  check_tied();
  return renew_diagonal();
}

void Heat::make_faces(std::size_t n) {
  if (n < 6) {
    faces_[n] =
        std::make_unique<heat::SideFaces>(layout(), static_cast<core::Side>(n), std::vector{layout().grid().box()});
    return;
  }
  SidePart const& part = properties_.parts[n - 6];
  faces_[n] = std::make_unique<heat::SideFaces>(layout(), part.side, part.cells);
}

Boundary const& Heat::boundary(core::Side side, core::Index const& cell) const {
  for (auto const& part : properties_.parts)
    if (part.side == side)
      for (auto const& box : part.cells)
        if (box.contains(cell)) return part.boundary;
  return properties_.sides[static_cast<std::size_t>(side)];
}

bool Heat::set_source(std::size_t n, double Su, double Sp, bool implicit) {
  Source& source = properties_.sources[n];
  bool const changed = (source.implicit ? source.Sp : 0) != (implicit ? Sp : 0);
  source.Su = Su;
  source.Sp = Sp;
  source.implicit = implicit;
  return changed && renew_diagonal();
}

void Heat::set_held(std::size_t n, double value) {
  properties_.held[n].value = value;
  held_->set(n, value);
}

bool Heat::lambda_changed() {
  for (std::size_t n = 0; n < conditions(); ++n)
    if (faces_[n]) faces_[n]->set(condition(n), *geometry_, properties_.lambda, mask());
  matrix_->change([this](Coefficients& a, core::Halo& halo) { assemble(a, halo); });
  return true;
}

bool Heat::has_explicit_sources() const {
  for (auto const& s : properties_.sources)
    if (!s.implicit && s.Sp != 0) return true;
  return false;
}

void Heat::impose(core::Field<double>& t) const {
  if (held_) held_->impose(t);
}

void Heat::right_side(TimeWeights const& w, core::Field<double> const& t_old, core::Field<double> const* history,
                      core::Field<double> const& t, core::Field<double>& b) const {
  auto const place = heat::detail::place(layout(), *geometry_);
  auto const rho_c = properties_.rho_c.view(), q = properties_.q.view();
  bool const with_q = properties_.q.field() || properties_.q.value() != 0;
  auto const sweep = [&]<bool with_history, bool some_q>() {
    core::for_each("right side", layout().all(),
                   heat::detail::RightSide<with_history, some_q>{
                       place, rho_c, q, t_old.view(), with_history ? history->view() : core::FieldView<double const>{},
                       w.old, w.past, b.view()});
  };
  if (w.past != 0)
    with_q ? sweep.template operator()<true, true>() : sweep.template operator()<true, false>();
  else
    with_q ? sweep.template operator()<false, true>() : sweep.template operator()<false, false>();
  for (auto const& faces : faces_)
    if (faces) faces->add_inflow(b);
  for (auto const& s : properties_.sources) {
    bool const at_t = !s.implicit && s.Sp != 0;
    core::for_each_in_boxes("sources", s.cells.boxes(),
                            heat::detail::AddSource{place, s.Su, s.Sp,
                                                    at_t ? t.view() : core::FieldView<double const>{}, b.view(),
                                                    s.share_view()});
  }
  if (held_) held_->add_to_right_side(b);
}

void Heat::right_side(core::Field<double> const& t_old, core::Field<double>& b) const {
  right_side({now_, now_, 0}, t_old, nullptr, t_old, b);
}

Performance Heat::advance(LinearSolver& solver, core::Field<double>& t) {
  core::Field<double> b("b", layout(), 1);
  right_side(t, b);
  return solver.solve(b, t);
}

Range Heat::range(core::Field<double> const& field) const {
  bool const some = held_ && held_->absent() != 0;
  return range_of(field, *geometry_, some ? mask() : nullptr, some ? held_->absent() : std::uint8_t{1});
}

Range range(core::Field<double> const& field, heat::Cells::Mask const* mask, std::uint8_t absent) {
  return range_of(field, heat::Geometry(field.layout().grid()), mask, absent);
}

}  // namespace tessera::solvers
