// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/stragglers.hpp"

#include <cmath>

namespace tessera::run {
namespace {

/// How much longer the rest of a task must take than the whole of a copy: predictions are some tenths off.
constexpr double clearly = 1.25;

}  // namespace

std::optional<std::size_t> worth_a_copy(std::vector<Straggler> const& tasks, double rate) {
  std::optional<std::size_t> last;
  double longest = 0;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    auto const& [predicted, running, its_rate] = tasks[n];
    double const left = std::abs(predicted / its_rate - running), copy = predicted / rate;
    if (!(left > clearly * copy) || left <= longest) continue;
    last = n;
    longest = left;
  }
  return last;
}

Stragglers::Stragglers(Axes const& axes, std::vector<Point> const& tasks, std::vector<MeasuredTask> earlier, int team)
    : axes_(axes),
      tasks_(tasks),
      earlier_(std::move(earlier)),
      team_(team),
      costs_(axes, earlier_) {}

std::optional<std::int64_t> Stragglers::operator()(core::WorkBoard::View const& view) {
  if (view.in_work.empty()) return std::nullopt;
  if (view.measured != measured_) {
    measured_ = view.measured;
    auto known = earlier_;
    for (auto const& [task, by, seconds] : measured_) known.push_back({tasks_[task], seconds, by});
    costs_ = Costs(axes_, known);
  }
  std::vector<Straggler> late;
  for (auto const& [task, by, running] : view.in_work)
    late.push_back({costs_.predict(tasks_[task]), running, costs_.rate(by)});
  auto const found = worth_a_copy(late, costs_.rate(team_));
  return found ? std::optional(view.in_work[*found].task) : std::nullopt;
}

}  // namespace tessera::run
