// SPDX-License-Identifier: Apache-2.0
#include "run/study/summary.hpp"

#include "core/error.hpp"
#include "run/ensemble.hpp"
#include "run/sweep/rounds.hpp"
#include "run/sweep/worker.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace tessera::run {

namespace {
using Json = core::Report::Json;

double number(Json const& json, std::string const& name) {
  auto const found = json.find(name);
  return found != json.end() && found->is_number() ? found->get<double>() : Summary::nan;
}

bool begins_with_name(std::string const& name, std::string const& part) {
  return name.starts_with(part) && (name.size() == part.size() || name[part.size()] == '.');
}

double mean(std::vector<double> const& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double median_of(std::vector<double> values) {
  std::erase_if(values, [](double x) { return std::isnan(x); });
  if (values.empty()) return Summary::nan;
  std::sort(values.begin(), values.end());
  auto const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Measured measured_in(Json const& report, Design const& design) {
  Json flat = Json::object();
  flatten(report, "", flat);
  auto const missing = [&flat](std::string const& place, char const* kind, std::string const& name,
                               std::vector<std::string> const& known) {
    auto const near = core::nearest(name, known);
    throw core::Error(fmt::format("{}: the report of a run has no {} '{}'{}", place, kind, name,
                                  near.empty() ? ", expected a name of postProcessing/report.json, such as time.compute"
                                               : fmt::format("; did you mean '{}'?", near)));
  };
  Measured run;
  run.seconds = number(flat, "time.wall") - number(flat, "time.boot");
  if (design.measure != "run") {
    run.seconds = number(flat, design.measure);
    if (std::isnan(run.seconds)) {
      std::vector<std::string> numbers;
      for (auto const& entry : flat.items())
        if (entry.value().is_number()) numbers.push_back(entry.key());
      missing(design.measure_place, "number", design.measure, numbers);
    }
  }
  for (auto const& proof : design.proofs) {
    bool found = false;
    for (auto const& entry : flat.items())
      if (begins_with_name(entry.key(), proof)) {
        run.answer[entry.key()] = entry.value();
        found = true;
      }
    if (found) continue;
    std::vector<std::string> names;  // whole ones, and the groups that they are of
    for (auto const& entry : flat.items())
      for (auto dot = entry.key().find('.'); dot != std::string::npos; dot = entry.key().find('.', dot + 1))
        names.push_back(entry.key().substr(0, dot));
    for (auto const& entry : flat.items()) names.push_back(entry.key());
    missing(design.proofs_place, "entry", proof, names);
  }
  run.iterations = run.seconds_per_iteration = Summary::nan;
  if (report.contains("solvers") && !report["solvers"].empty()) {
    auto const& solver = report["solvers"].front();
    run.iterations = number(solver, "averageIterations");
    run.seconds_per_iteration = number(solver, "secondsPerIteration");
  }
  run.memory = number(flat, "memory.peakBytesPerRankMax");
  if (report.contains("time") && report["time"].contains("ofRanks")) run.of_ranks = report["time"]["ofRanks"];
  return run;
}

std::string text_of(std::string const& key, Measured const& run) {
  Json json{{"key", key},
            {"seconds", run.seconds},
            {"iterations", finite_or_null(run.iterations)},
            {"secondsPerIteration", finite_or_null(run.seconds_per_iteration)},
            {"memory", finite_or_null(run.memory)},
            {"answer", run.answer},
            {"ofRanks", run.of_ranks}};
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::pair<std::string, Measured> run_in(std::string const& text) {
  auto const json = Json::parse(text, nullptr, false);
  Measured run;
  if (!json.is_object() || !json.contains("key") || !json["key"].is_string() || std::isnan(number(json, "seconds"))) {
    run.error = "damaged";
    return {"", run};
  }
  run.seconds = number(json, "seconds");
  run.iterations = number(json, "iterations");
  run.seconds_per_iteration = number(json, "secondsPerIteration");
  run.memory = number(json, "memory");
  run.answer = json.value("answer", Json::object());
  run.of_ranks = json.value("ofRanks", Json::object());
  return {json["key"].get<std::string>(), std::move(run)};
}

namespace {

/// The answer of a group: that of its first run. Other answers are told apart by the first name that differs.
class Answers {
 public:
  explicit Answers(Design const& design) : design_(design) {}
  /// Why this run does not count; empty: it does.
  std::string check(Point const& point, Measured const& run) {
    if (!run.error.empty()) return run.error;
    auto const [place, is_first] = first_.emplace(design_.without(point, design_.alike), std::pair(point, &run));
    if (is_first) return "";
    auto const& [other, reference] = place->second;
    for (auto const& [name, value] : reference->answer.items())
      if (!run.answer.contains(name) || run.answer[name] != value)
        return fmt::format("{} is {}, {} with {}", name, run.answer.value(name, Json()).dump(), value.dump(),
                           design_.axes.name(other));
    return run.answer.size() == reference->answer.size() ? "" : "has other results than the first run";
  }

 private:
  Design const& design_;
  std::map<Point, std::pair<Point, Measured const*>> first_;
};

void fold(Summary& summary, std::vector<Measured const*> runs) {
  std::sort(runs.begin(), runs.end(), [](auto const* a, auto const* b) { return a->seconds < b->seconds; });
  auto const median = [&](auto&& value) {
    std::vector<double> values;
    for (auto const* run : runs) values.push_back(value(*run));
    return median_of(std::move(values));
  };
  summary.least = runs.front()->seconds;
  summary.most = runs.back()->seconds;
  summary.seconds = median([](Measured const& run) { return run.seconds; });
  summary.iterations = median([](Measured const& run) { return run.iterations; });
  summary.seconds_per_iteration = median([](Measured const& run) { return run.seconds_per_iteration; });
  summary.memory = median([](Measured const& run) { return run.memory; });
  summary.middle = runs[runs.size() / 2];
  for (auto const& [part, unused] : summary.middle->of_ranks.items())
    summary.parts[part] = median([&, name = part](Measured const& run) {
      return run.of_ranks.contains(name) ? mean(run.of_ranks[name].get<std::vector<double>>()) : Summary::nan;
    });
}

void compare(Design const& design, std::vector<Summary>& all) {
  if (design.along.empty()) return;
  bool const over_workers = design.along == "ranks" || design.along == "threads";
  // where the work grows other axes may go with it
  std::vector<std::string> together{design.along};
  auto const& along = design.axes.at(design.axes.find(design.along));
  for (Axis const& axis : design.axes.all())
    if (along.group >= 0 && axis.group == along.group) together.push_back(axis.name);
  std::map<Point, Summary const*> first;
  for (Summary& one : all) {
    if (one.counted == 0) continue;
    Summary const& base = *first.emplace(design.without(one.point, together), &one).first->second;
    double const more = over_workers ? static_cast<double>(design.workers(one.point)) / design.workers(base.point) : 1;
    double const faster = base.seconds / one.seconds;
    one.speed_up = design.grows ? faster * more : faster;
    if (over_workers) one.efficiency = one.speed_up / more;
  }
}

}  // namespace

std::vector<Summary> summarize(Design const& design, std::vector<Point> const& points,
                               std::vector<std::vector<Measured>> const& runs) {
  std::vector<Summary> all;
  Answers answers(design);
  for (std::size_t n = 0; n < points.size(); ++n) {
    Summary& one = all.emplace_back();
    one.point = points[n];
    std::vector<Measured const*> good;
    for (Measured const& run : runs[n]) {
      ++one.runs;
      auto const why = answers.check(points[n], run);
      if (why.empty())
        good.push_back(&run);
      else if (one.why.empty())
        one.why = why;
    }
    one.counted = static_cast<int>(good.size());
    if (one.counted > 0) fold(one, std::move(good));
  }
  compare(design, all);
  return all;
}

}  // namespace tessera::run
