// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "solvers/linear_solver.hpp"
#include "tools/applications/percolation/medium.hpp"

namespace tessera::tools::percolation {

/// A number found, as the report names it.
struct Quantity {
  enum class Kind { flag, count, number };
  std::string name;
  Kind kind = Kind::number;
  double value = 0;      ///< NaN where it is not defined (a shortest path where nothing spans)
  bool spanning = true;  ///< says something of the spanning clusters: its mean over spanning samples is of interest

  core::Report::Json json() const;
};

/// What was found along one direction.
struct Crossed {
  std::string name;  ///< of the crossing
  bool spans = false;
  std::vector<Quantity> quantities;
  std::unique_ptr<core::Field<std::uint8_t>> spanning, backbone, dangling, articulation, red;
  std::vector<solvers::Performance> solves;  ///< of the potential
  std::vector<std::string> notes;

  double value(std::string_view quantity) const;
};

/// What was found in one medium. The names of the quantities depend on the settings alone.
struct Findings {
  std::vector<Quantity> common;  ///< that depend on no direction
  std::vector<Crossed> crossings;
  std::unique_ptr<core::Field<std::int64_t>> label;

  /// All quantities in order; with several directions their names are `y.backboneSites`.
  std::vector<Quantity> all() const;
  core::Report::Json json() const;
  /// The fields that exist, `occupied` first where it is wanted; with several directions renamed `backbone_y`.
  std::vector<core::FieldBase const*> fields(Settings const& settings, core::Field<std::uint8_t> const& occupied) const;
};

/// Clusters, backbone and what else the settings ask for. `occupied` holds the medium; its frame is written here.
/// Collective.
Findings explore(Settings const& settings, Medium const& medium, core::Field<std::uint8_t>& occupied);

}  // namespace tessera::tools::percolation
