// SPDX-License-Identifier: Apache-2.0
#include "run/models/heat/gradient.hpp"

#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"

#include <utility>

namespace tessera::run::heat {

Gradient::Gradient(core::Layout const& layout, io::foam::Mesh const& mesh, int axis)
    : mesh_(mesh),
      axis_(axis),
      cells_(std::string("gradT") + "xyz"[axis], layout, 0, 0.0) {}

void Gradient::update(core::Field<double>& t, FaceValue const& t_face) {
  core::Layout const& layout = cells_.layout();
  core::Halo(layout, 1, core::Reach::faces).exchange(t);
  auto const T = std::as_const(t).host();
  auto const g = cells_.host();
  auto const& axis = mesh_.grid.axis(axis_);
  std::array<int, 3> const step{axis_ == 2 ? 1 : 0, axis_ == 1 ? 1 : 0, axis_ == 0 ? 1 : 0};  // k, j, i
  core::for_each_on_host("gradient", layout, [&](int s, int k, int j, int i) {
    core::Index const x = layout.info(s).global(k, j, i);
    double const here = T(s, k, j, i);
    double sum = 0;  // of what the faces' values differ from the cell's, times areas
    for (int const high : {0, 1}) {
      auto const side = static_cast<core::Side>(2 * axis_ + high),
                 opposite = static_cast<core::Side>(2 * axis_ + 1 - high);
      core::Index beyond = x;
      core::Count& n = core::along(beyond, axis_);
      n += high != 0 ? 1 : -1;
      if (axis.periodic) n = (n + axis.cells()) % axis.cells();
      double off = 0;
      if (n < 0 || n >= axis.cells() || (!mesh_.absent.empty() && !mesh_.exists(beyond))) {
        off = t_face(side, s, k, j, i) - here;
      } else if (axis.cells() > 1) {
        int const to = high != 0 ? 1 : -1;
        double const mine = mesh_.distance(side, x), theirs = mesh_.distance(opposite, beyond);
        off = mine / (mine + theirs) * (T(s, k + to * step[0], j + to * step[1], i + to * step[2]) - here);
      }
      sum += (high != 0 ? 1 : -1) * mesh_.area(side, x) * off;
    }
    g(s, k, j, i) = mesh_.exists(x) ? sum / mesh_.volume(x) : 0;
  });
}

double Gradient::at_face(core::Field<double> const& t, FaceValue const& t_face, core::Side side, int slot, int k, int j,
                         int i) const {
  if (static_cast<int>(side) / 2 != axis_) return cells_.host()(slot, k, j, i);
  core::Index const x = cells_.layout().info(slot).global(k, j, i);
  double const outwards = (t_face(side, slot, k, j, i) - t.host()(slot, k, j, i)) / mesh_.distance(side, x);
  return static_cast<int>(side) % 2 == 1 ? outwards : -outwards;
}

void Gradient::move_to(core::Layout const& layout) { cells_ = core::Field<double>(cells_.info(), layout, 0); }

void Flux::update(core::Field<double> const& diffusivity, std::vector<std::unique_ptr<Gradient>> const& gradients) {
  auto const d = diffusivity.host();
  for (std::size_t a = 0; a < 3; ++a)
    core::for_each_on_host("flux", diffusivity.layout(),
                           [&, to = cells_[a].host(), g = gradients[a]->cells().host()](int s, int k, int j, int i) {
                             to(s, k, j, i) = d(s, k, j, i) * g(s, k, j, i);
                           });
}

void Flux::move_to(core::Layout const& layout) {
  for (std::size_t a = 0; a < 3; ++a) {
    core::Field<double> component(std::string("flux") + "xyz"[a], layout, 0, 0.0);
    if (cells_.size() == 3)
      cells_[a] = std::move(component);  // where others look at it
    else
      cells_.push_back(std::move(component));
  }
}

}  // namespace tessera::run::heat
