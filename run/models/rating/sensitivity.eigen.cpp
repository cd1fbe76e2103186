// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/sensitivity.hpp"

#include "core/grid/exact_sum.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"
#include "run/models/rating/face_products.hpp"

#define EIGEN_DONT_VECTORIZE  // small matrices; GCC 12 warns of its own AVX-512 functions
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace tessera::run::rating {
namespace detail {

struct Add {
  core::FieldView<double const> from;
  double times;
  core::FieldView<double> to;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const { to(s, k, j, i) += times * from(s, k, j, i); }
};

}  // namespace detail
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Vector vector_of(std::vector<double> const& x) {
  return Eigen::Map<Vector const>(x.data(), static_cast<long>(x.size()));
}

/// How losses follow temperatures, currents and places.
class Losses {
 public:
  Losses(Site const& site, Responses const& responses, State const& state)
      : site_(site),
        responses_(responses),
        state_(state),
        rises_(responses.rise.size(), 0.0) {
    for (std::size_t n = 0; n < state.cables.size(); ++n) {
      auto const& parts = responses.cables[n];
      rises_[parts.conductor] = state.cables[n].conductor - site.ambient;
      rises_[parts.surface] = state.cables[n].surface - site.ambient;
      for (std::size_t m = 0; m < parts.metals.size(); ++m)
        rises_[parts.metals[m]] = state.cables[n].metal[m] - site.ambient;
    }
  }

  /// Heat of each load, a column for each part's rise. Central differences: losses are smooth, and cost nothing.
  Matrix by_rises() const {
    constexpr double step = 0.01;  // [K]
    Matrix result(static_cast<long>(responses_.loads), static_cast<long>(rises_.size()));
    for (std::size_t n = 0; n < rises_.size(); ++n) {
      auto up = rises_, down = rises_;
      up[n] += step;
      down[n] -= step;
      result.col(static_cast<long>(n)) =
          (heat(state_.currents, up, site_) - heat(state_.currents, down, site_)) / (2 * step);
    }
    return result;
  }
  /// A column for each circuit's current.
  Matrix by_currents() const {
    Matrix result(static_cast<long>(responses_.loads), static_cast<long>(state_.currents.size()));
    for (std::size_t n = 0; n < state_.currents.size(); ++n) {
      double const step = 1e-4 * std::max(1.0, state_.currents[n]);
      auto up = state_.currents, down = state_.currents;
      up[n] += step;
      down[n] -= step;
      result.col(static_cast<long>(n)) = (heat(up, rises_, site_) - heat(down, rises_, site_)) / (2 * step);
    }
    return result;
  }
  /// With the same cables elsewhere.
  Vector at(Site const& site) const { return heat(state_.currents, rises_, site); }

 private:
  Vector heat(std::vector<double> const& currents, std::vector<double> const& rises, Site const& site) const {
    State changed = state_;
    changed.currents = currents;
    set_temperatures(site, responses_.cables, rises, changed);
    set_losses(site, changed);
    return vector_of(changed.heat(responses_));
  }

  Site const& site_;
  Responses const& responses_;
  State const& state_;
  std::vector<double> rises_;  // of conductors, metals and surfaces
};

/// How each circuit's answer follows rises of the parts and heat of the loads, a row a circuit; and the solutions for those weights.
struct Adjoint {
  Matrix by_rises, by_heat;
  std::vector<core::Field<double>> fields;
};

/// Of the hottest conductors' temperatures at the currents of the state. The weights m of the rises obey m = e + m R H: R responses, H
/// losses by rises. What is solved for gives m R on this mesh; R of a coarser one leads to m in a few solutions.
Adjoint of_temperatures(Section& section, Site const& site, Losses const& losses, Responses const& responses,
                        State const& state) {
  auto const parts = static_cast<long>(section.parts()), loads = static_cast<long>(section.loads()),
             circuits = static_cast<long>(state.currents.size());
  Matrix const by_rises = losses.by_rises();
  Matrix response(parts, loads);
  for (long p = 0; p < parts; ++p) response.row(p) = vector_of(responses.rise[static_cast<std::size_t>(p)]);
  Eigen::PartialPivLU<Matrix> const nearly((Matrix::Identity(parts, parts) - response * by_rises).transpose());
  Adjoint result{Matrix(circuits, parts), Matrix(circuits, loads), {}};
  for (long c = 0; c < circuits; ++c) {
    Vector asked = Vector::Zero(parts);
    asked[static_cast<long>(responses.cables[state.hottest(site, static_cast<std::size_t>(c))].conductor)] = 1;
    Vector weights = nearly.solve(asked);
    auto& field = result.fields.emplace_back("a", section.layout(), 1, 0.0);
    for (int iteration = 0; iteration < 20; ++iteration) {
      section.solve_adjoint({weights.data(), weights.data() + parts}, field);
      result.by_heat.row(c) = vector_of(section.driven_by(section.means(field)));
      result.by_rises.row(c) = weights;
      Vector const miss = asked + by_rises.transpose() * result.by_heat.row(c).transpose() - weights;
      if (miss.lpNorm<Eigen::Infinity>() < 1e-6) break;
      weights += nearly.solve(miss);
    }
  }
  return result;
}

/// Of the answers: currents that are sought keep the hottest conductors where they are, and heat those of the others.
Adjoint of_answers(Site const& site, Losses const& losses, Adjoint temperatures) {
  Matrix const by_current = temperatures.by_heat * losses.by_currents();
  long const circuits = by_current.rows();
  std::vector<long> sought;
  for (long c = 0; c < circuits; ++c)
    if (!site.circuits[static_cast<std::size_t>(c)].current) sought.push_back(c);
  if (sought.empty()) return temperatures;
  Matrix mix = Matrix::Zero(static_cast<long>(sought.size()), circuits);  // of temperatures, for the currents
  mix(Eigen::all, sought) = -Matrix(by_current(sought, sought)).inverse();
  Matrix all = Matrix::Identity(circuits, circuits) + by_current(Eigen::all, sought) * mix;
  all(sought, Eigen::all) = mix;
  Adjoint result{all * temperatures.by_rises, all * temperatures.by_heat, {}};
  for (long c = 0; c < circuits; ++c) {
    auto& sum = result.fields.emplace_back("a", temperatures.fields.front().layout(), 1, 0.0);
    for (long d = 0; d < circuits; ++d)
      core::for_each(
          "answers", sum.layout().all(),
          detail::Add{std::as_const(temperatures.fields[static_cast<std::size_t>(d)]).view(), all(c, d), sum.view()});
  }
  return result;
}

/// The cables in groups side by side: of each, how many gaps lie left of it; and the gaps.
struct Gaps {
  std::vector<std::pair<double, double>> list;  ///< from where to where [m]
  std::vector<std::size_t> before;              ///< by cable

  explicit Gaps(Site const& site) : before(site.cables.size(), 0) {
    std::vector<std::size_t> order(site.cables.size());
    for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
    auto const left = [&](std::size_t n) { return site.cables[n].position[0] - site.type(site.cables[n]).outer(); };
    auto const right = [&](std::size_t n) { return site.cables[n].position[0] + site.type(site.cables[n]).outer(); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return left(a) < left(b); });
    double reached = right(order.front());
    for (std::size_t n : order) {
      if (left(n) > reached) list.emplace_back(reached, left(n));
      before[n] = list.size();
      reached = std::max(reached, right(n));
    }
  }
};

/// The cables with each gap wider by so much.
Site widened(Site const& site, Gaps const& gaps, double by) {
  Site result = site;
  for (std::size_t n = 0; n < result.cables.size(); ++n) {
    auto& cable = result.cables[n];
    cable.position[0] += static_cast<double>(gaps.before[n]) * by;
    result.circuits[cable.circuit].positions[cable.place] = cable.position;
  }
  for (auto& circuit : result.circuits) circuit.formation = formation_of(circuit.positions);
  return result;
}

/// Cells from one coordinate to another of an axis: the first, and the one behind the last.
struct Cells {
  core::Count from, to;
  Cells(core::Axis const& axis, double low, double high)
      : from(axis.faces_below(low - 1e-12)),
        to(axis.faces_up_to(high + 1e-12) - 1) {}
  bool any() const { return from < to; }
  double length(core::Axis const& axis) const { return axis.face(to) - axis.face(from); }
};

/// Rows above everything: above the cables alone where beds leave none.
std::optional<Cells> cover(Site const& site, core::Axis const& y) {
  double top = y.low();
  for (auto const& cable : site.cables) top = std::max(top, cable.position[1] + site.type(cable).outer());
  double all = top;
  for (auto const& bed : site.beds)
    if (bed.high[1] < -1e-9) all = std::max(all, bed.high[1]);
  for (double above : {all, top})
    if (Cells const rows(y, above, y.high()); rows.any()) return rows;
  return std::nullopt;
}

/// By the adjoint a of each circuit: for 1 K m/W more of a material. `of` finds it in a site.
template <class Of>
std::vector<double> by_resistivity(Section& section, Site const& site, std::vector<core::Field<double>>& adjoints,
                                   Of const& of) {
  constexpr double step = 1e-4;  // of the conductances' differences: they err by its square
  double const rho = of(site).resistivity;
  std::vector<double> result(adjoints.size(), 0.0);
  for (double const sign : {1.0, -1.0}) {
    Site changed = site;
    of(changed).resistivity = rho * (1 + sign * step);
    Body const body(changed, section.layout());
    auto const heat = section.made_of(body);
    for (std::size_t c = 0; c < adjoints.size(); ++c)
      result[c] -= sign * FaceProducts(heat.matrix(), section.rise(), adjoints[c]).sum() / (2 * step * rho);
  }
  return result;
}

/// The answers of one circuit by its adjoint a.
class Answers {
 public:
  Answers(Section& section, Site const& site, core::Field<double>& a)
      : section_(section),
        site_(site),
        parts_(FaceProducts(section.matrix(), section.rise(), a).by_cell(section.body().conductivity())) {}

  /// For 1 m more of cells of an axis, all in one proportion: centres are farther apart along it, and faces along it larger.
  double stretched(int axis, std::vector<Cells> const& cells) const {
    auto const& along = section_.layout().grid().axis(axis);
    core::ExactSum sum;
    auto const through = parts_.axis[static_cast<std::size_t>(axis)].host(),
               beside = parts_.axis[static_cast<std::size_t>(1 - axis)].host(), film = parts_.film.host();
    for_cells([&](core::Index const& at, int s, int k, int j, int i) {
      core::Count const n = core::along(at, axis);
      double const larger = beside(s, k, j, i) + (axis == 0 ? film(s, k, j, i) : 0);  // the surface is one of y's sides
      for (Cells const& c : cells)
        if (n >= c.from && n < c.to) sum.add((through(s, k, j, i) - larger) / c.length(along));
    });
    return total(sum);
  }

  core::Field<double> map(std::string const& circuit, bool current) const {
    core::Field<double> result(
        core::FieldInfo{.name = "sensitivity_" + circuit,
                        .description =
                            fmt::format("{} of circuit {}: what it gains for each part by which the ground conducts "
                                        "better, and each square metre",
                                        current ? "current" : "temperature", circuit),
                        .units = current ? "A/m2" : "K/m2"},
        section_.layout(), 0);
    auto const out = result.host();
    auto const& grid = section_.layout().grid();
    auto const x = parts_.axis[0].host(), y = parts_.axis[1].host();
    for_cells([&](core::Index const& at, int s, int k, int j, int i) {
      out(s, k, j, i) = in_cable(grid.axis(0).centre(at.i), grid.axis(1).centre(at.j))
                            ? 0
                            : -(x(s, k, j, i) + y(s, k, j, i)) / grid.volume(at);
    });
    return result;
  }

 private:
  template <class F>
  void for_cells(F const& f) const {
    core::for_own_cells(section_.layout(),
                        [&](int s, int k, int j, int i) { f(section_.layout().info(s).global(k, j, i), s, k, j, i); });
  }
  double total(core::ExactSum const& sum) const {
    std::array<core::ExactSum, 1> all{sum};
    core::ExactSum::all_reduce(section_.layout().comm(), all);
    return all[0].round();
  }
  bool in_cable(double x, double y) const {
    return std::any_of(site_.cables.begin(), site_.cables.end(), [&](Cable const& c) {
      return std::hypot(x - c.position[0], y - c.position[1]) < site_.type(c).outer();
    });
  }

  Section& section_;
  Site const& site_;
  FaceProducts::Parts parts_;
};

}  // namespace

std::vector<Sensitivity> sensitivities(Section& section, Site const& site, Responses const& responses,
                                       State const& state) {
  core::Layout const& layout = section.layout();
  auto const& x = layout.grid().axis(0);
  core::Halo(layout, 1, core::Reach::faces).exchange(section.body().conductivity());
  Losses const losses(site, responses, state);
  Adjoint adjoint = of_answers(site, losses, of_temperatures(section, site, losses, responses, state));

  Gaps const gaps(site);
  std::vector<Cells> columns;
  for (auto const& [from, to] : gaps.list) columns.emplace_back(x, from, to);
  bool const spaced = !columns.empty() && std::all_of(columns.begin(), columns.end(), [](auto& c) { return c.any(); });
  constexpr double step = 1e-5;  // [m]
  Vector const apart = (losses.at(widened(site, gaps, step)) - losses.at(widened(site, gaps, -step))) / (2 * step);
  auto const rows = cover(site, layout.grid().axis(1));

  std::vector<Sensitivity> result(site.circuits.size());
  for (std::size_t c = 0; c < result.size(); ++c) {
    auto const row = static_cast<long>(c);
    Answers const answers(section, site, adjoint.fields[c]);
    result[c].ambient = adjoint.by_rises.row(row).sum();
    if (rows) result[c].depth = answers.stretched(1, {*rows});
    if (spaced) result[c].spacing = answers.stretched(0, columns) + adjoint.by_heat.row(row).dot(apart);
    result[c].map = answers.map(site.circuits[c].name, !site.circuits[c].current);
  }
  auto const soil = by_resistivity(
      section, site, adjoint.fields, [](auto& in) -> auto& { return in.soil; });
  for (std::size_t c = 0; c < result.size(); ++c) result[c].soil = soil[c];
  for (std::size_t b = 0; b < site.beds.size(); ++b) {
    auto const bed = by_resistivity(
        section, site, adjoint.fields, [b](auto& in) -> auto& { return in.beds[b].material; });
    for (std::size_t c = 0; c < result.size(); ++c) result[c].beds.push_back(bed[c]);
  }
  return result;
}

}  // namespace tessera::run::rating
