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

/// A text as a cell of a table: in quotes where it would be read as something else.
std::string cell(std::string const& text) {
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' ? ' ' : c);
  return quoted + '"';
}
std::string cell(double x) { return std::isfinite(x) ? text_of_number(x) : ""; }
std::string cell(Row const& row, std::string const& column) {
  auto const found = row.found.find(column);
  if (found == row.found.end()) return "";
  return found->is_string() ? cell(found->get<std::string>()) : cell(number_of(row, column));
}

double deviation(Mean const& mean) { return mean.error * std::sqrt(static_cast<double>(mean.samples)); }

}  // namespace

std::string csv_line(std::vector<std::string> const& cells) {
  std::string line;
  for (auto const& text : cells) line += (&text == cells.data() ? "" : ",") + cell(text);
  return line + '\n';
}

Tables::Tables(Axes const& axes, Rounds const& rounds, Results const& results, std::vector<std::string> wanted,
               core::Dictionary const& dictionary)
    : axes_(axes),
      rounds_(rounds),
      results_(results),
      columns_(std::move(wanted)) {
  std::vector<std::string> found;
  std::set<std::string> known;
  for (Point const& point : results.points())
    if (Row const* row = results.find(point))
      for (auto const& [name, value] : row->found.items())
        if (known.insert(name).second) found.push_back(name);
  if (found.empty()) return;
  for (auto const& name : columns_)
    if (!known.contains(name)) dictionary.fail("results", core::unknown_name("result", name, found));
  if (columns_.empty())
    std::copy_if(found.begin(), found.end(), std::back_inserter(columns_),
                 [](std::string const& name) { return !name.starts_with("hash."); });
}

bool Tables::numeric(std::string const& column) const {
  return std::any_of(results_.points().begin(), results_.points().end(), [&](Point const& point) {
    Row const* row = results_.find(point);
    return row && !std::isnan(number_of(*row, column));
  });
}

std::string Tables::places(Point const& point, std::initializer_list<int> without) const {
  std::vector<std::string> cells;
  for (int n = 0; n < std::ssize(point); ++n)
    if (std::find(without.begin(), without.end(), n) == without.end()) cells.push_back(cell(point[n]));
  return fmt::format("{}", fmt::join(cells, ","));
}

std::string Tables::tasks() const {
  std::vector<std::string> head;
  for (Axis const& axis : axes_.all()) head.push_back(axis.name);
  head.insert(head.end(), columns_.begin(), columns_.end());
  head.emplace_back("error");
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (Point const& point : results_.points()) {
    Row const* row = results_.find(point);
    if (!row) continue;
    text += places(point, {});
    for (auto const& column : columns_) text += "," + cell(*row, column);
    text += "," + cell(row->error) + "\n";
  }
  return text;
}

std::string Tables::costs() const {
  std::vector<std::string> head;
  for (Axis const& axis : axes_.all()) head.push_back(axis.name);
  std::string text = fmt::format("{},seconds\n", fmt::join(head, ","));
  for (Point const& point : results_.points())
    if (Row const* row = results_.find(point)) text += fmt::format("{},{:.6g}\n", places(point, {}), row->seconds);
  return text;
}

std::string Tables::thresholds() const {
  int const searched = axes_.find(rounds_.threshold_axis());
  std::vector<std::string> head;
  for (int n = 0; n < std::ssize(axes_.all()); ++n)
    if (n != searched) head.push_back(axes_.at(n).name);
  std::string const name = rounds_.threshold_axis();
  head.insert(head.end(), {name + "Low", name + "High", "threshold"});
  head.insert(head.end(), columns_.begin(), columns_.end());
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (Bracket const& bracket : rounds_.brackets(results_)) {
    std::string const begin = places(bracket.low, {searched});
    text += begin + (begin.empty() ? "" : ",");
    if (!bracket.found()) {
      text += ",," + std::string(columns_.size(), ',') + "\n";
      continue;
    }
    text += fmt::format("{},{},{}", bracket.low[searched], bracket.high[searched], cell(bracket.at));
    for (auto const& column : columns_) text += "," + cell(*results_.find(bracket.high), column);
    text += "\n";
  }
  return text;
}

std::vector<std::string> Tables::group_columns() const {
  std::vector<std::string> columns;
  if (rounds_.seeks_threshold()) columns.emplace_back("threshold");
  std::copy_if(columns_.begin(), columns_.end(), std::back_inserter(columns),
               [this](std::string const& column) { return numeric(column); });
  return columns;
}

std::vector<double> Tables::values(Group const& group, std::string const& column) const {
  if (column == "threshold" && rounds_.seeks_threshold()) return group.thresholds;
  std::vector<double> values;
  for (Row const* row : group.rows) values.push_back(number_of(*row, column));
  return values;
}

std::string Tables::statistics() const {
  int const searched = rounds_.seeks_threshold() ? axes_.find(rounds_.threshold_axis()) : -1;
  std::vector<std::string> head;
  for (int n = 0; n < std::ssize(axes_.all()); ++n)
    if (n != searched && n != axes_.samples()) head.push_back(axes_.at(n).name);
  head.emplace_back("samples");
  auto const columns = group_columns();
  for (auto const& column : columns) head.insert(head.end(), {column, column + "Error", column + "Deviation"});
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (Group const& group : rounds_.groups(results_)) {
    std::string const begin = places(group.point, {searched, axes_.samples()});
    text += fmt::format("{}{}{}", begin, begin.empty() ? "" : ",", group.rows.size());
    for (auto const& column : columns) {
      Mean const mean = mean_of(values(group, column));
      text += fmt::format(",{},{},{}", cell(mean.mean), cell(mean.error), cell(deviation(mean)));
    }
    text += "\n";
  }
  return text;
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
