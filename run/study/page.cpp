// SPDX-License-Identifier: Apache-2.0
#include "run/study/page.hpp"

#include "io/pictures/page.hpp"
#include "io/pictures/plots.hpp"
#include "run/control/rank_chart.hpp"
#include "run/sweep/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::run {

namespace {

constexpr std::array columns{"runs",     "seconds",      "least",      "most",
                             "speedUp",  "efficiency",   "iterations", "secondsPerIteration",
                             "memoryMB", "computeShare", "notCounted"};

std::string number(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : ""; }

}  // namespace

std::vector<std::string> remarks(Design const& design, StudyResult const& result) {
  std::vector<std::string> all;
  int most = 0, made = 0, lost = 0;
  for (Summary const& one : result.points) {
    most = std::max(most, design.workers(one.point));
    made += one.runs;
    lost += one.runs - one.counted;
  }
  all.push_back(fmt::format(
      "Seconds are {}, {}.",
      design.measure == "run" ? "from the start of computing to the end of the run" : design.measure,
      design.repeats == 1
          ? std::string("each of one run")
          : fmt::format("the median of {} runs that were made in turn, with the least and the most", design.repeats)));
  std::vector<std::string> alike;
  for (auto const& name : design.alike)
    if (design.axes.find(name) >= 0) alike.push_back(name);
  std::string const judged = made == 0 ? "" : lost == 0 ? "; all did" : fmt::format("; {} did not", lost);
  if (!alike.empty())
    all.push_back(fmt::format("A run counts where {} is that of the first run whose point differs in {} alone{}.",
                              fmt::join(design.proofs, ", "), fmt::join(alike, ", "), judged));
  else if (design.repeats > 1)
    all.push_back(fmt::format("A run counts where {} is that of the first run of its point{}.",
                              fmt::join(design.proofs, ", "), judged));
  if (!design.along.empty())
    all.push_back(
        design.grows
            ? fmt::format("The work grows along {} (weak scaling): speed-up is that of the work done a second.",
                          design.along)
            : fmt::format("Speed-up is against the first value of {}.", design.along));
  if (design.machine.emulated()) {
    auto const& [nodes, cluster] = design.machine;
    auto const link = [](core::Link const& of) {
      if (of.step() == 0 && of.bandwidth == 0) return std::string("no time");
      return fmt::format("{} s{}{}", of.latency, of.bandwidth > 0 ? fmt::format(" + bytes / {}", of.bandwidth) : "",
                         of.overhead > 0 ? fmt::format(" and {} s of its sender", of.overhead) : "");
    };
    all.push_back(fmt::format(
        "Times are those of an emulated cluster: ranks on nodes ({}), of speeds ({}) where 1 is a core of this "
        "machine; a message takes {} between nodes, {} within one.",
        fmt::join(nodes, " "), fmt::join(cluster.speeds, " "), link(cluster.network), link(cluster.memory)));
  } else if (most > result.cores) {
    all.push_back(fmt::format(
        "Runs of more than {0} threads share {0} cores: their times say nothing of as many cores.", result.cores));
  }
  for (auto const& [wanted, found] : result.emulated)
    all.push_back(
        fmt::format("A rank of speed {:.3g} had {:.3g} times the speed of one by the machine's clock ({:+.1f} %).",
                    wanted, found, 100 * (found / wanted - 1)));
  return all;
}

bool is_own_column(std::string_view name) {
  return name == "repeat" || name == "error" || std::find(columns.begin(), columns.end(), name) != columns.end();
}

std::vector<std::vector<std::string>> table(Design const& design, StudyResult const& result) {
  std::vector<std::vector<std::string>> rows(1);
  for (Axis const& axis : design.axes.all()) rows[0].push_back(axis.name);
  for (char const* name : columns) rows[0].emplace_back(name);
  for (Summary const& one : result.points) {
    auto& row = rows.emplace_back(one.point);
    double sum = 0;
    for (auto const& [part, seconds] : one.parts)
      if (part != "boot") sum += seconds;
    auto const compute = one.parts.find("compute");
    for (double x : {static_cast<double>(one.counted), one.seconds, one.least, one.most, one.speed_up, one.efficiency,
                     one.iterations, one.seconds_per_iteration, one.memory / 1e6,
                     compute != one.parts.end() && sum > 0 ? compute->second / sum : Summary::nan})
      row.push_back(number(x));
    row.push_back(one.runs > one.counted ? fmt::format("{}: {}", one.runs - one.counted, one.why) : "");
  }
  for (std::size_t column = rows[0].size(); column-- > design.axes.all().size();) {
    bool const empty = std::all_of(rows.begin() + 1, rows.end(), [&](auto const& row) { return row[column].empty(); });
    if (empty)
      for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  return rows;
}

std::string markdown(Design const& design, StudyResult const& result) {
  std::string text = fmt::format("# Study of {}\n\n{}, {}\n\n", result.name, result.program, result.host);
  for (auto const& remark : remarks(design, result)) text += fmt::format("- {}\n", remark);
  bool head = true;
  text += '\n';
  for (auto row : table(design, result)) {
    for (auto& cell : row)
      for (auto at = cell.find('|'); at != cell.npos; at = cell.find('|', at + 2)) cell.insert(at, "\\");
    text += fmt::format("| {} |\n", fmt::join(row, " | "));
    if (std::exchange(head, false)) {
      for (std::size_t n = 0; n < row.size(); ++n) text += "|---";
      text += "|\n";
    }
  }
  return text;
}

namespace {

/// The curves of one quantity along the axis of the study, one for each value of the other axes.
std::vector<io::LinePlot::Curve> curves(Design const& design, StudyResult const& result, double Summary::*quantity) {
  std::vector<io::LinePlot::Curve> all;
  auto const& along = design.axes.at(design.axes.find(design.along));
  std::vector<std::string> together{design.along};
  for (Axis const& axis : design.axes.all())
    if (along.group >= 0 && axis.group == along.group) together.push_back(axis.name);
  std::map<Point, std::size_t> places;
  for (Summary const& one : result.points) {
    double const x = number_in(one.point[design.axes.find(design.along)]), y = one.*quantity;
    if (std::isnan(x) || std::isnan(y)) continue;
    auto const [place, is_new] = places.emplace(design.without(one.point, together), all.size());
    if (is_new) {
      auto const label = design.label(one.point, together);
      all.push_back({label.empty() ? "measured" : label, {}});
    }
    all[place->second].points.emplace_back(x, y);
  }
  for (auto& curve : all) std::sort(curve.points.begin(), curve.points.end());
  return all;
}

std::string scaling(Design const& design, StudyResult const& result) {
  if (design.along.empty()) return "";
  io::LinePlot speed{"Speed-up", design.along, "speed-up", curves(design, result, &Summary::speed_up)};
  if (speed.curves.empty()) return "";
  bool const over_workers = design.along == "ranks" || design.along == "threads";
  std::string html = "<div class=\"plots\">\n";
  if (over_workers) {
    double first = std::numeric_limits<double>::infinity(), last = 0;
    for (auto const& curve : speed.curves) {
      first = std::min(first, curve.points.front().first);
      last = std::max(last, curve.points.back().first);
    }
    io::LinePlot efficiency{"Efficiency", design.along, "efficiency", curves(design, result, &Summary::efficiency)};
    speed.curves.push_back({"ideal", {{first, 1}, {last, last / first}}, true});
    efficiency.curves.push_back({"ideal", {{first, 1}, {last, 1}}, true});
    html += "<div>" + io::line_plot(speed) + "</div>\n<div>" + io::line_plot(efficiency) + "</div>\n";
  } else {
    speed.may_be_logarithmic = true;
    html += "<div>" + io::line_plot(speed) + "</div>\n<div>" +
            io::line_plot({"Time", design.along, "seconds", curves(design, result, &Summary::seconds), true}) +
            "</div>\n";
  }
  return html + "</div>\n";
}

std::string parts_of_points(Design const& design, StudyResult const& result) {
  auto chart = parts_chart();
  chart.title = "Time by part, mean over ranks (set-up of the run left out)";
  std::erase_if(chart.parts, [](auto const& part) { return part.name == "boot"; });
  std::vector<std::string> labels;
  for (Summary const& one : result.points) {
    if (one.parts.empty()) continue;
    labels.push_back(design.label(one.point));
    for (auto& part : chart.parts) {
      auto const found = one.parts.find(part.name);
      part.values.push_back(found == one.parts.end() ? 0 : found->second);
    }
  }
  return labels.empty() ? "" : "<div class=\"wide\">" + io::bar_plot(chart, labels) + "</div>\n";
}

std::string iterations(Design const& design, StudyResult const& result) {
  io::BarChart chart{
      .title = "Iterations a step", .unit = "iterations", .parts = {{"iterations", io::colours::blue, {}}}};
  std::vector<std::string> labels;
  for (Summary const& one : result.points)
    if (std::isfinite(one.iterations)) {
      labels.push_back(design.label(one.point));
      chart.parts[0].values.push_back(one.iterations);
    }
  return labels.empty() ? "" : "<div class=\"wide\">" + io::bar_plot(chart, labels) + "</div>\n";
}

/// Who worked and who waited, in the run of the most ranks; of several the slowest.
std::string ranks(Design const& design, StudyResult const& result) {
  Summary const* largest = nullptr;
  for (Summary const& one : result.points) {
    if (!one.middle || one.middle->of_ranks.empty()) continue;
    auto const size = [&](Summary const& s) { return std::pair(design.ranks(s.point), s.seconds); };
    if (!largest || size(*largest) < size(one)) largest = &one;
  }
  if (!largest || design.ranks(largest->point) < 2) return "";
  auto chart = rank_chart(largest->middle->of_ranks);
  auto const label = design.label(largest->point);
  chart.title = "Each rank's time" + (label.empty() ? "" : ": " + label);
  std::vector<std::string> labels;
  for (std::size_t rank = 0; rank < chart.parts.front().values.size(); ++rank)
    labels.push_back(fmt::format("rank {}", rank));
  return "<div class=\"wide\">" + io::bar_plot(chart, labels) + "</div>\n";
}

}  // namespace

std::string page(Design const& design, StudyResult const& result) {
  std::string body = "<ul>\n";
  for (auto const& remark : remarks(design, result)) body += fmt::format("<li>{}</li>\n", io::escaped(remark));
  body += "</ul>\n" + scaling(design, result) + parts_of_points(design, result) + iterations(design, result) +
          ranks(design, result) + io::html_table(table(design, result));
  return io::html({"Study of " + result.name, {result.program, result.host}, body});
}

}  // namespace tessera::run
