// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/task_ranks.hpp"

#include "core/error.hpp"
#include "run/sweep/backfill.hpp"
#include "run/sweep/expression.hpp"

#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace tessera::run {
namespace {

constexpr int any_number = 1 << 20;

}  // namespace

TaskRanks::TaskRanks(core::Dictionary& dictionary, Axes const& axes, int ranks) : axes_(axes), run_ranks_(ranks) {
  if (!dictionary.contains("ranks")) return;
  if (dictionary.is_dictionary("ranks")) {
    auto* const limits = dictionary.find_sub("ranks");
    alike_ = 0;
    memory_ = limits->contains("memory") ? limits->get_positive<double>("memory") : 0;
    cells_ = limits->contains("cells") ? limits->get_positive<double>("cells") : 0;
    most_ = limits->get_in<int>("most", {1, any_number}, any_number);
    if (memory_ == 0 && cells_ == 0)
      dictionary.fail("ranks", "neither 'memory' nor 'cells', expected what a rank may have of them");
    return;
  }
  auto const text = dictionary.get<std::string>("ranks");
  if (!std::isnan(number_in(text))) {
    alike_ = dictionary.get_in<int>("ranks", {1, any_number});
    if (alike_ > ranks) dictionary.fail_expected("ranks", fmt::format("at most {}, the ranks of the run", ranks));
    return;
  }
  alike_ = 0;
  expression_ = text;
  origin_ = dictionary.location("ranks") + ": ranks";
}

double TaskRanks::wanted(Point const& point, Needs const& needs) const {
  if (!expression_.empty()) {
    std::vector<std::pair<std::string, double>> values;
    for (std::size_t n = 0; n < point.size(); ++n)
      if (double const x = number_in(point[n]); !std::isnan(x)) values.emplace_back(axes_.at(n).name, x);
    double const wanted = compute(expression_, values, origin_);
    if (!(wanted >= 1) || wanted > any_number)
      throw core::Error(
          fmt::format("{}: '{}' is {} for {}, expected 1 or more", origin_, expression_, wanted, axes_.name(point)));
    return wanted;
  }
  Memory const all = needs(point);
  double wanted = 1;
  if (cells_ > 0) wanted = std::max(wanted, all.cells / cells_);
  if (memory_ > 0) {
    // each rank has the program, and its share of the rest
    double const room = memory_ - all.program;
    wanted = std::max(wanted, room > 0 ? (all.all - all.program) / room : any_number);
  }
  return std::min(wanted, static_cast<double>(most_));
}

int TaskRanks::of(Point const& point, Needs const& needs) {
  if (alike_ > 0) return alike_;
  Point kind = point;
  if (axes_.samples() >= 0) kind[static_cast<std::size_t>(axes_.samples())].clear();
  auto const [place, is_new] = known_.emplace(std::move(kind), 0);
  if (is_new) {
    double const ranks = std::min(std::ceil(wanted(point, needs)), static_cast<double>(run_ranks_));
    place->second = std::min(static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks))), largest_block(run_ranks_));
  }
  return place->second;
}

}  // namespace tessera::run
