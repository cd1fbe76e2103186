// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/analysis.hpp"

#include "core/grid/sweep.hpp"

#include <cmath>

namespace tessera::run::percolation {

void expect_cubes(core::Dictionary const& properties, Settings const& settings, std::string const& key) {
  if (settings.lattice.name == "triangular")
    properties.fail_entry(key, "is yes, expected no: distances are those of lattice square or cubic, not triangular");
  double width = 0;
  for (auto const& axis : settings.axes) {
    if (axis.cells() == 1) continue;
    double const here = axis.length() / static_cast<double>(axis.cells());
    if (width != 0 && std::abs(here / width - 1) > 1e-9)
      properties.fail_entry(key,
                            fmt::format("is yes, but cells are {:.6g} wide along one axis and {:.6g} along another; "
                                        "expected cells of one width (size in system/gridDict)",
                                        width, here));
    width = here;
  }
}

void expect_ends(core::Dictionary const& properties, Settings const& settings, std::string const& key) {
  for (auto const& crossing : settings.crossings)
    if (crossing.ends()) return;
  properties.fail_entry(key, "is yes, expected no: along periodic axes there are no ends");
}

ca::PoreSpace pores(Subject const& subject) {
  bool const walled = subject.settings.region && subject.settings.region->solid_outside();
  return {subject.occupied, subject.medium.interior, walled ? nullptr : subject.medium.inside()};
}

std::unique_ptr<core::Field<double>> values(Subject const& subject) {
  core::Layout const& layout = subject.occupied.layout();
  auto result = std::make_unique<core::Field<double>>("values", layout, 0);
  if (subject.settings.input.file)
    subject.settings.input.file->load_values(*result, subject.medium.input.lo);
  else
    core::for_each_on_host("values", layout,
                           [from = subject.occupied.host(), to = result->host()](int s, int k, int j, int i) {
                             to(s, k, j, i) = from(s, k, j, i);
                           });
  return result;
}

double width(Medium const& medium, int axis) {
  core::Axis const& a = medium.grid->axis(axis);
  return a.length() / static_cast<double>(a.cells());
}

double diameter(Medium const& medium, std::int64_t square) {
  int const axis = medium.grid->thin(0) ? (medium.grid->thin(1) ? 2 : 1) : 0;
  return square == ca::no_wall ? std::numeric_limits<double>::infinity()
                               : 2 * std::sqrt(static_cast<double>(square)) * width(medium, axis);
}

std::unique_ptr<core::Field<float>> diameters(Medium const& medium, core::Field<std::int32_t> const& squares,
                                              core::FieldInfo info) {
  auto field = std::make_unique<core::Field<float>>(std::move(info), squares.layout(), 0);
  core::for_each_on_host("diameters", squares.layout(),
                         [&, from = squares.host(), to = field->host()](int s, int k, int j, int i) {
                           auto const square = from(s, k, j, i);
                           to(s, k, j, i) = square == 0 ? 0.0F : static_cast<float>(diameter(medium, square));
                         });
  return field;
}

}  // namespace tessera::run::percolation
