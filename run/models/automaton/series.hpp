// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/automaton.hpp"
#include "core/report.hpp"
#include "io/files/table.hpp"
#include "run/model.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::run::automaton {

/// Throws core::Error where a quantity or a field of the rule has a name that stands for something else in the report's results or
/// in the series, at its place in `properties` where the rule stands in the case.
void check_names(ca::Automaton& automaton, core::Dictionary& properties);

/// The entry `series { every N; from G; }` of constant/automatonProperties: numbers of each N-th generation, in
/// postProcessing/series.csv, and `stop { when "..."; }`, which looks at them; NAME_before is that of the row before. A row has the generation and
///   of a state of one whole number   population; cells in the states 1, 2 ... where the rule says that it has 3 .. 24 of
///                                    them; min, max, mean where it does not say how many
///   of a real number                 min, max, mean
///   of several fields                the same of each, NAME_min and so on
///   of the rule                      its own quantities
///   of a plane without end           what Unbounded says
/// Rows are the same bits on any ranks and tiles. A run that goes on keeps the rows before.
class Series {
 public:
  /// Reads the entries. Throws core::Error.
  Series(Session& session, core::Dictionary& properties);
  /// Generations from a row to the next; 0: there is none.
  std::int64_t every() const { return every_; }
  /// Finds the columns, and whether `when` can be computed from them. Throws core::Error.
  void prepare(ca::Automaton& automaton);
  /// The same of columns that the caller has, behind that of the generation.
  void prepare(std::vector<std::string> const& columns);

  /// What makes a row without its generation. Collective.
  using Row = std::function<std::vector<double>()>;
  /// Before the first generation. Collective.
  void begin(ca::Automaton& automaton);
  void begin(std::int64_t generation, Row const& row);
  /// After each. Collective.
  void observe(ca::Automaton& automaton);
  void observe(std::int64_t generation, Row const& row);
  /// Whether `when` holds in the last row that was asked for at this generation.
  bool ends(std::int64_t generation) const { return met_ == generation; }
  /// Of each column the mean, and the standard deviation, of the rows from generation `from` on. On the root.
  void report(core::Report& report) const;

 private:
  bool holds(std::vector<double> const& row, std::vector<double> const& before) const;

  Session& session_;
  core::Dictionary* stop_ = nullptr;
  std::int64_t every_ = 0, from_ = 0, met_ = -1;  ///< 0: there is none
  bool told_ = false;  ///< that a number is none
  std::string when_;
  std::vector<std::string> columns_;
  std::vector<std::vector<double>> rows_;  ///< on the root
  std::vector<double> before_;             ///< the last row; empty: there is none
  std::unique_ptr<io::Table> table_;       ///< on the root
};

}  // namespace tessera::run::automaton
