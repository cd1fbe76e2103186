// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/plane_cells.hpp"

#include "ca/automaton.hpp"
#include "core/error.hpp"
#include "run/models/automaton/picture.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tessera::run::automaton {
namespace {

using core::Count;

/// The plane's cells in a box as an automaton has them, to be drawn.
class Still final : public ca::Automaton {
 public:
  Still(std::string rule, std::int64_t states, std::int64_t generation, core::FieldBase& state)
      : Automaton(std::move(rule)),
        states_(states),
        state_(state) {
    set_generation(generation);
  }
  std::int64_t step() override {
    core::expect(false, "a still has no next generation");
    return 0;
  }
  core::FieldBase& state() override { return state_; }
  std::int64_t states() const override { return states_; }

 private:
  std::int64_t states_;
  core::FieldBase& state_;
};

}  // namespace

bool PlaneCells::fits(std::optional<core::Box> const& box) {
  return !box || static_cast<double>(box->shape().i) * static_cast<double>(box->shape().j) <= most;
}

bool PlaneCells::has_place(core::Box const& box) {
  constexpr Count most_exact = Count{1} << 53;
  return std::min(box.lo.i, box.lo.j) >= -most_exact && std::max(box.hi.i, box.hi.j) <= most_exact;
}

void PlaneCells::lay_out(core::Box const& box) {
  core::Index const corner = has_place(box) ? box.lo : core::Index{};
  std::array<Count, 2> const lo{corner.i, corner.j}, n{box.shape().i, box.shape().j};
  auto const axis = [&](std::size_t a) {
    return core::Axis::make_uniform(n[a], static_cast<double>(lo[a]), static_cast<double>(n[a]));
  };
  int const ranks = session_.comm.size();
  // a slab of rows a rank
  auto const grid =
      std::make_shared<core::Grid const>(std::array{axis(0), axis(1), core::Axis::make_uniform(1, 0, 1)},
                                         core::Grid::Shape{n[0], std::max<Count>(1, (n[1] + ranks - 1) / ranks), 1});
  field_.reset();
  auto owners = session_.checks ? std::vector<int>{} : core::block_owners(grid->tiles(), ranks);
  parts_.layout = std::make_unique<core::Layout>(grid, std::move(owners), session_.comm);
  parts_.method = "none";
  parts_.weights.assign(static_cast<std::size_t>(ranks), 1.0);
}

core::FieldBase& PlaneCells::take(ca::unbounded::Plane const& plane, core::Box const& box) {
  lay_out(box);
  auto const name = ca::one_field(session_.files.open("constant/automatonProperties"));
  field_.emplace(core::FieldInfo{.name = name, .description = "state of the cells", .units = "1", .restart = true},
                 *parts_.layout, 0);
  plane.copy(*field_, box.lo);
  return *field_;
}

core::FieldBase& PlaneCells::take_all(ca::unbounded::Plane const& plane) {
  auto const box = plane.box();
  if (!fits(box))
    throw core::RunError(fmt::format("a snapshot of {} x {} cells is too large, expected at most {:.0e}, or "
                                     "writeControl none;",
                                     box->shape().i, box->shape().j, most));
  return take(plane, box.value_or(core::Box{{0, 0, 0}, {1, 1, 1}}));
}

void PlaneCells::draw(std::string const& folder, ca::unbounded::Plane const& plane, std::string const& rule,
                      std::int64_t generation) {
  if (!fits(plane.box())) {
    session_.log.line("No picture: the box of what lives has more than {:.0e} cells", most);
    return;
  }
  Still still(rule, plane.states(), generation, take_all(plane));
  draw_fields(folder, still);
}

}  // namespace tessera::run::automaton
