// SPDX-License-Identifier: Apache-2.0
#include "run/sweep/tables.hpp"

#include "core/error.hpp"
#include "run/sweep/expression.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tessera::run {
namespace {

std::string cell(double x) { return std::isfinite(x) ? text_of_number(x) : ""; }
std::string cell(Row const& row, std::string const& column) {
  auto const found = row.found.find(column);
  if (found == row.found.end()) return "";
  return found->is_string() ? found->get<std::string>() : cell(number_of(row, column));
}

double deviation(Mean const& mean) { return mean.error * std::sqrt(static_cast<double>(mean.samples)); }

}  // namespace

Tables::Tables(Axes const& axes, Rounds const& rounds, Results const& results, std::vector<std::string> wanted,
               core::Dictionary const& dictionary)
    : axes_(axes),
      rounds_(rounds),
      results_(results),
      searched_(rounds.seeks_threshold() ? axes.find(rounds.threshold_axis()) : -1),
      columns_(std::move(wanted)) {
  std::vector<std::string> found;
  std::set<std::string> known;
  for (Point const& point : results.points())
    if (Row const* row = results.find(point))
      for (auto const& [name, value] : row->found.items())
        if (known.insert(name).second) found.push_back(name);
  if (!found.empty()) {
    for (auto const& name : columns_)
      if (!known.contains(name)) dictionary.fail("results", core::unknown_name("result", name, found));
    if (columns_.empty())
      std::copy_if(found.begin(), found.end(), std::back_inserter(columns_),
                   [](std::string const& name) { return !name.starts_with("hash."); });
  }
  check_columns(dictionary);
}

void Tables::check_columns(core::Dictionary const& dictionary) const {
  std::set<std::string> own{"error"}, seen;
  if (searched_ >= 0 || axes_.samples() >= 0) own.insert("samples");
  if (searched_ >= 0) own.insert({"threshold", rounds_.threshold_axis() + "Low", rounds_.threshold_axis() + "High"});
  core::Dictionary const& axes = *dictionary.find_sub("axes");
  for (Axis const& axis : axes_.all())
    if (own.contains(axis.name)) refuse_column(axes, axis.name);
  for (auto const& column : columns_) {
    if (axes_.find(column) >= 0)
      axes.fail(column, fmt::format("the axis '{}' is called as a result is, which is a column of the tables, too, "
                                    "expected another name",
                                    column));
    if (own.contains(column))
      dictionary.fail("results",
                      fmt::format("the tables have a column '{}' of their own, expected results without it", column));
    if (!seen.insert(column).second) dictionary.fail("results", fmt::format("'{}' is there twice", column));
  }
}

bool Tables::numeric(std::string const& column) const {
  return std::any_of(results_.points().begin(), results_.points().end(), [&](Point const& point) {
    Row const* row = results_.find(point);
    return row && !std::isnan(number_of(*row, column));
  });
}

std::vector<std::string> Tables::places(Point const& point, std::initializer_list<int> without) const {
  std::vector<std::string> cells;
  for (int n = 0; n < std::ssize(point); ++n)
    if (std::find(without.begin(), without.end(), n) == without.end()) cells.push_back(point[n]);
  return cells;
}

std::vector<std::string> Tables::axes_without(std::initializer_list<int> without) const {
  Point names;
  for (Axis const& axis : axes_.all()) names.push_back(axis.name);
  return places(names, without);
}

io::TextTable Tables::tasks() const {
  io::TextTable table{"tasks", axes_without(), {}};
  table.head.insert(table.head.end(), columns_.begin(), columns_.end());
  table.head.emplace_back("error");
  for (Point const& point : results_.points()) {
    Row const* row = results_.find(point);
    if (!row) continue;
    auto& cells = table.rows.emplace_back(places(point));
    for (auto const& column : columns_) cells.push_back(cell(*row, column));
    cells.push_back(row->error);
  }
  return table;
}

io::TextTable Tables::costs() const {
  io::TextTable table{"costs", axes_without(), {}};
  table.head.insert(table.head.end(), {"seconds", "ranks"});
  for (Point const& point : results_.points())
    if (Row const* row = results_.find(point)) {
      auto& cells = table.rows.emplace_back(places(point));
      cells.insert(cells.end(), {fmt::format("{:.6g}", row->seconds), fmt::format("{}", row->ranks)});
    }
  return table;
}

io::TextTable Tables::thresholds() const {
  io::TextTable table{"thresholds", axes_without({searched_}), {}};
  std::string const name = rounds_.threshold_axis();
  table.head.insert(table.head.end(), {name + "Low", name + "High", "threshold"});
  table.head.insert(table.head.end(), columns_.begin(), columns_.end());
  for (Bracket const& bracket : rounds_.brackets(results_)) {
    auto& cells = table.rows.emplace_back(places(bracket.low, {searched_}));
    if (bracket.found()) {
      cells.insert(cells.end(), {bracket.low[searched_], bracket.high[searched_], cell(bracket.at)});
      for (auto const& column : columns_) cells.push_back(cell(*results_.find(bracket.high), column));
    }
    cells.resize(table.head.size());
  }
  return table;
}

std::vector<std::string> Tables::group_columns() const {
  std::vector<std::string> columns;
  if (rounds_.seeks_threshold()) columns.emplace_back("threshold");
  std::copy_if(columns_.begin(), columns_.end(), std::back_inserter(columns),
               [this](std::string const& column) { return numeric(column); });
  return columns;
}

std::vector<double> Tables::values(Group const& group, std::string const& column) const {
  if (column == "threshold" && searched_ >= 0) return group.thresholds;
  std::vector<double> values;
  for (Row const* row : group.rows) values.push_back(number_of(*row, column));
  return values;
}

io::TextTable Tables::statistics() const {
  io::TextTable table{"statistics", axes_without({searched_, axes_.samples()}), {}};
  table.head.emplace_back("samples");
  auto const columns = group_columns();
  for (auto const& column : columns)
    table.head.insert(table.head.end(), {column, column + "Error", column + "Deviation"});
  for (Group const& group : rounds_.groups(results_)) {
    auto& cells = table.rows.emplace_back(places(group.point, {searched_, axes_.samples()}));
    cells.push_back(std::to_string(group.rows.size()));
    for (auto const& column : columns) {
      Mean const mean = mean_of(values(group, column));
      cells.insert(cells.end(), {cell(mean.mean), cell(mean.error), cell(deviation(mean))});
    }
  }
  return table;
}

io::TextTable Tables::histograms(Histograms const& histograms, core::Dictionary const& dictionary) const {
  io::TextTable table{"histograms", {"quantity"}, {}};
  auto const axes = axes_without({searched_, axes_.samples()});
  table.head.insert(table.head.end(), axes.begin(), axes.end());
  table.head.insert(table.head.end(), {"low", "high", "count"});
  auto const groups = rounds_.groups(results_);
  auto const known = group_columns();
  for (auto const& quantity : histograms.of) {
    if (std::find(known.begin(), known.end(), quantity) == known.end())
      dictionary.fail("of", core::unknown_name("number", quantity, known));
    std::vector<std::vector<double>> found;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Group const& group : groups) {
      auto& numbers = found.emplace_back(values(group, quantity));
      std::erase_if(numbers, [](double x) { return !std::isfinite(x); });
      for (double x : numbers) low = std::min(low, x), high = std::max(high, x);
    }
    int const bins = high > low ? histograms.bins : 1;
    auto const edge = [&](int bin) { return bin == bins ? high : low + (high - low) * bin / bins; };
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
      for (double x : found[g]) {
        int bin = high > low ? std::min(bins - 1, static_cast<int>((x - low) / (high - low) * bins)) : 0;
        // rounding: a value lies between the ends that the table tells
        if (bin > 0 && x < edge(bin)) --bin;
        if (bin + 1 < bins && x >= edge(bin + 1)) ++bin;
        ++counts[static_cast<std::size_t>(bin)];
      }
      for (int bin = 0; bin < bins && low <= high; ++bin) {
        auto& cells = table.rows.emplace_back(std::vector{quantity});
        auto const place = places(groups[g].point, {searched_, axes_.samples()});
        cells.insert(cells.end(), place.begin(), place.end());
        cells.insert(cells.end(),
                     {cell(edge(bin)), cell(edge(bin + 1)), std::to_string(counts[static_cast<std::size_t>(bin)])});
      }
    }
  }
  return table;
}

core::Report::Json Tables::json() const {
  auto all = core::Report::Json::array();
  for (Group const& group : rounds_.groups(results_)) {
    core::Report::Json entry = core::Report::Json::object();
    for (std::size_t n = 0; n < group.point.size(); ++n)
      if (!group.point[n].empty()) entry[axes_.at(n).name] = group.point[n];
    entry["samples"] = group.rows.size();
    for (auto const& column : group_columns()) {
      Mean const mean = mean_of(values(group, column));
      entry[column] = {{"mean", finite_or_null(mean.mean)},
                       {"error", finite_or_null(mean.error)},
                       {"deviation", finite_or_null(deviation(mean))}};
    }
    all.push_back(std::move(entry));
  }
  return all;
}

std::vector<std::string> Tables::lines() const {
  std::vector<std::string> lines;
  auto columns = group_columns();
  columns.resize(std::min<std::size_t>(columns.size(), 4));
  if (columns.empty() && axes_.samples() < 0) return lines;
  for (Group const& group : rounds_.groups(results_)) {
    std::string line;
    for (std::size_t n = 0; n < group.point.size(); ++n)
      if (!group.point[n].empty())
        line += fmt::format("{}{} = {}", line.empty() ? "" : ", ", axes_.at(n).name, group.point[n]);
    if (axes_.samples() >= 0) {
      auto const found = std::ssize(group.rows);
      line += fmt::format("{}{}{} sample{}", line.empty() ? "" : ", ", found,
                          found < group.samples ? fmt::format(" of {}", group.samples) : std::string(),
                          group.samples == 1 ? "" : "s");
    }
    if (!line.empty()) line += ": ";
    for (auto const& column : columns) {
      Mean const mean = mean_of(values(group, column));
      line += column + ' ' + (std::isnan(mean.mean) ? std::string("-") : fmt::format("{:.6g}", mean.mean));
      line += std::isnan(mean.error) ? "; " : fmt::format(" +- {:.2g}; ", mean.error);
    }
    line.resize(line.find_last_not_of("; ") + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tessera::run
