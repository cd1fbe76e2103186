// SPDX-License-Identifier: Apache-2.0
#include "run/models/rating/drying.hpp"

#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tessera::run::rating {
namespace detail {

/// Soil that dries; in a state that was kept it was dry.
constexpr std::uint8_t may_dry = 1, has_dried = 2;

struct DryArea {
  core::FieldView<std::uint8_t const> dries;
  core::FieldView<double const> rise, area;
  double above;
  KOKKOS_FUNCTION double operator()(int s, int k, int j, int i) const {
    bool const dry = dries(s, k, j, i) == has_dried || (dries(s, k, j, i) != 0 && rise(s, k, j, i) > above);
    return dry ? area(s, k, j, i) : 0;
  }
};

}  // namespace detail

namespace {

using Faces = std::map<std::tuple<int, int, int, int>, double>;  // slot, axis, j, i

Faces by_place(std::vector<solvers::CutFace> const& faces) {
  Faces result;
  for (auto const& f : faces) result[{f.slot, f.axis, f.j, f.i}] = f.lambda;
  return result;
}

/// Two halves of cells in series.
double between(core::Field<double> const& lambda, core::Axis const& a, core::Count n, int slot, int axis, int j,
               int i) {
  auto const l = lambda.host();
  double const below = a.width(n - 1), here = a.width(n);
  return (below + here) / (below / l(slot, 0, j - (axis == 1), i - (axis == 0)) + here / l(slot, 0, j, i));
}

}  // namespace

Drying::Drying(Site const& site, core::Layout const& layout, Body& wet)
    : layout_(layout),
      above_(*site.dry_above - site.ambient),
      dries_("dries", layout, 0) {
  Body dry(site, layout, Body::State::dry);
  core::Halo halo(layout, 1, core::Reach::faces);
  auto& lambda_wet = wet.conductivity();
  halo.exchange(lambda_wet);
  halo.exchange(dry.conductivity());
  auto const cut_wet = by_place(wet.cuts()), cut_dry = by_place(dry.cuts());
  auto const value = [&](Faces const& cuts, core::Field<double> const& lambda, int slot, int axis, int j, int i) {
    auto const cut = cuts.find({slot, axis, j, i});
    if (cut != cuts.end()) return cut->second;
    auto const& a = layout.grid().axis(axis);
    return between(lambda, a, along(layout.info(slot).global(0, j, i), axis), slot, axis, j, i);
  };
  auto const dries = dries_.host();
  core::for_own_cells(layout, [&](int slot, int k, int j, int i) {
    dries(slot, k, j, i) =
        lambda_wet.host()(slot, k, j, i) != dry.conductivity().host()(slot, k, j, i) ? detail::may_dry : 0;
    for (int axis = 0; axis < 2; ++axis) {
      if (along(layout.info(slot).global(k, j, i), axis) == 0) continue;
      double const w = value(cut_wet, lambda_wet, slot, axis, j, i),
                   d = value(cut_dry, dry.conductivity(), slot, axis, j, i);
      if (w != d) list_.push_back({axis, slot, k, j, i, w, d});
    }
  });
}

/// Calls take(face, its share that is dry) for all faces.
template <class Faces, class Take>
void Drying::for_faces(Faces& list, core::Field<double>& rise, Take const& take) const {
  core::Halo halo(layout_, 1, core::Reach::faces);
  halo.exchange(rise);
  auto const t = std::as_const(rise).host();
  for (auto& f : list) {
    double const here = t(f.slot, f.k, f.j, f.i), below = t(f.slot, f.k, f.j - (f.axis == 1), f.i - (f.axis == 0));
    auto const [cold, hot] = std::minmax(here, below);
    double const now = hot <= above_ ? 0 : cold >= above_ ? 1 : (hot - above_) / (hot - cold);
    take(f, std::max(now, f.was_dry));
  }
}

std::vector<solvers::CutFace> Drying::faces(core::Field<double>& rise) const {
  std::vector<solvers::CutFace> result;
  for_faces(list_, rise, [&](Face const& f, double share) {
    if (share > 0) result.push_back({f.axis, f.slot, f.k, f.j, f.i, share * f.dry + (1 - share) * f.wet});
  });
  return result;
}

void Drying::keep(core::Field<double>& rise) {
  for_faces(list_, rise, [](Face& f, double share) { f.was_dry = share; });
  auto const dries = dries_.host();
  auto const t = std::as_const(rise).host();
  core::for_own_cells(layout_, [&](int slot, int k, int j, int i) {
    if (dries(slot, k, j, i) != 0 && t(slot, k, j, i) > above_) dries(slot, k, j, i) = detail::has_dried;
  });
}

double Drying::area(core::Field<double> const& rise) const {
  core::Field<double> areas("area", layout_, 0);
  core::Grid const& grid = layout_.grid();
  core::for_each_on_host("areas", layout_, [&, a = areas.host()](int s, int k, int j, int i) {
    a(s, k, j, i) = grid.volume(layout_.info(s).global(k, j, i));
  });
  return core::sum("dry area", layout_,
                   detail::DryArea{dries_.view(), rise.view(), std::as_const(areas).view(), above_});
}

}  // namespace tessera::run::rating
