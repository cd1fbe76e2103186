// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/percolation/medium.hpp"
#include "solvers/linear_solver.hpp"

namespace tessera::run::percolation {

/// A number found, as the report names it.
struct Quantity {
  enum class Kind { flag, count, number };
  std::string name;  ///< with dots where the report nests: `steps.A2`
  Kind kind = Kind::number;
  double value = 0;      ///< NaN where it is not defined (a shortest path where nothing spans)
  bool spanning = true;  ///< says something of the spanning clusters: its mean over spanning samples is of interest
  std::size_t flag = 0;  ///< where, in Findings::all, the flag of its crossing stands

  core::Report::Json json() const;
};

/// Rows for postProcessing/NAME.csv, on rank 0.
struct FoundTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

/// What was found along one direction.
struct Crossed {
  std::string name;  ///< of the crossing
  bool spans = false;
  bool refuted = false;  ///< currents flow off the backbone: one of the two is wrong
  std::vector<Quantity> quantities;
  std::unique_ptr<core::Field<std::uint8_t>> spanning, backbone, dangling, articulation, red, marked;
  std::vector<std::unique_ptr<core::FieldBase>> more;  ///< of analyses
  std::vector<FoundTable> tables;
  std::vector<solvers::Performance> solves;  ///< of the potential
  std::vector<std::string> notes;

  void add(char const* quantity, double value) { quantities.push_back({quantity, Quantity::Kind::number, value}); }
  void count(char const* quantity, std::int64_t n) {
    quantities.push_back({quantity, Quantity::Kind::count, static_cast<double>(n)});
  }
  /// That the medium is crossed: `spans` or `wraps`.
  void flag(char const* quantity, bool yes) {
    quantities.push_back({quantity, Quantity::Kind::flag, yes ? 1.0 : 0.0, false});
  }
};

/// What was found in one medium. The names of the quantities depend on the settings alone.
struct Findings {
  std::vector<Quantity> common;  ///< that depend on no direction
  std::vector<Crossed> crossings;
  std::unique_ptr<core::FieldBase> label;
  std::vector<std::unique_ptr<core::FieldBase>> more;  ///< of analyses
  std::vector<FoundTable> tables;
  std::int64_t steps = 0;            ///< of automata
  double cell_updates = 0;           ///< by all steps
  std::vector<ca::SizeCount> sizes;  ///< clusters of each size, smallest first

  void add(char const* quantity, double value) { common.push_back({quantity, Quantity::Kind::number, value, false}); }
  void count(char const* quantity, std::int64_t n) {
    common.push_back({quantity, Quantity::Kind::count, static_cast<double>(n), false});
  }

  void add_steps(std::int64_t n, std::int64_t updates) {
    steps += n;
    cell_updates += static_cast<double>(updates);
  }

  /// All quantities in order; with several directions their names are `y.backboneSites`.
  std::vector<Quantity> all() const;
  core::Report::Json json() const;
  /// The fields that exist, `occupied` first where it is wanted; with several directions renamed `backbone_y`.
  std::vector<core::FieldBase const*> fields(Settings const& settings, core::Field<std::uint8_t> const& occupied) const;
};

/// The entry of a quantity, nested where its name has dots.
core::Report::Json& place(core::Report::Json& at, std::string const& name);

}  // namespace tessera::run::percolation
