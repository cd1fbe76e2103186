// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "run/models/percolation/method.hpp"
#include "solvers/conduction.hpp"

#include <optional>

namespace tessera::run::percolation {

/// Finds in one medium after the other, on one layout, what the settings ask for. Buffers are kept.
class Explorer {
 public:
  /// Loads the masks of inlet and outlet. Collective.
  Explorer(Settings const& settings, Medium const& medium, core::Layout const& layout);

  /// `occupied` holds the medium; its frame is written here. `random`: for automata with random order. Collective.
  Findings operator()(core::Field<std::uint8_t>& occupied, core::Random random);
  /// How the masks of `inlet` and `outlet` were read.
  void describe_ports(core::Report& report) const;
  /// `region HASH` where there is one; `inletMask HASH`, `outletMask HASH` where either is given as a mask, not as a side. Collective.
  std::vector<std::string> mask_hashes() const;

 private:
  Ends ends_of(Crossing const& crossing);

  void add_wrapping(Findings& findings) const;
  void add_path(Ends const& ends, core::Field<std::uint8_t> const& occupied, Crossed& found) const;
  void add_currents(Crossing const& crossing, Ends const& ends, double occupation,
                    core::Field<std::uint8_t> const& conducting, Crossed& found) const;
  void keep_current_fields(solvers::Electrodes const& electrodes, std::unique_ptr<core::Field<double>> potential,
                           Crossed& found) const;
  void verify_currents(solvers::Electrodes const& electrodes, core::Field<std::uint8_t> const& backbone,
                       double conductance, Crossed& found) const;

  Settings const& settings_;
  Medium const& medium_;
  core::Layout const& layout_;
  core::Report::Json inlet_, outlet_;  ///< of masks; null without
  /// What a full medium has, for paths, where that is neither all cells nor a region.
  std::unique_ptr<core::Field<std::uint8_t>> full_;
  std::vector<std::optional<Ends>> ends_;  ///< of each crossing that has two ends and needs their masks
};

}  // namespace tessera::run::percolation
