// SPDX-License-Identifier: Apache-2.0
#include "run/control/rank_chart.hpp"

#include "core/times.hpp"

#include <algorithm>
#include <array>

namespace tessera::run {

io::BarChart parts_chart() {
  namespace c = io::colours;
  using core::Part;
  io::BarChart chart{.title = "", .unit = "s", .parts = {}};
  for (auto const& [part, colour] : std::array<std::pair<Part, io::Colour>, 9>{{{Part::boot, c::grey},
                                                                                {Part::compute, c::blue},
                                                                                {Part::halo, c::sky_blue},
                                                                                {Part::reduce, c::purple},
                                                                                {Part::io, c::green},
                                                                                {Part::in_situ, c::yellow},
                                                                                {Part::rebalance, c::vermillion},
                                                                                {Part::foreign, c::orange},
                                                                                {Part::idle, c::light_grey}}})
    chart.parts.push_back({core::part_names[static_cast<std::size_t>(part)], colour, {}});
  return chart;
}

io::BarChart rank_chart(core::Report::Json const& of_ranks) {
  auto chart = parts_chart();
  chart.title = "Time of each rank";
  std::size_t rows = 0;
  for (auto const& [name, values] : of_ranks.items()) rows = std::max(rows, values.size());
  for (auto& part : chart.parts) {
    auto const found = of_ranks.find(part.name);
    part.values = found == of_ranks.end() ? std::vector<double>(rows, 0) : found->get<std::vector<double>>();
  }
  return chart;
}

}  // namespace tessera::run
