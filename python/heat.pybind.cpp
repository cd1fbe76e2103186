// SPDX-License-Identifier: Apache-2.0
// Heat conduction in a box of equal cells: arrays in, arrays out.
#include "core/comm/signals.hpp"
#include "core/error.hpp"
#include "io/reader.hpp"
#include "io/readers/held.hpp"
#include "python/bridge.pybind.hpp"
#include "solvers/heat/stepper.hpp"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <utility>

namespace tessera::python {
namespace {

using solvers::Boundary;
/// A number, or one a cell.
using Values = std::variant<double, py::array>;

struct Given {
  core::Grid::Shape cells{};
  std::array<double, 3> lengths{};  ///< of a cell [m]
  std::array<bool, 3> periodic{};
  std::map<std::string, Values> values;  ///< lambda, rhoC, q, T
  std::array<Boundary, 6> sides;
  double dt = 0;  ///< 0: steady
  std::int64_t steps = 1;
  std::string solver, scheme;
};

/// The arrays among them, readable as files.
class Bodies {
 public:
  explicit Bodies(std::map<std::string, Values> const& values) {
    for (auto const& [name, value] : values)
      if (auto const* array = std::get_if<py::array>(&value)) {
        held_.push_back(std::make_unique<io::HeldFile>(
            path(name), io::HeldValues{array->data(), type_of(*array), cells_of(*array)}));
      } else {
        numbers_[name] = std::get<double>(value);
      }
  }
  bool number(std::string const& name) const { return numbers_.contains(name); }
  double at(std::string const& name) const { return numbers_.at(name); }
  core::Field<double> field(std::string const& name, core::Layout const& layout, int halo) const {
    core::Field<double> field(name, layout, halo, number(name) ? at(name) : 0.0);
    if (!number(name)) io::distribute(io::open_rows(layout.comm(), path(name)).get(), field);
    return field;
  }

 private:
  static std::string path(std::string const& name) { return "<heat>/" + name; }
  std::vector<std::unique_ptr<io::HeldFile>> held_;
  std::map<std::string, double> numbers_;
};

/// A number where it is one, else the field that it was laid out in.
solvers::Property property(Bodies const& bodies, std::string const& name, core::Layout const& layout,
                           std::optional<core::Field<double>>& field) {
  if (bodies.number(name)) return bodies.at(name);
  return field.emplace(bodies.field(name, layout, 0));
}

struct Outcome {
  py::array temperature;
  solvers::HeatBalance balance;
  solvers::Range range{};
  std::vector<int> iterations;
  std::string hash;
};

solvers::TimeScheme scheme_of(Given const& given) {
  using Type = solvers::TimeScheme::Type;
  if (given.dt == 0) return {Type::steady};
  if (given.scheme == "Euler") return {Type::euler};
  if (given.scheme == "CrankNicolson") return {Type::crank_nicolson};
  if (given.scheme == "backward") return {Type::backward};
  throw core::Error(core::unknown_name("scheme", given.scheme, {"Euler", "CrankNicolson", "backward"}));
}

void take_steps(core::Comm const& comm, Given const& given, solvers::HeatStepper& stepper, Outcome& outcome) {
  for (std::int64_t n = 0; n < given.steps; ++n) {
    auto const result = stepper.step(given.dt);
    for (auto const& solve : result.solves) outcome.iterations.push_back(solve.iterations);
    if (!result.converged())
      throw core::RunError(fmt::format("heat: step {} did not converge: residual {:.3g} after {} iterations", n + 1,
                                       result.solves.back().final, result.solves.back().iterations));
    if (n + 1 == given.steps) outcome.balance = stepper.balance();
    stepper.accept();
    if (comm.any(core::SignalCatcher::caught() != 0)) return;
  }
}

void compute(core::Comm const& comm, Given const& given, Bodies const& bodies, Outcome& outcome) {
  std::array<core::Axis, 3> axes;
  for (std::size_t a = 0; a < 3; ++a)
    axes[a] = core::Axis::make_uniform(given.cells[a], 0, given.lengths[a] * static_cast<double>(given.cells[a]),
                                       given.periodic[a]);
  auto const grid = std::make_shared<core::Grid const>(std::move(axes));
  core::Layout const layout(grid, core::block_owners(grid->tiles(), comm.size()), comm);
  auto const lambda = bodies.field("lambda", layout, 0);
  auto temperature = bodies.field("T", layout, 1);
  std::optional<core::Field<double>> capacities, heats;
  solvers::HeatProperties const properties{lambda, property(bodies, "rhoC", layout, capacities),
                                           property(bodies, "q", layout, heats), given.sides};
  solvers::Heat heat(properties, given.dt);
  auto entry = core::Dictionary::parse(given.solver, "solver");
  auto const make = [&](solvers::StencilMatrix const& matrix) { return solvers::make_solver(matrix, entry); };
  solvers::HeatStepper stepper(heat, temperature, make, {.scheme = scheme_of(given)});
  entry.check_all_read();
  take_steps(comm, given, stepper, outcome);
  outcome.range = solvers::range(temperature);
  outcome.hash = core::hash(temperature);
  std::byte* to = nullptr;
  {
    py::gil_scoped_acquire const acquire;
    outcome.temperature = array_for(core::Element::float64, grid->box().shape());
    to = static_cast<std::byte*>(outcome.temperature.mutable_data());
  }
  collect(temperature, grid->box(), to);
}

/// (kind, value, weight, gradient)
using Side = std::tuple<std::string, double, double, double>;

Boundary boundary(Side const& side) {
  auto const& [kind, value, weight, gradient] = side;
  using Type = Boundary::Type;
  static std::map<std::string, Type> const types{{"fixed", Type::fixed_value},
                                                 {"closed", Type::zero_gradient},
                                                 {"cyclic", Type::cyclic},
                                                 {"convective", Type::convective},
                                                 {"flux", Type::heat_flux}};
  return {.type = types.at(kind), .value = value, .weight = weight, .gradient = gradient};
}

py::dict heat(core::Grid::Shape cells, std::array<double, 3> lengths, std::array<bool, 3> periodic,
              std::map<std::string, Values> const& values, std::array<Side, 6> const& sides, double dt,
              std::int64_t steps, std::string const& scheme, std::string const& solver) {
  Turn const turn;
  Given given{cells, lengths, periodic, values, {}, dt, steps, solver, scheme};
  for (std::size_t s = 0; s < 6; ++s) given.sides[s] = boundary(sides[s]);
  Bodies const bodies(values);
  Outcome outcome;
  auto const arguments = [&] {
    Arguments all("heat");
    for (std::size_t a = 0; a < 3; ++a) all.add(static_cast<double>(cells[a])).add(lengths[a]).add(periodic[a]);
    for (auto const& [name, value] : values)
      std::visit([&, to = &all.add(name)](auto const& one) { to->add(one); }, value);
    for (auto const& [kind, value, weight, gradient] : sides) all.add(kind).add(value).add(weight).add(gradient);
    all.add(dt).add(static_cast<double>(steps)).add(scheme).add(solver);
    return all;
  };
  call(arguments, [&](core::Comm const& comm) { compute(comm, given, bodies, outcome); });
  py::dict through, balance, result;
  for (std::size_t s = 0; s < 6; ++s) through[core::side_names[s]] = outcome.balance.in[s];
  balance["in"] = through;
  balance["produced"] = outcome.balance.produced;
  balance["stored"] = outcome.balance.stored;
  balance["error"] = outcome.balance.error();
  result["T"] = outcome.temperature;
  result["balance"] = balance;
  result["min"] = outcome.range.min;
  result["max"] = outcome.range.max;
  result["mean"] = outcome.range.mean;
  result["iterations"] = outcome.iterations;
  result["hash"] = outcome.hash;
  return result;
}

}  // namespace

void add_heat(py::module_& module) { module.def("heat", &heat); }

}  // namespace tessera::python
