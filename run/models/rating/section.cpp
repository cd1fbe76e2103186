// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/section.hpp"

#include "core/error.hpp"
#include "core/grid/exact_sum.hpp"
#include "core/grid/sweep.hpp"
#include "io/foam/drawing.hpp"
#include "run/models/heat/interfaces.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tessera::run::rating {

namespace foam = io::foam;
namespace detail {

struct Shifted {
  core::FieldView<double const> rise;
  core::FieldView<double> t;
  double by;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { t(s, k, j, i) = rise(s, k, j, i) + by; }
};

}  // namespace detail

namespace {

constexpr double zero_celsius = 273.15;

foam::Solid::Part disc(std::array<double, 2> const& at, double radius) { return foam::make_disc(at[0], at[1], radius); }

foam::Solid::Part ring(std::array<double, 2> const& at, double inner, double outer) {
  auto solid = std::make_shared<foam::Solid>();
  solid->take(foam::Solid::Step::add, disc(at, outer));
  solid->take(foam::Solid::Step::subtract, disc(at, inner));
  return solid;
}

/// What there is, the later over the earlier.
std::vector<std::pair<foam::Solid::Part, double>> shapes(Site const& site) {
  std::vector<std::pair<foam::Solid::Part, double>> result;
  for (auto const& bed : site.beds)
    result.emplace_back(foam::make_box({bed.low[0], bed.low[1], -1}, {bed.high[0], bed.high[1], 1}),
                        1 / bed.material.resistivity);
  for (auto const& cable : site.cables) {
    Construction const& type = site.type(cable);
    for (std::size_t n = type.layers.size(); n-- > 0;)
      result.emplace_back(disc(cable.position, type.layers[n].outer), 1 / type.layers[n].material.resistivity);
    result.emplace_back(disc(cable.position, type.conductor_radius), 1 / type.conductor.resistivity);
  }
  return result;
}

bool any_voltage(Site const& site) {
  return std::any_of(site.cables.begin(), site.cables.end(), [&](Cable const& cable) {
    return dielectric_loss(site.type(cable), site.circuits[cable.circuit].frequency) > 0;
  });
}

}  // namespace

double Responses::at(std::size_t part, std::vector<double> const& heat) const {
  return std::inner_product(heat.begin(), heat.end(), rise[part].begin(), offset[part]);
}

void Responses::pass_through(std::vector<double> const& heat, std::vector<double> const& rises) {
  for (std::size_t part = 0; part < rises.size(); ++part) offset[part] += rises[part] - at(part, heat);
}

Section::Section(Site const& site, Decomposition parts, core::Dictionary& solver)
    : site_(site),
      parts_(std::move(parts)),
      lambda_(core::FieldInfo{.name = "lambda", .description = "conductivity", .units = "W/(m K)"}, layout(), 1),
      q_("q", layout(), 0, 0.0),
      b_("b", layout(), 1),
      rise_("T", layout(), 1, 0.0),
      temperature_(core::FieldInfo{.name = "T", .description = "temperature", .units = "K"}, layout(), 1) {
  core::Grid const& grid = layout().grid();
  foam::Drawing drawing(1 / site.soil.resistivity);
  lambda_.fill(1 / site.soil.resistivity);
  for (auto const& [shape, value] : shapes(site)) {
    drawing.draw(shape, value);
    auto const lambda = lambda_.host();
    core::Box const box = foam::cells_near(*shape, grid);
    for (int slot = 0; slot < layout().tiles(); ++slot)
      core::for_cells(layout().info(slot), box, [&](int k, int j, int i) {
        if (shape->contains(foam::centre(grid, layout().info(slot).global(k, j, i)))) lambda(slot, k, j, i) = value;
      });
  }
  make_parts();
  solvers::HeatProperties properties{lambda_, 1.0, q_, {}};
  using Type = solvers::Boundary::Type;
  properties.sides.fill({Type::fixed_value});  // no rise
  properties.sides[4] = properties.sides[5] = {Type::empty};
  if (site.convection) {
    auto& surface = properties.sides[static_cast<std::size_t>(core::Side::top)];
    surface.type = Type::convective;
    surface.weight = *site.convection;
  }
  properties.cut_faces = heat::cut_faces(drawing, layout());
  heat_ = std::make_unique<solvers::Heat>(properties, 0);
  solver_ = solvers::make_solver(heat_->matrix(), solver);
  // heat that has changed by less than the tolerance must still be answered, or currents creep
  auto& least = solver_->controls().least;
  least = std::max(least, 2);
}

Section::~Section() = default;

std::size_t Section::add(foam::Solid::Part const& shape, bool load) {
  list_.push_back(part_of(shape));
  list_.back().cable = cables_.size();
  load_of_.push_back(load ? loads_++ : Responses::none);
  return list_.size() - 1;
}

void Section::make_parts() {
  for (auto const& cable : site_.cables) {
    Construction const& type = site_.type(cable);
    CableParts parts;
    parts.conductor = add(disc(cable.position, type.conductor_radius), true);
    for (std::size_t n = 0; n < type.layers.size(); ++n) {
      auto const& layer = type.layers[n];
      auto const shape = ring(cable.position, layer.inner, layer.outer);
      if (layer.material.metal()) parts.metals.push_back(add(shape, true));
      if (type.voltage > 0 && n == *type.insulation) parts.insulation = add(shape, false);
    }
    add_surface(cable, parts);
    cables_.push_back(std::move(parts));
  }
  ++loads_;  // all insulations
}

/// The mean of T over a circle round the axis falls by heat rho / 2 pi ln(r2 / r1) from one radius to another, whatever lies
/// outside. So the surface's follows from the mean over a ring of some cells inside of it.
void Section::add_surface(Cable const& cable, CableParts& parts) {
  Construction const& type = site_.type(cable);
  auto const& x = layout().grid().axis(0);
  double const outer = type.outer(), width = x.width(x.faces_up_to(cable.position[0]) - 1);
  double const inside = type.layers.empty() ? 0 : type.layers.back().inner;
  double const inner = std::max(inside, outer - 3 * width), a = outer * outer, b = inner * inner;
  parts.surface = add(ring(cable.position, inner, outer), false);
  // mean of ln(outer / r) over the ring
  double const mean_log = 0.5 - (inner > 0 ? b * std::log(outer / inner) / (a - b) : 0);
  double const rho = type.layers.empty() ? type.conductor.resistivity : type.layers.back().material.resistivity;
  list_.back().by_heat = -rho / (2 * std::numbers::pi) * mean_log;
}

Section::Part Section::part_of(foam::Solid::Part const& shape) const {
  core::Grid const& grid = layout().grid();
  auto const shares = foam::shares(shape, layout());
  auto const share = shares.host();
  core::Box const box = foam::cells_near(*shape, grid);
  Part part;
  auto& cells = part.cells;
  core::ExactSum sum;
  for (int slot = 0; slot < layout().tiles(); ++slot)
    core::for_cells(layout().info(slot), box, [&](int k, int j, int i) {
      double const area = share(slot, k, j, i) * grid.volume(layout().info(slot).global(k, j, i));
      if (area <= 0) return;
      cells.push_back({slot, k, j, i, area});
      sum.add(area);
    });
  std::array<core::ExactSum, 1> total{sum};
  core::ExactSum::all_reduce(layout().comm(), total);
  double const all = total[0].round();
  for (auto& cell : cells) cell.weight /= all;
  return part;
}

double Section::mean(Part const& part, std::vector<double> const& heat) const {
  auto const t = rise_.host();
  std::array<core::ExactSum, 1> total;
  for (auto const& c : part.cells) total[0].add(c.weight * t(c.slot, c.k, c.j, c.i));
  core::ExactSum::all_reduce(layout().comm(), total);
  return total[0].round() + (part.by_heat != 0 ? part.by_heat * heat_of(part.cable, heat) : 0);
}

double Section::heat_of(std::size_t cable, std::vector<double> const& heat) const {
  auto const& parts = cables_[cable];
  double sum = heat[load_of_[parts.conductor]];
  for (std::size_t metal : parts.metals) sum += heat[load_of_[metal]];
  auto const& c = site_.cables[cable];
  return sum + heat.back() * dielectric_loss(site_.type(c), site_.circuits[c.circuit].frequency);
}

void Section::heat(Part const& part, double watts) {
  auto const q = q_.host();
  core::Grid const& grid = layout().grid();
  for (auto const& c : part.cells)
    q(c.slot, c.k, c.j, c.i) += watts * c.weight / grid.volume(layout().info(c.slot).global(c.k, c.j, c.i));
}

void Section::set_heat(std::vector<double> const& heat_of) {
  q_.fill(0);
  for (std::size_t n = 0; n < list_.size(); ++n)
    if (load_of_[n] != Responses::none && heat_of[load_of_[n]] != 0) heat(list_[n], heat_of[load_of_[n]]);
  if (heat_of.back() == 0) return;
  for (std::size_t n = 0; n < cables_.size(); ++n) {
    auto const& cable = site_.cables[n];
    double const watts = dielectric_loss(site_.type(cable), site_.circuits[cable.circuit].frequency);
    if (watts > 0) heat(list_[cables_[n].insulation], heat_of.back() * watts);
  }
}

void Section::solve_rise() {
  heat_->right_side(rise_, b_);
  solves_.push_back(solver_->solve(b_, rise_));
  auto const& last = solves_.back();
  if (!last.converged && !last.at_rounding)
    throw core::RunError(fmt::format("{}: the temperature of the section did not converge", solvers::log_line(last)));
}

Responses Section::responses() {
  Responses result;
  result.cables = cables_;
  result.load_of = load_of_;
  result.loads = loads_;
  result.offset.assign(list_.size(), 0.0);
  result.rise.assign(list_.size(), std::vector<double>(loads_, 0.0));
  for (std::size_t load = 0; load < loads_; ++load) {
    std::vector<double> one(loads_, 0.0);
    one[load] = 1;
    if (load + 1 == loads_ && !any_voltage(site_)) continue;
    rise_.fill(0);
    auto const rises = solve(one);
    for (std::size_t part = 0; part < list_.size(); ++part) result.rise[part][load] = rises[part];
  }
  return result;
}

std::vector<double> Section::solve(std::vector<double> const& heat) {
  set_heat(heat);
  solve_rise();
  std::vector<double> result;
  for (auto const& part : list_) result.push_back(mean(part, heat));
  return result;
}

core::Field<double> const& Section::temperature() {
  core::for_each("temperature", layout().all(),
                 detail::Shifted{std::as_const(rise_).view(), temperature_.view(), site_.ambient + zero_celsius});
  return temperature_;
}

solvers::HeatBalance Section::balance() const { return heat_->balance(rise_, rise_); }

}  // namespace tessera::run::rating
