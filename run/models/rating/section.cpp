// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/section.hpp"

#include "core/error.hpp"
#include "core/grid/exact_sum.hpp"
#include "core/grid/sweep.hpp"

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

bool any_voltage(Site const& site) {
  auto const buried = site.buried();
  return std::any_of(buried.begin(), buried.end(), [&](Cable const& cable) {
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

void Responses::turn(std::vector<double> const& heat, std::vector<double> const& rises,
                     std::vector<double> const& more_heat, std::vector<double> const& more_rises) {
  std::vector<double> step(heat.size());
  double square = 0, whole = 0;
  for (std::size_t load = 0; load < step.size(); ++load) {
    step[load] = more_heat[load] - heat[load];
    square += step[load] * step[load];
    whole += heat[load] * heat[load];
  }
  if (square < 1e-8 * whole) return;  // rises err by parts of 1e-7
  for (std::size_t part = 0; part < rises.size(); ++part) {
    double const miss =
        more_rises[part] - rises[part] - std::inner_product(step.begin(), step.end(), rise[part].begin(), 0.0);
    for (std::size_t load = 0; load < step.size(); ++load) {
      auto const [low, high] = std::minmax({wet[part][load], most * wet[part][load]});
      rise[part][load] = std::clamp(rise[part][load] + miss * step[load] / square, low, high);
    }
  }
}

void Responses::steepen(std::vector<double> const& heat, std::vector<double> const& rises) {
  for (std::size_t part = 0; part < rises.size(); ++part) {
    double const led = std::inner_product(heat.begin(), heat.end(), rise[part].begin(), 0.0);
    if (led > 0 && led < rises[part])
      for (double& slope : rise[part]) slope *= rises[part] / led;
  }
}

Section::Section(Site const& site, Decomposition parts, core::Dictionary& solver)
    : site_(site),
      parts_(std::move(parts)),
      solver_entry_(solver),
      body_(site, layout()),
      q_("q", layout(), 0, 0.0),
      b_("b", layout(), 1),
      rise_("T", layout(), 1, 0.0),
      temperature_(core::FieldInfo{.name = "T", .description = "temperature", .units = "K"}, layout(), 1) {
  make_parts();
  if (site.dry_above) drying_.emplace(site, layout(), body_);
  form();
}

/// The equations of the ground as it is.
void Section::form() {
  solver_.reset();
  heat_ = std::make_unique<solvers::Heat>(properties(body_, nullptr), 0);
  solver_ = make_solver(heat_->matrix());
}

/// Heat that has changed by less than the tolerance must be answered, too: at least two iterations.
std::unique_ptr<solvers::LinearSolver> Section::make_solver(solvers::StencilMatrix const& matrix) const {
  auto solver = solvers::make_solver(matrix, solver_entry_);
  auto& least = solver->controls().least;
  least = std::max(least, 2);
  return solver;
}

solvers::HeatProperties Section::properties(Body const& body, core::Field<double> const* capacity) const {
  solvers::HeatProperties result{
      body.conductivity(), capacity ? solvers::Property(*capacity) : solvers::Property(1.0), q_, {}};
  using Type = solvers::Boundary::Type;
  result.sides.fill({Type::fixed_value});  // no rise
  result.sides[4] = result.sides[5] = {Type::empty};
  if (site_.convection) {
    auto& surface = result.sides[static_cast<std::size_t>(core::Side::top)];
    surface.type = Type::convective;
    surface.weight = *site_.convection;
  }
  result.cut_faces = body.cuts();
  result.cut_faces.insert(result.cut_faces.end(), dried_.begin(), dried_.end());  // the later ones hold
  return result;
}

Section::~Section() = default;

std::size_t Section::add(Part part, bool load) {
  list_.push_back(std::move(part));
  list_.back().cable = cables_.size();
  load_of_.push_back(load ? loads_++ : Responses::none);
  return list_.size() - 1;
}

void Section::make_parts() {
  for (auto const& cable : site_.buried()) {
    Construction const& type = site_.type(cable);
    CableParts parts;
    parts.conductor = add(part_of(disc(cable.position, type.conductor_radius)), true);
    for (std::size_t n = 0; n < type.layers.size(); ++n) {
      auto const& layer = type.layers[n];
      auto const part = [&] {
        if (auto const shell = body_.shell(cables_.size(), n)) return part_of(*shell);
        return part_of(ring(cable.position, layer.inner, layer.outer));
      };
      if (layer.material.metal()) parts.metals.push_back(add(part(), true));
      if (type.voltage > 0 && n == *type.insulation) parts.insulation = add(part(), false);
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
  double const rho = type.layers.empty() ? type.conductor.resistivity : type.layers.back().material.resistivity;
  auto const fall = [&](double mean_log) { return -rho / (2 * std::numbers::pi) * mean_log; };
  std::size_t const layers = type.layers.size();
  if (auto const shell = layers > 1 ? body_.shell(cables_.size(), layers - 2) : std::nullopt) {
    parts.surface = add(part_of(*shell), false);
    list_.back().by_heat = fall(std::log(outer / type.layers.back().inner));
    return;
  }
  double const inside = type.layers.empty() ? 0 : type.layers.back().inner;
  double const inner = std::max(inside, outer - 3 * width), a = outer * outer, b = inner * inner;
  parts.surface = add(part_of(ring(cable.position, inner, outer)), false);
  // mean of ln(outer / r) over the ring
  list_.back().by_heat = fall(0.5 - (inner > 0 ? b * std::log(outer / inner) / (a - b) : 0));
}

/// The cells that a shell passes.
Section::Part Section::part_of(std::size_t shell) const {
  auto const& arcs = body_.shells().arcs(shell);
  Part part;
  for (int slot = 0; slot < layout().tiles(); ++slot) {
    auto const& tile = layout().info(slot);
    for (auto const& [place, share] : arcs) {
      auto const i = place.first - tile.i0, j = place.second - tile.j0;
      if (i >= 0 && i < tile.ni && j >= 0 && j < tile.nj)
        part.cells.push_back({slot, 0, static_cast<int>(j), static_cast<int>(i), share});
    }
  }
  return part;
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

std::vector<double> Section::means(core::Field<double> const& field) const {
  auto const t = field.host();
  std::vector<core::ExactSum> sums(list_.size());
  for (std::size_t n = 0; n < sums.size(); ++n)
    for (auto const& c : list_[n].cells) sums[n].add(c.weight * t(c.slot, c.k, c.j, c.i));
  core::ExactSum::all_reduce(layout().comm(), sums);
  std::vector<double> result;
  for (auto const& sum : sums) result.push_back(sum.round());
  return result;
}

std::vector<double> Section::beside(std::vector<double> const& heat) const {
  std::vector<double> result;
  for (auto const& part : list_) result.push_back(part.by_heat != 0 ? part.by_heat * heat_of(part.cable, heat) : 0);
  return result;
}

std::vector<double> Section::driven_by(std::vector<double> const& means) const {
  std::vector<double> result(loads_, 0.0);
  for (std::size_t n = 0; n < list_.size(); ++n)
    if (load_of_[n] != Responses::none) result[load_of_[n]] = means[n];
  for (std::size_t n = 0; n < cables_.size(); ++n)
    if (double const watts = dielectric(n); watts > 0) result.back() += watts * means[cables_[n].insulation];
  return result;
}

std::vector<double> Section::rises(core::Field<double> const& rise, std::vector<double> const& heat) const {
  auto result = means(rise);
  auto const more = beside(heat);
  for (std::size_t n = 0; n < result.size(); ++n) result[n] += more[n];
  return result;
}

double Section::heat_of(std::size_t cable, std::vector<double> const& heat) const {
  auto const& parts = cables_[cable];
  double sum = heat[load_of_[parts.conductor]];
  for (std::size_t metal : parts.metals) sum += heat[load_of_[metal]];
  return sum + heat.back() * dielectric(cable);
}

double Section::dielectric(std::size_t n) const {
  auto const& cable = site_.cables[n];
  return dielectric_loss(site_.type(cable), site_.circuits[cable.circuit].frequency);
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
  for (std::size_t n = 0; n < cables_.size(); ++n)
    if (double const watts = dielectric(n); watts > 0) heat(list_[cables_[n].insulation], heat_of.back() * watts);
}

void Section::solve_for(solvers::LinearSolver& solver, core::Field<double>& rise, double looser) {
  double& tolerance = solver.controls().tolerance;
  constexpr double loosest = 1e-4;
  double const last_tolerance = std::exchange(tolerance, std::max(tolerance, std::min(looser * tolerance, loosest)));
  solves_.push_back(solver.solve(b_, rise));
  tolerance = last_tolerance;
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
  std::vector<std::size_t> loads(loads_ - (any_voltage(site_) ? 0 : 1));
  std::iota(loads.begin(), loads.end(), std::size_t{0});
  respond(0, loads, [&](std::size_t load, core::Field<double> const& rise) {
    std::vector<double> one(loads_, 0.0);
    one[load] = 1;
    auto const found = rises(rise, one);
    for (std::size_t part = 0; part < list_.size(); ++part) result.rise[part][load] = found[part];
  });
  result.wet = result.rise;
  result.most = site_.drier();
  return result;
}

std::vector<double> Section::solve_once(std::vector<double> const& heat, double looser) {
  heat_->right_side(rise_, b_);
  solve_for(*solver_, rise_, looser);
  return rises(rise_, heat);
}

std::vector<double> Section::solve(std::vector<double> const& heat, double looser, double settled) {
  set_heat(heat);
  auto found = solve_once(heat, drying_ ? 1 : looser);
  constexpr int most = 100;
  for (int n = 0; drying_ && n < most; ++n) {
    auto next = drying_->faces(rise_);
    if (!layout().comm().any(!next.empty() || !dried_.empty())) return found;
    dried_ = std::move(next);
    form();
    auto const before = std::exchange(found, solve_once(heat, 1));
    double change = 0;
    for (std::size_t part = 0; part < found.size(); ++part)
      change = std::max(change, std::abs(found[part] - before[part]));
    if (change < settled) break;
  }
  return found;
}

void Section::keep_dry() {
  if (drying_) drying_->keep(rise_);
}

std::optional<double> Section::dry_area() const {
  if (!drying_) return std::nullopt;
  return drying_->area(rise_);
}

core::Field<double> const& Section::rho_c() {
  if (!rho_c_) rho_c_.emplace(body_.capacity());
  return *rho_c_;
}

core::Field<double> Section::heat_capacities() {
  core::Field<double> capacities("C", layout(), 0);
  core::Grid const& grid = layout().grid();
  core::for_each_on_host("capacities", layout(),
                         [&, c = capacities.host(), rho_c = rho_c().host()](int s, int k, int j, int i) {
                           c(s, k, j, i) = rho_c(s, k, j, i) * grid.volume(layout().info(s).global(k, j, i));
                         });
  return capacities;
}

void Section::respond(double rate, std::vector<std::size_t> const& loads,
                      std::function<void(std::size_t, core::Field<double> const&)> const& take) {
  std::optional<solvers::Heat> falling;  // a step of 1 / rate from no rise at all
  std::unique_ptr<solvers::LinearSolver> own;
  if (rate > 0) {
    falling.emplace(properties(body_, &rho_c()), 1 / rate);
    own = make_solver(falling->matrix());
  }
  core::Field<double> rise("rise", layout(), 1);
  for (std::size_t load : loads) {
    std::vector<double> one(loads_, 0.0);
    one[load] = 1;
    set_heat(one);
    rise.fill(0);
    (falling ? *falling : *heat_).right_side(rise, b_);
    solve_for(own ? *own : *solver_, rise, 1000);
    take(load, rise);
  }
}

void Section::solve_adjoint(std::vector<double> const& watts, core::Field<double>& a) {
  b_.fill(0);
  auto const b = b_.host();
  for (std::size_t n = 0; n < list_.size(); ++n)
    for (auto const& c : list_[n].cells) b(c.slot, c.k, c.j, c.i) += watts[n] * c.weight;
  solve_for(*solver_, a);
}

core::Field<double> const& Section::temperature() {
  core::for_each("temperature", layout().all(),
                 detail::Shifted{std::as_const(rise_).view(), temperature_.view(), site_.ambient + zero_celsius});
  return temperature_;
}

solvers::HeatBalance Section::balance() const { return heat_->balance(rise_, rise_); }

}  // namespace tessera::run::rating
