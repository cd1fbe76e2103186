// SPDX-License-Identifier: Apache-2.0
// What heat a body gets, gives away and stores.
#include "core/grid/sweep.hpp"
#include "solvers/heat.hpp"
#include "solvers/heat/fixed_cells.hpp"
#include "solvers/heat/kernels.hpp"
#include "solvers/heat/side_faces.hpp"

#include <cmath>

namespace tessera::solvers {

double Heat::heat_of(Source const& s, double constant, double factor, core::Field<double> const& t) const {
  auto const held = held_ ? held_->mask().view() : core::FieldView<std::uint8_t const>{};
  return core::sum_over_boxes("source, heat", layout().comm(), s.cells.boxes(),
                              heat::detail::SourceHeat{heat::detail::place(layout(), *geometry_), constant, factor,
                                                       t.view(), held, s.share_view()});
}

double Heat::source_heat(core::Field<double> const& t, bool implicit) const {
  double sum = 0;
  for (auto const& s : properties_.sources) {
    // the explicit part belongs to the implicit ones, so that it is counted once
    double const constant = implicit ? s.Su : 0, factor = s.implicit == implicit ? s.Sp : 0;
    if (constant != 0 || factor != 0) sum += heat_of(s, constant, factor, t);
  }
  return sum;
}

double Heat::exchanged(core::Field<double> const& t) const {
  double sum = core::sum("heat given or taken", layout(),
                         heat::detail::SizeOfHeat{heat::detail::place(layout(), *geometry_), properties_.q.view()});
  for (auto const& s : properties_.sources) sum += std::abs(heat_of(s, s.Su, 0, t)) + std::abs(heat_of(s, 0, s.Sp, t));
  return sum;
}

double Heat::explicit_heat(core::Field<double> const& t) const { return source_heat(t, false); }

double Heat::feedback(core::Field<double> const& t, core::Field<double> const& before) const {
  auto const held = held_ ? held_->mask().view() : core::FieldView<std::uint8_t const>{};
  double sum = 0;
  for (auto const& s : properties_.sources)
    if (!s.implicit && s.Sp != 0)
      sum +=
          core::sum_over_boxes("feedback", layout().comm(), s.cells.boxes(),
                               heat::detail::FeedbackSquare{heat::detail::place(layout(), *geometry_), std::abs(s.Sp),
                                                            t.view(), before.view(), held, s.share_view()});
  return std::sqrt(sum);
}

double Heat::stored_norm(core::Field<double> const& t, core::Field<double> const& t_old) const {
  auto const held = held_ ? held_->mask().view() : core::FieldView<std::uint8_t const>{};
  return std::sqrt(core::sum("change in a step", layout(),
                             heat::detail::StoredSquare{heat::detail::place(layout(), *geometry_),
                                                        properties_.rho_c.view(), t.view(), t_old.view(), held}));
}

HeatBalance Heat::balance(TimeWeights const& w, core::Field<double> const& t, core::Field<double> const& t_old,
                          core::Field<double> const* history, double explicit_heat) const {
  auto const none = core::FieldView<double const>{};
  auto const sums = core::sums<2>(
      "stored heat", layout(), layout().all(),
      heat::detail::StoredHeat{heat::detail::place(layout(), *geometry_), properties_.rho_c.view(),
                               properties_.q.view(), t.view(), t_old.view(), w.past != 0 ? history->view() : none,
                               held_ ? held_->mask().view() : core::FieldView<std::uint8_t const>{}, w});
  HeatBalance balance;
  balance.stored = sums[0];
  balance.produced = sums[1] + source_heat(t, true) + explicit_heat;
  balance.in.resize(conditions());
  for (std::size_t n = 0; n < conditions(); ++n)
    if (faces_[n]) balance.in[n] = faces_[n]->heat(t);
  if (held_) balance.from_held = held_->heat(t);
  return balance;
}

HeatBalance Heat::balance(core::Field<double> const& t, core::Field<double> const& t_old) const {
  return balance({now_, now_, 0}, t, t_old, nullptr, explicit_heat(t_old));
}

}  // namespace tessera::solvers
