// SPDX-License-Identifier: Apache-2.0
#include "run/models/automaton/series.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/times.hpp"
#include "io/files/together.hpp"
#include "run/models/automaton/measure.hpp"
#include "run/sweep/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <string_view>

namespace tessera::run::automaton {
namespace {

/// States that are counted one by one; 0: none.
std::int64_t counted(ca::Automaton const& automaton, core::FieldBase const& field, std::size_t fields) {
  bool const few = fields == 1 && field.element() == core::Element::uint8 && automaton.states() >= 3;
  return few && automaton.states() <= 24 ? automaton.states() : 0;
}
/// Whether least, largest and mean value say something.
bool ranges(ca::Automaton const& automaton, std::size_t fields) { return fields > 1 || automaton.states() == 0; }
bool is_real(core::FieldBase const& field) {
  return field.element() == core::Element::float32 || field.element() == core::Element::float64;
}

/// Rows of a table on disk, without the line of names.
std::vector<std::vector<double>> rows_of(std::string const& file) {
  std::istringstream lines(core::read_file(file));
  std::vector<std::vector<double>> rows;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    auto& row = rows.emplace_back();
    for (char const* at = line.c_str(); *at != '\0';) {
      char* end = nullptr;
      row.push_back(std::strtod(at, &end));
      at = *end == ',' ? end + 1 : end;
    }
  }
  return rows;
}

template <std::size_t N>
bool is_one_of(std::array<std::string_view, N> const& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 3> of_run{"generation", "period", "series"};
constexpr std::array<std::string_view, 4> of_field{"population", "min", "max", "mean"};

/// What the name stands for already; "" where it is free.
std::string taken(std::string const& name, std::vector<std::string> const& fields) {
  constexpr std::string_view state = "state_";
  if (is_one_of(of_run, name)) return "the report's own";
  if (is_one_of(of_field, name)) return "the report's own of a rule with one field";
  if (name.ends_with("_before")) return "that of a column's row before, for `when`";
  if (name.starts_with(state) && name.size() > state.size() &&
      std::all_of(name.begin() + state.size(), name.end(), [](unsigned char c) { return std::isdigit(c); }))
    return "that of a column of the series, cells in a state";
  for (auto const& field : fields) {
    if (name == field) return "that of a field";
    if (name.starts_with(field + "_") && is_one_of(of_field, std::string_view(name).substr(field.size() + 1)))
      return "that of a column of the series, of a field";
  }
  return "";
}

[[noreturn]] void fail(core::Dictionary& properties, char const* part, std::string const& name,
                       std::string const& whose) {
  std::string const what = fmt::format("has a name that is {}, expected another one", whose);
  if (properties.is_dictionary("rule"))
    if (auto* const names = properties.sub("rule").find_sub(part); names != nullptr && names->contains(name))
      names->fail_entry(name, what);
  properties.fail("rule", fmt::format("'{}' of the rule's {} {}", name, part, what));
}

std::vector<double> row_of(ca::Automaton& automaton) {
  auto const fields = automaton.shown();
  std::vector<double> row;
  for (auto const* field : fields) {
    if (!is_real(*field)) row.push_back(static_cast<double>(population(*field)));
    if (auto const states = counted(automaton, *field, fields.size()); states > 0) {
      auto const cells = census(*field, states);
      for (std::size_t s = 1; s < cells.size(); ++s) row.push_back(static_cast<double>(cells[s]));
    }
    if (!ranges(automaton, fields.size())) continue;
    auto const measured = measure(*field);
    row.insert(row.end(), {measured.min, measured.max, measured.mean});
  }
  for (double const x : automaton.measure()) row.push_back(x);
  return row;
}

}  // namespace

void check_names(ca::Automaton& automaton, core::Dictionary& properties) {
  std::vector<std::string> fields;
  for (auto const* field : automaton.look_at_fields()) fields.push_back(field->name());
  for (auto const& field : fields)
    if (is_one_of(of_run, field))
      fail(properties, "fields", field, "the report's own");
    else if (fields.size() > 1 && field == "type")
      fail(properties, "fields", field, "that of an entry of `initial`");
  if (fields.size() == 1) fields.clear();  // its numbers go by no name
  for (auto const& name : automaton.quantities())
    if (auto const whose = taken(name, fields); !whose.empty()) fail(properties, "quantities", name, whose);
}

Series::Series(Session& session, core::Dictionary& properties) : session_(session) {
  if (auto const* const series = properties.find_sub("series")) {
    every_ = series->get_in<std::int64_t>("every", {1, std::int64_t{1} << 62}, 1);
    from_ = series->get_in<std::int64_t>("from", {0, std::int64_t{1} << 62}, 0);
  }
  auto* const stop = properties.find_sub("stop");
  if (stop == nullptr || !stop->contains("when")) return;
  when_ = stop->get<std::string>("when");
  stop_ = stop;
  if (every_ == 0) stop->fail("when", "looks at the rows of the series, expected an entry `series { every N; }` too");
}

void Series::prepare(ca::Automaton& automaton) {
  if (every_ == 0) return;
  auto const fields = automaton.shown();
  std::vector<std::string> columns;
  for (auto const* field : fields) {
    std::string const front = fields.size() > 1 ? field->name() + "_" : "";
    if (!is_real(*field)) columns.push_back(front + "population");
    for (std::int64_t s = 1; s < counted(automaton, *field, fields.size()); ++s)
      columns.push_back(fmt::format("state_{}", s));
    if (ranges(automaton, fields.size()))
      for (char const* what : {"min", "max", "mean"}) columns.push_back(front + what);
  }
  for (auto const& name : automaton.quantities()) columns.push_back(name);
  prepare(columns);
}

void Series::prepare(std::vector<std::string> const& columns) {
  if (every_ == 0) return;
  columns_ = {"generation"};
  columns_.insert(columns_.end(), columns.begin(), columns.end());
  if (stop_ == nullptr) return;
  std::vector<double> const any(columns_.size(), 1.0);
  holds(any, any);
}

bool Series::holds(std::vector<double> const& row, std::vector<double> const& before) const {
  bool const compares = when_.find("_before") != std::string::npos;
  if (compares && before.empty()) return false;
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t q = 0; q < row.size(); ++q) {
    values.emplace_back(columns_[q], row[q]);
    if (compares) values.emplace_back(columns_[q] + "_before", before[q]);
  }
  try {
    return compute(when_, values, stop_->location("when") + ": entry 'when'") != 0;
  } catch (core::Error const& error) {
    throw core::Error(fmt::format("{} Names of a row: {}", error.what(), fmt::join(columns_, ", ")));
  }
}

void Series::begin(ca::Automaton& automaton) {
  begin(automaton.generation(), [&] { return row_of(automaton); });
}
void Series::observe(ca::Automaton& automaton) {
  observe(automaton.generation(), [&] { return row_of(automaton); });
}

void Series::begin(std::int64_t generation, Row const& row) {
  if (every_ == 0) return;
  if (session_.writes)
    io::on_root(session_.comm, [&] {
      auto const now = static_cast<double>(generation);
      std::string const file = session_.files.output("postProcessing/series.csv");
      if (now > 0) {
        table_ = std::make_unique<io::Table>(file, columns_, now);
        rows_ = rows_of(file);
        if (!rows_.empty()) before_ = rows_.back();
      } else {
        table_ = std::make_unique<io::Table>(file, columns_);
      }
    });
  session_.comm.broadcast(before_);
  observe(generation, row);
}

void Series::observe(std::int64_t generation, Row const& row) {
  if (every_ == 0 || generation % every_ != 0) return;
  auto now = row();
  now.insert(now.begin(), static_cast<double>(generation));
  core::Timed const timed(core::Part::io);
  io::on_root(session_.comm, [&] {
    if (table_) table_->row(now);
    rows_.push_back(now);
  });
  auto const none = std::find_if(now.begin(), now.end(), [](double x) { return std::isnan(x); });
  if (none != now.end()) {
    auto const& column = columns_[static_cast<std::size_t>(none - now.begin())];
    if (stop_ != nullptr)
      throw core::RunError(
          fmt::format("generation {}: {} is no number, and 'when' of `stop` can never hold", generation, column));
    if (!std::exchange(told_, true)) session_.log.line("Generation {}: {} is no number", generation, column);
  }
  if (stop_ != nullptr && holds(now, before_)) met_ = generation;
  before_ = now;
}

void Series::report(core::Report& report) const {
  for (std::size_t q = 1; q < columns_.size(); ++q) {
    double n = 0, sum = 0, squares = 0;
    for (auto const& row : rows_) {
      if (row[0] < static_cast<double>(from_)) continue;
      ++n;
      sum += row[q];
    }
    if (n == 0) {
      if (!rows_.empty())
        session_.log.line("The series has no row from generation {} on, where its means begin: the report has none",
                          from_);
      return;
    }
    double const mean = sum / n;
    for (auto const& row : rows_)
      if (row[0] >= static_cast<double>(from_)) squares += (row[q] - mean) * (row[q] - mean);
    report.results()["series"][columns_[q]] = {{"mean", mean}, {"deviation", std::sqrt(squares / n)}};
  }
}

}  // namespace tessera::run::automaton
